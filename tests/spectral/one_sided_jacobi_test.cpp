// Jacobi's rotations of columns: what follows where refinement gives up, and what `relative` asks for.
#include "spectral/one_sided_jacobi.hpp"

#include <hilo/singular_values.hpp>

#include "singular_matrices.hpp"
#include "spectral/singular_host.hpp"
#include "wide_singular_values.hpp"

namespace hilo::test {
namespace {

using spectral::Dense;
using spectral::LeftVectors;

template <class T>
Dense<T> dense(std::int64_t m, std::int64_t n, const std::vector<T>& a) {
  Dense<T> x(m, n);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) x(i, j) = a[static_cast<std::size_t>(i + j * m)];
  }
  return x;
}

template <class T>
std::vector<WideNumber> wide_of(const Dense<T>& x) {
  std::vector<WideNumber> y;
  for (std::int64_t j = 0; j < x.columns(); ++j) {
    for (std::int64_t i = 0; i < x.rows(); ++i) y.push_back(WideNumber(wide(x(i, j))));
  }
  return y;
}

template <class T>
class OneSidedJacobi : public testing::Test {};
TYPED_TEST_SUITE(OneSidedJacobi, DoubleDoubles, NameOfPrecision);

template <class T>
void expect_decomposed(const Dense<T>& a, const spectral::Decomposition<T>& found, double unit, const std::string& name,
                       double units_of_residual = 20.0) {
  const std::int64_t m = a.rows(), n = a.columns();
  const auto value = [&](std::int64_t j) { return dd_real(found.values[static_cast<std::size_t>(j)]); };
  const WideSingularNorms norms = wide_singular_norms(m, n, wide_of(a), wide_of(found.u), wide_of(found.v), value);
  const double size = value(0).hi;
  EXPECT_LE(norms.left, 10.0 * double(m) * unit) << name;
  EXPECT_LE(norms.right, 10.0 * double(m) * unit) << name;
  EXPECT_LE(norms.residual, units_of_residual * double(m) * unit * size) << name;
  EXPECT_LE(norms.turned_residual, units_of_residual * double(m) * unit * size) << name;
  for (std::int64_t j = 1; j < n; ++j) EXPECT_LE(value(j), value(j - 1)) << name;
  EXPECT_GE(value(n - 1), dd_real(0.0)) << name;
}

TYPED_TEST(OneSidedJacobi, DecomposesInEachPrecision) {
  using T = TypeParam;
  using D = solver::Leading<T>;
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 1}, {2, 2}, {12, 12}, {17, 9}}) {
    for (const SingularSpectrum<T>& spectrum : every_singular_spectrum<T>()) {
      const Dense<T> a = dense(m, n, spectrum.matrix(m, n));
      const Dense<D> in_double(a, [](const T& t) { return solver::leading(t); });
      for (const LeftVectors left : {LeftVectors::thin, LeftVectors::whole}) {
        const auto found = spectral::jacobi_decomposition(a, left, {});
        EXPECT_LE(found.sweeps, 20) << spectrum.name;
        expect_decomposed(a, found, 0x1p-106, spectrum.name);
        expect_decomposed(in_double, spectral::jacobi_decomposition(in_double, left, {}), 0x1p-53, spectrum.name);
      }
    }
  }
}

// Hundreds of rotations let columns grow or shrink by some u² each; values do not.
TYPED_TEST(OneSidedJacobi, DoesNotMoveValuesByGrowthOfRotations) {
  using T = TypeParam;
  const std::int64_t n = is_complex(precision_of<T>) ? 24 : 40;
  const Dense<T> a = dense(n, n, random_matrix<T>(n, n, 7));
  expect_decomposed(a, spectral::jacobi_decomposition(a, LeftVectors::thin, {}), 0x1p-106, "random", 2.5);
}

