#include "tune/candidates.hpp"

#include <algorithm>
#include <string_view>

#include "tile/tile_of.hpp"

namespace hilo::tune {
namespace {

using tile::async_tile_of;
using tile::Copies;
using tile::NumberKind;
using tile::Parameter;
using tile::SizeClass;
using tile::Tile;
using tile::tile_of;
using tile::TileKey;
using tile::unit_tile_of;

bool is_cpu(const DeviceInfo& device) { return device.type == DeviceType::cpu; }
bool is_nvidia(const DeviceInfo& device) { return device.vendor.find("NVIDIA") != std::string_view::npos; }

// How tiles come to local memory.
struct Mode {
  int stages;
  Copies copies;
  bool fetches_ahead;
};
constexpr Mode modes[] = {{0, Copies::registers, false}, {1, Copies::registers, false}, {2, Copies::registers, false},
                          {2, Copies::async, false},     {3, Copies::async, false},     {4, Copies::async, false},
                          {2, Copies::async, true},      {3, Copies::async, true},      {4, Copies::async, true},
                          {5, Copies::async, true},      {2, Copies::bulk, false},      {3, Copies::bulk, false}};

// Lanes as wide as a register, half of it, and twice.
std::vector<int> lanes_of(const DeviceInfo& device, NumberKind kind) {
  const int width = std::max(device.vector_width, 1) * 8 / kind.word_bytes();
  std::vector<int> all;
  for (int lanes : {1, 2, 4, 8, 16}) {
    if (2 * lanes >= width && lanes <= 2 * width) all.push_back(lanes);
  }
  return all;
}

// The runs that fit items of a lane, the widest first.
Tile with_runs(Tile t, NumberKind kind) {
  auto widest = [&](int item) {
    int run = 16 / kind.bytes();
    while (run > 1 && item % run) run /= 2;
    return std::max(run, 1);
  };
  t.row_run = t.lanes > 1 ? t.lanes : widest(t.item_rows);
  t.column_run = t.lanes > 1 ? 1 : widest(t.item_columns);
  return t;
}

// The values of a parameter that a step of the search goes to.
std::vector<int> moves_of(const Parameter& p, const Tile& t, const DeviceInfo& device) {
  std::vector<int> all;
  if (is_cpu(device) && p.member == &Tile::item_rows) {
    for (int vectors = 1; vectors <= 4; ++vectors) all.push_back(vectors * t.lanes);
    return all;
  }
  if (is_cpu(device) && p.member == &Tile::item_columns) {
    for (int step : {1, -1, 2, -2, 4, -4}) all.push_back(t.item_columns + step);
    std::erase_if(all, [](int n) { return n < 2 || n > 12; });
    return all;
  }
  const bool is_run = p.member == &Tile::row_run || p.member == &Tile::column_run;
  if (t.lanes > 1 && is_run) return {};
  // Those beside what it is, on each side.
  const tile::Values& range = t.has_matrix_unit() ? p.unit_moves : p.moves;
  auto above = std::upper_bound(range.begin(), range.end(), p.member.of(t));
  auto below = std::lower_bound(range.begin(), range.end(), p.member.of(t));
  if (above != range.end()) all.push_back(*above);
  if (below != range.begin()) all.push_back(*(below - 1));
  return all;
}

// The best of an H200.
std::vector<Tile> h200_tiles(Precision p) {
  switch (p) {
    case Precision::s:
      return {tile_of({8, 8}, {16, 16}, {4, 4},
                      {.depth = 32, .stages = 3, .copies = Copies::bulk, .raster_rows = 8, .packs_all = true}),
              async_tile_of({8, 8}, {16, 16}, {4, 4}, {.depth = 16, .stages = 4, .raster_rows = 8, .packs_all = true}),
              async_tile_of({8, 16}, {16, 8}, {4, 4}, {.depth = 16, .stages = 4, .raster_rows = 8}),
              async_tile_of({8, 8}, {8, 16}, {4, 4},
                            {.depth = 16, .stages = 3, .raster_rows = 8, .packs_all = true, .groups_per_unit = 4}),
              async_tile_of({8, 8}, {16, 16}, {4, 4}, {.depth = 16, .stages = 4, .raster_rows = 8}),
              async_tile_of({2, 2}, {8, 8}, {2, 2}, {.depth = 32, .stages = 3}),
              async_tile_of({4, 4}, {8, 8}, {4, 4}, {.depth = 16, .stages = 4, .raster_rows = 4})};
    case Precision::d:
      return {unit_tile_of({32, 32}, {4, 4}, {2, 1}, {.depth = 8, .stages = 4, .raster_rows = 8, .packs_all = true}),
              unit_tile_of({32, 32}, {4, 4}, {2, 1}, {.depth = 8, .stages = 4, .raster_rows = 8}),
              unit_tile_of({16, 16}, {2, 2}, {2, 1}, {.depth = 16, .stages = 3, .raster_rows = 8}),
              async_tile_of({2, 2}, {8, 8}, {1, 1}, {.depth = 16, .stages = 4}),
              unit_tile_of({32, 32}, {2, 2}, {2, 1}, {.depth = 16, .stages = 3, .raster_rows = 8})};
    case Precision::c:
      return {
          tile_of({8, 4}, {16, 16}, {2, 2},
                  {.depth = 16,
                   .stages = 2,
                   .copies = Copies::bulk,
                   .raster_rows = 8,
                   .packs_all = true,
                   .groups_per_unit = 1}),
          async_tile_of({8, 4}, {8, 16}, {2, 2},
                        {.depth = 8, .stages = 4, .raster_rows = 8, .packs_all = true, .groups_per_unit = 3}),
          async_tile_of({8, 4}, {8, 16}, {2, 2}, {.depth = 8, .stages = 4, .raster_rows = 8}),
          async_tile_of({8, 8}, {16, 16}, {2, 2}, {.depth = 8, .stages = 4, .fetches_ahead = true, .raster_rows = 8}),
          async_tile_of({2, 1}, {8, 16}, {2, 1}, {.depth = 32, .stages = 3}),
          async_tile_of({4, 4}, {8, 8}, {2, 2}, {.depth = 8, .stages = 4, .raster_rows = 4})};
    case Precision::z:
      return {unit_tile_of({32, 32}, {2, 2}, {1, 1}, {.depth = 8, .stages = 4, .raster_rows = 8, .packs_all = true}),
              unit_tile_of({32, 32}, {2, 2}, {1, 1}, {.depth = 8, .stages = 4, .raster_rows = 8}),
              unit_tile_of({16, 16}, {4, 4}, {1, 1}, {.depth = 8, .stages = 4, .raster_rows = 8}),
              async_tile_of({1, 1}, {16, 16}, {1, 1}, {.depth = 32, .stages = 2}),
              unit_tile_of({16, 16}, {2, 2}, {1, 1}, {.depth = 8, .stages = 4, .raster_rows = 8})};
    case Precision::dd:
    case Precision::zdd:
      break;
  }
  return {tile_of({4, 5}, {16, 8}, {1, 1},
                  {.depth = 8,
                   .stages = 2,
                   .copies = Copies::bulk,
                   .raster_rows = 8,
                   .groups_per_unit = 3,
                   .local_chunks = true,
                   .by_operation = true}),
          async_tile_of({2, 4}, {16, 8}, {1, 1}, {.depth = 8, .stages = 4, .raster_rows = 8, .groups_per_unit = 5}),
          tile_of({2, 4}, {32, 8}, {1, 1}, {.depth = 16, .stages = 2, .raster_rows = 8, .groups_per_unit = 2}),
          tile_of({2, 4}, {32, 4}, {1, 1}, {.depth = 8, .stages = 2, .raster_rows = 8, .groups_per_unit = 4})};
}

std::vector<Tile> gpu_seeds(const DeviceInfo& device, NumberKind kind) {
  std::vector<Tile> all;
  if (is_nvidia(device)) all = h200_tiles(kind.precision);
  const bool is_wide = kind.bytes() > 8;
  for (int stages : {2, 1, 0}) {
    auto add = [&](int rows, int columns, int group) {
      const Tile rest{.depth = is_wide ? 8 : 16, .stages = stages, .raster_rows = 8};
      all.push_back(with_runs(tile_of({rows, columns}, {group, group}, {1, 1}, rest), kind));
    };
    add(4, 4, 16);
    if (kind.bytes() < 8) add(8, 8, 16);
    add(is_wide ? 2 : 8, 4, 16);
    add(2, 2, 16);
    add(4, 4, 8);
  }
  return all;
}

std::vector<Tile> cpu_seeds(const DeviceInfo& device, NumberKind kind) {
  std::vector<Tile> all;
  auto add = [&](int rows, int columns, const Tile& rest) {
    all.push_back(with_runs(tile_of({rows, columns}, {1, 1}, {1, 1}, rest), kind));
  };
  const std::vector<int> widths = lanes_of(device, kind);
  for (auto lanes = widths.rbegin(); lanes != widths.rend(); ++lanes) {
    for (int columns : {8, 4}) {
      for (int vectors : {2, 3, 1}) add(vectors * *lanes, columns, {.lanes = *lanes, .depth = 4});
    }
  }
  add(4, 4, {.depth = 8, .stages = 1, .raster_rows = 8});
  return all;
}

}  // namespace

bool is_candidate(const Tile& t, const DeviceInfo& device, const TileKey& key) {
  const NumberKind kind{key.precision};
  if (!is_valid(t, kind)) return false;
  // Without local memory, and in DD, both operands are packed anyway.
  if (t.packs_all && (t.stages == 0 || kind.is_double_double())) return false;
  if (t.groups_per_unit > 0 && !is_nvidia(device)) return false;
  // 4-byte words of a work-item's sums. DD has two of them, and the step takes as much again.
  const int words =
      t.item_rows * t.item_columns * kind.bytes() / 4 * (kind.is_double_double() && !t.local_chunks ? 2 : 1);
  if (is_cpu(device)) {
    // What is unrolled takes compilers for CPUs half a minute where it is more.
    const int unrolled = t.item_rows / t.lanes * t.item_columns * kind.words() * t.depth;
    const int registers = words / (2 * std::max(device.vector_width, 1));
    return t.group_items() == 1 && unrolled <= 768 && registers <= 64 && t.copies == Copies::registers &&
           !t.has_matrix_unit() && !t.local_chunks;
  }
  if (t.lanes > 1 || t.group_items() < 32) return false;
  const bool is_async = t.copies != Copies::registers;
  if ((is_async || t.has_matrix_unit()) && !is_nvidia(device)) return false;
  // Asynchronous copies take 16 bytes of a panel at a time.
  const int copy = std::max(16 / kind.bytes(), 1);
  if (is_async && (t.panel_rows() % copy || t.panel_columns() % copy)) return false;
  // NVIDIA's devices have more local memory than they say.
  const std::int64_t local =
      is_nvidia(device) ? std::max<std::int64_t>(device.local_memory, 227 << 10) : device.local_memory;
  return local_bytes(t, kind) <= local && words / (t.has_matrix_unit() ? 32 : 1) <= 128;
}

std::vector<Tile> seed_tiles(const DeviceInfo& device, const TileKey& key) {
  const NumberKind kind{key.precision};
  std::vector<Tile> all = default_tiles(device, key), chosen;
  for (const Tile& t : is_cpu(device) ? cpu_seeds(device, kind) : gpu_seeds(device, kind)) all.push_back(t);
  auto add = [&](const Tile& t) {
    if (is_candidate(t, device, key) && std::find(chosen.begin(), chosen.end(), t) == chosen.end()) chosen.push_back(t);
  };
  for (Tile t : all) {
    // Small products rather in place, first.
    t.in_place = key.size != SizeClass::large && t.stages > 0 && !kind.is_double_double();
    if (t.in_place) t.packs_all = false;
    add(t);
  }
  for (const Tile& t : all) add(t);
  return chosen;
}

std::vector<Tile> neighbours(const Tile& tile, const DeviceInfo& device, const TileKey& key) {
  const NumberKind kind{key.precision};
  std::vector<Tile> all;
  auto add = [&](const Tile& t) {
    if (t == tile || !is_candidate(t, device, key)) return;
    if (std::find(all.begin(), all.end(), t) == all.end()) all.push_back(t);
  };
  for (bool in_place : {false, true}) {
    for (bool packs_all : {false, true}) {
      Tile t = tile;
      t.in_place = in_place, t.packs_all = packs_all;
      add(t);
    }
  }
  if (is_cpu(device)) {
    for (int lanes : lanes_of(device, kind)) {
      Tile t = tile;
      t.item_rows = std::max(tile.item_rows / lanes, 1) * lanes;
      t.lanes = lanes;
      if (lanes > 1 && t.stages > 0) t.stages = 0, t.in_place = false;
      add(with_runs(t, kind));
    }
  }
  // One parameter from its row in the table. Where the runs do not fit any more, the widest that do.
  for (const Parameter& p : tile::parameters) {
    for (int value : moves_of(p, tile, device)) {
      Tile t = tile;
      p.member.set(t, value);
      if (t.item_rows % t.row_run || t.item_columns % t.column_run) {
        t = t.has_matrix_unit() ? tile : with_runs(t, kind);
      }
      add(t);
    }
  }
  if (!is_cpu(device) && !tile.has_matrix_unit()) {
    // The same panels by more work-items, or fewer.
    for (auto [item, group] :
         {std::pair(&Tile::item_rows, &Tile::group_rows), std::pair(&Tile::item_columns, &Tile::group_columns)}) {
      Tile more = tile, fewer = tile;
      fewer.*item *= 2, fewer.*group /= 2;
      if (tile.*group % 2 == 0) add(with_runs(fewer, kind));
      more.*item /= 2, more.*group *= 2;
      if (tile.*item % 2 == 0) add(with_runs(more, kind));
    }
  }
  for (const Mode& mode : modes) {
    Tile t = tile;
    t.stages = mode.stages, t.copies = mode.copies, t.fetches_ahead = mode.fetches_ahead;
    if (t.stages == 0 || t.copies == Copies::bulk) t.in_place = false;
    if (t.copies == Copies::bulk) t.packs_all = !kind.is_double_double();
    add(t);
  }
  return all;
}

}  // namespace hilo::tune
