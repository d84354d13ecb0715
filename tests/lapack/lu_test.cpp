// LU with partial pivoting and what is solved with it: LAPACK's residual ratios, pivots and info.
#include <algorithm>
#include <hilo/lapack.hpp>

#include "blas/reference.hpp"
#include "inner_engine.hpp"
#include "largest_ratio.hpp"
#include "matrices.hpp"
#include "test_matrices.hpp"
#include "test_size.hpp"

namespace hilo::test {
namespace {

// Rows of A as the pivots exchange them.
Wide exchanged(Wide a, const std::vector<std::int64_t>& pivots) {
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    for (std::int64_t j = 0; j < a.columns; ++j) {
      std::swap(a(static_cast<std::int64_t>(i), j), a(pivots[i] - 1, j));
    }
  }
  return a;
}

// ‖PA − LU‖ / (n ‖A‖ ε)
template <class T>
double ratio(const Wide& a, const Wide& factors, const std::vector<std::int64_t>& pivots) {
  const std::int64_t m = a.rows, n = a.columns, r = std::min(m, n);
  Wide l(m, r), u(r, n);
  for (std::int64_t j = 0; j < r; ++j) {
    for (std::int64_t i = j; i < m; ++i) l(i, j) = i == j ? dd_complex(1) : factors(i, j);
  }
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i <= std::min(j, r - 1); ++i) u(i, j) = factors(i, j);
  }
  const double residual = norm_of(difference(l * u, exchanged(a, pivots)));
  return residual == 0.0 ? 0.0 : residual / (static_cast<double>(n) * norm_of(a) * epsilon_of<T>);
}

template <class T>
std::int64_t factored(StoredMatrix<T>& a, std::vector<std::int64_t>& pivots, const BlockedOptions& options = {}) {
  pivots.assign(static_cast<std::size_t>(std::min(a.view.rows, a.view.columns)), -1);
  return getrf(a.view, pivots, options);
}

template <class T>
class Lu : public testing::Test {};
TYPED_TEST_SUITE(Lu, AllPrecisions, NameOfPrecision);

TYPED_TEST(Lu, HasSmallResiduals) {
  using T = TypeParam;
  std::uint64_t seed = 0;
  LargestRatio largest;
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {{0, 0},   {0, 5},   {5, 0},    {1, 1},    {2, 2},
                                                              {10, 10}, {19, 30}, {30, 19},  {1, 20},   {20, 1},
                                                              {64, 64}, {65, 65}, {100, 70}, {129, 129}};
  for (const std::int64_t n : orders_of({})) sizes.insert(sizes.end(), {{n, n}, {n, 300 - n}});
  for (const auto& [m, n] : sizes) {
    for (const std::int64_t block : every_block) {
      if (m > 100 && block != 0 && !is_long()) continue;
      for (const Layout layout : both_layouts) {
        BlockedOptions options;
        options.block = block;
        options.threads = 1 + static_cast<int>(++seed % 3);
        StoredMatrix<T> a(layout, m, n, seed);
        const StoredMatrix<T> before = a;
        std::vector<std::int64_t> pivots;
        EXPECT_EQ(factored(a, pivots, options), 0) << m << ' ' << n;
        // Of few terms it is a few roundings.
        const double most = n < 50 || may_be_modular<T>(m, n) ? 2.0 : 0.3;
        EXPECT_LT(largest.of(ratio<T>(Wide(before.view), Wide(a.view), pivots), n), most)
            << m << ' ' << n << " block " << block;
        EXPECT_EQ(a.first_changed(before, [](auto, auto) { return false; }), -1);
        for (std::size_t i = 0; i < pivots.size(); ++i) {
          EXPECT_GT(pivots[i], static_cast<std::int64_t>(i));
          EXPECT_LE(pivots[i], m);
        }
      }
    }
  }
}

