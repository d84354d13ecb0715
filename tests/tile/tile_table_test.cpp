// Which tile a device gets: the user's file, the shipped table, the defaults.
#include <gtest/gtest.h>

#include <chrono>
#include <hilo/error.hpp>
#include <initializer_list>
#include <string>
#include <thread>

#include "environment_variable.hpp"
#include "temporary_folder.hpp"
#include "tile/table.hpp"
#include "tile_keys.hpp"

namespace {

using namespace hilo;
using test::all_keys;
using test::EnvironmentVariable;
using tile::Copies;
using tile::SizeClass;
using tile::Tile;
using tile::TileKey;
using tile::TunedTile;

const TileKey key{Precision::s, true, false, SizeClass::large};
const Tile tile{1, 8, 8, 16, 16, 16, 3, Copies::async, false, 4, 4, 8, 1, false};
const Tile other_tile{1, 4, 8, 16, 16, 8, 2, Copies::registers, false, 2, 2, 4, 1, true};

DeviceInfo a_gpu() {
  DeviceInfo device{};
  device.name = "A GPU";
  device.vendor = "NVIDIA Corporation";  // whose devices build all tiles
  device.version = "OpenCL 3.0";
  device.driver = "1.2.3";
  device.type = DeviceType::gpu;
  device.local_memory = 48 << 10;  // less than the tiles take: they were measured
  device.fp64 = true;
  return device;
}

// A folder with a tuning file and a kernel folder, whose table counts as the shipped one.
class TileTable : public ::testing::Test {
 protected:
  TileTable() { tile::forget_tiles(); }
  ~TileTable() override { tile::forget_tiles(); }

  void write(const std::string& text) {
    folder.write("tuning.json", text);
    tile::forget_tiles();
  }
  void ship(const std::string& text) {
    folder.write("tuned_tiles.json", text);
    tile::forget_tiles();
  }
  std::string read() { return folder.read("tuning.json"); }

  test::TemporaryFolder folder;
  EnvironmentVariable tuning{"HILO_TUNING", folder.file("tuning.json").c_str()};
  EnvironmentVariable kernels{"HILO_KERNEL_PATH", folder.file("").c_str()};
  DeviceInfo device = a_gpu();
};

std::string entry(const std::string& device, const std::string& depth, const std::string& more = "") {
  return R"({"device": ")" + device + R"(", "driver": "1.2.3", "version": "OpenCL 3.0", "precision": "s",
             "left": "together", "right": "apart", "size": "large", "tile": {"lanes": 1, "item": [8, 8],
             "group": [16, 16], "depth": )" +
         depth + R"(, "stages": 3, "copies": "async", "ahead": false, "runs": [4, 4], "raster": 8, "unit_depth": 1,
             "in_place": false, "packs_all": false, "groups_per_unit": 0,
             "local_chunks": false, "by_operation": false}, "gflops": 1234.5, "date": "2026-01-31")" +
         more + "}";
}
std::string table(const std::string& entries) { return R"({"format": 1, "entries": [)" + entries + "]}"; }

TEST(TileKeys, SizesAreOfAsManyEntries) {
  EXPECT_EQ(tile::size_class(1, 1), SizeClass::small);
  EXPECT_EQ(tile::size_class(256, 256), SizeClass::small);
  EXPECT_EQ(tile::size_class(65536, 1), SizeClass::small);
  EXPECT_EQ(tile::size_class(256, 257), SizeClass::medium);
  EXPECT_EQ(tile::size_class(1536, 1536), SizeClass::medium);
  EXPECT_EQ(tile::size_class(1537, 1536), SizeClass::large);
  EXPECT_EQ(tile::size_class(std::int64_t{1} << 40, std::int64_t{1} << 40), SizeClass::large);
}