// The fallback ends as refinement does.
TYPED_TEST(OneSidedJacobi, TakesOverFromRefinement) {
  using T = TypeParam;
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{12, 12}, {14, 12}}) {
    for (const SingularSpectrum<T>& spectrum : every_singular_spectrum<T>()) {
      const Dense<T> a = dense(m, n, spectrum.matrix(m, n));
      spectral::SingularHost<T> place(a, {});
      spectral::SingularRefinement<spectral::SingularHost<T>> refinement(place);
      EXPECT_LE(refinement.rotate(), 20) << spectrum.name;
      spectral::Decomposition<T> found{{}, place.u(), place.v()};
      for (const std::int64_t j : refinement.order()) found.values.push_back(refinement.value(j));
      for (std::size_t k = 0; k < found.values.size(); ++k) {
        const std::int64_t j = refinement.order()[k];
        for (std::int64_t i = 0; i < m; ++i) found.u(i, std::int64_t(k)) = place.u()(i, j);
        for (std::int64_t i = 0; i < n; ++i) found.v(i, std::int64_t(k)) = place.v()(i, j);
        if (found.values[k] < dd_real(0.0)) {
          found.values[k] = -found.values[k];
          for (std::int64_t i = 0; i < m; ++i) found.u(i, std::int64_t(k)) = -found.u(i, std::int64_t(k));
        }
      }
      expect_decomposed(a, found, 0x1p-106, spectrum.name);
    }
  }
}

// A = B · D, D · B and of both: every value to a small multiple of the unit, B's condition being small; refinement
// gives the small ones no digit at all.
template <class T>
void expect_relative(std::int64_t m, std::int64_t n, int of_rows, int of_columns, double most_units) {
  using E = solver::Solution<T>;
  const bool is_wide = m < n;
  const std::int64_t rows = std::max(m, n), columns = std::min(m, n);
  const double unit = std::ldexp(1.0, error_unit(precision_of<T>));
  // Values 1 to 2, rows and columns then scaled in a random order.
  const std::vector<E> b = matrix_with_values<E>(
      rows, columns, 6, [&](std::int64_t j) { return dd_real(1.0 + double(j) / double(columns)); });
  std::vector<T> a(b.size()), u(static_cast<std::size_t>(m * columns)), v(static_cast<std::size_t>(n * columns));
  std::vector<WideNumber> exact_a(b.size());
  std::vector<real_type<T>> values(static_cast<std::size_t>(columns));
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t of_row = of_rows * (i * 7 % rows) / rows, of_column = of_columns * (j * 5 % columns) / columns;
      const E e = solver::scaled(b[static_cast<std::size_t>(i + j * rows)], -static_cast<int>(of_row + of_column));
      const T rounded = solver::rounded_to<T>(e);
      exact_a[static_cast<std::size_t>(i + j * rows)] = WideNumber(wide(rounded));
      a[static_cast<std::size_t>(is_wide ? j + i * m : i + j * m)] = rounded;
    }
  }
  const auto by_columns = [](auto& x, std::int64_t of, std::int64_t count) {
    return view(Layout::column, Op::none, x.data(), of, count, of);
  };
  const auto report =
      singular_value_decomposition<T>(by_columns(a, m, n), {values.data(), columns}, by_columns(u, m, columns),
                                      by_columns(v, n, columns), {.certify = true, .relative = true});
  ASSERT_TRUE(report) << report.reason;
  EXPECT_EQ(report.path, double_double<T> ? SingularValuePath::jacobi_in_double_double : SingularValuePath::jacobi);
  EXPECT_TRUE(report.is_certified);
  EXPECT_LE(report.left_orthogonality_u2 * 0x1p-106, 10.0 * double(columns) * unit);
  EXPECT_LE(report.right_orthogonality_u2 * 0x1p-106, 10.0 * double(columns) * unit);
  std::vector<real_type<T>> alone(values.size());
  ASSERT_TRUE(
      singular_values(by_columns(a, m, n), VectorView<real_type<T>>{alone.data(), columns}, {.relative = true}));
  const mpfr_prec_t before = std::exchange(Bits::precision, 900);
  const std::vector<Bits> exact = wide_singular_values(rows, columns, is_complex(precision_of<T>), exact_a);
  double most = 0.0;
  for (std::size_t j = 0; j < exact.size(); ++j) {
    for (const real_type<T>& value : {values[j], alone[j]}) {
      Bits error = exact[j];
      error -= Bits(value);
      error /= exact[j];
      most = std::max(most, error.magnitude());
    }
  }
  if (is_long()) std::printf("%ld x %ld: %.1f units\n", long(m), long(n), most / unit);
  EXPECT_LE(most / unit, most_units) << m << " x " << n << ", " << of_rows << ' ' << of_columns;
  Bits::precision = before;
}

