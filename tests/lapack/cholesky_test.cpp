// Cholesky and what is solved with it: LAPACK's residual ratios and info.
#include <hilo/lapack.hpp>
#include <hilo/math.hpp>

#include "blas/reference.hpp"
#include "largest_ratio.hpp"
#include "matrices.hpp"
#include "test_matrices.hpp"
#include "test_size.hpp"

namespace hilo::test {
namespace {

bool is_in(Uplo uplo, std::int64_t i, std::int64_t j) { return i == j || (i > j) == (uplo == Uplo::lower); }

// B · Bᴴ + shift · I, in a triangle; NaN in the other.
template <class T>
StoredMatrix<T> positive(Layout layout, Uplo uplo, std::int64_t n, std::uint64_t seed, double shift = 1.0) {
  const StoredMatrix<T> b(layout, n, n, seed);
  StoredMatrix<T> a(layout, n, n);
  a.fill([](auto, auto) { return not_a_number<T>(); });
  herk<T>(uplo, real_type<T>(1), b.read(), real_type<T>(0), a.view);
  for (std::int64_t i = 0; i < n; ++i) a.view(i, i) = a(i, i) + T(static_cast<float>(shift));
  return a;
}

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

// ‖A − LLᴴ‖ / (n ‖A‖ ε)
template <class T>
double ratio(const Wide& a, const StoredMatrix<T>& factor, Uplo uplo) {
  const Wide t = triangle(Wide(factor.view), uplo, Diag::non_unit);
  const Wide product =
      uplo == Uplo::lower ? t * t.turned(Op::conjugate_transpose) : t.turned(Op::conjugate_transpose) * t;
  const double residual = norm_of(difference(product, a));
  return residual == 0.0 ? 0.0 : residual / (static_cast<double>(a.rows) * norm_of(a) * epsilon_of<T>);
}

template <class T>
class Cholesky : public testing::Test {};
TYPED_TEST_SUITE(Cholesky, AllPrecisions, NameOfPrecision);

TYPED_TEST(Cholesky, HasSmallResiduals) {
  using T = TypeParam;
  std::uint64_t seed = 0;
  LargestRatio largest;
  for (const std::int64_t n : orders_of({0, 1, 2, 10, 19, 30, 64, 65, 129})) {
    for (const std::int64_t block : every_block) {
      if (n > 100 && block != 0 && !is_long()) continue;
      for (const Layout layout : both_layouts) {
        for (const Uplo uplo : both_triangles) {
          BlockedOptions options;
          options.block = block;
          options.threads = 1 + static_cast<int>(++seed % 3);
          StoredMatrix<T> a = positive<T>(layout, uplo, n, seed);
          const StoredMatrix<T> before = a;
          EXPECT_EQ(potrf(uplo, a.view, options), 0) << n;
          EXPECT_LT(largest.of(ratio(hermitian(before, uplo), a, uplo), n), n < 50 ? 2.0 : 0.3)
              << n << " block " << block;
          EXPECT_EQ(a.first_changed(before, [&](auto i, auto j) { return !is_in(uplo, i, j); }), -1);
        }
      }
    }
  }
}

TYPED_TEST(Cholesky, HasSmallResidualsOfHardMatrices) {
  using T = TypeParam;
  LargestRatio largest;
  for_hard_cases(hard_positive_matrices<T>(), {30, 70}, {1, 2, 7, 10, 0},
                 [&](const TestMatrix<T>& matrix, const HardCase& c) {
                   BlockedOptions options;
                   options.block = c.block;
                   StoredMatrix<T> a = stored(matrix, c.layout, c.n);
                   const StoredMatrix<T> before = a;
                   ASSERT_EQ(potrf(c.uplo, a.view, options), 0) << matrix.name << ' ' << c.n;
                   EXPECT_LT(largest.of(ratio(Wide(before.view), a, c.uplo), c.n, ' ' + matrix.name), 30.0)
                       << matrix.name << ' ' << c.n << ' ' << c.block;
                 });
}

TYPED_TEST(Cholesky, TellsWhereAMatrixIsNotPositive) {
  using T = TypeParam;
  for (const std::int64_t n : orders_of({1, 8, 40, 100})) {
    if (n == 0) continue;
    for (const std::int64_t bad : {std::int64_t{0}, n / 2, n - 1}) {
      for (const T& pivot : {T(0), T(-1), not_a_number<T>()}) {
        for (const std::int64_t block : {1, 7, 64}) {
          for (const Uplo uplo : both_triangles) {
            BlockedOptions options;
            options.block = block;
            StoredMatrix<T> a(Layout::column, n, n);
            a.fill([&](auto i, auto j) { return i != j ? T(0) : i == bad ? pivot : T(4); });
            StoredMatrix<T> c = a, b(Layout::column, n, 2, 4);
            const StoredMatrix<T> b_before = b;
            EXPECT_EQ(potrf(uplo, a.view, options), bad + 1) << n;
            for (std::int64_t i = 0; i < bad; ++i) EXPECT_EQ(a(i, i), T(2));
            EXPECT_EQ(posv(uplo, c.view, b.view, options), bad + 1);
            EXPECT_EQ(first_difference(b.elements, b_before.elements), -1) << n;
          }
        }
      }
    }
  }
}

TYPED_TEST(Cholesky, SolvesSystems) {
  using T = TypeParam;
  std::uint64_t seed = 5;
  LargestRatio largest("backwards");
  for (const std::int64_t n : orders_of({0, 1, 10, 30, 100})) {
    for (const Uplo uplo : both_triangles) {
      for (const Layout layout : both_layouts) {
        BlockedOptions options;
        options.block = every_block[++seed % 5];
        StoredMatrix<T> a = positive<T>(layout, uplo, n, seed, 3.0), x(layout, n, 3, seed + 1);
        const StoredMatrix<T> a_before = a, b = x;
        EXPECT_EQ(potrf(uplo, a.view, options), 0);
        potrs(uplo, a.read(), x.view, options);
        const Wide left = hermitian(a_before, uplo), solution(x.view);
        const double residual = norm_of(difference(left * solution, Wide(b.view)));
        const double scale = norm_of(left) * norm_of(solution) * epsilon_of<T>;
        EXPECT_LE(residual, 30 * scale) << n;
        if (n > 0) largest.of(residual / scale, n);

        StoredMatrix<T> c = a_before, y = b;
        EXPECT_EQ(posv(uplo, c.view, y.view, options), 0);
        EXPECT_EQ(first_difference(c.elements, a.elements), -1);
        EXPECT_EQ(first_difference(y.elements, x.elements), -1);
      }
    }
  }
}

template <class T>
class BitsOfCholesky : public testing::Test {};
TYPED_TEST_SUITE(BitsOfCholesky, DoubleDoubles, NameOfPrecision);

TYPED_TEST(BitsOfCholesky, OfABlockAreThoseOfItsDefinition) {
  using T = TypeParam;
  for (const Fma fma : {Fma::on, Fma::off}) {
    for (const std::int64_t n : {1, 7, 33, 64, 100}) {
      BlockedOptions options;
      options.block = n;
      options.fma = fma;
      StoredMatrix<T> a = positive<T>(Layout::column, Uplo::lower, n, 3), x = a;
      EXPECT_EQ(potrf(Uplo::lower, a.view, options), 0);
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = j; i < n; ++i) {
          const auto left = [&](std::int64_t k) { return x(i, k); };
          const auto right = [&](std::int64_t k) { return -conj(x(j, k)); };
          x.view(i, j) = blas::with_products(x(i, j), j, left, right, fma == Fma::on);
        }
        const T root(sqrt(real(x(j, j))));
        x.view(j, j) = root;
        for (std::int64_t i = j + 1; i < n; ++i) x.view(i, j) = blas::quotient(x(i, j), blas::Divisor<T>(root));
      }
      EXPECT_EQ(first_difference(a.elements, x.elements), -1) << n;
    }
  }
}

TYPED_TEST(BitsOfCholesky, DoNotDependOnThreadsLayoutsOrTriangles) {
  using T = TypeParam;
  const std::int64_t n = 300;
  for (const Engine engine : {Engine::direct, Engine::modular}) {
    std::vector<T> first;
    for (const Layout layout : both_layouts) {
      for (const int threads : {1, 2, 5}) {
        BlockedOptions options;
        options.engine = engine;
        options.threads = threads;
        StoredMatrix<T> a = positive<T>(layout, Uplo::lower, n, 8);
        EXPECT_EQ(potrf(Uplo::lower, a.view, options), 0);
        if (first.empty()) first = by_columns(a.view);
        EXPECT_EQ(first_difference(by_columns(a.view), first), -1) << name(engine) << ' ' << threads;
      }
    }
  }
}

}  // namespace
}  // namespace hilo::test
