// Tiles that were shipped for one device, on others of its architecture.
#include "tile/architecture.hpp"

#include <gtest/gtest.h>

#include "environment_variable.hpp"
#include "temporary_folder.hpp"
#include "tile/json.hpp"
#include "tile_keys.hpp"

namespace {

using namespace hilo;
using host::Json;
using test::EnvironmentVariable;
using tile::architecture_of;
using tile::Copies;
using tile::SizeClass;
using tile::Tile;
using tile::TileKey;

DeviceInfo nvidia(const std::string& name, int compute_capability) {
  DeviceInfo device{};
  device.name = name;
  device.vendor = "NVIDIA Corporation";
  device.version = "OpenCL 3.0 CUDA";
  device.driver = "570.1";
  device.type = DeviceType::gpu;
  device.local_memory = 48 << 10;
  device.fp64 = true;
  device.vector_width = 1;
  device.compute_capability = compute_capability;
  return device;
}

DeviceInfo pocl(const std::string& triple, int vector_width, const std::string& driver = "pthread") {
  DeviceInfo device{};
  device.name = driver + "-" + triple;
  device.vendor = "GenuineIntel";
  device.version = "OpenCL 3.0 PoCL HSTR: " + driver + "-" + triple;
  device.driver = "3.1";
  device.type = DeviceType::cpu;
  device.local_memory = 1 << 20;
  device.fp64 = true;
  device.vector_width = vector_width;
  return device;
}

const DeviceInfo h100 = nvidia("NVIDIA H100 80GB HBM3", 90);
const TileKey key{Precision::s, true, false, SizeClass::large};
const Tile async{1, 8, 8, 16, 16, 16, 3, Copies::async, false, 4, 4, 8};
const Tile bulk{1, 8, 8, 16, 16, 16, 2, Copies::bulk, false, 4, 4, 8, 1, false, true};
const Tile plain{1, 4, 8, 16, 16, 8, 2, Copies::registers, false, 2, 2, 4};

// With the table that is built in, or one of the test's, and a user's file that is not there at first.
class ShippedTiles : public ::testing::Test {
 protected:
  ShippedTiles() { tile::forget_tiles(); }
  ~ShippedTiles() override { tile::forget_tiles(); }

  void ship(const std::vector<Json>& entries) { write("tuned_tiles.json", entries); }
  void write(const std::string& file, const std::vector<Json>& entries) {
    folder.write(file, Json{{"format", 1}, {"entries", entries}}.dump());
    tile::forget_tiles();
  }

