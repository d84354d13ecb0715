#include "gemm/direct/tuner_candidates.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

namespace hilo::direct {
namespace {

bool is_cpu(const DeviceInfo& device) { return device.type == DeviceType::cpu; }
bool is_nvidia(const DeviceInfo& device) { return device.vendor.find("NVIDIA") != std::string_view::npos; }

// How tiles come to local memory.
struct Mode {
  int stages;
  Copies copies;
  bool fetches_ahead;
};
constexpr std::array<Mode, 12> modes = {{{0, Copies::registers, false},
                                         {1, Copies::registers, false},
                                         {2, Copies::registers, false},
                                         {2, Copies::async, false},
                                         {3, Copies::async, false},
                                         {4, Copies::async, false},
                                         {2, Copies::async, true},
                                         {3, Copies::async, true},
                                         {4, Copies::async, true},
                                         {5, Copies::async, true},
                                         {2, Copies::bulk, false},
                                         {3, Copies::bulk, false}}};
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
std::vector<int> lanes_of(const DeviceInfo& device, NumberKind kind) {
  const int width = std::max(device.vector_width, 1) * 8 / kind.word_bytes();
  std::vector<int> all;
  for (int lanes : {1, 2, 4, 8, 16}) {
    if (2 * lanes >= width && lanes <= 2 * width) all.push_back(lanes);
  }
  return all;
}

// The runs that fit items of a lane, the widest first.
OpenclTile with_runs(OpenclTile t, NumberKind kind) {
  auto widest = [&](int item) {
    int run = 16 / kind.bytes();
    while (run > 1 && item % run) run /= 2;
    return std::max(run, 1);
  };
  t.row_run = t.lanes > 1 ? t.lanes : widest(t.item_rows);
  t.column_run = t.lanes > 1 ? 1 : widest(t.item_columns);
  return t;
}

OpenclTile vector_tile(NumberKind kind, int rows, int columns, int group_rows, int group_columns, int depth,
                       const Mode& mode) {
  OpenclTile t{1, rows, columns, group_rows, group_columns, depth, mode.stages, mode.copies, mode.fetches_ahead};
  t.raster_rows = 8;
  return with_runs(t, kind);
}

std::vector<OpenclTile> gpu_seeds(const DeviceInfo& device, NumberKind kind) {
  const Precision p = kind.precision;
  std::vector<OpenclTile> all;
  // The best of an H200.
  if (is_nvidia(device)) {
    auto add = [&](OpenclTile t, bool packs_all, int resident) {
      t.packs_all = packs_all;
      t.groups_per_unit = resident;
      all.push_back(t);
    };
    if (p == Precision::s) {
      add({1, 8, 8, 16, 16, 32, 3, Copies::bulk, false, 4, 4, 8}, true, 0);
      add({1, 8, 8, 16, 16, 16, 4, Copies::async, false, 4, 4, 8}, true, 0);
      add({1, 8, 16, 16, 8, 16, 4, Copies::async, false, 4, 4, 8}, false, 0);
      add({1, 8, 8, 8, 16, 16, 3, Copies::async, false, 4, 4, 8}, true, 4);
      add({1, 8, 8, 16, 16, 16, 4, Copies::async, false, 4, 4, 8}, false, 0);
      add({1, 2, 2, 8, 8, 32, 3, Copies::async, false, 2, 2, 1}, false, 0);
      add({1, 4, 4, 8, 8, 16, 4, Copies::async, false, 4, 4, 4}, false, 0);
    } else if (p == Precision::d) {
      add({1, 32, 32, 4, 4, 8, 4, Copies::async, true, 2, 1, 8, 4}, true, 0);
      add({1, 32, 32, 4, 4, 8, 4, Copies::async, true, 2, 1, 8, 4}, false, 0);
      add({1, 16, 16, 2, 2, 16, 3, Copies::async, true, 2, 1, 8, 4}, false, 0);
      add({1, 2, 2, 8, 8, 16, 4, Copies::async, false, 1, 1, 1}, false, 0);
      add({1, 32, 32, 2, 2, 16, 3, Copies::async, true, 2, 1, 8, 4}, false, 0);
    } else if (p == Precision::c) {
      add({1, 8, 4, 16, 16, 16, 2, Copies::bulk, false, 2, 2, 8}, true, 1);
      add({1, 8, 4, 8, 16, 8, 4, Copies::async, false, 2, 2, 8}, true, 3);
      add({1, 8, 4, 8, 16, 8, 4, Copies::async, false, 2, 2, 8}, false, 0);
      add({1, 8, 8, 16, 16, 8, 4, Copies::async, true, 2, 2, 8}, false, 0);
      add({1, 2, 1, 8, 16, 32, 3, Copies::async, false, 2, 1, 1}, false, 0);
      add({1, 4, 4, 8, 8, 8, 4, Copies::async, false, 2, 2, 4}, false, 0);
    } else if (p == Precision::z) {
      add({1, 32, 32, 2, 2, 8, 4, Copies::async, true, 1, 1, 8, 4}, true, 0);
      add({1, 32, 32, 2, 2, 8, 4, Copies::async, true, 1, 1, 8, 4}, false, 0);
      add({1, 16, 16, 4, 4, 8, 4, Copies::async, true, 1, 1, 8, 4}, false, 0);
      add({1, 1, 1, 16, 16, 32, 2, Copies::async, false, 1, 1, 1}, false, 0);
      add({1, 16, 16, 2, 2, 8, 4, Copies::async, true, 1, 1, 8, 4}, false, 0);
    } else {
      OpenclTile t{1, 4, 5, 16, 8, 8, 2, Copies::bulk, false, 1, 1, 8};
      t.local_chunks = t.by_operation = true;
      add(t, false, 3);
      add({1, 2, 4, 16, 8, 8, 4, Copies::async, false, 1, 1, 8}, false, 5);
      add({1, 2, 4, 32, 8, 16, 2, Copies::registers, false, 1, 1, 8}, false, 2);
      add({1, 2, 4, 32, 4, 8, 2, Copies::registers, false, 1, 1, 8}, false, 4);
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

std::vector<OpenclTile> cpu_seeds(const DeviceInfo& device, NumberKind kind) {
  std::vector<OpenclTile> all;
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

bool is_candidate(const OpenclTile& t, const DeviceInfo& device, const TileKey& key) {
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

std::vector<OpenclTile> seed_tiles(const DeviceInfo& device, const TileKey& key) {
  const NumberKind kind{key.precision};
  std::vector<OpenclTile> all = default_tiles(device, key), chosen;
  for (const OpenclTile& t : is_cpu(device) ? cpu_seeds(device, kind) : gpu_seeds(device, kind)) all.push_back(t);
  auto add = [&](const OpenclTile& t) {
    if (is_candidate(t, device, key) && std::find(chosen.begin(), chosen.end(), t) == chosen.end()) chosen.push_back(t);
  };
  for (OpenclTile t : all) {
    // Small products rather in place, first.
    t.in_place = key.size != SizeClass::large && t.stages > 0 && !kind.is_double_double();
    if (t.in_place) t.packs_all = false;
    add(t);
  }
  for (const OpenclTile& t : all) add(t);
  return chosen;
}

std::vector<OpenclTile> neighbours(const OpenclTile& tile, const DeviceInfo& device, const TileKey& key) {
  const NumberKind kind{key.precision};
  std::vector<OpenclTile> all;
  auto add = [&](const OpenclTile& t) {
    if (t == tile || !is_candidate(t, device, key)) return;
    if (std::find(all.begin(), all.end(), t) == all.end()) all.push_back(t);
  };
  // The same tile with one member from a list. Where the runs do not fit any more, the widest that do.
  auto vary = [&](int OpenclTile::*member, const std::vector<int>& values) {
    for (int value : values) {
      OpenclTile t = tile;
      t.*member = value;
      if (t.item_rows % t.row_run || t.item_columns % t.column_run) {
        t = t.has_matrix_unit() ? tile : with_runs(t, kind);
      }
      add(t);
    }
  };
  for (bool in_place : {false, true}) {
    for (bool packs_all : {false, true}) {
      OpenclTile t = tile;
      t.in_place = in_place, t.packs_all = packs_all;
      add(t);
    }
  }
  if (tile.has_matrix_unit()) {
    vary(&OpenclTile::item_rows, beside(warp_items, tile.item_rows));
    vary(&OpenclTile::item_columns, beside(warp_items, tile.item_columns));
    vary(&OpenclTile::group_rows, beside(warps, tile.group_rows));
    vary(&OpenclTile::group_columns, beside(warps, tile.group_columns));
    vary(&OpenclTile::unit_depth, beside(unit_depths, tile.unit_depth));
  } else if (is_cpu(device)) {
    for (int lanes : lanes_of(device, kind)) {
      OpenclTile t = tile;
      t.item_rows = std::max(tile.item_rows / lanes, 1) * lanes;
      t.lanes = lanes;
      if (lanes > 1 && t.stages > 0) t.stages = 0, t.in_place = false;
      add(with_runs(t, kind));
    }
    std::vector<int> rows, columns;
    for (int vectors = 1; vectors <= 4; ++vectors) rows.push_back(vectors * tile.lanes);
    for (int step : {1, -1, 2, -2, 4, -4}) columns.push_back(tile.item_columns + step);
    std::erase_if(columns, [](int n) { return n < 2 || n > 12; });
    vary(&OpenclTile::item_rows, rows);
    vary(&OpenclTile::item_columns, columns);
  } else {
    vary(&OpenclTile::item_rows, beside(items, tile.item_rows));
    vary(&OpenclTile::item_columns, beside(items, tile.item_columns));
    vary(&OpenclTile::group_rows, beside(groups, tile.group_rows));
    vary(&OpenclTile::group_columns, beside(groups, tile.group_columns));
    // The same panels by more work-items, or fewer.
    for (auto [item, group] : {std::pair(&OpenclTile::item_rows, &OpenclTile::group_rows),
                               std::pair(&OpenclTile::item_columns, &OpenclTile::group_columns)}) {
      OpenclTile more = tile, fewer = tile;
      fewer.*item *= 2, fewer.*group /= 2;
      if (tile.*group % 2 == 0) add(with_runs(fewer, kind));
      more.*item /= 2, more.*group *= 2;
      if (tile.*item % 2 == 0) add(with_runs(more, kind));
    }
  }
  for (const Mode& mode : modes) {
    OpenclTile t = tile;
    t.stages = mode.stages, t.copies = mode.copies, t.fetches_ahead = mode.fetches_ahead;
    if (t.stages == 0 || t.copies == Copies::bulk) t.in_place = false;
    if (t.copies == Copies::bulk) t.packs_all = !kind.is_double_double();
    add(t);
  }
  vary(&OpenclTile::depth, beside(depths, tile.depth));
  if (tile.lanes == 1 && !tile.has_matrix_unit()) {
    vary(&OpenclTile::row_run, beside(runs, tile.row_run));
    vary(&OpenclTile::column_run, beside(runs, tile.column_run));
  }
  for (bool OpenclTile::*member : {&OpenclTile::local_chunks, &OpenclTile::by_operation}) {
    OpenclTile t = tile;
    t.*member = !(t.*member);
    add(t);
  }
  vary(&OpenclTile::raster_rows, beside(rasters, tile.raster_rows));
  vary(&OpenclTile::groups_per_unit, beside(groups_per_unit, tile.groups_per_unit));
  return all;
}

}  // namespace hilo::direct
