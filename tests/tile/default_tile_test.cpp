// Tiles for devices that nobody has tuned.
#include <gtest/gtest.h>

#include <algorithm>

#include "environment_variable.hpp"
#include "temporary_folder.hpp"
#include "tile_keys.hpp"

namespace {

using namespace hilo;
using test::EnvironmentVariable;
using tile::Copies;
using tile::SizeClass;
using tile::Tile;
using tile::TileKey;

DeviceInfo gpu(const std::string& vendor, int compute_capability, std::int64_t local_memory = 48 << 10) {
  DeviceInfo device{};
  device.name = "A GPU";
  device.vendor = vendor;
  device.type = DeviceType::gpu;
  device.local_memory = local_memory;
  device.fp64 = true;
  device.compute_capability = compute_capability;
  return device;
}
DeviceInfo nvidia(int compute_capability, std::int64_t local_memory = 48 << 10) {
  return gpu("NVIDIA Corporation", compute_capability, local_memory);
}

bool has_double_words(const TileKey& k) { return k.precision == Precision::d || k.precision == Precision::z; }

// Without the user's file and without shipped tiles.
class DefaultTile : public ::testing::Test {
 protected:
  DefaultTile() {
    folder.write("tuned_tiles.json", R"({"format": 1, "entries": []})");
    tile::forget_tiles();
  }
  ~DefaultTile() override { tile::forget_tiles(); }

  test::TemporaryFolder folder;
  EnvironmentVariable tuning{"HILO_TUNING", ""};
  EnvironmentVariable kernels{"HILO_KERNEL_PATH", folder.file("").c_str()};
};

TEST_F(DefaultTile, IsWhatTheKernelsTakeAndFitsTheDevice) {
  auto check = [](const DeviceInfo& device, const std::string& what) {
    for (const TileKey& k : test::all_keys()) {
      const tile::NumberKind kind{k.precision};
      for (const Tile& t : tile::default_tiles(device, k)) {
        SCOPED_TRACE(what + ", " + to_string(k) + ": " + to_string(t));
        EXPECT_TRUE(is_valid(t, kind));
        EXPECT_LE(local_bytes(t, kind), device.local_memory);
        EXPECT_LE(t.group_items(), device.compute_capability ? 512 : 256);
        if (device.type == DeviceType::cpu) {
          EXPECT_LE(t.lanes * kind.word_bytes(), 8 * std::max(device.vector_width, 1));
          EXPECT_EQ(t.group_items(), 1);
        } else if (kind.is_double_double() || k.size == SizeClass::large) {
          EXPECT_FALSE(t.in_place);
        }
      }
    }
  };
  DeviceInfo device{};
  device.type = DeviceType::cpu;
  for (int width : {0, 1, 2, 3, 4, 8, 16}) {
    device.vector_width = width;
    check(device, "CPU of width " + std::to_string(width));
  }
  for (DeviceType type : {DeviceType::gpu, DeviceType::accelerator, DeviceType::other}) {
    device.type = type;
    for (std::int64_t local : {0, 16384, 32768, 49152, 1 << 20}) {
      device.local_memory = local;
      device.compute_capability = 0;
      check(device, "GPU with local memory " + std::to_string(local));
      device.compute_capability = 80;
      check(device, "NVIDIA's with local memory " + std::to_string(local));
    }
  }
}

// An A100's, and so on: as CUDA's table of tensor cores has it.
TEST_F(DefaultTile, TakesTheMatrixUnitsForDoubleWhereTheyAre) {
  for (int capability : {80, 90, 100}) {
    const DeviceInfo device = nvidia(capability);
    for (const TileKey& k : test::all_keys()) {
      const std::vector<Tile> tiles = tile::default_tiles(device, k);
      EXPECT_EQ(tiles.front().has_matrix_unit(), has_double_words(k)) << capability << ", " << to_string(k);
      EXPECT_EQ(tiles.back(), tile::default_tile(device, k));
      EXPECT_FALSE(tiles.back().has_matrix_unit()) << "safe anywhere";
    }
  }
  for (int capability : {0, 61, 70, 75, 86, 87, 89, 120}) {
    for (const TileKey& k : test::all_keys()) {
      for (const Tile& t : tile::default_tiles(nvidia(capability), k)) {
        EXPECT_FALSE(t.has_matrix_unit()) << capability << ", " << to_string(k);
      }
    }
  }
}

TEST_F(DefaultTile, CopiesAsynchronouslyFromComputeCapability80On) {
  for (const TileKey& k : test::all_keys()) {
    if (k.size != SizeClass::large || tile::NumberKind{k.precision}.is_double_double()) continue;
    for (int capability : {80, 86, 90, 120}) {
      const Tile t = tile::default_tiles(nvidia(capability), k).front();
      const bool is_async = !has_double_words(k) || t.has_matrix_unit();
      EXPECT_EQ(t.copies, is_async ? Copies::async : Copies::registers) << capability << ", " << to_string(k);
    }
  }
  for (const DeviceInfo& device : {nvidia(0), nvidia(75), gpu("Advanced Micro Devices, Inc.", 0)}) {
    for (const TileKey& k : test::all_keys()) {
      EXPECT_EQ(tile::default_tiles(device, k), std::vector{tile::default_tile(device, k)});
    }
  }
}

TEST_F(DefaultTile, IsTheTablesWhereTheyHaveNone) {
  for (const DeviceInfo& device : {nvidia(80), nvidia(89), nvidia(70), gpu("Advanced Micro Devices, Inc.", 0)}) {
    for (const TileKey& k : test::all_keys()) {
      EXPECT_EQ(tile::tiles_for(device, k), tile::default_tiles(device, k));
      EXPECT_EQ(tile::tile_for(device, k), tile::default_tiles(device, k).front());
    }
  }
}

TEST_F(DefaultTile, GivesWayToTheOneThatIsSafeAnywhere) {
  const DeviceInfo a100 = nvidia(80);
  const TileKey key{Precision::d, true, false, SizeClass::large};
  const Tile first = tile::tile_for(a100, key);
  ASSERT_TRUE(first.has_matrix_unit());
  tile::refuse_tile(a100, key, first, "no");
  EXPECT_EQ(tile::tile_for(a100, key), tile::default_tile(a100, key));
  EXPECT_EQ(tile::tuned_tiles(a100).ignored.size(), 1u);
  tile::refuse_tile(a100, key, tile::default_tile(a100, key), "no");
  EXPECT_EQ(tile::tile_for(a100, key), tile::default_tile(a100, key)) << "there is no other";
}

TEST_F(DefaultTile, IsLargerWhereThereIsMoreLocalMemory) {
  const TileKey key{Precision::d, true, false, SizeClass::large};
  const Tile small = tile::default_tiles(nvidia(80), key).front();
  const Tile large = tile::default_tiles(nvidia(80, 163 << 10), key).front();
  EXPECT_GT(local_bytes(large, {Precision::d}), local_bytes(small, {Precision::d}));
}

}  // namespace