template <class T>
class RelativeSingularValues : public testing::Test {};
TYPED_TEST_SUITE(RelativeSingularValues, AllPrecisions, NameOfPrecision);

TYPED_TEST(RelativeSingularValues, OfGradedMatricesHaveAllDigits) {
  using T = TypeParam;
  const int range = is_single(precision_of<T>) ? 60 : 280;
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{8, 8}, {13, 7}, {7, 13}}) {
    expect_relative<T>(m, n, 0, range, 20.0);
    expect_relative<T>(m, n, range, 0, 20.0);
  }
}

// Floats that lie further apart than floats beside 1 do.
template <class T>
void expect_values_of_a_diagonal() {
  const std::vector<float> wanted = {0x1p100f, 0x1.3c0ca4p-80f, 0x1p-100f};
  std::vector<T> a(9), u(9), v(9);
  for (std::size_t i = 0; i < 3; ++i) a[4 * i] = T(wanted[2 - i]);
  const auto square = [](std::vector<T>& x) { return view(Layout::column, Op::none, x.data(), 3, 3, 3); };
  std::vector<float> values(3);
  const SingularValueReport report = singular_value_decomposition<T>(square(a), {values.data(), 3}, square(u),
                                                                     square(v), {.certify = true, .relative = true});
  EXPECT_TRUE(report.is_certified);
  EXPECT_EQ(values, wanted);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(std::abs(u[i]), i == 2 || i == 4 || i == 6 ? 1.0F : 0.0F) << i;
}
TEST(RelativeSingularValuesOfSAndC, HaveTheRangeOfFloats) {
  expect_values_of_a_diagonal<float>();
  expect_values_of_a_diagonal<std::complex<float>>();
}

// Options for bits are taken as classic accuracy.
TEST(RelativeSingularValuesOfDD, TakeEveryAccuracyButExact) {
  const std::int64_t m = 9, n = 4;
  const std::vector<dd_real> a = random_matrix<dd_real>(m, n, 3);
  for (const bool is_relative : {false, true}) {
    std::vector<dd_real> values[2];
    for (const bool has_bits : {false, true}) {
      SingularValueOptions options{.relative = is_relative};
      if (has_bits) options.products.accuracy = Accuracy::bits, options.products.bits = 50;
      values[has_bits].resize(static_cast<std::size_t>(n));
      ASSERT_TRUE(singular_values(view(Layout::column, Op::none, a.data(), m, n, m),
                                  VectorView<dd_real>{values[has_bits].data(), n}, options));
    }
    EXPECT_EQ(first_difference(values[0], values[1]), -1);
  }
}

// The modular engine's products in QR are right relative to the largest entries of rows and columns alone.
TEST(RelativeSingularValuesOfDD, TakeNoEngineThatLosesDigits) {
  const std::int64_t m = 100, n = 80;
  std::vector<dd_real> a = random_matrix<dd_real>(m, n, 3), values[2];
  for (std::int64_t k = 0; k < m * n; ++k) {
    dd_real& e = a[static_cast<std::size_t>(k)];
    e = solver::scaled(e, -static_cast<int>(k % m * 7 % m * 3));
  }
  for (const Engine engine : {Engine::direct, Engine::modular}) {
    std::vector<dd_real>& found = values[engine == Engine::modular];
    found.resize(static_cast<std::size_t>(n));
    ASSERT_TRUE(singular_values(view(Layout::column, Op::none, a.data(), m, n, m), VectorView<dd_real>{found.data(), n},
                                {.relative = true, .products = {.engine = engine}}));
  }
  EXPECT_EQ(first_difference(values[0], values[1]), -1);
}

}  // namespace
}  // namespace hilo::test