TEST_F(TileTable, KeepsWhatIsStored) {
  EXPECT_EQ(tile::tile_for(device, key), tile::default_tile(device, key));
  tile::store_tiles(device, {{key, tile, 1234.5, "2026-01-31", "0.1"}});
  EXPECT_EQ(tile::tile_for(device, key), tile) << "at once";
  tile::forget_tiles();
  EXPECT_EQ(tile::tile_for(device, key), tile) << "from disk";
  auto found = tile::tuned_tiles(device);
  ASSERT_EQ(found.user.size(), 1u);
  EXPECT_EQ(found.user[0].key, key);
  EXPECT_EQ(found.user[0].tile, tile);
  EXPECT_EQ(found.user[0].gflops, 1234.5);
  EXPECT_EQ(found.user[0].date, "2026-01-31");
  EXPECT_EQ(found.user[0].library, "0.1");
  EXPECT_TRUE(found.ignored.empty());
  EXPECT_NE(read().find(R"("precision":"s","left":"together","right":"apart","size":"large")"), std::string::npos)
      << read();
  tile::store_tiles(device, {{key, other_tile, 2000.0, "2026-02-01", "0.1"}});
  EXPECT_EQ(tile::tile_for(device, key), other_tile);
  EXPECT_EQ(tile::tuned_tiles(device).user.size(), 1u) << "replaced";
  for (const TileKey& k : all_keys()) {
    if (!(k == key)) {
      EXPECT_EQ(tile::tile_for(device, k), tile::default_tile(device, k)) << to_string(k);
    }
  }
}

TEST_F(TileTable, KeepsEveryTile) {
  std::vector<TunedTile> tiles;
  for (const TileKey& k : all_keys()) tiles.push_back({k, tile::default_tile(device, k), 1.0, "2026-01-31", "0.1"});
  tile::store_tiles(device, tiles);
  tile::forget_tiles();
  EXPECT_EQ(tile::tuned_tiles(device).user.size(), tiles.size());
  EXPECT_TRUE(tile::tuned_tiles(device).ignored.empty());
  for (const TunedTile& t : tiles) EXPECT_EQ(tile::tile_for(device, t.key), t.tile);
}

TEST_F(TileTable, IsForTheDeviceItsDriverAndVersion) {
  write(table(entry("A GPU", "16")));
  EXPECT_EQ(tile::tile_for(device, key), tile);
  for (std::string DeviceInfo::*member : {&DeviceInfo::name, &DeviceInfo::driver, &DeviceInfo::version}) {
    DeviceInfo other = device;
    other.*member += "x";
    EXPECT_EQ(tile::tile_for(other, key), tile::default_tile(other, key));
  }
}

TEST_F(TileTable, TheUsersFileComesBeforeTheShippedTableAndThatBeforeTheDefaults) {
  ship(table(entry("A GPU", "8")));
  EXPECT_EQ(tile::tile_for(device, key).depth, 8);
  DeviceInfo updated = device;
  updated.driver = "2.0";
  EXPECT_EQ(tile::tile_for(updated, key).depth, 8) << "shipped for every driver";
  write(table(entry("A GPU", "32") + "," + entry("Another GPU", "16")));
  EXPECT_EQ(tile::tile_for(device, key).depth, 32);
  EXPECT_EQ(tile::tile_for(updated, key).depth, 8);
  EXPECT_EQ(tile::tuned_tiles(device).user.size(), 1u);
  EXPECT_EQ(tile::tuned_tiles(device).shipped.size(), 1u);
}

TEST_F(TileTable, WhatIsBuiltInIsRead) {
  EnvironmentVariable none("HILO_KERNEL_PATH", nullptr);
  tile::forget_tiles();
  EXPECT_TRUE(tile::tuned_tiles(device).ignored.empty()) << tile::tuned_tiles(device).ignored.front();
}

TEST_F(TileTable, ABrokenFileCountsAsNone) {
  const std::string good = table(entry("A GPU", "16"));
  for (const std::string& broken :
       {std::string(), std::string("{"), std::string("null"), std::string("[1, 2]"), good.substr(0, good.size() / 2),
        good + "x", std::string(R"({"format": 2, "entries": []})"), std::string(R"({"format": 1})"),
        std::string(R"({"format": 1, "entries": {}})"), std::string("\xff\xfe\0\x01", 4)}) {
    write(broken);
    EXPECT_EQ(tile::tile_for(device, key), tile::default_tile(device, key)) << broken;
    auto ignored = tile::tuned_tiles(device).ignored;
    ASSERT_EQ(ignored.size(), 1u) << broken;
    EXPECT_NE(ignored[0].find(folder.file("tuning.json")), std::string::npos) << ignored[0];
  }
}

