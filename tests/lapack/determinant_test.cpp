// Determinants of matrices of which they are known, far beyond the exponents' range too.
#include <hilo/lapack.hpp>
#include <hilo/math.hpp>

#include "indefinite.hpp"
#include "matrices.hpp"
#include "test_matrices.hpp"

namespace hilo::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
Determinant<T> by_lu(StoredMatrix<T> a) {
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(a.view.rows));
  getrf(a.view, pivots);
  const Determinant<T> d = determinant(a.view, pivots), same = determinant(a.read(), pivots);
  if (d.mantissa == d.mantissa) {
    EXPECT_EQ(d.mantissa, same.mantissa);
  }
  EXPECT_EQ(d.exponent, same.exponent);
  return d;
}

template <class T>
void expect_normal(const Determinant<T>& d) {
  const dd_complex x = wide(d.mantissa);
  const dd_real larger = fmax(abs(x.re), abs(x.im));
  EXPECT_TRUE(larger >= 1 && larger < 2) << larger.hi;
}

template <class T>
class DeterminantTest : public testing::Test {};
TYPED_TEST_SUITE(DeterminantTest, AllPrecisions, NameOfPrecision);

TYPED_TEST(DeterminantTest, OfSmallMatrices) {
  using T = TypeParam;
  const Determinant<T> one = by_lu(StoredMatrix<T>(Layout::column, 0, 0));
  EXPECT_EQ(one.mantissa, T(1));
  EXPECT_EQ(one.exponent, 0);
  // 1 2 0 / 4 3 0 / 0 0 3: -15; its rows in every order change the sign alone.
  const float entries[3][3] = {{1, 2, 0}, {4, 3, 0}, {0, 0, 3}};
  const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
  for (int o = 0; o < 6; ++o) {
    StoredMatrix<T> a(Layout::column, 3, 3);
    a.fill([&](std::int64_t i, std::int64_t j) { return T(entries[orders[o][i]][j]); });
    const Determinant<T> d = by_lu(a);
    EXPECT_EQ(d.mantissa, T(o < 3 ? -1.875F : 1.875F)) << o;
    EXPECT_EQ(d.exponent, 3) << o;
  }
}

TYPED_TEST(DeterminantTest, OfPascalsMatrixIsOne) {
  using T = TypeParam;
  const std::int64_t n = is_single(precision_of<T>) ? 5 : 10;
  StoredMatrix<T> a(Layout::column, n, n);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) a.view(i, j) = i && j ? a(i - 1, j) + a(i, j - 1) : T(1);
  }
  const Determinant<T> d = by_lu(a);
  expect_normal(d);
  const dd_complex error = wide(with_exponent(d.mantissa, static_cast<int>(d.exponent))) - dd_complex(1);
  EXPECT_LT(magnitude(error), is_single(precision_of<T>) ? 1e-3 : double_double<T> ? 1e-20 : 1e-5);
}

TYPED_TEST(DeterminantTest, NeitherOverflowsNorUnderflows) {
  using T = TypeParam;
  const std::int64_t n = 60;
  const StoredMatrix<T> a(Layout::row, n, n, 4);
  const Determinant<T> d = by_lu(a);
  expect_normal(d);
  for (const int e : {is_single(precision_of<T>) ? 120 : 1000, is_single(precision_of<T>) ? -60 : -700}) {
    StoredMatrix<T> b = a;
    b.fill([&](std::int64_t i, std::int64_t j) { return with_exponent(a(i, j), i < n / 2 ? e : 0); });
    // Diagonal matrices have no roundings but the product's.
    StoredMatrix<T> x(Layout::column, n, n), y = x;
    x.fill([&](auto i, auto j) { return i == j ? a(i, i) : T(0); });
    y.fill([&](auto i, auto j) { return i == j ? b(i, i) : T(0); });
    const Determinant<T> dx = by_lu(x), dy = by_lu(y);
    expect_normal(dx);
    EXPECT_EQ(dx.mantissa, dy.mantissa);
    EXPECT_EQ(dx.exponent + e * n / 2, dy.exponent);
  }
}

TYPED_TEST(DeterminantTest, FromCholeskyIsThatFromLu) {
  using T = TypeParam;
  using R = real_type<T>;
  for (const std::int64_t n : {0, 1, 5, 40}) {
    const StoredMatrix<T> b(Layout::column, n, n, 7);
    StoredMatrix<T> a(Layout::column, n, n);
    a.fill([](auto, auto) { return T(0); });
    herk<T>(Uplo::lower, R(1), b.read(), R(0), a.view);
    for (std::int64_t j = 0; j < n; ++j) {
      a.view(j, j) = a(j, j) + T(1);
      for (std::int64_t i = 0; i < j; ++i) a.view(i, j) = conjugate_of(a(j, i));
    }
    const Determinant<T> lu = by_lu(a);
    EXPECT_EQ(potrf(Uplo::lower, a.view), 0);
    const Determinant<R> d = determinant(a.view);
    expect_normal(d);
    const dd_complex ratio = with_exponent(wide(lu.mantissa), static_cast<int>(lu.exponent - d.exponent));
    EXPECT_LT(magnitude(ratio - dd_complex(wide(d.mantissa))), 1e5 * epsilon_of<T>) << n;
  }
}

