// How the direct engine cuts a product on a device.
#include "gemm/direct/opencl_tile.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace hilo;
using direct::is_valid;
using direct::OpenclTile;

const OpenclTile tile{1, 4, 4, 16, 8, 16, 2, 0};

TEST(OpenclTile, TakesOnlyWhatTheKernelTakes) {
  EXPECT_TRUE(is_valid(tile));
  EXPECT_FALSE(is_valid({3, 6, 4, 1, 1, 4, 0, 0})) << "lanes";
  EXPECT_FALSE(is_valid({8, 12, 4, 1, 1, 4, 0, 0})) << "rows not whole vectors";
  EXPECT_FALSE(is_valid({1, 4, 4, 16, 8, 12, 2, 0})) << "a chunk is not whole tiles";
  EXPECT_FALSE(is_valid({1, 4, 3, 16, 8, 4, 2, 0})) << "loads do not divide";
  EXPECT_FALSE(is_valid({2, 4, 4, 16, 8, 16, 2, 0})) << "vectors from local memory";
  EXPECT_FALSE(is_valid({1, 4, 4, 64, 32, 16, 0, 0})) << "too many work-items";
}

TEST(OpenclTile, FitsTheDevice) {
  DeviceInfo device{};
  device.type = DeviceType::gpu;
  for (std::int64_t local : {0, 16384, 32768, 49152, 1 << 20}) {
    device.local_memory = local;
    EXPECT_LE(direct::tile_for(device).local_bytes(), local);
  }
  device.type = DeviceType::cpu;
  for (int width : {0, 1, 2, 4, 8, 16}) {
    device.vector_width = width;
    EXPECT_LE(direct::tile_for(device).lanes, std::max(width, 1));
  }
}

TEST(OpenclBlocks, FitTheWorkspaceAndCoverTheProduct) {
  const std::int64_t workspace = std::int64_t{1} << 30;
  for (std::int64_t m : {1, 64, 5000, 100000, 2000000000}) {
    for (std::int64_t k : {0, 1, 4096, 4097, 10000000}) {
      auto b = direct::block_product(tile, m, 3000, k, workspace);
      EXPECT_LE(b.bytes(), workspace);
      EXPECT_EQ(b.rows % tile.panel_rows(), 0);
      EXPECT_EQ(b.columns % tile.panel_columns(), 0);
      EXPECT_GE(b.slices * b.depth, k);
      EXPECT_GE(b.planes, 1);
      EXPECT_EQ(b.slices > 1, b.total_bytes > 0);
    }
  }
}

TEST(OpenclBlocks, AreOnePanelAndOneSuperchunkWhereNothingFits) {
  auto b = direct::block_product(tile, 5000, 5000, 100000, 0);
  EXPECT_EQ(b.rows, tile.panel_rows());
  EXPECT_EQ(b.columns, tile.panel_columns());
  EXPECT_EQ(b.depth, 4096);
}

TEST(OpenclBlocks, AreTheWholeProductWhereItFits) {
  auto b = direct::block_product(tile, 4096, 4096, 4096, std::int64_t{1} << 30);
  EXPECT_EQ(b.rows, 4096);
  EXPECT_EQ(b.columns, 4096);
  EXPECT_EQ(b.slices, 1);
  EXPECT_EQ(b.bytes(), 3 * 16 * 4096 * 4096);
}

}  // namespace