TEST_F(TileTable, ABrokenEntryCountsAsNoneAndTheOthersStay) {
  auto changed = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  const std::string good = entry("A GPU", "16");
  for (const auto& [from, to] :
       std::initializer_list<std::pair<std::string, std::string>>{{"\"driver\"", "\"drivel\""},
                                                                  {"\"s\"", "\"q\""},
                                                                  {"\"apart\"", "\"along\""},
                                                                  {"\"large\"", "7"},
                                                                  {"[8, 8]", "[8]"},
                                                                  {"[8, 8]", "[8, -8]"},
                                                                  {"[8, 8]", "[8, 8.5]"},
                                                                  {"[8, 8]", "[8, 99999]"},
                                                                  {"\"depth\": 16", "\"depth\": 17"},
                                                                  {"\"depth\": 16", "\"depth\": 1e99"},
                                                                  {"\"depth\": 16", "\"depth\": 18446744073709551615"},
                                                                  {"\"async\"", "\"sync\""},
                                                                  {"\"local_chunks\": false", "\"local_chunks\": 0"},
                                                                  {"\"unit_depth\": 1", "\"unit_depth\": 0"},
                                                                  {"1234.5", "\"fast\""}}) {
    write(table(changed(good, from, to) + ", 5, " + entry("A GPU", "32")));
    EXPECT_EQ(tile::tile_for(device, key).depth, 32) << to;
    EXPECT_EQ(tile::tuned_tiles(device).ignored.size(), 2u) << to;
  }
}

TEST_F(TileTable, MessagesShowWhatAnEntryHasEscaped) {
  const std::string good = entry("A GPU", "16");
  for (const auto& [from, message] : std::initializer_list<std::pair<std::string, std::string>>{
           {"apart", R"("right": "a\x00b" is neither together nor apart)"},
           {"async", R"("copies": "a\x00b" is none of registers, async and bulk)"},
           {"large", R"("size": "a\x00b" is unknown)"}}) {
    std::string text = good;
    write(table(text.replace(text.find(from), from.size(), R"(a\u0000b)")));
    const auto ignored = tile::tuned_tiles(device).ignored;
    ASSERT_EQ(ignored.size(), 1u) << message;
    EXPECT_TRUE(ignored[0].ends_with(message)) << ignored[0];
  }
}

TEST_F(TileTable, EntriesForCpusArePassedOverAndKept) {
  const std::string cpu = R"({"cpu":"A CPU","target":"AVX2"})";
  write(table(cpu + "," + entry("A GPU", "16")));
  EXPECT_EQ(tile::tile_for(device, key), tile);
  EXPECT_TRUE(tile::tuned_tiles(device).ignored.empty());
  tile::store_tiles(device, {{key, other_tile, 1.0, "2026-01-31", "0.1"}});
  EXPECT_NE(read().find(cpu), std::string::npos) << read();
}

TEST_F(TileTable, StoringKeepsWhatOthersHaveThere) {
  write(table(entry("Another GPU", "8", R"(, "note": "mine")") + ", 5"));
  tile::store_tiles(device, {{key, tile, 1.0, "2026-01-31", "0.1"}});
  EXPECT_EQ(tile::tile_for(device, key), tile);
  DeviceInfo other = device;
  other.name = "Another GPU";
  EXPECT_EQ(tile::tile_for(other, key).depth, 8);
  EXPECT_NE(read().find(R"("note":"mine")"), std::string::npos) << read();
}

