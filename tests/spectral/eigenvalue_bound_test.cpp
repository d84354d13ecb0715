// Bounds of eigenvalues hold for whatever approximations they are asked about.
#include "spectral/eigenvalue_bound.hpp"

#include "spectra.hpp"
#include "spectral/native.hpp"
#include "wide_eigenvalues.hpp"

namespace hilo::test {
namespace {

using spectral::Dense;

template <class T>
class EigenvalueBound : public testing::Test {};
TYPED_TEST_SUITE(EigenvalueBound, DoubleDoubles, NameOfPrecision);

// Eigenvectors in double, values in double moved by up to `moved`, for spectra in which an order is easily lost.
TYPED_TEST(EigenvalueBound, HoldsForWrongValuesAndVectors) {
  using T = TypeParam;
  using D = solver::Leading<T>;
  const std::int64_t n = is_long() ? 16 : 7;
  Random random(4);
  for (const Spectrum<T>& spectrum : every_spectrum<T>()) {
    const std::vector<T> matrix = spectrum.matrix(n);
    Dense<T> a(n, n);
    double most = 0.0;
    for (const T& e : matrix) most = std::max(most, solver::size_of(e));
    const double scale = std::ldexp(1.0, -std::ilogb(most));
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) a(i, j) = matrix[static_cast<std::size_t>(i + j * n)] * dd_real(scale);
    }
    const std::vector<Bits> exact =
        wide_eigenvalues(n, is_complex(precision_of<T>), [&](std::int64_t i, std::int64_t j) { return wide(a(i, j)); });
    for (const double moved : {0.0, 1e-20, 1e-10, 1e-3}) {
      Dense<D> vectors(a, [](const T& t) { return solver::leading(t); });
      const std::vector<double> found = spectral::native_eigenvalues(1, vectors);
      std::vector<dd_real> values;
      for (const double value : found) values.push_back(dd_real(value) + moved * random.uniform());
      std::sort(values.begin(), values.end());
      Dense<T> x(vectors, [](const D& d) { return T(d); });
      for (std::int64_t j = 0; j < n; ++j) x(0, j) = x(0, j) + T(moved * random.uniform());
      const auto bounds = spectral::eigenvalue_bounds(a, x, values, {});
      ASSERT_TRUE(bounds) << spectrum.name;
      const double error = largest_error(exact, [&](std::int64_t j) { return values[static_cast<std::size_t>(j)]; });
      EXPECT_LE(error, bounds->of_order) << spectrum.name << ' ' << moved;
      EXPECT_LE(bounds->of_order, 40.0 * (moved + 0x1p-53) * double(n)) << spectrum.name << ' ' << moved;
      for (std::size_t j = 0; j < exact.size(); ++j) {
        double nearest = std::numeric_limits<double>::infinity();
        for (Bits e : exact) nearest = std::min(nearest, (e -= Bits(values[j])).magnitude());
        EXPECT_LE(nearest, bounds->of_each[j]) << spectrum.name << ' ' << moved << ' ' << j;
      }
    }
  }
}

TYPED_TEST(EigenvalueBound, IsNoneOfVectorsThatAreNotOrthonormal) {
  using T = TypeParam;
  const std::int64_t n = 4;
  Dense<T> a = spectral::identity<T>(n), x = a;
  x(0, 0) = T(0.5);
  EXPECT_FALSE(spectral::eigenvalue_bounds(a, x, std::vector<dd_real>(4, 1.0), {}));
  x(0, 0) = T(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(spectral::eigenvalue_bounds(a, x, std::vector<dd_real>(4, 1.0), {}));
}

}  // namespace
}  // namespace hilo::test
