// What ranks move is what the model says beforehand, and what StarPU counts.
#include <cstdlib>
#include <hilo/model.hpp>

#include "distributed/starpu.hpp"
#include "ranks.hpp"

namespace {

using namespace hilo::test;
using namespace hilo;
using distributed::Matrix;
using distributed::Traffic;
using model::TiledRoutine;

// By StarPU's own count, with STARPU_COMM_STATS=1.
std::int64_t bytes_that_starpu_sent() {
  std::vector<std::size_t> to(static_cast<std::size_t>(cluster().ranks()));
  starpu_mpi_comm_amounts_retrieve(to.data());
  std::int64_t all = 0;
  for (const std::size_t bytes : to) all += static_cast<std::int64_t>(bytes);
  return all;
}

template <class T, class Call>
void expect_traffic(TiledRoutine routine, std::int64_t n, std::int64_t tile, const Grid& grid, Call call) {
  const Traffic before = cluster().traffic();
  const std::int64_t sent_before = bytes_that_starpu_sent();
  call();
  const Traffic after = cluster().traffic();
  const auto all = model::tiled_traffic(routine, {n, tile, static_cast<int>(sizeof(T)), grid.rows, grid.columns});
  const model::TiledTraffic& expected = all[static_cast<std::size_t>(cluster().rank())];
  const std::string where = "n = " + std::to_string(n) + ", tile " + std::to_string(tile) + ", grid " +
                            std::to_string(grid.rows) + " x " + std::to_string(grid.columns);
  EXPECT_EQ(after.bytes_in - before.bytes_in, expected.bytes_in) << where;
  EXPECT_EQ(after.bytes_out - before.bytes_out, expected.bytes_out) << where;
  EXPECT_EQ(after.messages_in - before.messages_in, expected.messages_in) << where;
  EXPECT_EQ(after.messages_out - before.messages_out, expected.messages_out) << where;
  if (std::getenv("STARPU_COMM_STATS")) {
    EXPECT_EQ(bytes_that_starpu_sent() - sent_before, expected.bytes_out) << where;
  }
}

constexpr std::int64_t tile = 7;

// The last tile is smaller, and there may be one alone. Of four ranks on few processors each message takes its time.
std::vector<std::int64_t> orders() {
  if (cluster().ranks() > 2) return {24};
  return {48, 5};
}

TEST(DistributedTraffic, OfProductsIsAsPredicted) {
  for (const Grid& grid : every_grid()) {
    for (const std::int64_t n : orders()) {
      const auto matrix = [&] { return Matrix<dd_real>(cluster(), n, n, tile, grid); };
      const Matrix<dd_real> a = matrix(), b = matrix(), c = matrix();
      expect_traffic<dd_real>(TiledRoutine::gemm, n, tile, grid, [&] { gemm(1, a, b, 0, c); });
    }
  }
}

TEST(DistributedTraffic, OfCholeskyIsAsPredicted) {
  for (const Grid& grid : every_grid()) {
    for (const std::int64_t n : orders()) {
      const Matrix<double> a = shared_out(positive_definite<double>(n, 31), tile, grid);
      expect_traffic<double>(TiledRoutine::potrf, n, tile, grid, [&] { EXPECT_EQ(potrf(Uplo::lower, a), 0); });
    }
  }
}

TEST(DistributedTraffic, OfLuIsAsPredicted) {
  for (const Grid& grid : every_grid()) {
    if (grid.rows > 2 || grid.columns > 2) continue;
    for (const std::int64_t n : orders()) {
      const Matrix<dd_complex> a = shared_out(HostMatrix<dd_complex>(n, n, 32), tile, grid);
      std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
      expect_traffic<dd_complex>(TiledRoutine::getrf, n, tile, grid, [&] { EXPECT_EQ(getrf(a, pivots), 0); });
    }
  }
}

TEST(DistributedTraffic, OfATileTimesItselfIsCountedOnce) {
  // On a column of ranks A's tiles stay, and those of B come.
  if (cluster().ranks() == 1) return;
  const Grid grid{cluster().ranks(), 1};
  const std::int64_t n = tile * cluster().ranks();
  const Matrix<double> a(cluster(), n, n, tile, grid), c(cluster(), n, n, tile, grid);
  const Traffic before = cluster().traffic();
  const std::int64_t sent_before = bytes_that_starpu_sent();
  syrk(Uplo::lower, 1, a, 0, c);
  const Traffic after = cluster().traffic();
  if (std::getenv("STARPU_COMM_STATS")) {
    EXPECT_EQ(after.bytes_out - before.bytes_out, bytes_that_starpu_sent() - sent_before);
  }
  EXPECT_GT(after.bytes_in + after.bytes_out, before.bytes_in + before.bytes_out);
}

}  // namespace
