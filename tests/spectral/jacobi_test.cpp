// Jacobi's rotations: in double where LAPACK is missing, in double-double where refinement does not converge.
#include "spectral/jacobi.hpp"

#include "spectra.hpp"
#include "spectral/hermitian_host.hpp"
#include "spectral/hermitian_refinement.hpp"
#include "wide_eigenvalues.hpp"

namespace hilo::test {
namespace {

using spectral::Dense;

template <class T>
Dense<T> dense(std::int64_t n, const std::vector<T>& a) {
  Dense<T> x(n, n);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) x(i, j) = a[static_cast<std::size_t>(i + j * n)];
  }
  return x;
}

template <class T>
class Jacobi : public testing::Test {};
TYPED_TEST_SUITE(Jacobi, DoubleDoubles, NameOfPrecision);

// A = J B Jᴴ, B diagonal and J what X became.
template <class T>
void expect_diagonal(const Dense<T>& a, const Dense<T>& b, const Dense<T>& x, double unit) {
  const std::int64_t n = a.rows();
  const auto norms = wide_norms(
      n, [&](std::int64_t i, std::int64_t j) { return wide(a(i, j)); },
      [&](std::int64_t i, std::int64_t j) { return wide(x(i, j)); },
      [&](std::int64_t j) { return dd_real(spectral::real_part(b(j, j))); });
  EXPECT_LE(norms.orthogonality, 40.0 * double(n) * unit);
  EXPECT_LE(norms.residual, 40.0 * double(n) * unit * spectral::frobenius(a));
}

TYPED_TEST(Jacobi, DiagonalisesInEachPrecision) {
  using T = TypeParam;
  using D = solver::Leading<T>;
  for (const std::int64_t n : {1, 2, 3, 15}) {
    const Dense<T> a = dense(n, random_hermitian<T>(n, 3));
    Dense<T> b = a, x = spectral::identity<T>(n);
    EXPECT_LE(spectral::rotate_to_diagonal(b, x, 0x1p-110), 9);
    expect_diagonal(a, b, x, 0x1p-106);
    const Dense<D> a_in_double(a, [](const T& t) { return solver::leading(t); });
    Dense<D> b_in_double = a_in_double, x_in_double = spectral::identity<D>(n);
    EXPECT_LE(spectral::rotate_to_diagonal(b_in_double, x_in_double, 0x1p-58), 9);
    expect_diagonal(a_in_double, b_in_double, x_in_double, 0x1p-53);
  }
}

// What follows where refinement gives up; it is as right.
TYPED_TEST(Jacobi, TakesOverFromRefinement) {
  using T = TypeParam;
  const std::int64_t n = 20;
  for (const Spectrum<T>& spectrum : every_spectrum<T>()) {
    const Dense<T> a = dense(n, spectrum.matrix(n));
    spectral::HermitianHost<T> place(a, {});
    spectral::HermitianRefinement<spectral::HermitianHost<T>> refinement(place);
    EXPECT_LE(refinement.rotate(), 12) << spectrum.name;
    const std::vector<std::int64_t> order = refinement.order();
    const auto norms = wide_norms(
        n, [&](std::int64_t i, std::int64_t j) { return wide(a(i, j)); },
        [&](std::int64_t i, std::int64_t j) { return wide(place.vectors()(i, order[std::size_t(j)])); },
        [&](std::int64_t j) { return refinement.value(order[std::size_t(j)]); });
    double size = 0.0;
    for (std::int64_t j = 0; j < n; ++j) size = std::max(size, std::fabs(refinement.value(j).hi));
    EXPECT_LE(norms.residual, 10.0 * double(n) * 0x1p-106 * size) << spectrum.name;
    EXPECT_LE(norms.orthogonality, double(n) * 0x1p-106) << spectrum.name;
  }
}

}  // namespace
}  // namespace hilo::test
