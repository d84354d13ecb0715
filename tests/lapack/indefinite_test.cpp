// Bunch and Kaufman's factorisation and what is solved with it: LAPACK's residual ratios, pivots and info.
#include "indefinite.hpp"

#include <cmath>
#include <hilo/blas.hpp>
#include <hilo/lapack.hpp>

#include "largest_ratio.hpp"
#include "matrices.hpp"
#include "test_matrices.hpp"
#include "test_size.hpp"

namespace hilo::test {
namespace {

// ‖P A Pᵀ − L D Lᵀ‖ / (n ‖A‖ ε)
template <class T>
double ratio(Wide a, const StoredMatrix<T>& factors, const std::vector<std::int64_t>& pivots, const Kind& kind) {
  const std::int64_t n = factors.view.rows;
  const bool is_lower = kind.uplo == Uplo::lower;
  const double norm = norm_of(a);
  const Wide f(factors.view);
  Wide l(n, n), d(n, n);
  const auto pivot = [&](std::int64_t k) { return pivots[static_cast<std::size_t>(k)]; };
  struct Step {
    std::int64_t begin, size;
  };
  std::vector<Step> steps;
  for (std::int64_t k = 0; k < n; k += steps.back().size) steps.push_back({k, pivot(k) > 0 ? 1 : 2});
  if (!is_lower) std::ranges::reverse(steps);
  for (const Step& s : steps) {
    const std::int64_t first = s.begin, second = s.begin + 1, end = s.begin + s.size;
    for (std::int64_t c = first; c < end; ++c) {
      d(c, c) = f(c, c);
      l(c, c) = dd_complex(1);
      for (std::int64_t i = is_lower ? end : 0; i < (is_lower ? n : first); ++i) l(i, c) = f(i, c);
    }
    if (s.size == 2) {
      EXPECT_EQ(pivot(first), pivot(second));
      d(second, first) = is_lower ? f(second, first) : kind.turned(f(first, second));
      d(first, second) = kind.turned(d(second, first));
    }
    // What was exchanged, as LAPACK has it, is A and what then was left of it, not the columns of L before.
    const std::int64_t row = s.size == 1 || !is_lower ? first : second, p = std::abs(pivot(first)) - 1;
    EXPECT_TRUE(is_lower ? p >= row && p < n : p >= 0 && p <= row) << p << ' ' << row;
    for (std::int64_t j = is_lower ? 0 : end; j < (is_lower ? first : n); ++j) std::swap(l(row, j), l(p, j));
    for (std::int64_t j = 0; j < n; ++j) std::swap(a(row, j), a(p, j));
    for (std::int64_t j = 0; j < n; ++j) std::swap(a(j, row), a(j, p));
  }
  Wide ld(n, n);
  for (const Step& s : steps) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t c = s.begin; c < s.begin + s.size; ++c) {
        for (std::int64_t k = s.begin; k < s.begin + s.size; ++k)
          ld(i, c) += dd_complex::multiply_finite(l(i, k), d(k, c));
      }
    }
  }
  const Wide product = ld * l.turned(kind.is_hermitian ? Op::conjugate_transpose : Op::transpose);
  const double residual = norm_of(difference(product, a));
  return residual == 0.0 ? 0.0 : residual / static_cast<double>(n) / norm / epsilon_of<T>;
}

template <class T>
class Indefinite : public testing::Test {};
TYPED_TEST_SUITE(Indefinite, AllPrecisions, NameOfPrecision);

