// Singular values and vectors in double-double: every spectrum of docs/singular-values.md against 420 bits. The long
// form prints its table.
#include <hilo/singular_values.hpp>

#include "singular_matrices.hpp"
#include "wide_singular_values.hpp"

namespace hilo::test {
namespace {

using Shape = std::pair<std::int64_t, std::int64_t>;

// By columns; U m × min(m, n) or m × m, V as well.
template <class T>
struct Problem {
  std::int64_t m, n;
  std::vector<T> a, u, v;
  std::vector<real_type<T>> values;

  Problem(std::int64_t rows, std::int64_t columns, std::vector<T> matrix, bool is_whole = false)
      : m(rows), n(columns), a(std::move(matrix)), values(static_cast<std::size_t>(std::min(m, n)), 12345) {
    u.resize(static_cast<std::size_t>(m * (is_whole ? m : count())), T(12345));
    v.resize(static_cast<std::size_t>(n * (is_whole ? n : count())), T(12345));
  }
  std::int64_t count() const { return std::min(m, n); }
  static MatrixView<T> view_of(std::vector<T>& y, std::int64_t rows) {
    return view(Layout::column, Op::none, y.data(), rows, static_cast<std::int64_t>(y.size()) / rows, rows);
  }
  SingularValueReport solve(const SingularValueOptions& options = {}) {
    return singular_value_decomposition<T>(view_of(a, m), {values.data(), count()}, view_of(u, m), view_of(v, n),
                                           options);
  }
  static std::vector<WideNumber> wide_of(const std::vector<T>& x) {
    std::vector<WideNumber> y;
    for (const T& e : x) y.push_back(WideNumber(wide(e)));
    return y;
  }
  auto value() const {
    return [this](std::int64_t j) { return values[static_cast<std::size_t>(j)]; };
  }
  WideSingularNorms norms() const { return wide_singular_norms(m, n, wide_of(a), wide_of(u), wide_of(v), value()); }
  std::vector<Bits> exact() const {
    std::vector<WideNumber> tall = wide_of(a);
    if (m < n) {
      std::vector<WideNumber> turned(tall.size());
      for (std::size_t k = 0; k < tall.size(); ++k) {
        const auto rows = static_cast<std::size_t>(m), columns = static_cast<std::size_t>(n);
        turned[k % rows * columns + k / rows] = tall[k];  // the conjugate's values are the same
      }
      tall = std::move(turned);
    }
    return wide_singular_values(std::max(m, n), count(), is_complex(precision_of<T>), tall);
  }
};

// Aᴴ, by columns.
template <class T>
std::vector<T> turned(std::int64_t m, std::int64_t n, const std::vector<T>& a) {
  std::vector<T> x(a.size());
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      x[static_cast<std::size_t>(j + i * n)] = conjugate_of(a[static_cast<std::size_t>(i + j * m)]);
    }
  }
  return x;
}

template <class T>
class SingularValues : public testing::Test {};
TYPED_TEST_SUITE(SingularValues, DoubleDoubles, NameOfPrecision);

