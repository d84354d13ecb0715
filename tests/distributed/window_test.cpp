// Tiles of other ranks come while they are needed, not all at once.
#include <cstdlib>
#include <fstream>
#include <string>

#include "ranks.hpp"

namespace {

using namespace hilo::test;
using namespace hilo;
using distributed::Matrix;

// Of this process, since it was last reset; 0 where there is no such file.
std::int64_t most_bytes() {
  std::ifstream status("/proc/self/status");
  constexpr std::string_view key = "VmHWM:";
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::atoll(line.c_str() + key.size()) * 1024;
  }
  return 0;
}
bool reset_most_bytes() { return static_cast<bool>(std::ofstream("/proc/self/clear_refs") << "5" << std::flush); }

TEST(DistributedWindow, KeepsFewOfOtherRanksTiles) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer keeps memory that is freed";
#endif
  if (cluster().ranks() != 2) return;
  // C has a tile on each rank, and half of A comes to it.
  const std::int64_t tile = 128, terms = 600;
  const Grid grid{1, 2};
  const Matrix<double> a(cluster(), tile, terms * tile, tile, grid), b(cluster(), terms * tile, 2 * tile, tile, grid),
      c(cluster(), tile, 2 * tile, tile, grid);
  a.fill([](std::int64_t i, std::int64_t) { return static_cast<double>(i); });
  b.fill([](std::int64_t, std::int64_t j) { return static_cast<double>(j); });
  if (!reset_most_bytes()) GTEST_SKIP() << "the most memory of this process cannot be reset";
  const std::int64_t before = most_bytes(), came_before = cluster().traffic().bytes_in;
  gemm(1, a, b, 0, c);
  const std::int64_t came = cluster().traffic().bytes_in - came_before;
  EXPECT_EQ(came, terms / 2 * tile * tile * 8);
  EXPECT_LT(most_bytes() - before, came / 2);
}

}  // namespace