TYPED_TEST(Indefinite, HasSmallResidualsAndSolvesSystems) {
  using T = TypeParam;
  std::uint64_t seed = 0;
  bool is_paired = false, is_single_too = false;
  LargestRatio residuals("residuals"), solutions("backwards");
  for (const std::int64_t n : orders_of({0, 1, 2, 3, 10, 19, 30, 66})) {
    for (const std::int64_t block : every_block) {
      if (n > 30 && block != 0 && block != 7 && !is_long()) continue;
      // By turns.
      if (n > 30 && is_long() && block != every_block[n % 5]) continue;
      for (const Kind& kind : every_kind) {
        BlockedOptions options;
        options.block = block;
        options.threads = 1 + static_cast<int>(++seed % 3);
        const Layout layout = both_layouts[seed / 4 % 2];
        StoredMatrix<T> a = indefinite<T>(layout, kind.uplo, n, seed), x(layout, n, 3, seed + 1);
        const StoredMatrix<T> before = a, b = x;
        const Wide left = whole(before, kind);
        auto pivots = room(a);
        EXPECT_EQ(kind.factor(a.view, pivots, options), 0) << n;
        EXPECT_LT(residuals.of(ratio(left, a, pivots, kind), n), n < 50 ? 4.0 : 0.5) << n << " block " << block;
        EXPECT_EQ(a.first_changed(before, [&](auto i, auto j) { return !is_in(kind.uplo, i, j); }), -1);
        for (const std::int64_t p : pivots) (p < 0 ? is_paired : is_single_too) = true;

        kind.solve<T>(a, pivots, x.view, options);
        const Wide solution(x.view);
        const double residual = norm_of(difference(left * solution, Wide(b.view)));
        const double scale = norm_of(left) * norm_of(solution) * epsilon_of<T>;
        EXPECT_LE(residual, 30 * scale) << n << " block " << block;
        if (n > 0) solutions.of(residual / scale, n);
        EXPECT_EQ(x.first_changed(b, [](auto, auto) { return false; }), -1);

        StoredMatrix<T> c = before, y = b;
        EXPECT_EQ(kind.factor_and_solve(c.view, pivots, y.view, options), 0);
        EXPECT_EQ(first_difference(by_columns(y.view), by_columns(x.view)), -1);
      }
    }
  }
  EXPECT_TRUE(is_paired && is_single_too);
}

TYPED_TEST(Indefinite, HasSmallResidualsOfHardMatrices) {
  using T = TypeParam;
  LargestRatio largest;
  for_hard_cases(hard_matrices<T>(), {40}, {2, 7, 0}, [&](const TestMatrix<T>& matrix, const HardCase& c) {
    for (const Kind& kind : every_kind) {
      // By turns, where there are many sizes.
      if (is_long() && (kind.uplo != c.uplo || kind.is_hermitian != (c.turn / 20 % 2 == 1))) continue;
      BlockedOptions options;
      options.block = c.block;
      StoredMatrix<T> a = stored(matrix, c.layout, c.n);
      const StoredMatrix<T> lower = a;
      a.fill([&](std::int64_t i, std::int64_t j) { return lower(std::max(i, j), std::min(i, j)); });
      const Wide before = whole(a, kind);
      auto pivots = room(a);
      const std::int64_t info = kind.factor(a.view, pivots, options);
      EXPECT_LT(largest.of(ratio(before, a, pivots, kind), c.n, ' ' + matrix.name), 30.0)
          << matrix.name << ' ' << c.n << ' ' << c.block;
      if (info != 0) {
        // [1 −1; −1 1] is what symmetry makes of that of growth.
        EXPECT_TRUE(matrix.is_singular || (matrix.name == "of growth" && c.n == 2)) << matrix.name;
        EXPECT_EQ(a(info - 1, info - 1), T(0)) << matrix.name;
      }
    }
  });
}

TYPED_TEST(Indefinite, TellsTheFirstZeroBlock) {
  using T = TypeParam;
  for (const std::int64_t zero : {0, 4, 9}) {
    for (const std::int64_t block : {1, 7, 0}) {
      for (const Kind& kind : every_kind) {
        BlockedOptions options;
        options.block = block;
        StoredMatrix<T> a(Layout::column, 10, 10), b(Layout::column, 10, 2, 4);
        a.fill([&](auto i, auto j) { return T(i == j && i != zero && i != 5 ? -3 : 0); });
        const StoredMatrix<T> b_before = b;
        auto pivots = room(a);
        const std::int64_t first =
            kind.uplo == Uplo::lower ? std::min<std::int64_t>(zero, 5) : std::max<std::int64_t>(zero, 5);
        EXPECT_EQ(kind.factor_and_solve(a.view, pivots, b.view, options), first + 1);
        EXPECT_EQ(first_difference(b.elements, b_before.elements), -1);
        for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(pivots[static_cast<std::size_t>(i)], i + 1);
      }
    }
  }
}

// Zeros but on the other diagonal's pairs: blocks of two rows alone.
TYPED_TEST(Indefinite, HasLapacksPivots) {
  using T = TypeParam;
  for (const Kind& kind : every_kind) {
    StoredMatrix<T> a(Layout::column, 4, 4);
    a.fill([&](auto i, auto j) { return T(i + j == 3 ? 2 : 0); });
    auto pivots = room(a);
    EXPECT_EQ(kind.factor(a.view, pivots, {}), 0);
    const bool is_lower = kind.uplo == Uplo::lower;
    EXPECT_EQ(pivots,
              is_lower ? (std::vector<std::int64_t>{-4, -4, -4, -4}) : (std::vector<std::int64_t>{-1, -1, -1, -1}));
  }
}

