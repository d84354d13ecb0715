// Singular values and vectors of matrices in device memory: every spectrum against 420 bits, every shape, layout and
// precision, what is refused.
#include <hilo/singular_values.hpp>

#include "error_message.hpp"
#include "on_device.hpp"
#include "opencl/native.hpp"
#include "singular_matrices.hpp"
#include "wide_singular_values.hpp"

namespace hilo::test {
namespace {

template <class T>
class OpenclSingularValuesAll : public testing::Test {
 protected:
  void SetUp() override {
    if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
TYPED_TEST_SUITE(OpenclSingularValuesAll, AllPrecisions, NameOfPrecision);
template <class T>
class OpenclSingularValues : public OpenclSingularValuesAll<T> {};
TYPED_TEST_SUITE(OpenclSingularValues, DoubleDoubles, NameOfPrecision);

template <class T>
std::vector<WideNumber> wide_of(const std::vector<T>& x) {
  std::vector<WideNumber> y;
  for (const T& e : x) y.push_back(WideNumber(wide(e)));
  return y;
}

// Matrices that lie in memory as StoredMatrix has them, U and V thin or whole.
template <class T>
struct Problem {
  StoredMatrix<T> a, u, v;
  std::vector<real_type<T>> values, alone;
  SingularValueReport report, report_alone;

  Problem(const StoredMatrix<T>& matrix, Layout layout, bool is_whole, const SingularValueOptions& options = {},
          Queue& q = queue())
      : a(matrix),
        u(layout, a.view.rows, is_whole ? a.view.rows : std::min(a.view.rows, a.view.columns)),
        v(layout, a.view.columns, is_whole ? a.view.columns : std::min(a.view.rows, a.view.columns)),
        values(static_cast<std::size_t>(std::min(a.view.rows, a.view.columns))),
        alone(values.size()) {
    const OnDevice<T> of_a(q, a), of_u(q, u), of_v(q, v);
    const StoredMatrix<T> before_u = u, before_v = v;
    const VectorView<real_type<T>> to{values.data(), std::ssize(values)}, to_alone{alone.data(), std::ssize(alone)};
    report = singular_value_decomposition(q, of_a.view, to, of_u.view, of_v.view, {}, options);
    report_alone = singular_values(q, of_a.view, to_alone);
    EXPECT_EQ(first_difference(of_a.read(q), a.elements), -1);
    u.elements = of_u.read(q);
    u.view.data = u.elements.data() + (before_u.view.data - before_u.elements.data());
    v.elements = of_v.read(q);
    v.view.data = v.elements.data() + (before_v.view.data - before_v.elements.data());
    const auto none = [](auto, auto) { return false; };
    EXPECT_EQ(u.first_changed(before_u, none), -1);
    EXPECT_EQ(v.first_changed(before_v, none), -1);
  }

  WideSingularNorms norms() {
    return wide_singular_norms(a.view.rows, a.view.columns, wide_of(by_columns(a.view)), wide_of(by_columns(u.view)),
                               wide_of(by_columns(v.view)),
                               [this](std::int64_t j) { return dd_real(values[static_cast<std::size_t>(j)]); });
  }
};

template <class T>
StoredMatrix<T> stored(Layout layout, std::int64_t m, std::int64_t n, const std::vector<T>& by_columns) {
  StoredMatrix<T> x(layout, m, n);
  x.fill([&](std::int64_t i, std::int64_t j) { return by_columns[static_cast<std::size_t>(i + j * m)]; });
  return x;
}

// Nearly square, so that U has columns beyond V's, and tall, so that QR comes first.
TYPED_TEST(OpenclSingularValues, AreRightWhateverTheSpectrum) {
  using T = TypeParam;
  using Shape = std::pair<std::int64_t, std::int64_t>;
  const bool is_complex_type = is_complex(precision_of<T>);
  for (const auto& [m, n] :
       is_complex_type ? std::vector<Shape>{{13, 12}} : std::vector<Shape>{{20, 20}, {18, 15}, {20, 10}}) {
    for (const SingularSpectrum<T>& spectrum : every_singular_spectrum<T>()) {
      const std::string what = spectrum.name + ' ' + std::to_string(m) + ' ' + std::to_string(n);
      Problem<T> problem(stored(Layout::column, m, n, spectrum.matrix(m, n)), Layout::column, true, {.certify = true});
      const SingularValueReport& report = problem.report;
      const double unit = 0x1p-106 * problem.values[0].hi, most = static_cast<double>(m);
      EXPECT_TRUE(report) << what << ": " << report.reason;
      EXPECT_EQ(report.path, SingularValuePath::refinement) << what;
      EXPECT_LE(report.updates, 4) << what;
      const WideSingularNorms norms = problem.norms();
      EXPECT_LE(norms.residual / unit, 3.0 * most) << what;
      EXPECT_LE(norms.turned_residual / unit, 3.0 * most) << what;
      EXPECT_LE(norms.left * 0x1p106, most + 6.0) << what;
      EXPECT_LE(norms.right * 0x1p106, most + 6.0) << what;
      EXPECT_TRUE(report.is_certified) << what;
      const std::vector<Bits> exact = wide_singular_values(m, n, is_complex_type, wide_of(by_columns(problem.a.view)));
      const double limit = is_complex_type ? 20.0 : 15.0;
      const double error = largest_error(exact, [&](std::int64_t j) { return problem.values[size_t(j)]; });
      EXPECT_LE(error / unit, limit) << what;
      EXPECT_LE(error, report.bound) << what;
      EXPECT_LE(largest_error(exact, [&](std::int64_t j) { return problem.alone[size_t(j)]; }) / unit, limit) << what;
      EXPECT_LE(problem.report_alone.updates, report.updates) << what;
      for (std::size_t j = 0; j < problem.values.size(); ++j) {
        EXPECT_GE(problem.values[j], dd_real(0.0)) << what;
        EXPECT_GE(problem.values[j > 0 ? j - 1 : 0], problem.values[j]) << what;
      }
    }
  }
}

// Rows of more than a work-group, clusters of more columns than one launch rotates.
TYPED_TEST(OpenclSingularValues, OfManyRowsAreTheHosts) {
  using T = TypeParam;
  const std::int64_t n = is_long() ? 500 : 135, m = n + 5;
  for (const SingularSpectrum<T>& spectrum : every_singular_spectrum<T>()) {
    if (!is_long() && spectrum.name != "random" && spectrum.name != "5 clusters, one of 1e-18") continue;
    Problem<T> problem(stored(Layout::column, m, n, spectrum.matrix(m, n)), Layout::column, true);
    std::vector<dd_real> host(static_cast<std::size_t>(n));
    ASSERT_TRUE(singular_values(problem.a.view, VectorView<dd_real>{host.data(), n}));
    EXPECT_TRUE(problem.report) << problem.report.reason;
    EXPECT_EQ(problem.report.path, SingularValuePath::refinement) << spectrum.name;
    EXPECT_LE(problem.report.residual_u2, 3.0 * double(m)) << spectrum.name;
    EXPECT_LE(problem.report.left_orthogonality_u2, double(m)) << spectrum.name;
    EXPECT_LE(problem.report.right_orthogonality_u2, double(m)) << spectrum.name;
    for (std::size_t j = 0; j < host.size(); ++j) {
      EXPECT_NEAR((host[j] - problem.values[j]).hi, 0.0, 20.0 * 0x1p-106 * host[0].hi) << spectrum.name << j;
    }
  }
}

TYPED_TEST(OpenclSingularValuesAll, OfEveryShapeAndLayout) {
  using T = TypeParam;
  const double unit = std::ldexp(1.0, error_unit(precision_of<T>));
  std::uint64_t seed = 1;
  for (const auto& [m, n] :
       {std::pair<std::int64_t, std::int64_t>{1, 1}, {2, 1}, {1, 3}, {7, 7}, {9, 8}, {8, 9}, {14, 5}, {5, 14}}) {
    for (const Layout layout : both_layouts) {
      for (const bool is_whole : {false, true}) {
        Problem<T> problem(StoredMatrix<T>(layout, m, n, seed++), layout, is_whole);
        ASSERT_TRUE(problem.report) << problem.report.reason;
        const double size = static_cast<double>(dd_real(problem.values[0]).hi),
                     most = static_cast<double>(std::max(m, n));
        const WideSingularNorms norms = problem.norms();
        EXPECT_LE(norms.residual, 40.0 * most * unit * size) << m << ' ' << n << is_whole;
        EXPECT_LE(norms.turned_residual, 40.0 * most * unit * size) << m << ' ' << n << is_whole;
        EXPECT_LE(norms.left, 20.0 * most * unit) << m << ' ' << n << is_whole;
        EXPECT_LE(norms.right, 20.0 * most * unit) << m << ' ' << n << is_whole;
        for (std::size_t j = 0; j < problem.values.size(); ++j) {
          EXPECT_NEAR(dd_real(problem.values[j] - problem.alone[j]).hi, 0.0, 40.0 * unit * size);
        }
      }
    }
  }
  const std::int64_t n = 6;
  StoredMatrix<T> a(Layout::column, n, n, 3);
  const Problem<T> relative(a, Layout::column, false, {.relative = true});
  EXPECT_EQ(relative.report.path,
            double_double<T> ? SingularValuePath::jacobi_in_double_double : SingularValuePath::jacobi);
  // Zero, and sizes at the ends of the range.
  const bool is_small_range = is_single(precision_of<T>);
  for (const int exponent : {is_small_range ? -120 : -900, is_small_range ? 122 : 1018}) {
    a.fill([&](auto i, auto j) { return element_of<T>(i == j ? std::ldexp(double(i + 1), exponent) : 0.0, 0.0); });
    const Problem<T> problem(a, Layout::column, true);
    ASSERT_TRUE(problem.report);
    EXPECT_EQ(dd_real(problem.values[0]).hi, std::ldexp(double(n), exponent));
  }
  a.fill([](auto, auto) { return T(0); });
  const Problem<T> zero(a, Layout::column, true);
  EXPECT_TRUE(zero.report);
  for (const auto& value : zero.values) EXPECT_EQ(value, real_type<T>(0));
}

TYPED_TEST(OpenclSingularValuesAll, RefusedByNameBeforeAnythingIsWritten) {
  using T = TypeParam;
  using Real = real_type<T>;
  Queue& q = queue();
  StoredMatrix<T> a(Layout::column, 5, 3, 3), u(Layout::column, 5, 5), v(Layout::column, 3, 3);
  std::vector<Real> values(3, Real(7));
  const auto refused = [&](const auto& change, std::initializer_list<std::string> words,
                           const SingularValueOptions& options = {}, errc code = errc::invalid_argument) {
    const OnDevice<T> of_a(q, a), of_u(q, u), of_v(q, v);
    BufferView<T> matrix = of_a.view, left = of_u.view, right = of_v.view;
    VectorView<Real> to{values.data(), 3};
    change(matrix, to, left, right);
    expect_contains(message_of(code, [&] { singular_value_decomposition(q, matrix, to, left, right, {}, options); }),
                    words);
    EXPECT_EQ(first_difference(of_u.read(q), u.elements), -1);
    EXPECT_EQ(first_difference(of_v.read(q), v.elements), -1);
    for (const Real& value : values) EXPECT_EQ(value, Real(7));
  };
  const auto none = [](auto&, auto&, auto&, auto&) {};
  refused([](auto&, auto& to, auto&, auto&) { to.size = 2; },
          {"singular_value_decomposition: ", "elements of values = 2", "min(m, n) = 3"});
  refused([](auto&, auto&, auto& x, auto&) { x = x.sub(0, 0, 4, 5); }, {"rows of U = 4", "rows of A = 5"});
  refused([](auto&, auto&, auto& x, auto&) { x = x.sub(0, 0, 5, 4); }, {"columns of U = 4", "min(m, n) = 3"});
  refused([](auto&, auto&, auto&, auto& x) { x = x.sub(0, 0, 3, 2); }, {"columns of V = 2"});
  refused([](auto& m, auto&, auto& x, auto&) { x = m; }, {"U overlaps A"});
  refused([](auto&, auto&, auto&, auto& x) { x.conjugate = true; }, {"V is conjugated"});
  refused([](auto& m, auto&, auto&, auto&) { m.offset += 1000; }, {"A covers", "its buffer has"});
  refused(none, {"accuracy", "exact"}, {.products = {.accuracy = Accuracy::exact}}, errc::unsupported);
  a.view(4, 1) = element_of<T>(std::numeric_limits<double>::infinity(), 0.0);
  refused(none, {"singular_value_decomposition: A(4, 1) is not finite"});
  const double largest = is_single(precision_of<T>) ? double(std::numeric_limits<float>::max()) : 0x1.8p1023;
  a.fill([&](auto, auto) { return element_of<T>(largest, 0.0); });
  const OnDevice<T> of_a(q, a), of_u(q, u), of_v(q, v);
  const auto report =
      singular_value_decomposition(q, of_a.view, VectorView<Real>{values.data(), 3}, of_u.view, of_v.view);
  EXPECT_FALSE(report);
  expect_contains(report.reason, {"values(0) overflows"});
  EXPECT_EQ(first_difference(of_u.read(q), u.elements), -1);
  // Of nothing there are unit matrices.
  BufferView<T> nothing = of_a.view.sub(0, 0, 3, 0), empty = of_v.view.sub(0, 0, 0, 0);
  EXPECT_TRUE(singular_value_decomposition(q, nothing, VectorView<Real>{nullptr, 0}, of_v.view, empty));
  const std::vector<T> after = of_v.read(q);
  const std::ptrdiff_t first = v.view.data - v.elements.data();
  EXPECT_EQ(after[static_cast<std::size_t>(first)], T(1));
  EXPECT_EQ(after[static_cast<std::size_t>(first + 1)], T(0));
}

class OpenclSingularValueCalls : public OpenclSingularValuesAll<dd_real> {};

TEST_F(OpenclSingularValueCalls, RunOnQueuesOutOfOrder) {
  const Context context = queue().context();
  cl::CommandQueue native(cl::Context(context.native(), true), cl::Device(context.native_device(), true),
                          cl::QueueProperties::OutOfOrder);
  Queue out_of_order(native());
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{33, 30}, {40, 20}}) {
    for (const SingularSpectrum<dd_real>& spectrum : every_singular_spectrum<dd_real>()) {
      const StoredMatrix<dd_real> a = stored(Layout::column, m, n, spectrum.matrix(m, n));
      const Problem<dd_real> here(a, Layout::column, true), there(a, Layout::column, true, {}, out_of_order);
      EXPECT_EQ(first_difference(here.values, there.values), -1) << spectrum.name;
      EXPECT_EQ(first_difference(here.u.elements, there.u.elements), -1) << spectrum.name;
      EXPECT_EQ(first_difference(here.v.elements, there.v.elements), -1) << spectrum.name;
    }
  }
}

}  // namespace
}  // namespace hilo::test
