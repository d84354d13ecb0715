#include "gemm/direct/opencl_tile.hpp"

#include <algorithm>
#include <array>

#include "gemm/direct/reference.hpp"

namespace hilo::direct {
namespace {

// lanes, item rows × columns, group rows × columns, depth, local stages, sum in global.
// GPUs: the best of bench/opencl_gemm_bench --sweep that fits the local memory; the first is an H200's.
constexpr std::array<OpenclTile, 3> gpu_tiles = {{
    {1, 2, 4, 32, 8, 16, 2, 0},
    {1, 4, 4, 16, 8, 8, 1, 0},
    {1, 2, 2, 8, 8, 4, 0, 0},
}};
// CPUs: a work-item is a register tile of 8 vectors, which hide each other's latency, by the vector width.
constexpr std::array<OpenclTile, 4> cpu_tiles = {{
    {8, 16, 4, 1, 1, 4, 0, 0},
    {4, 8, 4, 1, 1, 4, 0, 0},
    {2, 4, 4, 1, 1, 4, 0, 0},
    {1, 2, 4, 1, 1, 4, 0, 0},
}};
static_assert(std::all_of(gpu_tiles.begin(), gpu_tiles.end(), is_valid));
static_assert(std::all_of(cpu_tiles.begin(), cpu_tiles.end(), is_valid));

constexpr std::int64_t round_up(std::int64_t x, std::int64_t unit) { return (x + unit - 1) / unit * unit; }

}  // namespace

OpenclTile tile_for(const DeviceInfo& device) {
  if (device.type == DeviceType::cpu) {
    auto fits = [&](const OpenclTile& t) { return t.lanes <= std::max(device.vector_width, 1); };
    return *std::find_if(cpu_tiles.begin(), cpu_tiles.end(), fits);
  }
  auto fits = [&](const OpenclTile& t) { return t.local_bytes() <= device.local_memory; };
  return *std::find_if(gpu_tiles.begin(), gpu_tiles.end(), fits);
}

std::string to_string(const OpenclTile& t) {
  auto by = [](int x, int y) { return std::to_string(x) + "x" + std::to_string(y); };
  return "lanes " + std::to_string(t.lanes) + ", item " + by(t.item_rows, t.item_columns) + ", group " +
         by(t.group_rows, t.group_columns) + ", depth " + std::to_string(t.depth) + ", stages " +
         std::to_string(t.local_stages) + ", sum in " + (t.sum_in_global ? "global" : "registers");
}

std::string multiply_options(const OpenclTile& t, Accuracy accuracy, bool fma) {
  auto define = [](const char* name, int value) { return std::string(" -D") + name + "=" + std::to_string(value); };
  return define("HILO_LANES", t.lanes) + define("HILO_FMA", fma) + define("ITEM_ROWS", t.item_rows) +
         define("ITEM_COLUMNS", t.item_columns) + define("GROUP_ROWS", t.group_rows) +
         define("GROUP_COLUMNS", t.group_columns) + define("DEPTH", t.depth) + define("LOCAL_STAGES", t.local_stages) +
         define("SUM_IN_GLOBAL", t.sum_in_global) + define("RENORMALISE_EVERY", renormalisation_interval(accuracy));
}

OpenclBlocks block_product(const OpenclTile& tile, std::int64_t rows, std::int64_t columns, std::int64_t steps,
                           std::int64_t workspace) {
  constexpr std::int64_t element = sizeof(dd_real);
  const std::int64_t superchunks = std::max<std::int64_t>((steps + superchunk_steps - 1) / superchunk_steps, 1);
  OpenclBlocks b{};
  b.rows = round_up(rows, tile.panel_rows());
  b.columns = round_up(columns, tile.panel_columns());
  auto set_planes = [&](std::int64_t planes) {
    b.planes = planes;
    b.slices = (superchunks + planes - 1) / planes;
    b.depth = b.slices > 1 ? planes * superchunk_steps : round_up(steps, tile.depth);
    b.left_bytes = element * b.depth * b.rows;
    b.right_bytes = element * b.depth * b.columns;
    b.partial_bytes = element * planes * b.rows * b.columns;
    b.total_bytes = b.slices > 1 ? element * b.rows * b.columns : 0;
  };
  // First of all a size for which no product overflows.
  constexpr std::int64_t most = std::int64_t{1} << 24;
  b.rows = std::min(b.rows, round_up(most, tile.panel_rows()));
  b.columns = std::min(b.columns, round_up(most, tile.panel_columns()));
  set_planes(1);
  while (b.bytes() > workspace && (b.rows > tile.panel_rows() || b.columns > tile.panel_columns())) {
    bool halve_rows = b.columns <= tile.panel_columns() || (b.rows >= b.columns && b.rows > tile.panel_rows());
    if (halve_rows) {
      b.rows = round_up(b.rows / 2, tile.panel_rows());
    } else {
      b.columns = round_up(b.columns / 2, tile.panel_columns());
    }
    set_planes(1);
  }
  // Each further super-chunk of a slice takes a plane of sums and 4096 steps of the panels.
  std::int64_t plane_bytes = element * (b.rows * b.columns + superchunk_steps * (b.rows + b.columns));
  std::int64_t room = std::max<std::int64_t>(workspace - b.total_bytes, 0) / std::max<std::int64_t>(plane_bytes, 1);
  set_planes(std::clamp<std::int64_t>(room, 1, superchunks));
  return b;
}

std::int64_t default_workspace(const DeviceInfo& device) {
  return std::min({std::int64_t{1} << 30, device.global_memory / 4, device.max_allocation});
}

}  // namespace hilo::direct