// A report's figures, and what is returned, against 420 bits.
template <class T>
void expect_right(Problem<T>& problem, const SingularValueReport& report, const std::string& name, bool prints) {
  constexpr bool is_complex_type = is_complex(precision_of<T>);
  const double most = static_cast<double>(std::max(problem.m, problem.n)), unit = 0x1p-106 * problem.values[0].hi;
  EXPECT_TRUE(report.is_solved) << name << ": " << report.reason;
  EXPECT_EQ(report.path, SingularValuePath::refinement) << name;
  EXPECT_LE(report.updates, 4) << name;
  const WideSingularNorms norms = problem.norms();
  EXPECT_LE(norms.residual / unit, 3.0 * most) << name;
  EXPECT_LE(norms.turned_residual / unit, 3.0 * most) << name;
  // Typical is 2.5 √n, n the number of columns.
  const double columns = static_cast<double>(problem.count()), orthogonality = columns < 20.0 ? columns + 6.0 : columns;
  EXPECT_LE(norms.left * 0x1p106, orthogonality) << name;
  EXPECT_LE(norms.right * 0x1p106, orthogonality) << name;
  for (std::size_t j = 0; j < problem.values.size(); ++j) {
    EXPECT_GE(problem.values[j], dd_real(0.0)) << name << ' ' << j;
    EXPECT_GE(problem.values[j > 0 ? j - 1 : 0], problem.values[j]) << name << " " << j;
  }
  EXPECT_TRUE(report.is_certified) << name;
  const double residual = problem.m < problem.n ? norms.turned_residual : norms.residual;
  EXPECT_NEAR(report.residual_u2 * unit, residual, 1e-3 * residual + 0.1 * unit) << name;
  // The report has what a product in double-double tells, which rounds each diagonal entry.
  const double rounding = 1.2 * std::sqrt(columns) + 2.0;
  EXPECT_NEAR(report.left_orthogonality_u2, norms.left * 0x1p106, 0.25 * norms.left * 0x1p106 + rounding) << name;
  EXPECT_NEAR(report.right_orthogonality_u2, norms.right * 0x1p106, 0.25 * norms.right * 0x1p106 + rounding) << name;
  const double other = std::max(norms.residual, norms.turned_residual);
  EXPECT_LE(report.bound, (problem.m == problem.n ? 1.01 : 1.43) * other + 0.1 * unit) << name;
  // Of larger ones an error takes minutes.
  double error = std::numeric_limits<double>::quiet_NaN();
  if (problem.count() * (is_complex_type ? 2 : 1) <= 50) {
    const std::vector<Bits> exact = problem.exact();
    error = largest_error(exact, problem.value());
    EXPECT_LE(error / unit, is_complex_type ? 20.0 : 15.0) << name;
    EXPECT_LE(error, report.bound) << name;
    for (std::size_t j = 0; j < exact.size(); ++j) {
      double nearest = std::numeric_limits<double>::infinity();
      for (Bits e : exact) nearest = std::min(nearest, (e -= Bits(problem.values[j])).magnitude());
      EXPECT_LE(nearest, report.bounds[j]) << name << ' ' << j;
    }
    std::vector<real_type<T>> alone(problem.values.size());
    const auto report_alone =
        singular_values(Problem<T>::view_of(problem.a, problem.m), {alone.data(), problem.count()}, {});
    EXPECT_TRUE(report_alone) << name;
    EXPECT_LE(report_alone.updates, report.updates) << name;
    EXPECT_LE(largest_error(exact, [&](std::int64_t j) { return alone[static_cast<std::size_t>(j)]; }) / unit,
              is_complex_type ? 20.0 : 15.0)
        << name;
  }
  if (!prints) return;
  std::printf(
      "%-3s %3ld x %3ld, %-26s: updates %d, residual %5.1f, orthogonality %5.1f %5.1f, error %4.1f, bound %5.1f "
      "u^2\n",
      std::string(hilo::name(precision_of<T>)).c_str(), static_cast<long>(problem.m), static_cast<long>(problem.n),
      name.c_str(), report.updates, norms.residual / unit, norms.left * 0x1p106, norms.right * 0x1p106, error / unit,
      report.bound / unit);
}

TYPED_TEST(SingularValues, AreRightWhateverTheSpectrum) {
  using T = TypeParam;
  const std::vector<Shape> shapes = is_long() ? std::vector<Shape>{{50, 50}, {56, 50}, {80, 50}, {200, 100}}
                                    : is_complex(precision_of<T>) ? std::vector<Shape>{{8, 8}, {9, 8}, {12, 6}}
                                                                  : std::vector<Shape>{{16, 16}, {16, 14}, {26, 12}};
  for (const auto& [m, n] : shapes) {
    for (const SingularSpectrum<T>& spectrum : every_singular_spectrum<T>()) {
      Problem<T> problem(m, n, spectrum.matrix(m, n));
      const SingularValueReport report = problem.solve({.certify = true});
      expect_right(problem, report, spectrum.name, is_long());
    }
  }
}

TYPED_TEST(SingularValues, OfWideMatricesAreRight) {
  using T = TypeParam;
  for (const auto& [m, n] : {Shape{11, 6}, Shape{8, 7}}) {
    for (const SingularSpectrum<T>& spectrum : every_singular_spectrum<T>()) {
      Problem<T> problem(n, m, turned(m, n, spectrum.matrix(m, n)));
      const SingularValueReport report = problem.solve({.certify = true});
      expect_right(problem, report, spectrum.name, false);
    }
  }
}

TYPED_TEST(SingularValues, HaveWholeUnitaryMatrices) {
  using T = TypeParam;
  for (const auto& [m, n] : {Shape{6, 6}, Shape{8, 7}, Shape{12, 4}, Shape{4, 12}, Shape{7, 8}}) {
    for (const SingularSpectrum<T>& spectrum : every_singular_spectrum<T>()) {
      const std::int64_t rows = std::max(m, n), columns = std::min(m, n);
      std::vector<T> a = spectrum.matrix(rows, columns);
      if (m < n) a = turned(rows, columns, a);
      Problem<T> problem(m, n, a, true), thin(m, n, a);
      const SingularValueReport report = problem.solve(), of_thin = thin.solve();
      ASSERT_TRUE(report && of_thin) << spectrum.name;
      const WideSingularNorms norms = problem.norms();
      const double unit = 0x1p-106 * problem.values[0].hi;
      EXPECT_LE(norms.residual / unit, 3.0 * double(rows)) << spectrum.name;
      EXPECT_LE(norms.turned_residual / unit, 3.0 * double(rows)) << spectrum.name;
      EXPECT_LE(norms.left * 0x1p106, double(rows) + 6.0) << spectrum.name;
      EXPECT_LE(norms.right * 0x1p106, double(rows) + 6.0) << spectrum.name;
      EXPECT_EQ(first_difference(problem.values, thin.values), -1) << spectrum.name;
    }
  }
}

