// Which tiles a search tries: those that the kernels take, and every parameter is moved.
#include "tune/candidates.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include "tune/tuner.hpp"

namespace {

using namespace hilo;
using tile::Copies;
using tile::Tile;
using tile::TileKey;

TEST(TunerCandidates, AreWhatTheKernelsTakeAndReachMore) {
  DeviceInfo device{};
  device.fp64 = true;
  std::array<bool, tile::parameters.size()> is_moved{};
  for (DeviceType type : {DeviceType::cpu, DeviceType::gpu}) {
    for (const char* vendor : {"NVIDIA Corporation", "Another"}) {
      device.type = type;
      device.vendor = vendor;
      device.vector_width = type == DeviceType::cpu ? 4 : 1;
      device.local_memory = 48 << 10;
      for (const TileKey& key : tune::keys_of(device)) {
        SCOPED_TRACE(std::string(vendor) + ", " + to_string(key));
        auto seeds = tune::seed_tiles(device, key);
        EXPECT_GE(seeds.size(), 3u);
        bool has_units = false;
        for (const Tile& seed : seeds) {
          EXPECT_TRUE(is_valid(seed, {key.precision})) << to_string(seed);
          has_units |= seed.has_matrix_unit();
          auto next = tune::neighbours(seed, device, key);
          EXPECT_GE(next.size(), 4u) << to_string(seed);
          for (const Tile& t : next) {
            EXPECT_TRUE(tune::is_candidate(t, device, key)) << to_string(t);
            EXPECT_FALSE(t == seed);
            for (std::size_t i = 0; i < is_moved.size(); ++i) {
              is_moved[i] = is_moved[i] || numbers_of(t)[i] != numbers_of(seed)[i];
            }
            EXPECT_TRUE(t.copies == Copies::registers ||
                        (type == DeviceType::gpu && std::string_view(vendor) != "Another"));
          }
        }
        const bool is_of_units = key.precision == Precision::d || key.precision == Precision::z;
        EXPECT_EQ(has_units, is_of_units && type == DeviceType::gpu && std::string_view(vendor) != "Another");
      }
    }
  }
  for (std::size_t i = 0; i < is_moved.size(); ++i) EXPECT_TRUE(is_moved[i]) << tile::parameters[i].name;
}

TEST(TunerCandidates, KeysAreThoseOfTheDevice) {
  DeviceInfo device{};
  EXPECT_EQ(tune::keys_of(device).size(), 2u * 4 * 3);
  device.fp64 = true;
  EXPECT_EQ(tune::keys_of(device).size(), 4u * 4 * 3 + 2 * 3);
}

}  // namespace
