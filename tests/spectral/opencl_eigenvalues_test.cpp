// Eigenvalues and eigenvectors of matrices in device memory: every spectrum against 420 bits, every layout and
// precision, what is refused.
#include <hilo/eigenvalues.hpp>

#include "error_message.hpp"
#include "on_device.hpp"
#include "opencl/native.hpp"
#include "spectra.hpp"
#include "wide_eigenvalues.hpp"

namespace hilo::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Columns side by side, and room for what becomes of it.
template <class T>
struct Problem {
  std::int64_t n;
  std::vector<T> a, x;
  std::vector<real_type<T>> values;

  Problem(std::int64_t order, std::vector<T> matrix)
      : n(order), a(std::move(matrix)), x(a.size(), T(12345)), values(static_cast<std::size_t>(n), 12345) {}
  BufferView<T> upload(Queue& q, const std::vector<T>& y) const {
    Buffer<T> buffer(q.context(), std::ssize(y));
    buffer.write(q, y.data(), 0, std::ssize(y));
    return view(Layout::column, Op::none, buffer, n, n, n);
  }
  EigenvalueReport solve(const EigenvalueOptions& options = {}, Uplo uplo = Uplo::lower, Queue& q = queue()) {
    const auto of_a = upload(q, a), of_x = upload(q, x);
    const auto report = hermitian_eigensystem(q, uplo, of_a, {values.data(), n}, of_x, {}, options);
    of_x.buffer.read(q, x.data(), 0, std::ssize(x));
    std::vector<T> after(a.size());
    of_a.buffer.read(q, after.data(), 0, std::ssize(after));
    EXPECT_EQ(first_difference(after, a), -1);
    return report;
  }
  std::vector<real_type<T>> values_alone(const EigenvalueOptions& options = {}) {
    std::vector<real_type<T>> alone(values.size());
    EXPECT_TRUE(hermitian_eigenvalues(queue(), Uplo::upper, upload(queue(), a), {alone.data(), n}, {}, options));
    return alone;
  }
  auto entry() const {
    return [this](std::int64_t i, std::int64_t j) { return wide(a[static_cast<std::size_t>(i + j * n)]); };
  }
  auto value() const {
    return [this](std::int64_t j) { return values[static_cast<std::size_t>(j)]; };
  }
  WideNorms norms() const {
    return wide_norms(
        n, entry(), [this](std::int64_t i, std::int64_t j) { return wide(x[static_cast<std::size_t>(i + j * n)]); },
        value());
  }
  double size() const { return std::max(std::fabs(values.front().hi), std::fabs(values.back().hi)); }
};

