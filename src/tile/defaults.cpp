// Tiles for devices that nobody has tuned.
#include <algorithm>
#include <array>
#include <optional>

#include "tile/table.hpp"
#include "tile/tile_of.hpp"

namespace hilo::tile {
namespace {

constexpr std::array gpu_single = {
    tile_of({4, 4}, {16, 16}, {4, 4}, {.depth = 16, .stages = 2, .raster_rows = 8, .in_place = true}),
    tile_of({4, 4}, {16, 16}, {4, 4}, {.depth = 16, .stages = 1, .raster_rows = 8, .in_place = true}),
    tile_of({4, 4}, {8, 8}, {4, 4}, {.depth = 8, .stages = 1, .raster_rows = 8, .in_place = true}),
    tile_of({4, 4}, {8, 8}, {4, 4}, {.depth = 8, .raster_rows = 8})};
constexpr std::array gpu_double = {
    tile_of({4, 4}, {16, 16}, {2, 2}, {.depth = 8, .stages = 2, .raster_rows = 8, .in_place = true}),
    tile_of({4, 4}, {16, 16}, {2, 2}, {.depth = 8, .stages = 1, .raster_rows = 8, .in_place = true}),
    tile_of({4, 4}, {8, 8}, {2, 2}, {.depth = 8, .stages = 1, .raster_rows = 8, .in_place = true}),
    tile_of({4, 4}, {8, 8}, {2, 2}, {.depth = 8, .raster_rows = 8})};
constexpr std::array gpu_double_complex = {
    tile_of({4, 2}, {16, 16}, {1, 1}, {.depth = 8, .stages = 1, .raster_rows = 8, .in_place = true}),
    tile_of({2, 2}, {8, 8}, {1, 1}, {.depth = 8, .stages = 1, .raster_rows = 8, .in_place = true}),
    tile_of({2, 2}, {8, 8}, {1, 1}, {.depth = 4, .raster_rows = 8})};
constexpr std::array gpu_double_double = {tile_of({2, 4}, {32, 8}, {1, 1}, {.depth = 16, .stages = 2}),
                                          tile_of({2, 4}, {32, 8}, {1, 1}, {.depth = 8, .stages = 2}),
                                          tile_of({4, 4}, {16, 8}, {1, 1}, {.depth = 8, .stages = 1}),
                                          tile_of({2, 2}, {8, 8}, {1, 1}, {.depth = 4})};

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
constexpr NvidiaTile nvidia_tiles[] = {
    {Precision::s, SizeClass::small,
     async_tile_of({2, 2}, {8, 8}, {2, 2}, {.depth = 32, .stages = 3, .in_place = true})},
    {Precision::s, SizeClass::large,
     async_tile_of({8, 8}, {16, 16}, {4, 4}, {.depth = 16, .stages = 2, .raster_rows = 8, .packs_all = true})},
    {Precision::d, SizeClass::small,
     unit_tile_of({16, 16}, {2, 2}, {2, 1}, {.depth = 16, .stages = 3, .raster_rows = 8, .in_place = true})},
    {Precision::d, SizeClass::medium,
     unit_tile_of({32, 32}, {2, 2}, {2, 1}, {.depth = 16, .stages = 3, .raster_rows = 8, .in_place = true})},
    {Precision::d, SizeClass::medium,
     unit_tile_of({32, 32}, {2, 2}, {2, 1}, {.depth = 8, .stages = 4, .raster_rows = 8, .in_place = true})},
    {Precision::d, SizeClass::large,
     unit_tile_of({32, 32}, {4, 4}, {2, 1}, {.depth = 8, .stages = 4, .raster_rows = 8})},
    {Precision::d, SizeClass::large,
     unit_tile_of({32, 32}, {4, 2}, {2, 1}, {.depth = 8, .stages = 3, .raster_rows = 8})},
    {Precision::c, SizeClass::small,
     async_tile_of({2, 1}, {8, 16}, {2, 1}, {.depth = 32, .stages = 3, .in_place = true})},
    {Precision::c, SizeClass::medium,
     async_tile_of({8, 4}, {8, 16}, {2, 2}, {.depth = 8, .stages = 4, .raster_rows = 8, .in_place = true})},
    {Precision::c, SizeClass::large,
     async_tile_of({12, 4}, {8, 16}, {2, 2},
                   {.depth = 8, .stages = 4, .raster_rows = 8, .packs_all = true, .groups_per_unit = 3})},
    {Precision::z, SizeClass::small,
     unit_tile_of({16, 16}, {2, 1}, {1, 1}, {.depth = 16, .stages = 3, .in_place = true})},
    {Precision::z, SizeClass::medium,
     unit_tile_of({32, 32}, {2, 2}, {1, 1}, {.depth = 8, .stages = 4, .raster_rows = 8})},
    {Precision::z, SizeClass::medium,
     unit_tile_of({32, 32}, {2, 2}, {1, 1}, {.depth = 8, .stages = 2, .raster_rows = 8})},
    {Precision::z, SizeClass::large,
     unit_tile_of({32, 32}, {2, 2}, {1, 1}, {.depth = 8, .stages = 4, .raster_rows = 8, .packs_all = true})},
    {Precision::z, SizeClass::large,
     unit_tile_of({32, 32}, {2, 2}, {1, 1}, {.depth = 8, .stages = 2, .raster_rows = 8, .packs_all = true})}};

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
constexpr Tile gpu_small = tile_of({2, 2}, {8, 8}, {1, 1}, {.depth = 16, .stages = 2, .in_place = true});

// A work-item is a register tile: two vectors (of complex numbers one, of two registers) by columns, sums of enough
// vectors to hide each other's latency. Where vectors have 64 bytes there are 32 registers, else 16.
Tile cpu_tile(const DeviceInfo& device, NumberKind kind) {
  int width = 1;
  while (2 * width <= std::min(device.vector_width, 8)) width *= 2;
  const int lanes = kind.word_bytes() == 4 ? 2 * width : width;
  const int rows = kind.is_complex() ? lanes : 2 * lanes, columns = !kind.is_double_double() && width == 8 ? 8 : 4;
  return tile_of({rows, columns}, {1, 1}, {lanes, 1}, {.lanes = lanes, .depth = 4});
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
