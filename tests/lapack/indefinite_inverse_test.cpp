// Inverses of symmetric and Hermitian matrices from Bunch and Kaufman's factors: LAPACK's residual ratios, info, and
// the bits of a block.
#include "blas/reference.hpp"
#include "indefinite.hpp"
#include "largest_ratio.hpp"
#include "test_matrices.hpp"
#include "test_size.hpp"

namespace hilo::test {
namespace {

// ‖I − A X‖ / (n ‖A‖ ‖X‖ ε)
template <class T>
double ratio(const Wide& a, const Wide& x) {
  const std::int64_t n = a.rows;
  if (n == 0) return 0.0;
  Wide one(n, n);
  for (std::int64_t i = 0; i < n; ++i) one(i, i) = dd_complex(1);
  return norm_of(difference(one, a * x)) / static_cast<double>(n) / norm_of(a) / norm_of(x) / epsilon_of<T>;
}

template <class T>
class IndefiniteInverse : public testing::Test {};
TYPED_TEST_SUITE(IndefiniteInverse, AllPrecisions, NameOfPrecision);

TYPED_TEST(IndefiniteInverse, OfRandomMatrices) {
  using T = TypeParam;
  std::uint64_t seed = 0;
  LargestRatio largest;
  bool is_paired = false, is_single_too = false;
  for (const std::int64_t n : orders_of({0, 1, 2, 3, 10, 19, 30, 66})) {
    for (const std::int64_t block : every_block) {
      if (n > 30 && block != 0 && block != 7 && !is_long()) continue;
      // By turns.
      if (n > 30 && is_long() && block != every_block[n % 5]) continue;
      for (const Kind& kind : every_kind) {
        BlockedOptions options;
        options.block = block;
        options.threads = 1 + static_cast<int>(++seed % 3);
        StoredMatrix<T> a = indefinite<T>(both_layouts[seed / 4 % 2], kind.uplo, n, seed);
        const StoredMatrix<T> before = a;
        auto pivots = room(a);
        EXPECT_EQ(kind.factor(a.view, pivots, options), 0);
        for (const std::int64_t p : pivots) (p < 0 ? is_paired : is_single_too) = true;
        EXPECT_EQ(kind.invert(a.view, pivots, options), 0);
        EXPECT_LT(largest.of(ratio<T>(whole(a, kind), whole(before, kind)), n), n < 50 ? 3.0 : 0.3)
            << n << " block " << block;
        EXPECT_EQ(a.first_changed(before, [&](auto i, auto j) { return !is_in(kind.uplo, i, j); }), -1);
        for (std::int64_t i = 0; i < n && kind.is_hermitian; ++i) EXPECT_EQ(wide(a(i, i)).im, dd_real(0));
      }
    }
  }
  EXPECT_TRUE(is_paired && is_single_too);
}

// [0 ε 1; ε 0 1; 1 1 1] along the diagonal, whose L has entries of 1 / ε.
template <class T>
TestMatrix<T> with_large_factors() {
  return {"with large factors", [](std::int64_t) {
            return [](std::int64_t i, std::int64_t j) {
              const std::int64_t r = std::max(i, j) % 3, c = std::min(i, j) % 3;
              if (i / 3 != j / 3) return with_exponent(T(1), -4);
              return r == 2 ? T(1) : r == c ? T(0) : with_exponent(T(1), is_single(precision_of<T>) ? -9 : -30);
            };
          }};
}

TYPED_TEST(IndefiniteInverse, OfHardMatrices) {
  using T = TypeParam;
  LargestRatio largest;
  auto matrices = hard_matrices<T>();
  matrices.push_back(with_large_factors<T>());
  for_hard_cases(matrices, {40}, {1, 7, 0}, [&](const TestMatrix<T>& matrix, const HardCase& c) {
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
      const StoredMatrix<T> factors = a;
      EXPECT_EQ(kind.invert(a.view, pivots, options), info) << matrix.name;
      if (info != 0) {
        EXPECT_EQ(first_difference(a.elements, factors.elements), -1) << matrix.name;
      } else if (!matrix.is_singular) {
        EXPECT_LT(largest.of(ratio<T>(whole(a, kind), before), c.n, ' ' + matrix.name), 30.0)
            << matrix.name << ' ' << c.n << ' ' << c.block;
      }
    }
  });
}

TYPED_TEST(IndefiniteInverse, IsNotMadeWhereDIsZero) {
  using T = TypeParam;
  for (const std::int64_t zero : {0, 12, 29}) {
    for (const Kind& kind : every_kind) {
      StoredMatrix<T> a(Layout::column, 30, 30, 3);
      a.view(zero, zero) = a.view(15, 15) = T(0);
      if (kind.is_hermitian) a.view(zero, zero) = element_of<T>(0, 5);
      const StoredMatrix<T> before = a;
      std::vector<std::int64_t> pivots;
      for (std::int64_t i = 1; i <= 30; ++i) pivots.push_back(i);
      // A block of two rows may have zeros on the diagonal.
      const bool is_lower = kind.uplo == Uplo::lower;
      pivots[20] = pivots[21] = is_lower ? -22 : -21;
      a.view(20, 20) = T(0);
      const StoredMatrix<T> factors = a;
      EXPECT_EQ(kind.invert(a.view, pivots, {}),
                1 + (is_lower ? std::min<std::int64_t>(zero, 15) : std::max<std::int64_t>(zero, 15)));
      EXPECT_EQ(first_difference(a.elements, factors.elements), -1);
    }
  }
}

TYPED_TEST(IndefiniteInverse, NaNAndInfEnd) {
  using T = TypeParam;
  for (const Kind& kind : every_kind) {
    for (const T& bad : {not_a_number<T>(), element_of<T>(std::numeric_limits<double>::infinity(), 0)}) {
      StoredMatrix<T> a = indefinite<T>(Layout::column, kind.uplo, 30, 3);
      auto pivots = room(a);
      EXPECT_EQ(kind.factor(a.view, pivots, {}), 0);
      (kind.uplo == Uplo::lower ? a.view(20, 11) : a.view(11, 20)) = bad;
      EXPECT_EQ(kind.invert(a.view, pivots, {.block = 8}), 0);
      bool is_bad = false;
      for (std::int64_t j = 0; j < 30; ++j) {
        for (std::int64_t i = 0; i < 30; ++i) {
          is_bad = is_bad || (is_in(kind.uplo, i, j) && !std::isfinite(magnitude(a(i, j))));
        }
      }
      EXPECT_TRUE(is_bad);
    }
  }
}

// So wide that the modular engine takes triangles of products that are not symmetric.
TEST(IndefiniteInverseUpdates, OfWholeTriangles) {
  constexpr std::int64_t n = 900;
  for (const Uplo uplo : both_triangles) {
    StoredMatrix<dd_real> a = indefinite<dd_real>(Layout::column, uplo, n, 1), x(Layout::column, n, 1, 2);
    const StoredMatrix<dd_real> before = a, b = x;
    StoredMatrix<dd_real> residual = b;
    auto pivots = room(a);
    ASSERT_EQ(sytrf(uplo, a.view, pivots, {.block = 256}), 0);
    ASSERT_EQ(sytri(uplo, a.view, pivots, {.block = 256}), 0);
    symm(Side::left, uplo, dd_real(1), a.view, b.view, dd_real(0), x.view);
    symm(Side::left, uplo, dd_real(-1), before.view, x.view, dd_real(1), residual.view);
    for (std::int64_t i = 0; i < n; ++i) ASSERT_LT(std::fabs(residual(i, 0).hi), 1e-25) << i;
    EXPECT_EQ(a.first_changed(before, [&](auto i, auto j) { return !is_in(uplo, i, j); }), -1);
  }
}

template <class T>
class BitsOfIndefiniteInverse : public testing::Test {};
TYPED_TEST_SUITE(BitsOfIndefiniteInverse, DoubleDoubles, NameOfPrecision);

TYPED_TEST(BitsOfIndefiniteInverse, DoNotDependOnThreadsOrLayouts) {
  using T = TypeParam;
  for (const Engine engine : {Engine::direct, Engine::modular}) {
    const std::int64_t n = engine == Engine::direct ? 330 : 60;
    for (const Kind& kind : {every_kind[0], every_kind[3]}) {
      std::vector<T> first;
      for (const Layout layout : both_layouts) {
        for (const int threads : {1, 3}) {
          BlockedOptions options;
          options.engine = engine;
          options.threads = threads;
          options.block = 16;
          StoredMatrix<T> a = indefinite<T>(layout, kind.uplo, n, 8);
          auto pivots = room(a);
          EXPECT_EQ(kind.factor(a.view, pivots, options), 0);
          EXPECT_EQ(kind.invert(a.view, pivots, options), 0);
          if (first.empty()) first = by_columns(a.view);
          EXPECT_EQ(first_difference(by_columns(a.view), first), -1) << name(engine) << ' ' << threads;
        }
      }
    }
  }
}

// Of L with D = I and no exchanges, the definition entry by entry: W · L = I and Wᵀ · (D⁻¹ · W).
TYPED_TEST(BitsOfIndefiniteInverse, OfABlockAreThoseOfTheDefinition) {
  using T = TypeParam;
  constexpr std::int64_t n = 33;
  const T one = blas::quotient(T(1), blas::Divisor<T>(T(1)));
  const auto divided = [&](const T& x) {
    if constexpr (is_complex(precision_of<T>)) {
      return T::multiply_finite(one, x);
    } else {
      return one * x;
    }
  };
  for (const bool fma : {true, false}) {
    for (const bool is_hermitian : {true, false}) {
      StoredMatrix<T> a(Layout::row, n, n, 5), w(Layout::column, n, n);
      const StoredMatrix<T> l = a;
      std::vector<std::int64_t> pivots;
      for (std::int64_t i = 0; i < n; ++i) {
        pivots.push_back(i + 1);
        a.view(i, i) = T(1);
        // From right to left, so that columns of W are known.
        for (std::int64_t j = n - 1; j >= 0; --j) {
          const auto left = [&](std::int64_t k) { return -l(n - 1 - k, j); };
          const auto right = [&](std::int64_t k) { return w(i, n - 1 - k); };
          w.view(i, j) = blas::with_products(T(i == j ? 1 : 0), n - 1 - j, left, right, fma);
        }
      }
      BlockedOptions options;
      options.fma = fma ? Fma::on : Fma::off;
      EXPECT_EQ((Kind{is_hermitian, Uplo::lower}.invert(a.view, pivots, options)), 0);
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = j; i < n; ++i) {
          const auto left = [&](std::int64_t k) {
            const T x = w(n - 1 - k, i);
            return is_hermitian ? conjugate_of(x) : x;
          };
          const auto right = [&](std::int64_t k) { return divided(w(n - 1 - k, j)); };
          T x = blas::with_products(divided(w(i, j)), n - 1 - i, left, right, fma);
          if (is_hermitian && i == j) x = T(real(x));
          EXPECT_TRUE(same_bits(a(i, j), x)) << i << ' ' << j;
        }
      }
    }
  }
}

}  // namespace
}  // namespace hilo::test
