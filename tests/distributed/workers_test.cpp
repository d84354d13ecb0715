// Which workers compute: processors, devices, both. The other tests, with devices, see that bits do not depend on it.
#include <cstdlib>

#include "error_message.hpp"
#include "ranks.hpp"

namespace {

using namespace hilo::test;
using namespace hilo;
using distributed::Matrix;
using distributed::TaskTally;

TEST(DistributedWorkers, AllKindsThatAreThereHaveTasks) {
  // Whoever is free takes the next task: of one rank there are enough for several workers.
  const std::int64_t n = cluster().ranks() == 1 ? 10 : 3, tile = 16;
  const Matrix<dd_real> a = shared_out(HostMatrix<dd_real>(n * tile, n * tile, 1), tile);
  const TaskTally before = cluster().task_tally();
  EXPECT_GT(cluster().cpu_workers() + cluster().opencl_devices(), 0);
  gemm(1, a, a, 0, Matrix<dd_real>(cluster(), n * tile, n * tile, tile));
  const TaskTally after = cluster().task_tally();
  const std::int64_t cpu = after.cpu - before.cpu, opencl = after.opencl - before.opencl;
  EXPECT_GT(cpu + opencl, 0);
  if (cluster().ranks() > 1) return;
  EXPECT_EQ(cpu > 0, cluster().cpu_workers() > 0);
  EXPECT_EQ(opencl > 0, cluster().opencl_devices() > 0);
  EXPECT_EQ(cpu + opencl, n * n * n);
}

// Run with STARPU_LIMIT_OPENCL_MEM, in MiB.
TEST(DistributedWorkers, TilesThatADeviceHasNoRoomForAreRefusedBeforeAnyTask) {
  const char* limit = std::getenv("STARPU_LIMIT_OPENCL_MEM");
  if (!limit || cluster().opencl_devices() == 0) GTEST_SKIP() << "no limit of a device's memory";
  const std::int64_t tile = 256;
  const HostMatrix<dd_real> x(300, 300, 2);
  const Matrix<dd_real> a = shared_out(x, tile);
  std::vector<std::int64_t> pivots(300);
  const TaskTally before = cluster().task_tally();
  for (const auto& call :
       {std::function<void()>([&] { potrf(Uplo::lower, a); }), std::function<void()>([&] { getrf(a, pivots); }),
        std::function<void()>([&] { gemm(1, a, a, 0, Matrix<dd_real>(cluster(), 300, 300, tile)); })}) {
    expect_contains(message_of(errc::unsupported, call),
                    {": a tile takes 1048576 bytes, and a device of rank 0 has room"});
  }
  EXPECT_EQ(cluster().task_tally().opencl, before.opencl);
  EXPECT_TRUE(same_bits_on_rank_0(a, x));
}

}  // namespace