TEST_F(TileTable, StoringKeepsABrokenFileBesideAndLeavesANewerOne) {
  write("not JSON");
  tile::store_tiles(device, {{key, tile, 1.0, "2026-01-31", "0.1"}});
  EXPECT_EQ(tile::tile_for(device, key), tile);
  EXPECT_EQ(folder.read("tuning.json.broken"), "not JSON");
  const std::string no_list = R"({"format": 1, "entries": {"mine": [1]}})";
  write(no_list);
  tile::store_tiles(device, {{key, tile, 1.0, "2026-01-31", "0.1"}});
  EXPECT_EQ(tile::tile_for(device, key), tile);
  EXPECT_EQ(folder.read("tuning.json.broken"), no_list);
  const std::string newer = R"({"format": 2, "entries": {}})";
  write(newer);
  try {
    tile::store_tiles(device, {{key, tile, 1.0, "2026-01-31", "0.1"}});
    ADD_FAILURE() << "stored";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::io);
    EXPECT_NE(std::string(e.what()).find("format 2"), std::string::npos) << e.what();
  }
  EXPECT_EQ(read(), newer);
}

// Parsing and copying JSON takes calls as deep as it is nested, for which no stack is deep enough.
TEST_F(TileTable, WhatIsNestedTooDeeplyCountsAsBroken) {
  const std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
  std::string item = entry("A GPU", "16");
  item.replace(item.find("[8, 8]"), 6, "[" + deep + ", 8]");
  for (const std::string& text : {table(item), table(deep), "{\"format\": " + deep + "}"}) {
    write(text);
    EXPECT_EQ(tile::tile_for(device, key), tile::default_tile(device, key));
    const auto ignored = tile::tuned_tiles(device).ignored;
    ASSERT_EQ(ignored.size(), 1u);
    EXPECT_TRUE(ignored[0].ends_with(": is no JSON, or nested too deeply")) << ignored[0];
    tile::store_tiles(device, {{key, tile, 1.0, "2026-01-31", "0.1"}});
    EXPECT_EQ(tile::tile_for(device, key), tile);
    EXPECT_TRUE(folder.read("tuning.json.broken") == text);
  }
}

TEST_F(TileTable, CannotBeStoredWhereThereIsNoFolder) {
  folder.write("file", "");
  for (const std::string& file : {std::string(), folder.file("file/tuning.json")}) {
    EnvironmentVariable nowhere("HILO_TUNING", file.c_str());
    tile::forget_tiles();
    EXPECT_EQ(tile::tile_for(device, key), tile::default_tile(device, key));
    try {
      tile::store_tiles(device, {{key, tile, 1.0, "2026-01-31", "0.1"}});
      ADD_FAILURE() << "stored in " << file;
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::io) << e.what();
    }
  }
}

