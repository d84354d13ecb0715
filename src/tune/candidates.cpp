#include "tune/candidates.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

namespace hilo::tune {
namespace {

bool is_cpu(const DeviceInfo& device) { return device.type == DeviceType::cpu; }
bool is_nvidia(const DeviceInfo& device) { return device.vendor.find("NVIDIA") != std::string_view::npos; }

// How tiles come to local memory.
struct Mode {
  int stages;
  tile::Copies copies;
  bool fetches_ahead;
};
constexpr std::array<Mode, 12> modes = {{{0, tile::Copies::registers, false},
                                         {1, tile::Copies::registers, false},
                                         {2, tile::Copies::registers, false},
                                         {2, tile::Copies::async, false},
                                         {3, tile::Copies::async, false},
                                         {4, tile::Copies::async, false},
                                         {2, tile::Copies::async, true},
                                         {3, tile::Copies::async, true},
                                         {4, tile::Copies::async, true},
                                         {5, tile::Copies::async, true},
                                         {2, tile::Copies::bulk, false},
                                         {3, tile::Copies::bulk, false}}};
constexpr std::array<int, 5> depths = {4, 8, 16, 32, 64};
constexpr std::array<int, 5> rasters = {1, 2, 4, 8, 16};
constexpr std::array<int, 3> runs = {1, 2, 4};
constexpr std::array<int, 10> items = {1, 2, 3, 4, 5, 6, 8, 12, 16, 24};
constexpr std::array<int, 6> groups = {1, 2, 4, 8, 16, 32};
constexpr std::array<int, 5> warps = {1, 2, 4, 6, 8};
constexpr std::array<int, 4> warp_items = {16, 32, 48, 64};
constexpr std::array<int, 3> unit_depths = {4, 8, 16};
constexpr std::array<int, 8> groups_per_unit = {0, 1, 2, 3, 4, 5, 6, 8};

// Those beside x in a range, on each side.
template <std::size_t N>
std::vector<int> beside(const std::array<int, N>& range, int x) {
  std::vector<int> all;
  auto above = std::upper_bound(range.begin(), range.end(), x);
  auto below = std::lower_bound(range.begin(), range.end(), x);
  if (above != range.end()) all.push_back(*above);
  if (below != range.begin()) all.push_back(*(below - 1));
  return all;
}

// Lanes as wide as a register, half of it, and twice.
std::vector<int> lanes_of(const DeviceInfo& device, tile::NumberKind kind) {
  const int width = std::max(device.vector_width, 1) * 8 / kind.word_bytes();
  std::vector<int> all;
  for (int lanes : {1, 2, 4, 8, 16}) {
    if (2 * lanes >= width && lanes <= 2 * width) all.push_back(lanes);
  }
  return all;
}

// The runs that fit items of a lane, the widest first.
tile::Tile with_runs(tile::Tile t, tile::NumberKind kind) {
  auto widest = [&](int item) {
    int run = 16 / kind.bytes();
    while (run > 1 && item % run) run /= 2;
    return std::max(run, 1);
  };
  t.row_run = t.lanes > 1 ? t.lanes : widest(t.item_rows);
  t.column_run = t.lanes > 1 ? 1 : widest(t.item_columns);
  return t;
}

tile::Tile vector_tile(tile::NumberKind kind, int rows, int columns, int group_rows, int group_columns, int depth,
                       const Mode& mode) {
  tile::Tile t{1, rows, columns, group_rows, group_columns, depth, mode.stages, mode.copies, mode.fetches_ahead};
  t.raster_rows = 8;
  return with_runs(t, kind);
}

std::vector<tile::Tile> gpu_seeds(const DeviceInfo& device, tile::NumberKind kind) {
  const Precision p = kind.precision;
  std::vector<tile::Tile> all;
  // The best of an H200.
  if (is_nvidia(device)) {
    auto add = [&](tile::Tile t, bool packs_all, int resident) {
      t.packs_all = packs_all;
      t.groups_per_unit = resident;
      all.push_back(t);
    };
    if (p == Precision::s) {
      add({1, 8, 8, 16, 16, 32, 3, tile::Copies::bulk, false, 4, 4, 8}, true, 0);
      add({1, 8, 8, 16, 16, 16, 4, tile::Copies::async, false, 4, 4, 8}, true, 0);
      add({1, 8, 16, 16, 8, 16, 4, tile::Copies::async, false, 4, 4, 8}, false, 0);
      add({1, 8, 8, 8, 16, 16, 3, tile::Copies::async, false, 4, 4, 8}, true, 4);
      add({1, 8, 8, 16, 16, 16, 4, tile::Copies::async, false, 4, 4, 8}, false, 0);
      add({1, 2, 2, 8, 8, 32, 3, tile::Copies::async, false, 2, 2, 1}, false, 0);
      add({1, 4, 4, 8, 8, 16, 4, tile::Copies::async, false, 4, 4, 4}, false, 0);
    } else if (p == Precision::d) {
      add({1, 32, 32, 4, 4, 8, 4, tile::Copies::async, true, 2, 1, 8, 4}, true, 0);
      add({1, 32, 32, 4, 4, 8, 4, tile::Copies::async, true, 2, 1, 8, 4}, false, 0);
      add({1, 16, 16, 2, 2, 16, 3, tile::Copies::async, true, 2, 1, 8, 4}, false, 0);
      add({1, 2, 2, 8, 8, 16, 4, tile::Copies::async, false, 1, 1, 1}, false, 0);
      add({1, 32, 32, 2, 2, 16, 3, tile::Copies::async, true, 2, 1, 8, 4}, false, 0);
    } else if (p == Precision::c) {
      add({1, 8, 4, 16, 16, 16, 2, tile::Copies::bulk, false, 2, 2, 8}, true, 1);
      add({1, 8, 4, 8, 16, 8, 4, tile::Copies::async, false, 2, 2, 8}, true, 3);
      add({1, 8, 4, 8, 16, 8, 4, tile::Copies::async, false, 2, 2, 8}, false, 0);
      add({1, 8, 8, 16, 16, 8, 4, tile::Copies::async, true, 2, 2, 8}, false, 0);
      add({1, 2, 1, 8, 16, 32, 3, tile::Copies::async, false, 2, 1, 1}, false, 0);
      add({1, 4, 4, 8, 8, 8, 4, tile::Copies::async, false, 2, 2, 4}, false, 0);
    } else if (p == Precision::z) {
      add({1, 32, 32, 2, 2, 8, 4, tile::Copies::async, true, 1, 1, 8, 4}, true, 0);
      add({1, 32, 32, 2, 2, 8, 4, tile::Copies::async, true, 1, 1, 8, 4}, false, 0);
      add({1, 16, 16, 4, 4, 8, 4, tile::Copies::async, true, 1, 1, 8, 4}, false, 0);
      add({1, 1, 1, 16, 16, 32, 2, tile::Copies::async, false, 1, 1, 1}, false, 0);
      add({1, 16, 16, 2, 2, 8, 4, tile::Copies::async, true, 1, 1, 8, 4}, false, 0);
    } else {
      tile::Tile t{1, 4, 5, 16, 8, 8, 2, tile::Copies::bulk, false, 1, 1, 8};
      t.local_chunks = t.by_operation = true;
      add(t, false, 3);
      add({1, 2, 4, 16, 8, 8, 4, tile::Copies::async, false, 1, 1, 8}, false, 5);
      add({1, 2, 4, 32, 8, 16, 2, tile::Copies::registers, false, 1, 1, 8}, false, 2);
      add({1, 2, 4, 32, 4, 8, 2, tile::Copies::registers, false, 1, 1, 8}, false, 4);
    }
  }
  const bool is_wide = kind.bytes() > 8;
  for (const Mode& mode : {modes[2], modes[1], modes[0]}) {
    const int depth = is_wide ? 8 : 16;
    all.push_back(vector_tile(kind, 4, 4, 16, 16, depth, mode));
    if (kind.bytes() < 8) all.push_back(vector_tile(kind, 8, 8, 16, 16, depth, mode));
    all.push_back(vector_tile(kind, is_wide ? 2 : 8, 4, 16, 16, depth, mode));
    all.push_back(vector_tile(kind, 2, 2, 16, 16, depth, mode));
    all.push_back(vector_tile(kind, 4, 4, 8, 8, depth, mode));
  }
  return all;
}

std::vector<tile::Tile> cpu_seeds(const DeviceInfo& device, tile::NumberKind kind) {
  std::vector<tile::Tile> all;
  const std::vector<int> widths = lanes_of(device, kind);
  for (auto lanes = widths.rbegin(); lanes != widths.rend(); ++lanes) {
    for (int columns : {8, 4}) {
      for (int vectors : {2, 3, 1}) {
        all.push_back(with_runs({*lanes, vectors * *lanes, columns, 1, 1, 4, 0}, kind));
      }
    }
  }
  all.push_back(vector_tile(kind, 4, 4, 1, 1, 8, modes[1]));
  return all;
}

}  // namespace

bool is_candidate(const tile::Tile& t, const DeviceInfo& device, const tile::TileKey& key) {
  const tile::NumberKind kind{key.precision};
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
    return t.group_items() == 1 && unrolled <= 768 && registers <= 64 && t.copies == tile::Copies::registers &&
           !t.has_matrix_unit() && !t.local_chunks;
  }
  if (t.lanes > 1 || t.group_items() < 32) return false;
  const bool is_async = t.copies != tile::Copies::registers;
  if ((is_async || t.has_matrix_unit()) && !is_nvidia(device)) return false;
  // Asynchronous copies take 16 bytes of a panel at a time.
  const int copy = std::max(16 / kind.bytes(), 1);
  if (is_async && (t.panel_rows() % copy || t.panel_columns() % copy)) return false;
  // NVIDIA's devices have more local memory than they say.
  const std::int64_t local =
      is_nvidia(device) ? std::max<std::int64_t>(device.local_memory, 227 << 10) : device.local_memory;
  return local_bytes(t, kind) <= local && words / (t.has_matrix_unit() ? 32 : 1) <= 128;
}

