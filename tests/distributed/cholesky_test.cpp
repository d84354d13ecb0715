// Cholesky over ranks has the bits of the same tiles one after the other without StarPU, which this does slowly.
#include <hilo/lapack.hpp>

#include "error_message.hpp"
#include "matrices.hpp"
#include "ranks.hpp"

namespace {

using namespace hilo::test;
using namespace hilo;
using distributed::Matrix;

template <class T>
std::int64_t factored_by_tiles(Uplo uplo, HostMatrix<T>& a, std::int64_t tile, const BlockedOptions& options) {
  const std::int64_t n = (a.rows + tile - 1) / tile;
  for (std::int64_t k = 0; k < n; ++k) {
    const auto at = [&](std::int64_t i, std::int64_t j) {
      return uplo == Uplo::lower ? a.tile(tile, i, j) : a.tile(tile, j, i).turned(Op::transpose);
    };
    const std::int64_t info = potrf(Uplo::lower, at(k, k), options);
    if (info != 0) return k * tile + info;
    for (std::int64_t i = k + 1; i < n; ++i) {
      trsm(Side::right, Uplo::upper, Diag::non_unit, T(1), at(k, k).turned(Op::conjugate_transpose), at(i, k), options);
    }
    for (std::int64_t i = k + 1; i < n; ++i) {
      for (std::int64_t j = k + 1; j < i; ++j) {
        gemm<T>(T(-1), at(i, k), at(j, k).turned(Op::conjugate_transpose), T(1), at(i, j), options);
      }
      herk(Uplo::lower, real_type<T>(-1.0), at(i, k), real_type<T>(1.0), at(i, i), options);
    }
  }
  return 0;
}

// Of all ranks: whether potrf over them gives the bits and the info of factored_by_tiles.
template <class T>
void expect_bits_of_tiles(Uplo uplo, const HostMatrix<T>& a, std::int64_t tile, const Grid& grid = {},
                          const BlockedOptions& options = {}) {
  HostMatrix<T> expected = a;
  const std::int64_t info = factored_by_tiles(uplo, expected, tile, on_every_worker(options));
  const Matrix<T> x = shared_out(a, tile, grid);
  EXPECT_EQ(potrf(uplo, x, options), info);
  if (info == 0) {
    EXPECT_TRUE(same_bits_on_rank_0(x, expected)) << "grid " << grid.rows << " x " << grid.columns;
  }
}

TEST(DistributedCholesky, HasTheBitsOfItsTiles) {
  constexpr std::int64_t sizes[][2] = {{40, 8}, {45, 12}, {12, 12}, {7, 32}, {4, 1}, {1, 3}, {0, 4}};
  for (const auto& [n, tile] : sizes) {
    for (const Uplo uplo : both_triangles) {
      expect_bits_of_tiles(uplo, positive_definite<dd_real>(n, 3), tile, {}, {.block = 5});
    }
  }
}

TEST(DistributedCholesky, HasThemOnEveryGrid) {
  for (const Grid& grid : every_grid()) expect_bits_of_tiles(Uplo::lower, positive_definite<dd_real>(30, 3), 7, grid);
}

template <class T>
class DistributedCholeskyOf : public testing::Test {};
using Others = testing::Types<double, std::complex<double>, dd_complex>;
TYPED_TEST_SUITE(DistributedCholeskyOf, Others, NameOfPrecision);

TYPED_TEST(DistributedCholeskyOf, HasTheBitsOfItsTiles) {
  for (const Uplo uplo : both_triangles) expect_bits_of_tiles(uplo, positive_definite<TypeParam>(20, 4), 8);
}

TEST(DistributedCholesky, IsPotrfWhereThereIsOneTileOrBlocksAreTiles) {
  for (const std::int64_t tile : {40, 20}) {
    const BlockedOptions options = {.engine = Engine::reproducible, .fma = Fma::on, .block = tile};
    const HostMatrix<dd_complex> a = positive_definite<dd_complex>(40, 4);
    HostMatrix<dd_complex> expected = a;
    EXPECT_EQ(potrf(Uplo::lower, expected.view(), options), 0);
    const Matrix<dd_complex> x = shared_out(a, tile);
    EXPECT_EQ(potrf(Uplo::lower, x, options), 0);
    EXPECT_TRUE(same_bits_on_rank_0(x, expected));
  }
}

TEST(DistributedCholesky, TellsEveryRankWhichColumnFailedAndLeavesOutTheRest) {
  for (const std::int64_t column : {0, 6, 7, 29}) {
    HostMatrix<dd_real> a = positive_definite<dd_real>(30, 5);
    a(column, column) = dd_real(-1.0);
    expect_bits_of_tiles(column == 7 ? Uplo::upper : Uplo::lower, a, 7);
  }
  HostMatrix<dd_real> a = positive_definite<dd_real>(30, 5);
  a(0, 0) = dd_real(-1.0);
  const Matrix<dd_real> x = shared_out(a, 7);
  EXPECT_EQ(potrf(Uplo::lower, x), 1);
  HostMatrix<dd_real> all = gathered(x);
  // The first tile is of no particular value.
  for (std::int64_t j = 0; j < 7; ++j) {
    for (std::int64_t i = 0; i < 7; ++i) all(i, j) = a(i, j);
  }
  if (cluster().rank() == 0) {
    EXPECT_EQ(first_difference(all.elements, a.elements), -1);
  }
}

TEST(DistributedCholeskyEngine, IsTheSameOnEveryMachineUnlessItIsNamed) {
  // Tiles that are large enough for `reproducible` to take the modular engine.
  const std::int64_t n = 520, tile = 260;
  const HostMatrix<dd_real> a = positive_definite<dd_real>(n, 6);
  for (const Engine engine : {Engine::automatic, Engine::direct, Engine::modular}) {
    expect_bits_of_tiles(Uplo::lower, a, tile, {}, {.engine = engine});
  }
}

TEST(DistributedCholeskyMisuse, IsNamedOnEveryRank) {
  const auto said = [](const Matrix<dd_complex>& a, const BlockedOptions& options = {}, Uplo uplo = Uplo::lower) {
    return message_of(errc::invalid_argument, [&] { potrf(uplo, a, options); });
  };
  const Matrix<dd_complex> a(cluster(), 4, 3, 2), square(cluster(), 4, 4, 2);
  expect_contains(said(a), {"potrf: A, 4 x 3, is not square"});
  expect_contains(said(square.turned(Op::conjugate)), {"potrf: A is conjugated"});
  expect_contains(said(square, {.block = 2000}), {"potrf", "block = 2000"});
  expect_contains(said(square, {}, static_cast<Uplo>(2)), {"potrf", "uplo"});
}

TEST(DistributedCholeskyFailure, IsThrownOnEveryRankWithTheRanksNumber) {
  const HostMatrix<dd_real> a = positive_definite<dd_real>(24, 7);
  const Matrix<dd_real> x = shared_out(a, 8);
  // A task finds out that there is no such instruction set.
  const std::string said = message_of(errc::unsupported, [&] { potrf(Uplo::lower, x, {.target = "ABACUS"}); });
  expect_contains(said, {"potrf: rank 0: ", "ABACUS"});
  // The cluster goes on.
  EXPECT_EQ(potrf(Uplo::lower, shared_out(a, 8)), 0);
}

}  // namespace