TEST_F(TileTable, WritersAtATimeLoseNothing) {
  constexpr int writers = 4, rounds = 10;
  auto device_of = [&](int i) {
    DeviceInfo d = device;
    d.name += std::to_string(i);
    return d;
  };
  auto keys = all_keys();
  std::vector<std::thread> threads;
  for (int i = 0; i < writers; ++i) {
    threads.emplace_back([&, i] {
      for (std::size_t r = 0; r < rounds; ++r) {
        tile::store_tiles(device_of(i), {{keys[r], tile::default_tile(device, keys[r]), 1.0, "2026-01-31", "0.1"}});
        tile::tile_for(device_of(i), keys[r]);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  tile::forget_tiles();
  for (int i = 0; i < writers; ++i) EXPECT_EQ(tile::tuned_tiles(device_of(i)).user.size(), 0u + rounds) << i;
}

TEST_F(TileTable, ARefusedTileIsReplacedByTheDefaultForAllItsKeys) {
  const TileKey other_key{Precision::s, true, true, SizeClass::small}, third_key{Precision::s, false, true, key.size},
      double_key{Precision::d, true, false, key.size};
  tile::store_tiles(device, {{key, other_tile, 1.0, "2026-01-31", "0.1"},
                             {other_key, other_tile, 1.0, "2026-01-31", "0.1"},
                             {third_key, tile, 1.0, "2026-01-31", "0.1"},
                             {double_key, other_tile, 1.0, "2026-01-31", "0.1"}});
  DeviceInfo other = device;
  other.driver = "2.0";
  tile::tile_for(other, key);
  const std::string why = "does not build:\nline 1\nline 2" + std::string(5000, 'x');
  for (int times = 0; times < 2; ++times) {
    tile::refuse_tile(device, key, other_tile, why);
    EXPECT_EQ(tile::tile_for(device, key), tile::default_tile(device, key));
    EXPECT_EQ(tile::tile_for(device, other_key), tile::default_tile(device, other_key));
    EXPECT_EQ(tile::tile_for(device, third_key), tile);
    EXPECT_EQ(tile::tile_for(device, double_key), other_tile) << "to another kind of number it is another program";
    const auto ignored = tile::tuned_tiles(device).ignored;
    ASSERT_EQ(ignored.size(), 1u) << "told once";
    for (const std::string& part :
         {to_string(key), to_string(other_tile), std::string("does not build: line 1 line 2")}) {
      EXPECT_NE(ignored[0].find(part), std::string::npos) << ignored[0];
    }
    EXPECT_LT(ignored[0].size(), 1000u);
    EXPECT_EQ(ignored[0].find('\n'), std::string::npos);
    EXPECT_TRUE(tile::tuned_tiles(other).ignored.empty()) << "of the device";
    EXPECT_EQ(tile::tuned_tiles(device).user.size(), 4u) << "the file stays as it is";
  }
  tile::forget_tiles();
  EXPECT_EQ(tile::tile_for(device, key), other_tile);
  EXPECT_TRUE(tile::tuned_tiles(device).ignored.empty());
  // Also before anything else is asked for.
  tile::forget_tiles();
  tile::refuse_tile(device, key, other_tile, "no");
  EXPECT_EQ(tile::tile_for(device, key), tile::default_tile(device, key));
}

TEST_F(TileTable, ATileRefusedForOneOfDdAndZddIsForTheOther) {
  const TileKey dd{Precision::dd, true, true, SizeClass::large}, zdd{Precision::zdd, true, true, SizeClass::large};
  const Tile packed{1, 2, 4, 16, 8, 8, 1};
  tile::store_tiles(device, {{dd, packed, 1.0, "2026-01-31", "0.1"}});
  for (const TileKey& k : {dd, zdd}) {
    tile::forget_tiles();
    ASSERT_EQ(tile::tile_for(device, zdd), packed) << "dd's";
    tile::refuse_tile(device, k, packed, "no");
    EXPECT_EQ(tile::tile_for(device, dd), tile::default_tile(device, dd));
    EXPECT_EQ(tile::tile_for(device, zdd), tile::default_tile(device, zdd));
    EXPECT_EQ(tile::tuned_tiles(device).ignored.size(), 1u);
  }
}

TEST_F(TileTable, ATileThatIsNoLongerThereIsNotRefused) {
  tile::store_tiles(device, {{key, tile, 1.0, "2026-01-31", "0.1"}});
  tile::refuse_tile(device, key, other_tile, "no");
  tile::refuse_tile(device, key, tile::default_tile(device, key), "no");
  EXPECT_EQ(tile::tile_for(device, key), tile);
  EXPECT_TRUE(tile::tuned_tiles(device).ignored.empty());
}

TEST_F(TileTable, IsFoundFast) {
  tile::store_tiles(device, {{key, tile, 1.0, "2026-01-31", "0.1"}});
  tile::tile_for(device, key);
  constexpr int calls = 20000;
  auto start = std::chrono::steady_clock::now();
  int depth = 0;
  for (int i = 0; i < calls; ++i) depth += tile::tile_for(device, key).depth;
  auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(depth, 16 * calls);
  // 0.05 µs; the bound is for sanitizers and busy machines.
  EXPECT_LT(seconds / calls, 5e-6);
  RecordProperty("nanoseconds", static_cast<int>(1e9 * seconds / calls));
}

}  // namespace