// Of values as near as this first order by noise leaves noise: 3 in 100 went round and round, and on to Jacobi.
TYPED_TEST(SingularValues, OfClustersAsWideAsNoiseOverDoubleAreRefined) {
  using T = TypeParam;
  const std::int64_t m = 41, n = 40;
  const int count = is_long() ? 1000 : 85;
  int rotated = 0;
  for (int i = 0; i < count; ++i) {
    Random random(static_cast<std::uint64_t>(i));
    Problem<T> problem(m, n, matrix_with_values<T>(m, n, random.bits(), [&](std::int64_t j) {
                         return dd_real(1.0 + double(j % (1 + i % 4))) +
                                dd_real(std::ldexp(random.uniform(), -46 - i % 17));
                       }));
    const SingularValueReport report = problem.solve({.products = {.threads = 1}});
    EXPECT_TRUE(report) << report.reason;
    if (report.path != SingularValuePath::refinement) ++rotated;
  }
  // 1 in 1000 still does.
  EXPECT_LE(rotated, count / 200);
}

// Clusters of random widths about few values, some near zero, some scaled by random powers, rows and columns graded.
TYPED_TEST(SingularValues, OfRandomClustersTakeFewUpdates) {
  using T = TypeParam;
  Random random(3);
  const auto uniform = [&random] { return 0.5 * (random.uniform() + 1.0); };
  for (int i = 0; i < (is_long() ? 5000 : 60); ++i) {
    const auto n = static_cast<std::int64_t>(1.0 + 29.0 * uniform());
    const auto m = n + static_cast<std::int64_t>(uniform() * (i % 2 == 0 ? 0.2 : 1.0) * static_cast<double>(n));
    const double width = std::pow(10.0, -35.0 * uniform()), groups = 1.0 + static_cast<double>(n) * uniform();
    const double range = i % 3 == 0 ? 30.0 * uniform() : 0.0, grade = i % 4 == 0 ? 60.0 * uniform() : 0.0;
    std::vector<dd_real> values(static_cast<std::size_t>(n));
    for (dd_real& value : values) {
      value = dd_real(std::floor(groups * uniform())) + dd_real(width) * random.uniform();
      value = value * std::pow(10.0, -range * uniform());
    }
    Problem<T> problem(m, n, matrix_with_values<T>(m, n, static_cast<std::uint64_t>(i) + 1, [&](std::int64_t j) {
                         return values[static_cast<std::size_t>(j)];
                       }));
    const auto exponent = [&](std::int64_t k) { return -static_cast<int>(grade * double(k) / double(n)); };
    for (std::int64_t k = 0; k < m * n; ++k) {
      T& e = problem.a[static_cast<std::size_t>(k)];
      e = e * T(std::ldexp(1.0, exponent(i % 8 < 4 ? k % m : k / m)));
    }
    const SingularValueReport report = problem.solve({.certify = true, .products = {.threads = 1}});
    EXPECT_EQ(report.path, SingularValuePath::refinement) << i;
    EXPECT_LE(report.updates, 5) << i;
    EXPECT_TRUE(report.is_certified) << i;
    EXPECT_LE(report.bound, 6.0 * double(m) * 0x1p-106 * problem.values[0].hi) << i;
    EXPECT_LE(report.left_orthogonality_u2, 2.0 * double(m) + 6.0) << i;
    EXPECT_LE(report.right_orthogonality_u2, 2.0 * double(n) + 6.0) << i;
  }
}

// Of 250000 couplings some are rounded to more than the gate takes for noise, others after each update. Of LAPACK's
// start, which depends on the CPU, six of OpenBLAS's kernels without AVX-512 take five updates.
TEST(SingularValuesOfDD, OfManyVectorsTakeNoRotationsForEver) {
  const std::int64_t n = 500;
  for (const SingularSpectrum<dd_real>& spectrum : every_singular_spectrum<dd_real>()) {
    if (spectrum.name != "5 clusters, width 1e-14" && spectrum.name != "5 clusters, one of 1e-18") continue;
    Problem<dd_real> problem(n, n, spectrum.matrix(n, n));
    const SingularValueReport report = problem.solve({.products = {.threads = 1}});
    EXPECT_TRUE(report.is_solved) << report.reason;
    EXPECT_EQ(report.path, SingularValuePath::refinement);
    EXPECT_LE(report.updates, 5);
    EXPECT_LE(report.residual_u2, 3.0 * double(n));
    EXPECT_LE(report.left_orthogonality_u2, double(n));
    EXPECT_LE(report.right_orthogonality_u2, double(n));
  }
}

}  // namespace
}  // namespace hilo::test
