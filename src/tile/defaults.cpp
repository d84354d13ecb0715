// Tiles for devices that nobody has tuned.
#include <algorithm>
#include <array>
#include <optional>

#include "tile/table.hpp"

namespace hilo::tile {
namespace {

// lanes, item rows x columns, group rows x columns, depth, stages, copies, ahead, runs, raster, unit depth, in place,
// all packed, groups a unit.
constexpr std::array gpu_single = {Tile{1, 4, 4, 16, 16, 16, 2, Copies::registers, false, 4, 4, 8, 1, true},
                                   Tile{1, 4, 4, 16, 16, 16, 1, Copies::registers, false, 4, 4, 8, 1, true},
                                   Tile{1, 4, 4, 8, 8, 8, 1, Copies::registers, false, 4, 4, 8, 1, true},
                                   Tile{1, 4, 4, 8, 8, 8, 0, Copies::registers, false, 4, 4, 8, 1, false}};
constexpr std::array gpu_double = {Tile{1, 4, 4, 16, 16, 8, 2, Copies::registers, false, 2, 2, 8, 1, true},
                                   Tile{1, 4, 4, 16, 16, 8, 1, Copies::registers, false, 2, 2, 8, 1, true},
                                   Tile{1, 4, 4, 8, 8, 8, 1, Copies::registers, false, 2, 2, 8, 1, true},
                                   Tile{1, 4, 4, 8, 8, 8, 0, Copies::registers, false, 2, 2, 8, 1, false}};
constexpr std::array gpu_double_complex = {Tile{1, 4, 2, 16, 16, 8, 1, Copies::registers, false, 1, 1, 8, 1, true},
                                           Tile{1, 2, 2, 8, 8, 8, 1, Copies::registers, false, 1, 1, 8, 1, true},
                                           Tile{1, 2, 2, 8, 8, 4, 0, Copies::registers, false, 1, 1, 8, 1, false}};
constexpr std::array gpu_double_double = {Tile{1, 2, 4, 32, 8, 16, 2}, Tile{1, 2, 4, 32, 8, 8, 2},
                                          Tile{1, 4, 4, 16, 8, 8, 1}, Tile{1, 2, 2, 8, 8, 4, 0}};

template <std::size_t N>
Tile first_that_fits(const std::array<Tile, N>& tiles, const DeviceInfo& device, NumberKind kind) {
  auto fits = [&](const Tile& t) { return local_bytes(t, kind) <= device.local_memory; };
  return *std::find_if(tiles.begin(), tiles.end() - 1, fits);
}

Tile gpu_tile(const DeviceInfo& device, NumberKind kind) {
  switch (kind.precision) {
    case Precision::s:
      return first_that_fits(gpu_single, device, kind);
    case Precision::d:
    case Precision::c:
      return first_that_fits(gpu_double, device, kind);
    case Precision::z:
      return first_that_fits(gpu_double_complex, device, kind);
    case Precision::dd:
    case Precision::zdd:
      break;
  }
  return first_that_fits(gpu_double_double, device, kind);
}

struct NvidiaTile {
  Precision precision;
  SizeClass size;
  Tile tile;
};

// From compute capability 8.0 on, in order of preference: the H200's best without bulk copies, and then with as little
// local memory as OpenCL guarantees there (48 KiB).
constexpr std::array nvidia_tiles = {
    NvidiaTile{Precision::s, SizeClass::small, {1, 2, 2, 8, 8, 32, 3, Copies::async, false, 2, 2, 1, 1, true}},
    NvidiaTile{Precision::s, SizeClass::large, {1, 8, 8, 16, 16, 16, 2, Copies::async, false, 4, 4, 8, 1, false, true}},
    NvidiaTile{Precision::d, SizeClass::small, {1, 16, 16, 2, 2, 16, 3, Copies::async, true, 2, 1, 8, 4, true}},
    NvidiaTile{Precision::d, SizeClass::medium, {1, 32, 32, 2, 2, 16, 3, Copies::async, true, 2, 1, 8, 4, true}},
    NvidiaTile{Precision::d, SizeClass::medium, {1, 32, 32, 2, 2, 8, 4, Copies::async, true, 2, 1, 8, 4, true}},
    NvidiaTile{Precision::d, SizeClass::large, {1, 32, 32, 4, 4, 8, 4, Copies::async, true, 2, 1, 8, 4}},
    NvidiaTile{Precision::d, SizeClass::large, {1, 32, 32, 4, 2, 8, 3, Copies::async, true, 2, 1, 8, 4}},
    NvidiaTile{Precision::c, SizeClass::small, {1, 2, 1, 8, 16, 32, 3, Copies::async, false, 2, 1, 1, 1, true}},
    NvidiaTile{Precision::c, SizeClass::medium, {1, 8, 4, 8, 16, 8, 4, Copies::async, false, 2, 2, 8, 1, true}},
    NvidiaTile{
        Precision::c, SizeClass::large, {1, 12, 4, 8, 16, 8, 4, Copies::async, false, 2, 2, 8, 1, false, true, 3}},
    NvidiaTile{Precision::z, SizeClass::small, {1, 16, 16, 2, 1, 16, 3, Copies::async, true, 1, 1, 1, 4, true}},
    NvidiaTile{Precision::z, SizeClass::medium, {1, 32, 32, 2, 2, 8, 4, Copies::async, true, 1, 1, 8, 4}},
    NvidiaTile{Precision::z, SizeClass::medium, {1, 32, 32, 2, 2, 8, 2, Copies::async, true, 1, 1, 8, 4}},
    NvidiaTile{Precision::z, SizeClass::large, {1, 32, 32, 2, 2, 8, 4, Copies::async, true, 1, 1, 8, 4, false, true}},
    NvidiaTile{Precision::z, SizeClass::large, {1, 32, 32, 2, 2, 8, 2, Copies::async, true, 1, 1, 8, 4, false, true}}};

// CUDA's table of what tensor cores take. Other devices from 8.0 on have the instructions, and compute them slowly.
bool has_double_matrix_units(const DeviceInfo& device) {
  const int capability = device.compute_capability;
  return capability == 80 || capability == 90 || capability == 100;
}

std::optional<Tile> nvidia_tile(const DeviceInfo& device, const TileKey& key) {
  if (device.compute_capability < 80) return std::nullopt;
  for (const NvidiaTile& n : nvidia_tiles) {
    if (n.precision == key.precision && n.size == key.size &&
        local_bytes(n.tile, {key.precision}) <= device.local_memory &&
        (!n.tile.has_matrix_unit() || has_double_matrix_units(device))) {
      return n.tile;
    }
  }
  return std::nullopt;
}

// As many work-groups as there may be: each waits for memory most of the time.
constexpr Tile gpu_small{1, 2, 2, 8, 8, 16, 2, Copies::registers, false, 1, 1, 1, 1, true};

// A work-item is a register tile: two vectors (of complex numbers one, of two registers) by columns, sums of enough
// vectors to hide each other's latency. Where vectors have 64 bytes there are 32 registers, else 16.
Tile cpu_tile(const DeviceInfo& device, NumberKind kind) {
  int width = 1;
  while (2 * width <= std::min(device.vector_width, 8)) width *= 2;
  const int lanes = kind.word_bytes() == 4 ? 2 * width : width;
  Tile t{lanes, 2 * lanes, 4, 1, 1, 4, 0};
  if (kind.is_complex()) t.item_rows = lanes;
  if (!kind.is_double_double() && width == 8) t.item_columns = 8;
  t.row_run = lanes;
  return t;
}

}  // namespace

Tile default_tile(const DeviceInfo& device, const TileKey& key) {
  const NumberKind kind{key.precision};
  if (device.type == DeviceType::cpu) return cpu_tile(device, kind);
  if (key.size == SizeClass::small && !kind.is_double_double() && local_bytes(gpu_small, kind) <= device.local_memory) {
    return gpu_small;
  }
  Tile tile = gpu_tile(device, kind);
  // Packing is for where its time is nothing beside the product's.
  if (key.size == SizeClass::large) tile.in_place = false;
  return tile;
}

std::vector<Tile> default_tiles(const DeviceInfo& device, const TileKey& key) {
  std::vector<Tile> tiles = {default_tile(device, key)};
  if (const auto tile = nvidia_tile(device, key)) tiles.insert(tiles.begin(), *tile);
  return tiles;
}

}  // namespace hilo::tile