template <class T>
class OpenclEigenvaluesAll : public testing::Test {
 protected:
  void SetUp() override {
    if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
TYPED_TEST_SUITE(OpenclEigenvaluesAll, AllPrecisions, NameOfPrecision);
template <class T>
class OpenclEigenvalues : public OpenclEigenvaluesAll<T> {};
TYPED_TEST_SUITE(OpenclEigenvalues, DoubleDoubles, NameOfPrecision);

TYPED_TEST(OpenclEigenvalues, AreRightWhateverTheSpectrum) {
  using T = TypeParam;
  const bool is_complex_type = is_complex(precision_of<T>);
  const std::int64_t n = is_complex_type ? 12 : 20;
  for (const Spectrum<T>& spectrum : every_spectrum<T>()) {
    Problem<T> problem(n, spectrum.matrix(n));
    const EigenvalueReport report = problem.solve({.certify = true});
    const double order = static_cast<double>(n), unit = 0x1p-106 * problem.size();
    EXPECT_TRUE(report) << spectrum.name << ": " << report.reason;
    EXPECT_EQ(report.path, EigenvaluePath::refinement) << spectrum.name;
    EXPECT_LE(report.updates, 4) << spectrum.name;
    const WideNorms norms = problem.norms();
    EXPECT_LE(norms.residual / unit, 3.0 * order) << spectrum.name;
    EXPECT_LE(norms.orthogonality, 0x1p-106 * order) << spectrum.name;
    EXPECT_TRUE(report.is_certified) << spectrum.name;
    EXPECT_GE(report.residual_u2 * unit * 1.001, norms.residual) << spectrum.name;
    EXPECT_LE(report.bound, 1.01 * norms.residual + 0.01 * unit) << spectrum.name;
    const std::vector<Bits> exact = wide_eigenvalues(n, is_complex_type, problem.entry());
    const double error = largest_error(exact, problem.value());
    EXPECT_LE(error / unit, is_complex_type ? 15.0 : 10.0) << spectrum.name;
    EXPECT_LE(error, report.bound) << spectrum.name;
    const auto alone = problem.values_alone();
    EXPECT_LE(largest_error(exact, [&](std::int64_t j) { return alone[static_cast<std::size_t>(j)]; }) / unit,
              is_complex_type ? 15.0 : 10.0)
        << spectrum.name;
    // What products tell without a proof.
    const EigenvalueReport unproved = problem.solve();
    EXPECT_NEAR(unproved.orthogonality_u2 * 0x1p-106, norms.orthogonality, 0.5 * order * 0x1p-106) << spectrum.name;
    EXPECT_NEAR(unproved.residual_u2 * unit, norms.residual, order * unit) << spectrum.name;
    EXPECT_FALSE(unproved.is_certified);
  }
}

// As on the host, where couplings just below the gate were lifted above it by roundings, others in each step.
TEST(OpenclEigenvaluesOfDD, ManifoldOnesLeaveNoCouplingsJustBelowTheGate) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  for (const std::int64_t n :
       is_long() ? std::vector<std::int64_t>{300, 500, 700, 1000} : std::vector<std::int64_t>{300}) {
    for (const Spectrum<dd_real>& spectrum : every_spectrum<dd_real>()) {
      if (spectrum.name != "5 values, each n/5 times") continue;
      Problem<dd_real> problem(n, spectrum.matrix(n));
      const EigenvalueReport report = problem.solve();
      EXPECT_TRUE(report) << report.reason;
      EXPECT_EQ(report.path, EigenvaluePath::refinement) << n;
      EXPECT_LE(report.updates, 4) << n;
      EXPECT_LE(report.residual_u2, static_cast<double>(n)) << n;
      EXPECT_LE(report.orthogonality_u2, static_cast<double>(n)) << n;
    }
  }
}

// Rows of more than a work-group, clusters of more columns than one launch rotates.
TYPED_TEST(OpenclEigenvalues, OfManyRowsAreTheHosts) {
  using T = TypeParam;
  const std::int64_t n = is_long() ? 500 : is_complex(precision_of<T>) ? 130 : 270;
  for (const Spectrum<T>& spectrum : every_spectrum<T>()) {
    if (!is_long() && spectrum.name != "random" && spectrum.name != "5 clusters, width 1e-18") continue;
    Problem<T> problem(n, spectrum.matrix(n)), host = problem;
    const EigenvalueReport report = problem.solve();
    const auto of = [n](std::vector<T>& y) { return view(Layout::column, Op::none, y.data(), n, n, n); };
    const auto of_host = hermitian_eigensystem(Uplo::lower, of(host.a), {host.values.data(), n}, of(host.x));
    EXPECT_TRUE(report) << report.reason;
    EXPECT_EQ(report.path, EigenvaluePath::refinement) << spectrum.name;
    EXPECT_LE(report.updates, 4) << spectrum.name;
    EXPECT_LE(report.residual_u2, 3.0 * static_cast<double>(n)) << spectrum.name;
    EXPECT_LE(report.orthogonality_u2, static_cast<double>(n)) << spectrum.name;
    double most = 0.0;
    for (std::size_t j = 0; j < host.values.size(); ++j) {
      most = std::max(most, std::fabs((host.values[j] - problem.values[j]).hi));
    }
    // Of more rows what both residuals bound.
    const double limit = is_long() ? report.residual_u2 + of_host.residual_u2 : 20.0;
    EXPECT_LE(most, limit * 0x1p-106 * problem.size()) << spectrum.name << ' ' << of_host;
  }
}

// The second difference, whose eigenvalues are 2 − 2 cos (kπ / (n + 1)); of complex numbers D A Dᴴ, D = diag(iʲ).
template <class T>
T difference(std::int64_t i, std::int64_t j) {
  if (i == j) return element_of<T>(2.0, 0.0);
  if (std::abs(i - j) != 1) return T(0);
  return is_complex(precision_of<T>) ? element_of<T>(0.0, i > j ? -1.0 : 1.0) : element_of<T>(-1.0, 0.0);
}

TYPED_TEST(OpenclEigenvaluesAll, OfEveryLayoutAndConjugatedViews) {
  using T = TypeParam;
  using Real = real_type<T>;
  Queue& q = queue();
  const double unit = std::ldexp(1.0, error_unit(precision_of<T>));
  std::size_t turn = 0;
  for (const std::int64_t n : {1, 2, 19}) {
    for (const Layout layout : both_layouts) {
      for (const Uplo uplo : both_triangles) {
        const Op op = every_op[turn++ % 4];
        // Of the view as it is turned a triangle counts.
        StoredMatrix<T> a(layout, n, n), x(layout, n, n);
        a.fill([&](std::int64_t row, std::int64_t column) {
          const std::int64_t i = is_transposed(op) ? column : row, j = is_transposed(op) ? row : column;
          const bool is_read = uplo == Uplo::lower ? i >= j : i <= j;
          const T e = is_read ? difference<T>(i, j) : not_a_number<T>();
          return is_conjugated(op) ? conjugate_of(e) : e;
        });
        const OnDevice<T> of_a(q, a), of_x(q, x);
        std::vector<Real> values(static_cast<std::size_t>(2 * n), Real(7)), alone(static_cast<std::size_t>(n));
        const auto report =
            hermitian_eigensystem(q, uplo, of_a.view.turned(op), VectorView<Real>{values.data(), n, 2}, of_x.view);
        ASSERT_TRUE(report) << report.reason;
        EXPECT_EQ(first_difference(of_a.read(q), a.elements), -1);
        StoredMatrix<T> found = x;
        found.elements = of_x.read(q);
        found.view.data = found.elements.data() + (x.view.data - x.elements.data());
        EXPECT_EQ(found.first_changed(x, [](auto, auto) { return false; }), -1);
        ASSERT_TRUE(hermitian_eigenvalues(q, uplo, of_a.view.turned(op), VectorView<Real>{alone.data(), n}));
        Problem<dd_complex> whole(n, std::vector<dd_complex>(static_cast<std::size_t>(n * n)));
        for (std::int64_t j = 0; j < n; ++j) {
          for (std::int64_t i = 0; i < n; ++i) {
            whole.a[static_cast<std::size_t>(i + j * n)] = wide(difference<T>(i, j));
            whole.x[static_cast<std::size_t>(i + j * n)] = wide(found(i, j));
          }
          whole.values[static_cast<std::size_t>(j)] = dd_real(values[static_cast<std::size_t>(2 * j)]);
          EXPECT_EQ(values[static_cast<std::size_t>(2 * j + 1)], Real(7));
          EXPECT_NEAR(static_cast<double>(
                          dd_real(alone[static_cast<std::size_t>(j)] - values[static_cast<std::size_t>(2 * j)]).hi),
                      0.0, 40.0 * unit);
        }
        const WideNorms norms = whole.norms();
        EXPECT_LE(norms.residual, 80.0 * static_cast<double>(n) * unit);
        EXPECT_LE(norms.orthogonality, 20.0 * static_cast<double>(n) * unit);
      }
    }
  }
}

TYPED_TEST(OpenclEigenvaluesAll, OfZeroAndOfSizesNearTheEndsOfTheRange) {
  using T = TypeParam;
  using Real = real_type<T>;
  Queue& q = queue();
  const std::int64_t n = 12;
  const bool is_small_range = is_single(precision_of<T>);
  std::vector<Real> values(static_cast<std::size_t>(n));
  for (const int exponent : {is_small_range ? -120 : -900, is_small_range ? 122 : 1018}) {
    StoredMatrix<T> a(Layout::column, n, n), x(Layout::column, n, n);
    a.fill([&](auto i, auto j) { return T(difference<T>(i, j) * element_of<T>(std::ldexp(1.0, exponent), 0.0)); });
    const OnDevice<T> of_a(q, a), of_x(q, x);
    const auto report =
        hermitian_eigensystem(q, Uplo::lower, of_a.view, {values.data(), n}, of_x.view, {}, {.certify = true});
    ASSERT_TRUE(report) << exponent << report.reason;
    EXPECT_TRUE(report.is_certified);
    EXPECT_LE(report.bound, std::ldexp(40.0 * double(n), exponent + error_unit(precision_of<T>)));
  }
  StoredMatrix<T> zero(Layout::row, n, n), x(Layout::column, n, n);
  zero.fill([](auto, auto) { return T(0); });
  const OnDevice<T> of_zero(q, zero), of_x(q, x);
  ASSERT_TRUE(hermitian_eigensystem(q, Uplo::upper, of_zero.view, {values.data(), n}, of_x.view));
  for (const Real& value : values) EXPECT_EQ(value, Real(0));
}

TYPED_TEST(OpenclEigenvaluesAll, RefusedByNameBeforeAnythingIsWritten) {
  using T = TypeParam;
  using Real = real_type<T>;
  Queue& q = queue();
  const std::int64_t n = 4;
  StoredMatrix<T> a(Layout::column, n, n, 3), x(Layout::column, n, n);
  std::vector<Real> values(static_cast<std::size_t>(n), Real(7));
  const VectorView<Real> w{values.data(), n};
  const auto refused = [&](const auto& change, std::initializer_list<std::string> words,
                           errc code = errc::invalid_argument, Uplo uplo = Uplo::lower,
                           const EigenvalueOptions& options = {}) {
    const OnDevice<T> of_a(q, a), of_x(q, x);
    BufferView<T> matrix = of_a.view, vectors = of_x.view;
    VectorView<Real> to = w;
    change(matrix, to, vectors);
    expect_contains(message_of(code, [&] { hermitian_eigensystem(q, uplo, matrix, to, vectors, {}, options); }), words);
    EXPECT_EQ(first_difference(of_x.read(q), x.elements), -1);
    EXPECT_EQ(first_difference(of_a.read(q), a.elements), -1);
    for (const Real& value : values) EXPECT_EQ(value, Real(7));
  };
  const auto none = [](auto&, auto&, auto&) {};
  refused([](auto& m, auto&, auto&) { m = m.sub(0, 0, 3, 4); }, {"hermitian_eigensystem: ", "A, 3 x 4", "not square"});
  refused([](auto&, auto& to, auto&) { to.size = 3; }, {"elements of values = 3", "rows of A = 4"});
  refused([](auto&, auto& to, auto&) { to.data = nullptr; }, {"values", "null"});
  refused([](auto&, auto&, auto& v) { v = v.sub(0, 0, 4, 3); }, {"columns of vectors = 3"});
  refused([](auto&, auto&, auto& v) { v = v.sub(0, 0, 3, 4); }, {"rows of vectors = 3"});
  refused([](auto& m, auto&, auto& v) { v = m; }, {"vectors overlaps A"});
  refused([](auto&, auto&, auto& v) { v.conjugate = true; }, {"vectors is conjugated"});
  refused([](auto& m, auto&, auto&) { m.offset += 1000; }, {"A covers", "its buffer has"});
  refused(none, {"uplo = 2"}, errc::invalid_argument, static_cast<Uplo>(2));
  refused(none, {"accuracy", "exact"}, errc::unsupported, Uplo::lower, {.products = {.accuracy = Accuracy::exact}});
  for (const double bad : {infinity, std::numeric_limits<double>::quiet_NaN()}) {
    a.view(3, 1) = element_of<T>(bad, 0.0);
    refused(none, {"hermitian_eigensystem: A(3, 1) is not finite"});
    a.view(3, 1) = T(1);
    if constexpr (std::same_as<T, dd_real>) {
      a.view(3, 1).lo = bad;
      refused(none, {"hermitian_eigensystem: A(3, 1) is not finite"});
    } else if constexpr (std::same_as<T, dd_complex>) {
      a.view(3, 1).im.lo = bad;
      refused(none, {"hermitian_eigensystem: A(3, 1) is not finite"});
    }
    a.view(3, 1) = T(1);
  }
  const double largest = is_single(precision_of<T>) ? double(std::numeric_limits<float>::max()) : 0x1.8p1023;
  a.fill([&](auto, auto) { return element_of<T>(largest, 0.0); });
  const OnDevice<T> of_a(q, a), of_x(q, x);
  const auto report = hermitian_eigensystem(q, Uplo::lower, of_a.view, w, of_x.view);
  EXPECT_FALSE(report);
  expect_contains(report.reason, {"values(3) overflows"});
  EXPECT_EQ(first_difference(of_x.read(q), x.elements), -1);
  for (const Real& value : values) EXPECT_EQ(value, Real(7));
  const BufferView<T> nothing{of_x.buffer, 0, 0, 0, 1, 1};
  EXPECT_TRUE(hermitian_eigensystem(q, Uplo::lower, nothing, VectorView<Real>{nullptr, 0}, nothing));
}

class OpenclEigenvalueCalls : public OpenclEigenvaluesAll<dd_real> {};

TEST_F(OpenclEigenvalueCalls, WaitAndRunOnQueuesOutOfOrder) {
  const Context context = queue().context();
  cl::CommandQueue native(cl::Context(context.native(), true), cl::Device(context.native_device(), true),
                          cl::QueueProperties::OutOfOrder);
  Queue out_of_order(native());
  const std::int64_t n = 40;
  for (const Spectrum<dd_real>& spectrum : every_spectrum<dd_real>()) {
    Problem<dd_real> here(n, spectrum.matrix(n)), there = here;
    ASSERT_TRUE(here.solve());
    ASSERT_TRUE(there.solve({}, Uplo::lower, out_of_order));
    EXPECT_EQ(first_difference(here.values, there.values), -1) << spectrum.name;
    EXPECT_EQ(first_difference(here.x, there.x), -1) << spectrum.name;
  }
  // A call's result is the next one's matrix, one being enough to wait for.
  Problem<dd_real> problem(n, random_hermitian<dd_real>(n, 3));
  Buffer<dd_real> of_a(context, n * n), of_x(context, n * n);
  of_a.write(out_of_order, problem.a.data(), 0, n * n);
  const auto a = view(Layout::column, Op::none, of_a, n, n, n), x = view(Layout::column, Op::none, of_x, n, n, n);
  const Event copied = gemm(out_of_order, dd_real(0.0), a, a, dd_real(2.0), a);
  ASSERT_TRUE(symmetric_eigensystem(out_of_order, Uplo::lower, a, {problem.values.data(), n}, x, {copied}));
  std::vector<dd_real> once(problem.values.size());
  ASSERT_TRUE(symmetric_eigenvalues(queue(), Uplo::lower, problem.upload(queue(), problem.a), {once.data(), n}));
  // Each errs by some u² of the largest.
  const double size = std::max(std::fabs(problem.values.front().hi), std::fabs(problem.values.back().hi));
  for (std::size_t j = 0; j < once.size(); ++j) {
    EXPECT_NEAR((problem.values[j] - once[j] * 2.0).hi, 0.0, 32.0 * 0x1p-106 * size) << j;
  }
}

}  // namespace
}  // namespace hilo::test
