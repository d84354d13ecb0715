// QR with column pivoting: residuals, the order of R's diagonal, ranks, and bits.
#include <algorithm>
#include <hilo/lapack.hpp>
#include <hilo/math.hpp>

#include "inner_engine.hpp"
#include "largest_ratio.hpp"
#include "matrices.hpp"
#include "orthogonal.hpp"
#include "test_matrices.hpp"
#include "test_size.hpp"

namespace hilo::test {
namespace {

// A · P, of which pivots must be a permutation.
template <class T>
Wide columns_of(const StoredMatrix<T>& a, const std::vector<std::int64_t>& pivots) {
  std::vector<std::int64_t> sorted = pivots;
  std::ranges::sort(sorted);
  Wide x(a.view.rows, a.view.columns);
  for (std::int64_t j = 0; j < x.columns; ++j) {
    const auto number = static_cast<std::size_t>(j);
    EXPECT_EQ(sorted[number], j + 1);
    for (std::int64_t i = 0; i < x.rows; ++i) x(i, j) = wide(a(i, pivots[number] - 1));
  }
  return x;
}

template <class T>
double diagonal(const Factored<T>& f, std::int64_t j) {
  return magnitude(f.factors(j, j));
}

// How far a norm is from what it is known to be, where it was not found anew: √u.
template <class T>
const double slack = 8 * std::sqrt(epsilon_of<T>);

template <class T>
void expect_factors(const StoredMatrix<T>& a, const Factored<T>& f, const BlockedOptions& options, double most,
                    const std::string& what, LargestRatio* largest = nullptr) {
  const Wide left = columns_of(a, f.pivots), q(f.q(f.count(), options).view);
  const std::int64_t m = a.view.rows;
  const double residual = ratio<T>(difference(q * f.r(), left), m, norm_of(left));
  const Wide gram = q.turned(Op::conjugate_transpose) * q;
  const double angle = ratio<T>(difference(gram, identity(q.columns, q.columns)), m);
  EXPECT_LT(residual, most) << what;
  EXPECT_LT(angle, most) << what;
  if (largest) largest->of(std::max(residual, angle), m, ' ' + what);
  // Each diagonal entry is no less than the norm of what any column after has from its row on.
  for (std::int64_t j = 0; j < f.count(); ++j) {
    // What is noise beside the matrix is in no order.
    if (diagonal(f, j) <= 100 * static_cast<double>(m) * epsilon_of<T> * diagonal(f, 0)) break;
    for (std::int64_t c = j + 1; c < a.view.columns; ++c) {
      double sum = 0.0;
      for (std::int64_t i = j; i <= std::min(c, f.count() - 1); ++i) {
        const dd_complex x = wide(f.factors(i, c));
        sum += std::pow(std::hypot(x.re.hi, x.im.hi) / diagonal(f, j), 2);
      }
      EXPECT_LE(std::sqrt(sum), 1 + slack<T>) << what << ' ' << j << ' ' << c;
    }
  }
}

template <class T>
class PivotedQr : public testing::Test {};
TYPED_TEST_SUITE(PivotedQr, AllPrecisions, NameOfPrecision);

TYPED_TEST(PivotedQr, HasSmallResidualsAndAnOrderedDiagonal) {
  using T = TypeParam;
  std::uint64_t seed = 0, turn = 0;
  LargestRatio largest;
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {{0, 0},   {0, 5},   {5, 0},    {1, 1},   {2, 2},
                                                              {10, 10}, {19, 30}, {30, 19},  {1, 20},  {20, 1},
                                                              {65, 65}, {90, 70}, {40, 140}, {300, 66}};
  for (const std::int64_t n : orders_of({})) sizes.insert(sizes.end(), {{n, n}, {n, 300 - n}});
  for (const auto& [m, n] : sizes) {
    for (const std::int64_t block : every_block) {
      if (!is_long() && (block == 2 || block == 10 || (m > 60 && block == 1))) continue;
      for (const Layout layout : both_layouts) {
        // By turns.
        if (m > 60 && is_long() && ++turn % 5 != 0) continue;
        BlockedOptions options;
        options.block = block;
        options.threads = 1 + static_cast<int>(++seed % 3);
        const StoredMatrix<T> a(layout, m, n, seed);
        const Factored<T> f(a, options, true);
        expect_factors(a, f, options,
                       may_be_modular<T>(m, n) ? 10.0
                       : m < 50                ? 6.0
                       : is_long()             ? 3.0
                                               : 2.0,
                       std::to_string(m) + " x " + std::to_string(n), &largest);
        for (std::int64_t j = 0; j < f.count(); ++j) EXPECT_EQ(wide(f.factors(j, j)).im, dd_real(0));
      }
    }
  }
}

TYPED_TEST(PivotedQr, OfHardMatrices) {
  using T = TypeParam;
  LargestRatio largest;
  for_hard_cases(hard_matrices<T>(), {40}, {1, 7, 0}, [&](const TestMatrix<T>& matrix, const HardCase& c) {
    const std::int64_t n = c.n;
    BlockedOptions options;
    options.block = c.block;
    const StoredMatrix<T> a = stored(matrix, c.layout, n);
    const Factored<T> f(a, options, true);
    expect_factors(a, f, options, 30.0, matrix.name, &largest);
    // Smaller ones need not have the rank.
    if (n < 10) return;
    const double noise = 100 * static_cast<double>(n) * epsilon_of<T> * diagonal(f, 0);
    if (matrix.name == "of low rank") {
      EXPECT_GT(diagonal(f, 2), 1e-3 * diagonal(f, 0));
      EXPECT_LE(diagonal(f, 3), noise);
    }
    if (matrix.is_singular) {
      EXPECT_LE(diagonal(f, n - 1), noise) << matrix.name;
    }
  });
}

// Without exchanges columns of Kahan's matrix, all as long at each step, come in their order where each is a little
// longer than the next.
TYPED_TEST(PivotedQr, LeavesKahansMatrix) {
  using T = TypeParam;
  using std::sqrt;
  const std::int64_t n = 90;
  for (const std::int64_t block : {1, 7, 0}) {
    BlockedOptions options;
    options.block = block;
    StoredMatrix<T> a(Layout::column, n, n);
    using Real = real_type<T>;
    const Real c(0.285F), s = sqrt(Real(1) - c * c);
    Real row(1);
    for (std::int64_t i = 0; i < n; ++i, row = row * s) {
      for (std::int64_t j = 0; j < n; ++j) a.view(i, j) = j < i ? T(0) : T(j == i ? row : -(row * c));
    }
    const Real shorter = Real(1) - Real(static_cast<float>(4 * std::sqrt(epsilon_of<T>)));
    Real factor(1);
    for (std::int64_t j = 0; j < n; ++j, factor = factor * shorter) {
      for (std::int64_t i = 0; i <= j; ++i) a.view(i, j) = a(i, j) * T(factor);
    }
    const Factored<T> f(a, options, true);
    if constexpr (double_double<T> || !is_complex(precision_of<T>)) {
      EXPECT_EQ(first_difference(f.factors.elements, a.elements), -1);
    } else {
      // OpenBLAS's zgemm makes negative zeros of zeros.
      EXPECT_TRUE(f.factors.elements == a.elements);
    }
    for (std::int64_t j = 0; j < n; ++j) EXPECT_EQ(f.pivots[static_cast<std::size_t>(j)], j + 1);
    for (const T& tau : f.tau) EXPECT_EQ(tau, T(0));
  }
}

// By lowering alone the norms of the second half, which cancel but for 2^-e of them, would be noise.
TYPED_TEST(PivotedQr, FindsNormsAnewWhereTheyCancel) {
  using T = TypeParam;
  constexpr int e = is_single(precision_of<T>) ? 14 : precisions::words(precision_of<T>) == 2 ? 70 : 36;
  const std::int64_t n = 24;
  for (const std::int64_t block : {7, 0}) {
    BlockedOptions options;
    options.block = block;
    const StoredMatrix<T> x(Layout::column, 2 * n, n, 3), small(Layout::column, 2 * n, n, 4);
    StoredMatrix<T> a(Layout::column, 2 * n, 2 * n);
    a.fill([&](std::int64_t i, std::int64_t j) {
      return j < n ? x(i, j) * T(3) : x(i, j - n) + with_exponent(small(i, j - n), -e - static_cast<int>(j % 5));
    });
    expect_factors(a, Factored<T>(a, options, true), options, 5.0, std::to_string(block));
  }
}

TYPED_TEST(PivotedQr, TakesHugeTinyAndInfiniteColumnsInTheirOrder) {
  using T = TypeParam;
  constexpr bool is_float = is_single(precision_of<T>);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const int exponents[] = {is_float ? -140 : -1040, 0, is_float ? 120 : 1010, is_float ? -60 : -500};
  StoredMatrix<T> a(Layout::column, 6, 4, 2);
  const StoredMatrix<T> old = a;
  a.fill([&](std::int64_t i, std::int64_t j) { return with_exponent(old(i, j), exponents[j]); });
  const Factored<T> f(a, {}, true);
  EXPECT_EQ(f.pivots, (std::vector<std::int64_t>{3, 2, 4, 1}));
  for (std::int64_t j = 0; j < 4; ++j) EXPECT_GT(diagonal(f, j), 0.0);
  for (const T& bad : {not_a_number<T>(), element_of<T>(infinity, 0)}) {
    StoredMatrix<T> b(Layout::column, 70, 70, 3);
    b.view(5, 20) = bad;
    const Factored<T> g(b, {}, true);
    EXPECT_EQ(g.pivots[0], 21);
    EXPECT_FALSE(std::isfinite(diagonal(g, 0)));
    columns_of(b, g.pivots);
  }
}

template <class T>
class BitsOfPivotedQr : public testing::Test {};
TYPED_TEST_SUITE(BitsOfPivotedQr, DoubleDoubles, NameOfPrecision);

TYPED_TEST(BitsOfPivotedQr, DoNotDependOnThreadsOrLayouts) {
  using T = TypeParam;
  for (const auto& [m, n] : {std::pair<int, int>{1200, 70}, {130, 520}}) {
    for (const Engine engine : {Engine::direct, Engine::modular}) {
      std::optional<std::vector<T>> factors, tau;
      std::vector<std::int64_t> pivots;
      for (const Layout layout : both_layouts) {
        for (const int threads : {1, 2, 5}) {
          BlockedOptions options;
          options.engine = engine;
          options.threads = threads;
          const Factored<T> f(StoredMatrix<T>(layout, m, n, 8), options, true);
          if (!factors) {
            factors = by_columns(f.factors.view);
            tau = f.tau;
            pivots = f.pivots;
          }
          EXPECT_EQ(first_difference(by_columns(f.factors.view), *factors), -1) << name(engine) << ' ' << threads;
          EXPECT_EQ(first_difference(f.tau, *tau), -1) << name(engine) << ' ' << threads;
          EXPECT_EQ(f.pivots, pivots) << name(engine) << ' ' << threads;
        }
      }
    }
  }
}

}  // namespace
}  // namespace hilo::test
