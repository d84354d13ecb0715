// Bounds of singular values hold for whatever approximations they are asked about.
#include "spectral/singular_value_bound.hpp"

#include "singular_matrices.hpp"
#include "spectral/native_singular_values.hpp"
#include "wide_singular_values.hpp"

namespace hilo::test {
namespace {

using spectral::Dense;

template <class T>
class SingularValueBound : public testing::Test {};
TYPED_TEST_SUITE(SingularValueBound, DoubleDoubles, NameOfPrecision);

// Vectors in double, values in double moved by up to `moved`, for spectra in which an order is easily lost.
TYPED_TEST(SingularValueBound, HoldsForWrongValuesAndVectors) {
  using T = TypeParam;
  using D = solver::Leading<T>;
  const std::int64_t n = is_long() ? 14 : 6;
  Random random(4);
  for (const std::int64_t m : {n, n + 1, 2 * n}) {
    for (const SingularSpectrum<T>& spectrum : every_singular_spectrum<T>()) {
      const std::vector<T> matrix = spectrum.matrix(m, n);
      Dense<T> a(m, n);
      double most = 0.0;
      for (const T& e : matrix) most = std::max(most, solver::size_of(e));
      const double scale = std::ldexp(1.0, -std::ilogb(most));
      std::vector<WideNumber> wide_a;
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < m; ++i) {
          a(i, j) = matrix[static_cast<std::size_t>(i + j * m)] * dd_real(scale);
          wide_a.push_back(WideNumber(wide(a(i, j))));
        }
      }
      const std::vector<Bits> exact = wide_singular_values(m, n, is_complex(precision_of<T>), wide_a);
      for (const double moved : {0.0, 1e-20, 1e-10, 1e-3}) {
        const auto found = spectral::native_decomposition<D>(
            1, Dense<D>(a, [](const T& t) { return solver::leading(t); }), spectral::LeftVectors::thin);
        std::vector<dd_real> values;
        for (const double value : found.values) values.push_back(abs(dd_real(value) + moved * random.uniform()));
        std::sort(values.begin(), values.end(), [](const dd_real& x, const dd_real& y) { return x > y; });
        Dense<T> u(found.u, [](const D&d) { return T(d); }), v(found.v, [](const D&d) { return T(d); });
        for (std::int64_t j = 0; j < n; ++j) {
          u(0, j) = u(0, j) + T(moved * random.uniform());
          v(0, j) = v(0, j) + T(moved * random.uniform());
        }
        const auto bounds = spectral::singular_value_bounds(a, u, v, values, {});
        ASSERT_TRUE(bounds) << spectrum.name;
        const double error = largest_error(exact, [&](std::int64_t j) { return values[static_cast<std::size_t>(j)]; });
        EXPECT_LE(error, bounds->of_order) << m << ' ' << spectrum.name << ' ' << moved;
        EXPECT_LE(bounds->of_order, 60.0 * (moved + 0x1p-53) * double(n)) << m << ' ' << spectrum.name << ' ' << moved;
        for (std::size_t j = 0; j < exact.size(); ++j) {
          double nearest = std::numeric_limits<double>::infinity();
          for (Bits e : exact) nearest = std::min(nearest, (e -= Bits(values[j])).magnitude());
          EXPECT_LE(nearest, bounds->of_each[j]) << spectrum.name << ' ' << moved << ' ' << j;
        }
      }
    }
  }
}

// Of a tall matrix [0 A; Aᴴ 0] has zeros that are no singular values.
TYPED_TEST(SingularValueBound, IsNotThatOfTheZerosOfATallMatrix) {
  using T = TypeParam;
  Dense<T> a(3, 1), u(3, 1), v = spectral::identity<T>(1);
  a(0, 0) = T(1);
  // Orthogonal to A, with the value 0.
  u(2, 0) = T(1);
  const auto bounds = spectral::singular_value_bounds(a, u, v, {dd_real(0.0)}, {});
  ASSERT_TRUE(bounds);
  EXPECT_GE(bounds->of_order, 1.0);
  EXPECT_GE(bounds->of_each[0], 1.0);
}

TYPED_TEST(SingularValueBound, IsNoneOfVectorsThatAreNotOrthonormal) {
  using T = TypeParam;
  const std::int64_t n = 4;
  const Dense<T> a = spectral::identity<T>(n);
  const std::vector<dd_real> values(4, dd_real(1.0));
  for (const double bad : {0.5, std::numeric_limits<double>::quiet_NaN()}) {
    Dense<T> x = a;
    x(0, 0) = T(bad);
    EXPECT_FALSE(spectral::singular_value_bounds(a, x, a, values, {}));
    EXPECT_FALSE(spectral::singular_value_bounds(a, a, x, values, {}));
  }
}

}  // namespace
}  // namespace hilo::test