TYPED_TEST(Lu, HasSmallResidualsOfHardMatrices) {
  using T = TypeParam;
  LargestRatio largest;
  for_hard_cases(hard_matrices<T>(), {30, 70}, {1, 2, 7, 10, 0}, [&](const TestMatrix<T>& matrix, const HardCase& c) {
    BlockedOptions options;
    options.block = c.block;
    StoredMatrix<T> a = stored(matrix, c.layout, c.n);
    const StoredMatrix<T> before = a;
    std::vector<std::int64_t> pivots;
    const std::int64_t info = factored(a, pivots, options);
    EXPECT_LT(largest.of(ratio<T>(Wide(before.view), Wide(a.view), pivots), c.n, ' ' + matrix.name), 30.0)
        << matrix.name << ' ' << c.n << ' ' << c.block;
    if (info != 0) {
      EXPECT_TRUE(matrix.is_singular) << matrix.name << ' ' << c.n << ' ' << info;
      EXPECT_EQ(wide(a(info - 1, info - 1)), dd_complex(0)) << matrix.name;
    }
    for (std::int64_t j = 0; j < c.n; ++j) {
      for (std::int64_t i = j + 1; i < c.n; ++i) EXPECT_LE(magnitude(a(i, j)), 2.001) << matrix.name;
    }
  });
}

TYPED_TEST(Lu, TellsTheFirstZeroPivot) {
  using T = TypeParam;
  for (const std::int64_t n : orders_of({1, 8, 40})) {
    if (n == 0) continue;
    for (const std::int64_t zero : {std::int64_t{0}, n / 2, n - 1}) {
      for (const std::int64_t block : {1, 7, 64}) {
        BlockedOptions options;
        options.block = block;
        // An upper triangle needs no exchange.
        StoredMatrix<T> a(Layout::column, n, n, 3);
        a.fill([&](std::int64_t i, std::int64_t j) { return i > j || (i == j && i == zero) ? T(0) : a(i, j); });
        const StoredMatrix<T> before = a;
        std::vector<std::int64_t> pivots;
        EXPECT_EQ(factored(a, pivots, options), zero + 1) << n;
        EXPECT_TRUE(std::ranges::equal(a.elements, before.elements)) << n;
        StoredMatrix<T> b(Layout::column, n, 2, 4), c = before;
        const StoredMatrix<T> b_before = b;
        EXPECT_EQ(gesv(c.view, pivots, b.view, options), zero + 1);
        EXPECT_EQ(first_difference(b.elements, b_before.elements), -1) << n;
      }
    }
  }
}

TYPED_TEST(Lu, TakesTheFirstOfEqualPivots) {
  using T = TypeParam;
  StoredMatrix<T> a(Layout::column, 4, 4);
  const double column[] = {1, -3, 3, 2};
  a.fill([&](std::int64_t i, std::int64_t j) { return T(static_cast<float>(j == 0 ? column[i] : i == j ? 7 : 0)); });
  std::vector<std::int64_t> pivots;
  EXPECT_EQ(factored(a, pivots), 0);
  EXPECT_EQ(pivots[0], 2);
}

TYPED_TEST(Lu, NaNAndInfAreFound) {
  using T = TypeParam;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const T& bad : {not_a_number<T>(), element_of<T>(infinity, 0)}) {
    StoredMatrix<T> a(Layout::column, 70, 70, 3);
    a.view(5, 2) = bad;
    std::vector<std::int64_t> pivots;
    factored(a, pivots);
    EXPECT_EQ(pivots[2], 6);
    EXPECT_FALSE(std::isfinite(magnitude(a(2, 2))));
    if (bad != bad) {
      EXPECT_FALSE(std::isfinite(magnitude(a(69, 69))));
    }
    for (const std::int64_t p : pivots) EXPECT_TRUE(p >= 1 && p <= 70);
  }
}

TYPED_TEST(Lu, SolvesSystems) {
  using T = TypeParam;
  std::uint64_t seed = 5;
  LargestRatio largest("backwards");
  for (const std::int64_t n : orders_of({0, 1, 10, 30, 100})) {
    for (const Op op : every_op) {
      for (const Layout layout : both_layouts) {
        BlockedOptions options;
        options.block = every_block[++seed % 5];
        StoredMatrix<T> a(layout, n, n, seed), x(layout, n, 3, seed + 1);
        const StoredMatrix<T> a_before = a, b = x;
        std::vector<std::int64_t> pivots;
        EXPECT_EQ(factored(a, pivots, options), 0);
        getrs(op, a.read(), pivots, x.view, options);
        const Wide left = Wide(a_before.view).turned(op), solution(x.view);
        const double residual = norm_of(difference(left * solution, Wide(b.view)));
        const double scale = norm_of(left) * norm_of(solution) * epsilon_of<T>;
        EXPECT_LE(residual, 30 * scale) << n << ' ' << name(op);
        if (n > 0) largest.of(residual / scale, n);

        StoredMatrix<T> c = a_before, y = b;
        EXPECT_EQ(gesv(c.view, pivots, y.view, options), 0);
        EXPECT_EQ(first_difference(c.elements, a.elements), -1);
        if (op == Op::none) {
          EXPECT_EQ(first_difference(y.elements, x.elements), -1);
        }
      }
    }
  }
}

