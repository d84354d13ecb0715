// QR and what is computed with it: LAPACK's residual ratios, storage and conventions, least squares, and bits.
#include <algorithm>
#include <hilo/lapack.hpp>

#include "inner_engine.hpp"
#include "largest_ratio.hpp"
#include "matrices.hpp"
#include "orthogonal.hpp"
#include "test_matrices.hpp"
#include "test_size.hpp"

namespace hilo::test {
namespace {

template <class T>
class Qr : public testing::Test {};
TYPED_TEST_SUITE(Qr, AllPrecisions, NameOfPrecision);

TYPED_TEST(Qr, HasSmallResiduals) {
  using T = TypeParam;
  std::uint64_t turn = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {{0, 0},   {0, 5},   {5, 0},   {1, 1},   {2, 2},
                                                              {10, 10}, {19, 30}, {30, 19}, {1, 20},  {20, 1},
                                                              {64, 64}, {65, 65}, {90, 70}, {40, 80}, {130, 130}};
  if (is_long()) sizes.insert(sizes.end(), {{600, 20}, {20, 600}});
  for (const std::int64_t n : orders_of({})) sizes.insert(sizes.end(), {{n, n}, {n, 300 - n}});
  std::uint64_t seed = 0;
  LargestRatio residuals("residuals"), angles("of Q");
  for (const auto& [m, n] : sizes) {
    for (const std::int64_t block : every_block) {
      if (m > 60 && block != 0 && block != 10 && !is_long()) continue;
      if (m > 90 && block != 0 && !is_long()) continue;
      for (const Layout layout : both_layouts) {
        if (m > 60 && (layout == Layout::row) == (block == 0) && !is_long()) continue;
        // By turns.
        if (m > 60 && is_long() && ++turn % 5 != 0) continue;
        BlockedOptions options;
        options.block = block;
        options.threads = 1 + static_cast<int>(++seed % 3);
        const StoredMatrix<T> a(layout, m, n, seed);
        const Factored<T> f(a, options);
        const Wide left(a.view), q(f.q(f.count(), options).view);
        // Of few terms it is a few roundings.
        const double most = m < 50 ? 3.0 : 1.0;
        EXPECT_LT(residuals.of(ratio<T>(difference(q * f.r(), left), m, norm_of(left)), m), most)
            << m << ' ' << n << ' ' << block;
        const Wide gram = q.turned(Op::conjugate_transpose) * q;
        // In ZDD panels of 64 columns come to 1.4 on average, and some to 2.2.
        const double angle = may_be_modular<T>(m, n) ? 10 : is_long() ? 3 : precision_of<T> == Precision::zdd ? 2.5 : 2;
        EXPECT_LT(angles.of(ratio<T>(difference(gram, identity(q.columns, q.columns)), m), m), angle * most)
            << m << ' ' << n << ' ' << block;
        for (std::int64_t j = 0; j < f.count(); ++j) {
          EXPECT_EQ(wide(f.factors(j, j)).im, dd_real(0));
          EXPECT_LE(magnitude(f.tau[static_cast<std::size_t>(j)]), 2.42);
        }
      }
    }
  }
}

TYPED_TEST(Qr, HasSmallResidualsOfHardMatrices) {
  using T = TypeParam;
  LargestRatio residuals("residuals"), angles("of Q");
  for_hard_cases(hard_matrices<T>(), {30, 40}, {1, 7, 0}, [&](const TestMatrix<T>& matrix, const HardCase& c) {
    BlockedOptions options;
    options.block = c.block;
    const StoredMatrix<T> a = stored(matrix, c.layout, c.n);
    const Factored<T> f(a, options);
    const Wide left(a.view), q(f.q(c.n, options).view);
    EXPECT_LT(residuals.of(ratio<T>(difference(q * f.r(), left), c.n, norm_of(left)), c.n, ' ' + matrix.name), 30.0)
        << matrix.name << ' ' << c.n << ' ' << c.block;
    const Wide gram = q.turned(Op::conjugate_transpose) * q;
    EXPECT_LT(angles.of(ratio<T>(difference(gram, identity(c.n, c.n)), c.n), c.n, ' ' + matrix.name), 30.0)
        << matrix.name << ' ' << c.n << ' ' << c.block;
  });
}

// Columns of very different sizes: powers of two change nothing but R's columns, whether a panel scales columns or not.
// The sums of one that is twice as far from 1 as those that are not scaled would leave the range with the next.
TYPED_TEST(Qr, CommutesWithPowersOfTwoOfColumns) {
  using T = TypeParam;
  constexpr bool is_float = is_single(precision_of<T>);
  constexpr int near_one = is_float ? 8 : 16, far = 2 * near_one - 1;
  const int exponents[] = {far, is_float ? 112 : 992, -far, is_float ? -100 : -850, 0, near_one - 1, 1 - near_one, 1};
  constexpr std::int64_t m = 40, n = std::size(exponents);
  const StoredMatrix<T> a(Layout::column, m, n, 3);
  StoredMatrix<T> b = a;
  const auto scaled = [&](const T& x, std::int64_t j) { return with_exponent(x, exponents[j]); };
  b.fill([&](auto i, auto j) { return scaled(a(i, j), j); });
  const Factored<T> plain(a, {}), other(b, {});
  for (std::int64_t j = 0; j < n; ++j) {
    EXPECT_EQ(plain.tau[static_cast<std::size_t>(j)], other.tau[static_cast<std::size_t>(j)]) << j;
    for (std::int64_t i = 0; i < m; ++i) {
      EXPECT_EQ(other.factors(i, j), i > j ? plain.factors(i, j) : scaled(plain.factors(i, j), j)) << i << ' ' << j;
    }
  }
}

TYPED_TEST(Qr, HasLapacksReflectors) {
  using T = TypeParam;
  constexpr bool is_float = is_single(precision_of<T>);
  for (const int e : {0, 1, is_float ? 124 : 1020, is_float ? -126 : -1022, is_float ? -149 : -1074}) {
    StoredMatrix<T> a(Layout::column, 3, 2);
    const float entries[] = {3, 0, 4, 2, 5, 1};
    a.fill([&](auto i, auto j) { return with_exponent(T(entries[i + 3 * j]), e); });
    a.view(1, 1) = with_exponent(T(0), e);
    const Factored<T> f(a);
    EXPECT_EQ(f.factors(0, 0), with_exponent(T(-5), e)) << e;
    EXPECT_LT(magnitude(f.tau[0] - T(8) / T(5)), 4 * epsilon_of<T>) << e;
    EXPECT_EQ(f.factors(1, 0), T(0));
    EXPECT_LT(magnitude(f.factors(2, 0) - T(1) / T(2)), 4 * epsilon_of<T>) << e;
  }
  // Nothing to be done, not even a sign.
  StoredMatrix<T> a(Layout::column, 5, 3, 1);
  a.fill([&](auto i, auto j) { return i > j ? T(0) : T(real(a(i, j))); });
  const Factored<T> f(a);
  EXPECT_EQ(first_difference(f.factors.elements, a.elements), -1);
  for (const T& tau : f.tau) EXPECT_EQ(tau, T(0));
  if constexpr (is_complex(precision_of<T>)) {
    // (3i, 4): β = −5, τ = (β − α) / β.
    StoredMatrix<T> b(Layout::column, 2, 1);
    b.view(0, 0) = element_of<T>(0, 3);
    b.view(1, 0) = T(4);
    const Factored<T> g(b);
    EXPECT_EQ(g.factors(0, 0), T(-5));
    EXPECT_LT(magnitude(g.tau[0] - T(1) - element_of<T>(0, 3) / T(5)), 4 * epsilon_of<T>);
    EXPECT_LT(magnitude(g.factors(1, 0) - T(4) / element_of<T>(5, 3)), 4 * epsilon_of<T>);
  }
}

TYPED_TEST(Qr, MultipliesByQ) {
  using T = TypeParam;
  std::uint64_t seed = 3;
  LargestRatio largest;
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {{1, 1}, {10, 10}, {30, 19}, {19, 30}, {70, 66}};
  for (const std::int64_t n : orders_of({})) {
    if (n > 0) sizes.emplace_back(n, n % 2 ? n : 300 - n);
  }
  for (const auto& [m, n] : sizes) {
    for (const std::int64_t block : every_block) {
      if (is_long() ? m > 70 && block != every_block[m % 5] : block == 2 || block == 10) continue;
      BlockedOptions options;
      options.block = block;
      options.threads = 1 + static_cast<int>(++seed % 3);
      const Layout layout = both_layouts[seed % 2], other = both_layouts[seed / 2 % 2];
      const Factored<T> f(StoredMatrix<T>(layout, m, n, seed), options);
      const Wide q = f.times_q(identity(m, m));
      // All of Q, though there are fewer reflectors.
      const double most = may_be_modular<T>(m, n) ? 10.0 : 5.0;
      EXPECT_LT(ratio<T>(difference(Wide(f.q(m, options).view), q), m), most) << m << ' ' << n << ' ' << block;
      const MatrixView<const T> v = f.factors.read().sub(0, 0, m, f.count());
      for (const Op op : every_op) {
        for (const Side side : both_sides) {
          const bool is_left = side == Side::left;
          StoredMatrix<T> c(other, is_left ? m : 12, is_left ? 12 : m, seed + 7);
          const StoredMatrix<T> before = c;
          unmqr(side, op, v, f.tau, c.view, options);
          EXPECT_EQ(c.first_changed(before, [](auto, auto) { return false; }), -1);
          const Wide of_q = q.turned(op), old(before.view);
          const Wide expected = is_left ? of_q * old : old * of_q;
          EXPECT_LT(largest.of(ratio<T>(difference(Wide(c.view), expected), m, norm_of(old)), m), 3.0)
              << m << ' ' << n << ' ' << block << ' ' << name(op) << is_left;
        }
      }
    }
  }
}

TYPED_TEST(Qr, FewerReflectorsAndOtherNames) {
  using T = TypeParam;
  const Factored<T> f(StoredMatrix<T>(Layout::column, 20, 12, 4));
  const std::span<const T> tau = std::span(f.tau).first(5);
  StoredMatrix<T> q = f.factors, c(Layout::row, 20, 20);
  c.fill([](auto i, auto j) { return T(i == j ? 1 : 0); });
  const StoredMatrix<T> c_before = c;
  unmqr(Side::left, Op::none, f.factors.read(), {}, c.view);
  EXPECT_TRUE(std::ranges::equal(c.elements, c_before.elements));
  if constexpr (is_complex(precision_of<T>)) {
    ungqr(q.view, tau);
    unmqr(Side::left, Op::none, f.factors.read(), tau, c.view);
  } else {
    orgqr(q.view, tau);
    ormqr(Side::left, Op::none, f.factors.read(), tau, c.view);
  }
  EXPECT_LT(ratio<T>(difference(Wide(q.view), Wide(c.view.sub(0, 0, 20, 12))), 20), 1.0);
  ungqr(q.view, {});
  EXPECT_EQ(norm_of(difference(Wide(q.view), identity(20, 12))), 0.0);
}

TYPED_TEST(Qr, NaNAndInfAreFound) {
  using T = TypeParam;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const T& bad : {not_a_number<T>(), element_of<T>(infinity, 0)}) {
    for (const std::int64_t block : {7, 0}) {
      BlockedOptions options;
      options.block = block;
      StoredMatrix<T> a(Layout::column, 70, 70, 3);
      a.view(5, 2) = bad;
      const Factored<T> f(a, options);
      EXPECT_TRUE(std::isfinite(magnitude(f.factors(1, 1))));
      EXPECT_FALSE(std::isfinite(magnitude(f.factors(2, 2))));
      EXPECT_FALSE(std::isfinite(magnitude(f.factors(2, 5))));
      EXPECT_FALSE(std::isfinite(magnitude(f.factors(69, 69))));
    }
  }
}

TYPED_TEST(Qr, SolvesLeastSquares) {
  using T = TypeParam;
  std::uint64_t seed = 9;
  LargestRatio normal("of normal equations"), residuals("residuals"), spans("of smallest norm");
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {{1, 1},   {10, 10}, {30, 19}, {19, 30},
                                                              {70, 66}, {20, 1},  {1, 20}};
  for (const std::int64_t n : orders_of({})) sizes.insert(sizes.end(), {{n, n}, {n, 300 - n}});
  for (const auto& [m, n] : sizes) {
    if (m == 0 || n == 0) continue;
    for (const Op op : every_op) {
      BlockedOptions options;
      options.block = every_block[++seed % 5];
      const Layout layout = both_layouts[seed % 2];
      const StoredMatrix<T> a(layout, m, n, seed);
      const std::int64_t rows = is_transposed(op) ? n : m, columns = is_transposed(op) ? m : n;
      StoredMatrix<T> b(both_layouts[seed / 2 % 2], std::max(m, n), 3, seed + 1);
      const Wide left = Wide(a.view).turned(op), right(b.view.sub(0, 0, rows, 3));
      StoredMatrix<T> x = b, factors = a;
      EXPECT_EQ(gels(op, factors.view, x.view, options), 0);
      EXPECT_EQ(x.first_changed(b, [](auto, auto) { return false; }), -1);
      const Wide solution(x.view.sub(0, 0, columns, 3)), residual = difference(left * solution, right);
      const double scale = norm_of(left) * norm_of(solution) + norm_of(right);
      if (rows >= columns) {
        EXPECT_LT(normal.of(ratio<T>(left.turned(Op::conjugate_transpose) * residual, m + n,
                                     scale * norm_of(left.turned(Op::transpose))),
                            m),
                  3.0)
            << m << ' ' << n << ' ' << name(op);
      }
      if (rows <= columns) {
        EXPECT_LT(residuals.of(ratio<T>(residual, m + n, scale), m), 3.0) << m << ' ' << n << ' ' << name(op);
        // It lies in the span of op(A)'s rows.
        StoredMatrix<T> y = x;
        StoredMatrix<T> again = a;
        const Op back = is_transposed(op) ? (op == Op::transpose ? Op::conjugate : Op::none)
                                          : (op == Op::none ? Op::conjugate_transpose : Op::transpose);
        EXPECT_EQ(gels(back, again.view, y.view, options), 0);
        const Wide weights(y.view.sub(0, 0, rows, 3));
        const Wide rest = difference(left.turned(Op::conjugate_transpose) * weights, solution);
        const double most = norm_of(left.turned(Op::transpose)) * norm_of(weights) + norm_of(solution);
        EXPECT_LT(spans.of(ratio<T>(rest, m + n, most), m), 3.0) << m << ' ' << n << ' ' << name(op);
      }
    }
  }
}

TYPED_TEST(Qr, TellsTheFirstZeroOfRsDiagonal) {
  using T = TypeParam;
  for (const std::int64_t n : orders_of({1, 8, 40})) {
    if (n == 0) continue;
    for (const std::int64_t zero : {std::int64_t{0}, n / 2, n - 1}) {
      for (const std::int64_t block : {1, 7, 64}) {
        for (const bool is_wide : {false, true}) {
          BlockedOptions options;
          options.block = block;
          StoredMatrix<T> a(Layout::column, is_wide ? n : n + 5, is_wide ? n + 5 : n), b(Layout::column, n + 5, 2, 4);
          const auto entry = [&](auto i, auto j) { return T(i > j || (i == j && i == zero) ? 0 : i == j ? 3 : 1); };
          a.fill([&](auto i, auto j) { return is_wide ? entry(j, i) : entry(i, j); });
          const StoredMatrix<T> b_before = b;
          EXPECT_EQ(gels(Op::none, a.view, b.view, options), zero + 1) << n;
          EXPECT_EQ(first_difference(b.elements, b_before.elements), -1) << n;
        }
      }
    }
  }
}

TYPED_TEST(Qr, OfNothingGivesZeros) {
  using T = TypeParam;
  StoredMatrix<T> a(Layout::column, 0, 4), b(Layout::column, 4, 2, 3);
  EXPECT_EQ(gels(Op::none, a.view, b.view), 0);
  EXPECT_EQ(norm_of(Wide(b.view)), 0.0);
  StoredMatrix<T> c(Layout::column, 4, 3, 3), none(Layout::column, 4, 0);
  EXPECT_EQ(gels(Op::none, c.view, none.view), 0);
}

template <class T>
class BitsOfQr : public testing::Test {};
TYPED_TEST_SUITE(BitsOfQr, DoubleDoubles, NameOfPrecision);

TYPED_TEST(BitsOfQr, DoNotDependOnThreadsOrLayouts) {
  using T = TypeParam;
  const std::int64_t m = 300, n = 100;
  for (const Engine engine : {Engine::direct, Engine::modular}) {
    std::vector<std::vector<T>> first;
    for (const Layout layout : both_layouts) {
      for (const int threads : {1, 2, 5}) {
        BlockedOptions options;
        options.engine = engine;
        options.threads = threads;
        const Factored<T> f(StoredMatrix<T>(layout, m, n, 8), options);
        StoredMatrix<T> a(layout, m, 20, 9), b(layout, m, 5, 10), c(layout, 5, m, 11);
        EXPECT_EQ(gels(Op::none, a.view, b.view, options), 0);
        unmqr(Side::right, Op::conjugate_transpose, f.factors.read(), f.tau, c.view, options);
        const std::vector<std::vector<T>> all = {by_columns(f.factors.view), f.tau, by_columns(f.q(n, options).view),
                                                 by_columns(b.view), by_columns(c.view)};
        if (first.empty()) first = all;
        for (std::size_t i = 0; i < all.size(); ++i) {
          EXPECT_EQ(first_difference(all[i], first[i]), -1) << name(engine) << ' ' << threads << ' ' << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace hilo::test
