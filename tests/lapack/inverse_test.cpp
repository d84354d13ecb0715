// Inverses of triangles, from LU and from Cholesky: LAPACK's residual ratios and info.
#include <hilo/lapack.hpp>

#include "largest_ratio.hpp"
#include "matrices.hpp"
#include "test_matrices.hpp"
#include "test_size.hpp"

namespace hilo::test {
namespace {

// Whether a size is only tried with one of the blocks; in the long form with all, by turns.
bool is_left_out(std::int64_t n, std::int64_t block, std::uint64_t& turn) {
  if (n <= 20) return false;
  return is_long() ? turn++ % 5 != static_cast<std::uint64_t>(n % 5) : block != 0 && block != 7;
}

bool is_in(Uplo uplo, std::int64_t i, std::int64_t j) { return i == j || (i > j) == (uplo == Uplo::lower); }

// ‖I − A X‖ / (n ‖A‖ ‖X‖ ε). X A is what stays near I in every case, A X where the condition is small.
template <class T>
double ratio(const Wide& a, const Wide& x) {
  const std::int64_t n = a.rows;
  if (n == 0) return 0.0;
  Wide one(n, n);
  for (std::int64_t i = 0; i < n; ++i) one(i, i) = dd_complex(1);
  return norm_of(difference(one, a * x)) / static_cast<double>(n) / norm_of(a) / norm_of(x) / epsilon_of<T>;
}
template <class T>
double larger_ratio(const Wide& a, const Wide& x) {
  return std::max(ratio<T>(a, x), ratio<T>(x, a));
}

// Both triangles of a matrix of which one is there.
template <class T>
Wide hermitian(const StoredMatrix<T>& a, Uplo uplo) {
  Wide w(a.view);
  for (std::int64_t j = 0; j < w.columns; ++j) {
    for (std::int64_t i = 0; i < w.rows; ++i) {
      if (!is_in(uplo, i, j)) w(i, j) = conj(w(j, i));
    }
  }
  return w;
}

template <class T>
class Inverse : public testing::Test {};
TYPED_TEST_SUITE(Inverse, AllPrecisions, NameOfPrecision);

TYPED_TEST(Inverse, OfTriangles) {
  using T = TypeParam;
  std::uint64_t seed = 0;
  std::uint64_t turn = 0;
  LargestRatio largest;
  for (const std::int64_t n : orders_of({0, 1, 2, 10, 19, 30, 66})) {
    for (const std::int64_t block : every_block) {
      if (is_left_out(n, block, turn)) continue;
      for (const Uplo uplo : both_triangles) {
        for (const Diag diag : both_diagonals) {
          BlockedOptions options;
          options.block = block;
          options.threads = 1 + static_cast<int>(++seed % 3);
          StoredMatrix<T> a(both_layouts[seed / 2 % 2], n, n, seed);
          // Entries that keep the condition small; what is not of the triangle must not be read.
          const StoredMatrix<T> random = a;
          a.fill([&](std::int64_t i, std::int64_t j) {
            return i == j && diag == Diag::non_unit ? random(i, j) + T(3)
                   : i != j && is_in(uplo, i, j)    ? with_exponent(random(i, j), -3)
                                                    : not_a_number<T>();
          });
          const StoredMatrix<T> before = a;
          EXPECT_EQ(trtri(uplo, diag, a.view, options), 0);
          EXPECT_LT(
              largest.of(larger_ratio<T>(triangle(Wide(before.view), uplo, diag), triangle(Wide(a.view), uplo, diag)),
                         n),
              1.0)
              << n << " block " << block;
          const auto kept = [&](auto i, auto j) { return !is_in(uplo, i, j) || (i == j && diag == Diag::unit); };
          EXPECT_EQ(a.first_changed(before, kept), -1) << n;
        }
      }
    }
  }
}

TYPED_TEST(Inverse, FromLu) {
  using T = TypeParam;
  std::uint64_t seed = 0;
  std::uint64_t turn = 0;
  LargestRatio largest;
  for (const std::int64_t n : orders_of({0, 1, 2, 10, 19, 30, 66})) {
    for (const std::int64_t block : every_block) {
      if (is_left_out(n, block, turn)) continue;
      BlockedOptions options;
      options.block = block;
      options.threads = 1 + static_cast<int>(++seed % 3);
      StoredMatrix<T> a(both_layouts[seed % 2], n, n, seed);
      const StoredMatrix<T> before = a;
      std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
      EXPECT_EQ(getrf(a.view, pivots, options), 0);
      EXPECT_EQ(getri(a.view, pivots, options), 0);
      EXPECT_LT(largest.of(larger_ratio<T>(Wide(before.view), Wide(a.view)), n), n < 50 ? 3.0 : 0.3)
          << n << " block " << block;
      EXPECT_EQ(a.first_changed(before, [](auto, auto) { return false; }), -1);
    }
  }
}

TYPED_TEST(Inverse, FromCholesky) {
  using T = TypeParam;
  std::uint64_t seed = 0;
  std::uint64_t turn = 0;
  LargestRatio largest;
  for (const std::int64_t n : orders_of({0, 1, 2, 10, 19, 30, 66})) {
    for (const std::int64_t block : every_block) {
      if (is_left_out(n, block, turn)) continue;
      for (const Uplo uplo : both_triangles) {
        BlockedOptions options;
        options.block = block;
        options.threads = 1 + static_cast<int>(++seed % 3);
        const StoredMatrix<T> b(Layout::column, n, n, seed);
        StoredMatrix<T> a(both_layouts[seed / 2 % 2], n, n);
        a.fill([](auto, auto) { return not_a_number<T>(); });
        herk<T>(uplo, real_type<T>(1), b.read(), real_type<T>(0), a.view);
        for (std::int64_t i = 0; i < n; ++i) a.view(i, i) = a(i, i) + T(1);
        const StoredMatrix<T> before = a;
        EXPECT_EQ(potrf(uplo, a.view, options), 0);
        EXPECT_EQ(potri(uplo, a.view, options), 0);
        EXPECT_LT(largest.of(larger_ratio<T>(hermitian(before, uplo), hermitian(a, uplo)), n), n < 50 ? 3.0 : 0.3)
            << n << " block " << block;
        EXPECT_EQ(a.first_changed(before, [&](auto i, auto j) { return !is_in(uplo, i, j); }), -1);
        for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(wide(a(i, i)).im, dd_real(0));
      }
    }
  }
}

TYPED_TEST(Inverse, OfHardMatrices) {
  using T = TypeParam;
  LargestRatio from_lu("from LU"), of_triangles("of triangles"), from_cholesky("from Cholesky");
  for_hard_cases(hard_matrices<T>(), {40}, {1, 7, 0}, [&](const TestMatrix<T>& matrix, const HardCase& c) {
    if (matrix.is_singular) return;
    BlockedOptions options;
    options.block = c.block;
    StoredMatrix<T> a = stored(matrix, c.layout, c.n);
    const Wide before(a.view);
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(c.n));
    EXPECT_EQ(getrf(a.view, pivots, options), 0);
    StoredMatrix<T> u = a;
    EXPECT_EQ(getri(a.view, pivots, options), 0);
    EXPECT_LT(from_lu.of(ratio<T>(Wide(a.view), before), c.n, ' ' + matrix.name), 30.0)
        << matrix.name << ' ' << c.n << ' ' << c.block;
    const Wide upper = triangle(Wide(u.view), Uplo::upper, Diag::non_unit);
    EXPECT_EQ(trtri(Uplo::upper, Diag::non_unit, u.view, options), 0);
    const Wide inverse = triangle(Wide(u.view), Uplo::upper, Diag::non_unit);
    EXPECT_LT(of_triangles.of(ratio<T>(inverse, upper), c.n, ' ' + matrix.name), 30.0)
        << matrix.name << ' ' << c.n << ' ' << c.block;
  });
  for_hard_cases(hard_positive_matrices<T>(), {40}, {1, 7, 0}, [&](const TestMatrix<T>& matrix, const HardCase& c) {
    BlockedOptions options;
    options.block = c.block;
    StoredMatrix<T> a = stored(matrix, c.layout, c.n);
    const Wide before(a.view);
    EXPECT_EQ(potrf(c.uplo, a.view, options), 0);
    EXPECT_EQ(potri(c.uplo, a.view, options), 0);
    EXPECT_LT(from_cholesky.of(ratio<T>(hermitian(a, c.uplo), before), c.n, ' ' + matrix.name), 30.0)
        << matrix.name << ' ' << c.n << ' ' << c.block;
  });
}

TYPED_TEST(Inverse, IsNotMadeWhereADiagonalEntryIsZero) {
  using T = TypeParam;
  const std::int64_t n = 30;
  for (const std::int64_t zero : {0, 12, 29}) {
    for (const Uplo uplo : both_triangles) {
      StoredMatrix<T> a(Layout::column, n, n, 3);
      a.view(zero, zero) = T(0);
      a.view(n - 1, n - 1) = T(0);
      const StoredMatrix<T> before = a;
      std::vector<std::int64_t> pivots;
      for (std::int64_t i = 1; i <= n; ++i) pivots.push_back(i);
      EXPECT_EQ(trtri(uplo, Diag::non_unit, a.view), zero + 1);
      EXPECT_EQ(potri(uplo, a.view), zero + 1);
      EXPECT_EQ(getri(a.view, pivots), zero + 1);
      EXPECT_EQ(first_difference(a.elements, before.elements), -1);
      EXPECT_EQ(trtri(uplo, Diag::unit, a.view), 0);
    }
  }
}

template <class T>
class BitsOfInverse : public testing::Test {};
TYPED_TEST_SUITE(BitsOfInverse, DoubleDoubles, NameOfPrecision);

TYPED_TEST(BitsOfInverse, DoNotDependOnThreadsOrLayouts) {
  using T = TypeParam;
  for (const Engine engine : {Engine::direct, Engine::modular}) {
    const std::int64_t n = engine == Engine::direct ? 260 : 60;
    std::vector<T> first, first_triangle;
    for (const Layout layout : both_layouts) {
      for (const int threads : {1, 3}) {
        BlockedOptions options;
        options.engine = engine;
        options.threads = threads;
        options.block = 16;
        StoredMatrix<T> a(layout, n, n, 8), l(layout, n, n, 9);
        for (std::int64_t i = 0; i < n; ++i) l.view(i, i) = T(4);
        std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
        EXPECT_EQ(getrf(a.view, pivots, options), 0);
        EXPECT_EQ(getri(a.view, pivots, options), 0);
        EXPECT_EQ(potri(Uplo::lower, l.view, options), 0);
        if (first.empty()) first = by_columns(a.view), first_triangle = by_columns(l.view);
        EXPECT_EQ(first_difference(by_columns(a.view), first), -1) << name(engine) << ' ' << threads;
        EXPECT_EQ(first_difference(by_columns(l.view), first_triangle), -1) << name(engine) << ' ' << threads;
      }
    }
  }
}

}  // namespace
}  // namespace hilo::test