template <class T>
class BitsOfLu : public testing::Test {};
TYPED_TEST_SUITE(BitsOfLu, DoubleDoubles, NameOfPrecision);

// Row by row as in every textbook, entries by the definition of blocks.
TYPED_TEST(BitsOfLu, OfABlockAreThoseOfItsDefinition) {
  using T = TypeParam;
  for (const Fma fma : {Fma::on, Fma::off}) {
    for (const auto& [m, n] : {std::pair<int, int>{1, 1}, {30, 30}, {50, 13}, {64, 64}, {100, 80}}) {
      BlockedOptions options;
      options.block = n;
      options.fma = fma;
      StoredMatrix<T> a(Layout::row, m, n, 3), x = a;
      std::vector<std::int64_t> pivots;
      EXPECT_EQ(factored(a, pivots, options), 0);
      for (std::int64_t j = 0; j < n; ++j) {
        const auto entry = [&](std::int64_t i, std::int64_t terms) {
          const auto left = [&](std::int64_t k) { return x(i, k); };
          const auto right = [&](std::int64_t k) { return -x(k, j); };
          return blas::with_products(x(i, j), terms, left, right, fma == Fma::on);
        };
        for (std::int64_t i = 0; i < m; ++i) x.view(i, j) = entry(i, std::min(i, j));
        const std::int64_t p = pivots[static_cast<std::size_t>(j)] - 1;
        for (std::int64_t i = j; i < m; ++i) EXPECT_LE(magnitude(x(i, j)), magnitude(x(p, j))) << i << ' ' << j;
        for (std::int64_t c = 0; c < n; ++c) std::swap(x.view(j, c), x.view(p, c));
        const blas::Divisor<T> pivot(x(j, j));
        for (std::int64_t i = j + 1; i < m; ++i) x.view(i, j) = blas::quotient(x(i, j), pivot);
      }
      EXPECT_EQ(first_difference(a.elements, x.elements), -1) << m << ' ' << n;
    }
  }
}

// Without FMA, which not all of them have.
TYPED_TEST(BitsOfLu, DoNotDependOnTheIsa) {
  using T = TypeParam;
  for (const std::int64_t n : {1, 2, 3, 20, 101}) {
    const StoredMatrix<T> a(Layout::column, n, n, 3);
    std::vector<T> first;
    for (const char* target : {"AVX3", "AVX2", "SSE4", "SSSE3", "NEON"}) {
      StoredMatrix<T> x = a;
      std::vector<std::int64_t> pivots;
      try {
        EXPECT_EQ(factored(x, pivots, {.engine = Engine::direct, .fma = Fma::off, .target = target, .block = 7}), 0);
      } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::unsupported) << target;
        continue;
      }
      if (first.empty()) first = x.elements;
      EXPECT_EQ(first_difference(x.elements, first), -1) << n << ' ' << target;
    }
    EXPECT_FALSE(first.empty());
  }
}

TYPED_TEST(BitsOfLu, DoNotDependOnThreadsOrLayouts) {
  using T = TypeParam;
  const std::int64_t n = 200;
  for (const Engine engine : {Engine::direct, Engine::modular, Engine::reproducible}) {
    std::vector<T> first;
    std::vector<std::int64_t> first_pivots;
    for (const Layout layout : both_layouts) {
      for (const int threads : {1, 2, 5}) {
        BlockedOptions options;
        options.engine = engine;
        options.threads = threads;
        StoredMatrix<T> a(layout, n, n, 8);
        std::vector<std::int64_t> pivots;
        EXPECT_EQ(factored(a, pivots, options), 0);
        if (first.empty()) first = by_columns(a.view), first_pivots = pivots;
        EXPECT_EQ(first_difference(by_columns(a.view), first), -1) << name(engine) << ' ' << threads;
        EXPECT_EQ(pivots, first_pivots);
      }
    }
  }
}

}  // namespace
}  // namespace hilo::test