// Where what a zero on the diagonal is compared with underflows.
TYPED_TEST(Indefinite, TakesNoZeroForAPivot) {
  using T = TypeParam;
  const int e = is_single(precision_of<T>) ? 50 : 366;
  for (const Kind& kind : every_kind) {
    if (kind.uplo != Uplo::lower) continue;
    StoredMatrix<T> a(Layout::column, 3, 3), b(Layout::column, 3, 1);
    a.fill([&](auto i, auto j) {
      return i == 2 && j == 2 ? T(1) : with_exponent(T(i + j == 1 || i + j == 3 ? 1 : 0), i + j == 1 ? -e : e);
    });
    b.fill([&](auto i, auto) { return T(i == 2 ? 1 : 0); });
    auto pivots = room(a);
    EXPECT_EQ(kind.factor_and_solve(a.view, pivots, b.view, {}), 0);
    EXPECT_EQ(b(0, 0), with_exponent(T(-1), 2 * e));
    EXPECT_EQ(b(1, 0), T(0));
    EXPECT_EQ(b(2, 0), T(1));
  }
}

TYPED_TEST(Indefinite, NaNAndInfEnd) {
  using T = TypeParam;
  for (const Kind& kind : every_kind) {
    for (const T& bad : {not_a_number<T>(), element_of<T>(std::numeric_limits<double>::infinity(), 0)}) {
      StoredMatrix<T> a = indefinite<T>(Layout::column, kind.uplo, 30, 3), b(Layout::column, 30, 1, 4);
      (kind.uplo == Uplo::lower ? a.view(20, 11) : a.view(11, 20)) = bad;
      auto pivots = room(a);
      EXPECT_NO_THROW(kind.factor(a.view, pivots, {}));
      EXPECT_NO_THROW(kind.solve<T>(a, pivots, b.view, {}));
      if (bad != bad) {
        bool has_nan = false;
        for (const T& x : by_columns(b.view)) has_nan = has_nan || x != x;
        EXPECT_TRUE(has_nan);
      }
    }
  }
}

// Of panels so wide that the modular engine takes what is left of the triangle as one product.
TEST(IndefiniteUpdates, OfWholeTriangles) {
  constexpr std::int64_t n = 900;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    StoredMatrix<dd_real> a = indefinite<dd_real>(Layout::column, uplo, n, 1), x(Layout::column, n, 1, 2);
    const StoredMatrix<dd_real> before = a;
    StoredMatrix<dd_real> residual = x;
    auto pivots = room(a);
    ASSERT_EQ(sysv(uplo, a.view, pivots, x.view, {.block = 256}), 0);
    symm(Side::left, uplo, dd_real(-1), before.view, x.view, dd_real(1), residual.view);
    for (std::int64_t i = 0; i < n; ++i) ASSERT_LT(std::fabs(residual(i, 0).hi), 1e-26) << i;
    EXPECT_EQ(a.first_changed(before, [&](auto i, auto j) { return !is_in(uplo, i, j); }), -1);
  }
}

template <class T>
class BitsOfIndefinite : public testing::Test {};
TYPED_TEST_SUITE(BitsOfIndefinite, DoubleDoubles, NameOfPrecision);

TYPED_TEST(BitsOfIndefinite, DoNotDependOnThreadsOrLayouts) {
  using T = TypeParam;
  const std::int64_t n = 330;
  for (const Kind& kind : {every_kind[0], every_kind[3]}) {
    std::vector<T> first, solution;
    std::vector<std::int64_t> first_pivots;
    for (const Layout layout : both_layouts) {
      for (const int threads : {1, 2, 5}) {
        BlockedOptions options;
        options.engine = Engine::direct;
        options.threads = threads;
        StoredMatrix<T> a = indefinite<T>(layout, kind.uplo, n, 8), b(layout, n, 5, 9);
        auto pivots = room(a);
        EXPECT_EQ(kind.factor_and_solve(a.view, pivots, b.view, options), 0);
        if (first.empty()) first = by_columns(a.view), solution = by_columns(b.view), first_pivots = pivots;
        EXPECT_EQ(first_difference(by_columns(a.view), first), -1) << threads;
        EXPECT_EQ(first_difference(by_columns(b.view), solution), -1) << threads;
        EXPECT_EQ(pivots, first_pivots);
      }
    }
  }
}

}  // namespace
}  // namespace hilo::test
