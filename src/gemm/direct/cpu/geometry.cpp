#include "gemm/direct/cpu/geometry.hpp"

#include <limits>
#include <utility>

namespace hilo::direct {
namespace {

// Lines of either operand that are packed at a time: with 4096 steps of 16 bytes, at most 128 MiB each.
constexpr std::int64_t outer_lines = 2048;
// A task's sums (16 bytes an entry) and its slices of both panels for one chunk share a second-level cache of 1 MiB.
constexpr std::int64_t task_lines = 128;
// The most rows or columns that a caller's tile gives a task: its sums then take 256 MiB (ZDD 512 MiB).
constexpr std::int64_t most_tile_lines = 4096;
// An entry's cost by the shape of its tile, measured on AVX-512 and AVX2.
constexpr double shape_cost[tile_shapes] = {1.0, 1.2, 1.5};

}  // namespace

Geometry geometry_of(const GemmPlan& plan, const KernelSet& set, int threads) {
  std::int64_t parts = plan.precision == Precision::zdd ? 2 : 1;
  // Nothing bounds the other sizes of an empty product.
  bool is_empty = plan.m == 0 || plan.n == 0;
  std::int64_t rows = is_empty ? 0 : plan.m, columns = is_empty ? 0 : plan.n * parts;
  Geometry g{};
  g.steps = is_empty ? 0 : plan.k * parts;
  // Vectors along the contiguous direction of C, and the wide tile, unless that computes more entries for nothing.
  auto accuracy = static_cast<std::size_t>(plan.accuracy);
  double least_cost = std::numeric_limits<double>::infinity();
  for (int shape = 0; shape < tile_shapes; ++shape) {
    const TileKernel& kernel = plan.fma ? set.fma[accuracy][shape] : set.split[accuracy][shape];
    for (int turn = 0; turn < 2; ++turn) {
      bool swapped = (turn == 1) != (plan.layout == Layout::row);
      double vectors = static_cast<double>(round_up(swapped ? columns : rows, kernel.vector_width));
      double scalars = static_cast<double>(round_up(swapped ? rows : columns, kernel.scalar_width));
      double cost = vectors * scalars * shape_cost[shape];
      if (cost >= least_cost) continue;
      least_cost = cost;
      g.kernel = &kernel;
      g.swapped = swapped;
    }
  }
  g.width[0] = g.kernel->vector_width;
  g.width[1] = g.kernel->scalar_width;
  g.lines[0] = g.swapped ? columns : rows;
  g.lines[1] = g.swapped ? rows : columns;
  std::int64_t asked[2] = {std::min(plan.tile_rows, most_tile_lines),
                           std::min(plan.tile_columns, most_tile_lines) * parts};
  if (g.swapped) std::swap(asked[0], asked[1]);
  g.threads = threads;
  for (int i = 0; i < 2; ++i) {
    std::int64_t least = std::max<std::int64_t>(g.lines[i], 1);
    g.task[i] = round_up(asked[i] ? std::min(asked[i], least) : std::min(task_lines, least), g.width[i]);
  }
  // Enough tasks for the threads, if the matrix has them.
  for (int i = 1; i >= 0 && !asked[0] && !asked[1]; --i) {
    while (g.task[i] > 2 * g.width[i] &&
           blocks(g.lines[0], g.task[0]) * blocks(g.lines[1], g.task[1]) < 3 * static_cast<std::int64_t>(threads)) {
      g.task[i] = round_up(g.task[i] / 2, g.width[i]);
    }
  }
  for (int i = 0; i < 2; ++i) {
    const bool is_one = g.lines[i] <= g.task[i];
    g.outer[i] = is_one ? g.task[i] : std::max(g.task[i], outer_lines / g.task[i] * g.task[i]);
  }
  // Few tasks and long sums: threads share out super-chunks, which are added in order afterwards.
  std::int64_t count = blocks(g.lines[0], g.task[0]) * blocks(g.lines[1], g.task[1]);
  const std::int64_t supers = g.superchunks();
  g.group = supers <= 1 ? 1 : std::clamp<std::int64_t>(threads / std::max<std::int64_t>(count, 1), 1, supers);
  return g;
}

}  // namespace hilo::direct