  test::TemporaryFolder folder;
  EnvironmentVariable tuning{"HILO_TUNING", folder.file("tuning.json").c_str()};
  EnvironmentVariable kernels{"HILO_KERNEL_PATH", folder.file("").c_str()};
};

Json entry(const std::string& device, const Json& architecture, const Tile& tile, TileKey of = key) {
  Json j{{"device", device}, {"driver", "1.0"}, {"version", "OpenCL 3.0 CUDA"}};
  if (!architecture.is_null()) j["architecture"] = architecture;
  put_key(j, of);
  j["tile"] = tile::json_of(tile);
  j["gflops"] = 1.0;
  j["date"] = "2026-01-31";
  return j;
}

TEST(Architecture, IsNvidiasByComputeCapabilityAndPoclsByInstructionSetAndWidth) {
  EXPECT_EQ(architecture_of(h100), "sm_90");
  EXPECT_EQ(architecture_of(nvidia("NVIDIA RTX 6000", 120)), "sm_120");
  EXPECT_EQ(architecture_of(nvidia("An old driver's", 0)), "");
  EXPECT_EQ(architecture_of(pocl("x86_64-pc-linux-gnu-skylake-avx512", 8)), "pocl-x86_64-512");
  EXPECT_EQ(architecture_of(pocl("x86_64-pc-linux-gnu-znver4", 8, "cpu")), "pocl-x86_64-512");
  EXPECT_EQ(architecture_of(pocl("x86_64-pc-linux-gnu-haswell", 4)), "pocl-x86_64-256");
  EXPECT_EQ(architecture_of(pocl("aarch64-unknown-linux-gnu-neoverse-n1", 2)), "pocl-aarch64-128");
  EXPECT_EQ(architecture_of(pocl("x86_64-pc-linux-gnu-haswell", 0)), "") << "without double precision";
  DeviceInfo device = pocl("x86_64-pc-linux-gnu-haswell", 4);
  for (const char* version : {"", "OpenCL 3.0", "OpenCL 3.0 PoCL HSTR: ", "OpenCL 3.0 PoCL HSTR: pthread",
                              "OpenCL 3.0 PoCL HSTR: pthread-x86_64"}) {
    device.version = version;
    EXPECT_EQ(architecture_of(device), "") << version;
  }
  device = pocl("x86_64-pc-linux-gnu-haswell", 4);
  device.type = DeviceType::gpu;
  EXPECT_EQ(architecture_of(device), "");
}

TEST_F(ShippedTiles, OfAnH200AreAnH100s) {
  const DeviceInfo h200 = nvidia("NVIDIA H200", 90);
  for (const TileKey& k : test::all_keys()) {
    EXPECT_EQ(tile::tile_for(h100, k), tile::tile_for(h200, k)) << to_string(k);
  }
  for (bool left : {false, true}) {
    for (bool right : {false, true}) {
      EXPECT_TRUE(tile::tile_for(h100, {Precision::d, left, right, SizeClass::large}).has_matrix_unit());
      EXPECT_EQ(tile::tile_for(h100, {Precision::s, left, right, SizeClass::large}).copies, Copies::bulk);
    }
  }
  const tile::TunedTiles found = tile::tuned_tiles(h100);
  EXPECT_GE(found.of_architecture.size(), 50u);
  EXPECT_TRUE(found.shipped.empty());
  EXPECT_EQ(tile::tuned_tiles(h200).shipped.size(), found.of_architecture.size());
  EXPECT_TRUE(tile::tuned_tiles(h200).of_architecture.empty()) << "counted once";
}

TEST_F(ShippedTiles, OfPoclAreThoseOfCpusWithTheSameVectors) {
  const TileKey s{Precision::s, true, true, SizeClass::large};
  const DeviceInfo wide = pocl("x86_64-pc-linux-gnu-znver4", 8, "cpu"), narrow = pocl("x86_64-pc-linux-gnu-znver3", 4);
  EXPECT_FALSE(tile::tuned_tiles(wide).of_architecture.empty());
  EXPECT_FALSE(tile::tile_for(wide, s) == tile::default_tile(wide, s));
  EXPECT_TRUE(tile::tuned_tiles(narrow).of_architecture.empty());
  EXPECT_EQ(tile::tile_for(narrow, s), tile::default_tile(narrow, s));
}

TEST_F(ShippedTiles, AreThoseOfTheNameBeforeThoseOfTheArchitectureAndTheUsersBeforeBoth) {
  const std::vector<Tile> defaults = [&] {
    ship({});
    return tile::tiles_for(h100, key);
  }();
  auto with_defaults = [&](std::vector<Tile> tiles) {
    tiles.insert(tiles.end(), defaults.begin(), defaults.end());
    return tiles;
  };
  ship({entry(h100.name, "sm_90", async), entry("NVIDIA H200", "sm_90", bulk)});
  EXPECT_EQ(tile::tiles_for(h100, key), with_defaults({async, bulk}));
  tile::store_tiles(h100, {{key, plain, 1.0, "2026-01-31", "0.1"}});
  EXPECT_EQ(tile::tiles_for(h100, key), with_defaults({plain, async, bulk}));
  for (const std::vector<Tile>& left : {with_defaults({async, bulk}), with_defaults({bulk}), defaults}) {
    tile::refuse_tile(h100, key, tile::tile_for(h100, key), "no");
    EXPECT_EQ(tile::tiles_for(h100, key), left);
  }
  EXPECT_EQ(tile::tuned_tiles(h100).ignored.size(), 3u);
}

TEST_F(ShippedTiles, AreForTheSameArchitectureAlone) {
  ship({entry("NVIDIA H200", "sm_90", async), entry("Another", nullptr, plain), entry("Last", "", plain)});
  EXPECT_EQ(tile::tile_for(h100, key), async);
  for (const DeviceInfo& other :
       {nvidia("NVIDIA B200", 100), nvidia("An old driver's", 0), pocl("x86_64-pc-linux-gnu-x", 8)}) {
    EXPECT_TRUE(tile::tuned_tiles(other).of_architecture.empty()) << other.name;
    EXPECT_FALSE(tile::tile_for(other, key) == plain) << other.name;
  }
}

TEST_F(ShippedTiles, AreSkippedWhereTheDeviceLacksWhatTheyTake) {
  // As if named for them.
  for (const auto& [capability, tile, is_taken] :
       {std::tuple(90, bulk, true), {89, bulk, false}, {80, async, true}, {75, async, false}, {75, plain, true}}) {
    const DeviceInfo device = nvidia("It", capability);
    ship({entry("It", "sm_90", tile)});
    EXPECT_EQ(tile::tile_for(device, key) == tile, is_taken) << capability << ", " << to_string(tile);
  }
  const TileKey d{Precision::d, true, false, SizeClass::large};
  const Tile unit{1, 16, 16, 2, 2, 16, 2, Copies::registers, false, 2, 1, 8, 8};
  ship({entry("It", nullptr, unit, d)});
  EXPECT_FALSE(tile::tile_for(nvidia("It", 75), d) == unit);
  EXPECT_EQ(tile::tile_for(nvidia("It", 80), d), unit);
}

TEST_F(ShippedTiles, HaveAnArchitectureInTextAndTheUsersFileAnyThing) {
  ship({entry("NVIDIA H200", 90, bulk), entry("NVIDIA H200", "sm_90", async)});
  EXPECT_EQ(tile::tile_for(h100, key), async);
  ASSERT_EQ(tile::tuned_tiles(h100).ignored.size(), 1u);
  EXPECT_NE(tile::tuned_tiles(h100).ignored[0].find("\"architecture\""), std::string::npos);
  for (const Json& architecture : {Json("sm_7777"), Json(90), Json::array(), Json("sm_90")}) {
    Json users = entry(h100.name, architecture, plain);
    users["driver"] = h100.driver;
    write("tuning.json", {users});
    EXPECT_EQ(tile::tile_for(h100, key), plain) << architecture;
    EXPECT_EQ(tile::tuned_tiles(h100).ignored.size(), 1u) << architecture;
    EXPECT_EQ(tile::tile_for(nvidia("NVIDIA H800", 90), key), async) << "the user's entries are for one device";
  }
}

// So that an entry can be copied to the shipped table.
TEST_F(ShippedTiles, HaveTheArchitectureThatIsStored) {
  tile::store_tiles(h100, {{key, plain, 1.0, "2026-01-31", "0.1"}});
  EXPECT_NE(folder.read("tuning.json").find(R"("architecture":"sm_90")"), std::string::npos);
  tile::store_tiles(nvidia("An old driver's", 0), {{key, plain, 1.0, "2026-01-31", "0.1"}});
  const std::string text = folder.read("tuning.json");
  EXPECT_EQ(text.find("architecture"), text.rfind("architecture")) << text;
}

}  // namespace