// Kind's determinant, a real one as a number with an imaginary part.
template <class T>
Determinant<dd_complex> by_blocks(const Kind& kind, const StoredMatrix<T>& a, const std::vector<std::int64_t>& pivots) {
  if (kind.is_hermitian) {
    const Determinant<real_type<T>> d = hermitian_determinant(kind.uplo, a.view, pivots);
    EXPECT_EQ(d.exponent, hermitian_determinant(kind.uplo, a.read(), pivots).exponent);
    return {wide(d.mantissa), d.exponent};
  }
  const Determinant<T> d = symmetric_determinant(kind.uplo, a.view, pivots);
  EXPECT_EQ(d.exponent, symmetric_determinant(kind.uplo, a.read(), pivots).exponent);
  return {wide(d.mantissa), d.exponent};
}

TYPED_TEST(DeterminantTest, OfIndefiniteMatricesIsThatFromLu) {
  using T = TypeParam;
  for (const std::int64_t n : {0, 1, 2, 5, 40}) {
    for (const Kind& kind : every_kind) {
      StoredMatrix<T> a = indefinite<T>(Layout::row, kind.uplo, n, 7), full = a;
      full.fill([&](std::int64_t i, std::int64_t j) {
        const T x = is_in(kind.uplo, i, j) ? a(i, j) : a(j, i);
        if (!kind.is_hermitian) return x;
        return i == j ? T(real(x)) : is_in(kind.uplo, i, j) ? x : conjugate_of(x);
      });
      const Determinant<T> lu = by_lu(full);
      auto pivots = room(a);
      EXPECT_EQ(kind.factor(a.view, pivots, {}), 0);
      const Determinant<dd_complex> d = by_blocks(kind, a, pivots);
      expect_normal(d);
      const dd_complex ratio = with_exponent(wide(lu.mantissa), static_cast<int>(lu.exponent - d.exponent));
      EXPECT_LT(magnitude(ratio - d.mantissa), 1e4 * epsilon_of<T>) << n;
      // Blocks of D near the ends of the exponents' range.
      for (const int e : {is_single(precision_of<T>) ? 110 : 900, is_single(precision_of<T>) ? -60 : -700}) {
        StoredMatrix<T> scaled = full;
        scaled.fill([&](std::int64_t i, std::int64_t j) { return with_exponent(full(i, j), e); });
        EXPECT_EQ(kind.factor(scaled.view, pivots, {}), 0);
        const Determinant<dd_complex> far = by_blocks(kind, scaled, pivots);
        EXPECT_EQ(far.exponent, d.exponent + e * n);
        EXPECT_LT(magnitude(far.mantissa - d.mantissa), 1e3 * epsilon_of<T>) << n << ' ' << e;
      }
    }
  }
}

// Of a block whose entry beside the diagonal has a modulus beyond its parts' range.
TEST(DeterminantOfHermitian, WhoseModuliOverflow) {
  using T = std::complex<double>;
  const std::vector<T> a = {0, T(0x1.8p1023, 0x1.8p1023), 0, 0};
  const std::vector<std::int64_t> pivots = {-2, -2};
  const Determinant<double> d =
      hermitian_determinant(Uplo::lower, MatrixView<const T>{a.data(), 2, 2, 1, 2}, std::span(pivots));
  EXPECT_NEAR(d.mantissa, -1.125, 1e-15);
  EXPECT_EQ(d.exponent, 2048);
}

TYPED_TEST(DeterminantTest, OfSingularAndBadIndefiniteMatrices) {
  using T = TypeParam;
  for (const Kind& kind : every_kind) {
    StoredMatrix<T> a(Layout::column, 4, 4);
    a.fill([](auto i, auto j) { return T(i == j ? 3 : 0); });
    a.view(2, 2) = T(0);
    const std::vector<std::int64_t> pivots = {1, 2, 3, 4};
    EXPECT_EQ(by_blocks(kind, a, pivots).mantissa, dd_complex(0));
    EXPECT_EQ(by_blocks(kind, a, pivots).exponent, 0);
    a.view(2, 2) = not_a_number<T>();
    EXPECT_FALSE(std::isfinite(magnitude(by_blocks(kind, a, pivots).mantissa)));
  }
}

TYPED_TEST(DeterminantTest, OfSingularAndBadMatrices) {
  using T = TypeParam;
  for (const std::int64_t bad : {0, 3, 9}) {
    StoredMatrix<T> a(Layout::column, 10, 10);
    a.fill([&](auto i, auto j) { return i != j || i == bad ? T(0) : T(-3); });
    EXPECT_EQ(by_lu(a).mantissa, T(0));
    EXPECT_EQ(by_lu(a).exponent, 0);
    EXPECT_EQ(determinant(a.view).mantissa, real_type<T>(0));
    a.view(bad, bad) = not_a_number<T>();
    EXPECT_FALSE(by_lu(a).mantissa == by_lu(a).mantissa);
    a.view(bad, bad) = element_of<T>(infinity, 0);
    EXPECT_FALSE(std::isfinite(magnitude(by_lu(a).mantissa)));
  }
}

}  // namespace
}  // namespace hilo::test
