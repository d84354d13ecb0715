// Products and triangular systems over ranks have the bits of their tiles one after the other without StarPU.
#include <hilo/blas.hpp>

#include "error_message.hpp"
#include "matrices.hpp"
#include "ranks.hpp"

namespace {

using namespace hilo::test;
using namespace hilo;
using distributed::Matrix;

template <class T>
class DistributedLevel3 : public testing::Test {};
using Elements = testing::Types<dd_real, dd_complex>;
TYPED_TEST_SUITE(DistributedLevel3, Elements, NameOfPrecision);

constexpr std::int64_t tile = 7;
std::int64_t tiles(std::int64_t n) { return (n + tile - 1) / tile; }

// Tile (i, j) of op(x), x stored.
template <class T>
MatrixView<T> seen(HostMatrix<T>& x, Op op, std::int64_t i, std::int64_t j) {
  return (is_transposed(op) ? x.tile(tile, j, i) : x.tile(tile, i, j)).turned(op);
}

TYPED_TEST(DistributedLevel3, GemmHasTheBitsOfItsTiles) {
  using T = TypeParam;
  const std::int64_t m = 16, n = 9, k = 20;
  const T alpha = T(-3.0) / T(7.0);
  for (const Op opa : every_op) {
    for (const double beta : {0.0, 1.5}) {
      if (beta != 0.0 && opa != Op::none) continue;
      const Op opb = opa == Op::none ? Op::conjugate_transpose : Op::none;
      HostMatrix<T> a = is_transposed(opa) ? HostMatrix<T>(k, m, 1) : HostMatrix<T>(m, k, 1);
      HostMatrix<T> b = is_transposed(opb) ? HostMatrix<T>(n, k, 2) : HostMatrix<T>(k, n, 2), c(m, n, 3);
      // beta = 0 reads nothing of C.
      if (beta == 0.0) c(3, 4) = not_a_number<T>();
      const Matrix<T> x = shared_out(c, tile);
      gemm(alpha, shared_out(a, tile).turned(opa), shared_out(b, tile).turned(opb), T(beta), x);
      for (std::int64_t i = 0; i < tiles(m); ++i) {
        for (std::int64_t j = 0; j < tiles(n); ++j) {
          for (std::int64_t l = 0; l < tiles(k); ++l) {
            gemm<T>(alpha, seen(a, opa, i, l), seen(b, opb, l, j), l == 0 ? T(beta) : T(1), c.tile(tile, i, j),
                    on_every_worker());
          }
        }
      }
      EXPECT_TRUE(same_bits_on_rank_0(x, c)) << name(opa) << ' ' << beta;
    }
  }
}

TYPED_TEST(DistributedLevel3, WithoutTermsMatricesAreScaled) {
  using T = TypeParam;
  const HostMatrix<T> c(9, 9, 3);
  HostMatrix<T> nan(9, 9);
  nan.elements.assign(81, not_a_number<T>());
  const auto expect_scaled = [&](const char* what, auto routine, auto is_scaled, bool makes_diagonal_real = false) {
    const Matrix<T> x = shared_out(c, tile);
    routine(x);
    HostMatrix<T> expected = c;
    for (std::int64_t j = 0; j < 9; ++j) {
      for (std::int64_t i = 0; i < 9; ++i) {
        if (is_scaled(i, j)) expected(i, j) = T(2.0) * c(i, j);
        if constexpr (is_complex(precision_of<T>)) {
          if (i == j && makes_diagonal_real) expected(i, j) = T(expected(i, j).re);
        }
      }
    }
    EXPECT_TRUE(same_bits_on_rank_0(x, expected)) << what;
  };
  const auto all = [](auto, auto) { return true; };
  const auto lower = [](auto i, auto j) { return i >= j; };
  const auto upper = [](auto i, auto j) { return i <= j; };
  const Matrix<T> a = shared_out(nan, tile), none(cluster(), 9, 0, tile);
  expect_scaled(
      "alpha = 0", [&](const Matrix<T>& x) { gemm(T(0), a, a, T(2.0), x); }, all);
  expect_scaled(
      "k = 0", [&](const Matrix<T>& x) { gemm(T(1), none, none.turned(Op::transpose), T(2.0), x); }, all);
  expect_scaled(
      "syrk", [&](const Matrix<T>& x) { syrk(Uplo::upper, T(0), a, T(2.0), x); }, upper);
  expect_scaled(
      "herk", [&](const Matrix<T>& x) { herk(Uplo::lower, real_type<T>(1.0), none, real_type<T>(2.0), x); }, lower,
      true);
  const Matrix<T> x = shared_out(nan, tile);
  trsm(Side::left, Uplo::lower, Diag::unit, T(0), a, x);
  EXPECT_TRUE(same_bits_on_rank_0(x, HostMatrix<T>(9, 9)));
}

TYPED_TEST(DistributedLevel3, UpdatesHaveTheBitsOfTheirTiles) {
  using T = TypeParam;
  const std::int64_t n = 16, k = 9;
  for (const Uplo uplo : both_triangles) {
    for (const bool is_hermitian : {false, true}) {
      HostMatrix<T> a(n, k, 1), c(n, n, 2);
      const Matrix<T> x = shared_out(c, tile);
      const real_type<T> alpha(-0.5), beta(1.25);
      const Op op = is_hermitian ? Op::conjugate_transpose : Op::transpose;
      if (is_hermitian) {
        herk(uplo, alpha, shared_out(a, tile), beta, x);
      } else {
        syrk(uplo, T(alpha), shared_out(a, tile), T(beta), x);
      }
      for (std::int64_t l = 0; l < tiles(k); ++l) {
        const real_type<T> factor = l == 0 ? beta : real_type<T>(1.0);
        for (std::int64_t i = 0; i < tiles(n); ++i) {
          for (std::int64_t j = 0; j < tiles(n); ++j) {
            const auto y = c.tile(tile, i, j);
            if (i == j && is_hermitian) {
              herk(uplo, alpha, a.tile(tile, i, l), factor, y, on_every_worker());
            } else if (i == j) {
              syrk(uplo, T(alpha), a.tile(tile, i, l), T(factor), y, on_every_worker());
            } else if ((i > j) == (uplo == Uplo::lower)) {
              gemm<T>(T(alpha), a.tile(tile, i, l), a.tile(tile, j, l).turned(op), T(factor), y, on_every_worker());
            }
          }
        }
      }
      EXPECT_TRUE(same_bits_on_rank_0(x, c)) << (uplo == Uplo::lower) << is_hermitian;
    }
  }
}

// B by tiles, from the first of A's tiles that others do not need to the last.
template <class T>
void solve_by_tiles(Side side, Uplo uplo, Diag diag, T alpha, Op op, HostMatrix<T>& a, HostMatrix<T>& b) {
  const bool is_left = side == Side::left, is_forward = is_left == (uplo == Uplo::lower);
  const std::int64_t n = tiles(a.rows), lines = tiles(is_left ? b.columns : b.rows);
  for (std::int64_t s = 0; s < n; ++s) {
    const std::int64_t k = is_forward ? s : n - 1 - s;
    for (std::int64_t line = 0; line < lines; ++line) {
      const auto at = [&](std::int64_t i) { return is_left ? b.tile(tile, i, line) : b.tile(tile, line, i); };
      const T factor = s == 0 ? alpha : T(1);
      trsm(side, uplo, diag, factor, seen(a, op, k, k), at(k), on_every_worker());
      for (std::int64_t i = is_forward ? k + 1 : k - 1; i >= 0 && i < n; i += is_forward ? 1 : -1) {
        if (is_left) {
          gemm<T>(T(-1), seen(a, op, i, k), at(k), factor, at(i), on_every_worker());
        } else {
          gemm<T>(T(-1), at(k), seen(a, op, k, i), factor, at(i), on_every_worker());
        }
      }
    }
  }
}

TYPED_TEST(DistributedLevel3, TrsmHasTheBitsOfItsTiles) {
  using T = TypeParam;
  HostMatrix<T> a = positive_definite<T>(16, 1);
  for (const Side side : both_sides) {
    for (const Uplo uplo : both_triangles) {
      const Op op = side == Side::left ? Op::none : Op::conjugate_transpose;
      const Diag diag = uplo == Uplo::lower ? Diag::non_unit : Diag::unit;
      HostMatrix<T> b = side == Side::left ? HostMatrix<T>(16, 9, 2) : HostMatrix<T>(9, 16, 2);
      const Matrix<T> x = shared_out(b, tile);
      trsm(side, uplo, diag, T(-1.5), shared_out(a, tile).turned(op), x);
      solve_by_tiles(side, uplo, diag, T(-1.5), op, a, b);
      EXPECT_TRUE(same_bits_on_rank_0(x, b)) << (side == Side::left) << (uplo == Uplo::lower);
    }
  }
}

TEST(DistributedLevel3, TakesMatricesAsTheyAreNowOnEveryRank) {
  // Ranks keep tiles of others for as long as they are needed and unchanged.
  const HostMatrix<dd_real> first(16, 16, 1), second(16, 16, 2);
  const Matrix<dd_real> a = shared_out(first, tile), b = shared_out(second, tile), c(cluster(), 16, 16, tile),
                        d(cluster(), 16, 16, tile);
  gemm(1, a, a, 0, c);
  a.scatter(second.view());
  gemm(1, a, a, 0, c);
  gemm(1, b, b, 0, d);
  const HostMatrix<dd_real> expected = gathered(d);
  EXPECT_TRUE(same_bits_on_rank_0(c, expected));
}

TEST(DistributedLevel3Misuse, IsNamedOnEveryRank) {
  const Matrix<double> a(cluster(), 4, 3, 2), b(cluster(), 3, 5, 2), c(cluster(), 4, 5, 2), other(cluster(), 4, 3, 3);
  const Matrix<double> square(cluster(), 4, 4, 2);
  const auto said = [](auto call) { return message_of(errc::invalid_argument, call); };
  expect_contains(said([&] { gemm(1, a, b, 0, square); }), {"gemm: columns of B = 5 is not columns of C = 4"});
  expect_contains(said([&] { gemm(1, other, b, 0, c); }), {"gemm: tile of A = 3 is not tile of C = 2"});
  expect_contains(said([&] { gemm(1, square, square.turned(Op::transpose), 0, square); }), {"gemm: C overlaps A"});
  expect_contains(said([&] { gemm(1, a, b, 0, c, {.threads = -1}); }), {"threads"});
  expect_contains(said([&] { herk(Uplo::lower, 1.0, a, 0.0, c); }), {"herk: C, 4 x 5, is not square"});
  expect_contains(said([&] { syrk(Uplo::lower, 1, b, 0, square); }), {"syrk: rows of A = 3 is not rows of C = 4"});
  expect_contains(said([&] { trsm(Side::right, Uplo::lower, Diag::unit, 1, square, a); }),
                  {"trsm: rows of A = 4 is not columns of B = 3"});
}

TEST(DistributedGemmFailure, IsThrownOnEveryRankWithTheRanksNumber) {
  // `tight` refuses a sum whose products all lie far below its row's and column's largest entries: in one tile of C.
  HostMatrix<dd_real> a(12, 8, 1), b(8, 12, 2);
  for (std::int64_t k = 0; k < 8; ++k) {
    a(11, k) = dd_real(k == 0 ? 1.0 : 1e-60);
    b(k, 11) = dd_real(k == 1 ? 1.0 : 1e-60);
  }
  const Matrix<dd_real> c(cluster(), 12, 12, 8);
  const auto product = [&](Accuracy accuracy) {
    gemm(1, shared_out(a, 8), shared_out(b, 8), 0, c, {.accuracy = accuracy});
  };
  expect_contains(message_of(errc::unsupported, [&] { product(Accuracy::tight); }),
                  {"gemm: rank " + std::to_string(c.owner(1, 1)) + ": ", "accuracy tight cannot be met"});
  // Which has no product of several tiles of terms to begin with.
  const HostMatrix<dd_real> long_a(12, 20, 3), long_b(20, 12, 4), before = gathered(c);
  expect_contains(
      message_of(errc::unsupported,
                 [&] { gemm(1, shared_out(long_a, 8), shared_out(long_b, 8), 0, c, {.accuracy = Accuracy::exact}); }),
      {"gemm: accuracy exact is one of products whose terms are in one tile"});
  EXPECT_TRUE(same_bits_on_rank_0(c, before));
  // The cluster goes on.
  product(Accuracy::classic);
}

}  // namespace