std::vector<tile::Tile> seed_tiles(const DeviceInfo& device, const tile::TileKey& key) {
  const tile::NumberKind kind{key.precision};
  std::vector<tile::Tile> all = default_tiles(device, key), chosen;
  for (const tile::Tile& t : is_cpu(device) ? cpu_seeds(device, kind) : gpu_seeds(device, kind)) all.push_back(t);
  auto add = [&](const tile::Tile& t) {
    if (is_candidate(t, device, key) && std::find(chosen.begin(), chosen.end(), t) == chosen.end()) chosen.push_back(t);
  };
  for (tile::Tile t : all) {
    // Small products rather in place, first.
    t.in_place = key.size != tile::SizeClass::large && t.stages > 0 && !kind.is_double_double();
    if (t.in_place) t.packs_all = false;
    add(t);
  }
  for (const tile::Tile& t : all) add(t);
  return chosen;
}

std::vector<tile::Tile> neighbours(const tile::Tile& tile, const DeviceInfo& device, const tile::TileKey& key) {
  const tile::NumberKind kind{key.precision};
  std::vector<tile::Tile> all;
  auto add = [&](const tile::Tile& t) {
    if (t == tile || !is_candidate(t, device, key)) return;
    if (std::find(all.begin(), all.end(), t) == all.end()) all.push_back(t);
  };
  // The same tile with one member from a list. Where the runs do not fit any more, the widest that do.
  auto vary = [&](int tile::Tile::*member, const std::vector<int>& values) {
    for (int value : values) {
      tile::Tile t = tile;
      t.*member = value;
      if (t.item_rows % t.row_run || t.item_columns % t.column_run) {
        t = t.has_matrix_unit() ? tile : with_runs(t, kind);
      }
      add(t);
    }
  };
  for (bool in_place : {false, true}) {
    for (bool packs_all : {false, true}) {
      tile::Tile t = tile;
      t.in_place = in_place, t.packs_all = packs_all;
      add(t);
    }
  }
  if (tile.has_matrix_unit()) {
    vary(&tile::Tile::item_rows, beside(warp_items, tile.item_rows));
    vary(&tile::Tile::item_columns, beside(warp_items, tile.item_columns));
    vary(&tile::Tile::group_rows, beside(warps, tile.group_rows));
    vary(&tile::Tile::group_columns, beside(warps, tile.group_columns));
    vary(&tile::Tile::unit_depth, beside(unit_depths, tile.unit_depth));
  } else if (is_cpu(device)) {
    for (int lanes : lanes_of(device, kind)) {
      tile::Tile t = tile;
      t.item_rows = std::max(tile.item_rows / lanes, 1) * lanes;
      t.lanes = lanes;
      if (lanes > 1 && t.stages > 0) t.stages = 0, t.in_place = false;
      add(with_runs(t, kind));
    }
    std::vector<int> rows, columns;
    for (int vectors = 1; vectors <= 4; ++vectors) rows.push_back(vectors * tile.lanes);
    for (int step : {1, -1, 2, -2, 4, -4}) columns.push_back(tile.item_columns + step);
    std::erase_if(columns, [](int n) { return n < 2 || n > 12; });
    vary(&tile::Tile::item_rows, rows);
    vary(&tile::Tile::item_columns, columns);
  } else {
    vary(&tile::Tile::item_rows, beside(items, tile.item_rows));
    vary(&tile::Tile::item_columns, beside(items, tile.item_columns));
    vary(&tile::Tile::group_rows, beside(groups, tile.group_rows));
    vary(&tile::Tile::group_columns, beside(groups, tile.group_columns));
    // The same panels by more work-items, or fewer.
    for (auto [item, group] : {std::pair(&tile::Tile::item_rows, &tile::Tile::group_rows),
                               std::pair(&tile::Tile::item_columns, &tile::Tile::group_columns)}) {
      tile::Tile more = tile, fewer = tile;
      fewer.*item *= 2, fewer.*group /= 2;
      if (tile.*group % 2 == 0) add(with_runs(fewer, kind));
      more.*item /= 2, more.*group *= 2;
      if (tile.*item % 2 == 0) add(with_runs(more, kind));
    }
  }
  for (const Mode& mode : modes) {
    tile::Tile t = tile;
    t.stages = mode.stages, t.copies = mode.copies, t.fetches_ahead = mode.fetches_ahead;
    if (t.stages == 0 || t.copies == tile::Copies::bulk) t.in_place = false;
    if (t.copies == tile::Copies::bulk) t.packs_all = !kind.is_double_double();
    add(t);
  }
  vary(&tile::Tile::depth, beside(depths, tile.depth));
  if (tile.lanes == 1 && !tile.has_matrix_unit()) {
    vary(&tile::Tile::row_run, beside(runs, tile.row_run));
    vary(&tile::Tile::column_run, beside(runs, tile.column_run));
  }
  for (bool tile::Tile::*member : {&tile::Tile::local_chunks, &tile::Tile::by_operation}) {
    tile::Tile t = tile;
    t.*member = !(t.*member);
    add(t);
  }
  vary(&tile::Tile::raster_rows, beside(rasters, tile.raster_rows));
  vary(&tile::Tile::groups_per_unit, beside(groups_per_unit, tile.groups_per_unit));
  return all;
}

}  // namespace hilo::tune
