#include "gemm/direct/cpu/plan.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "host/team.hpp"
#include "host/workspace.hpp"

namespace hilo::direct {
namespace {

// Below this many steps in all, waking threads costs more than they save.
constexpr double serial_steps = 96.0 * 96.0 * 96.0;
double steps_of(const GemmPlan& plan) {
  return static_cast<double>(plan.m) * static_cast<double>(plan.n) * static_cast<double>(plan.k);
}

bool is_by_batch(const GemmPlan& plan) {
  bool keeps_threads_busy = plan.batch >= 4 * static_cast<std::int64_t>(plan.threads);
  return plan.batch > 1 && steps_of(plan) < (keeps_threads_busy ? 8.0 : 1.0) * serial_steps;
}

bool is_small(const GemmPlan& plan) {
  constexpr std::int64_t most = SmallProduct::most_lines;
  return plan.precision == Precision::dd && plan.batch == 1 && plan.m <= most && plan.n <= most &&
         plan.k <= SmallProduct::most_steps;
}

void set_unit(GemmPlan& plan, std::string_view unit) {
  auto last = std::copy_n(unit.begin(), std::min(unit.size(), sizeof plan.unit - 1), plan.unit);
  *last = '\0';
}

// Lines of either operand that are packed at a time: with 4096 steps of 16 bytes, at most 128 MiB each.
constexpr std::int64_t outer_lines = 2048;
// A task's sums (16 bytes an entry) and its slices of both panels for one chunk share a second-level cache of 1 MiB.
constexpr std::int64_t task_lines = 128;
// The most rows or columns that a caller's tile gives a task: its sums then take 256 MiB (ZDD 512 MiB).
constexpr std::int64_t most_tile_lines = 4096;
// An entry's cost by the shape of its tile, measured on AVX-512 and AVX2.
constexpr double shape_cost[tile_shapes] = {1.0, 1.2, 1.5};

// Of one product, or of each of a batch; plan.tile_rows and tile_columns bound what a task computes, 0 for none.
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

}  // namespace

std::int64_t CpuPlan::workspace() const {
  return geometry->workspace() * host::bytes_per_double * (is_by_batch ? threads : 1);
}

CpuPlan plan_product(GemmPlan& told, const GemmOptions& options) {
  using Way = CpuPlan::Way;
  const KernelSet& set = kernel_set(options.target);
  const Fma fma = options.engine == Engine::reproducible ? Fma::on : options.fma;
  told.fma = fma == Fma::automatic ? set.has_fma : fma == Fma::on;
  told.depth = std::min(told.k, superchunk_steps);
  told.threads = options.threads ? options.threads : host::default_threads();
  if (told.fma && !set.has_fma) {
    set_unit(told, "scalar reference");
    told.threads = 1;
    return {&set, told.accuracy, told.fma, Way::reference, false, 1, {}};
  }
  set_unit(told, set.target);
  if (steps_of(told) * static_cast<double>(told.batch) < serial_steps) told.threads = 1;
  if (is_small(told)) {
    told.micro_rows = set.lanes;
    told.micro_columns = KernelSet::small_columns;
    told.tile_rows = told.m;
    told.tile_columns = told.n;
    return {&set, told.accuracy, told.fma, Way::small, false, 1, {}};
  }
  told.tile_rows = options.tile_rows;
  told.tile_columns = options.tile_columns;
  const bool by_batch = is_by_batch(told);
  const Geometry g = geometry_of(told, set, by_batch ? 1 : told.threads);
  CpuPlan plan{&set, told.accuracy, told.fma, Way::tiled, by_batch, told.threads, std::make_shared<const Geometry>(g)};
  const std::int64_t parts = precisions::parts(told.precision);
  const int row = g.swapped ? 1 : 0;
  told.micro_rows = g.width[row];
  told.micro_columns = g.width[1 - row];
  told.tile_rows = g.task[row];
  told.tile_columns = blocks(g.task[1 - row], parts);
  told.workspace_bytes = plan.workspace();
  return plan;
}

Geometry geometry_of_small(const CpuPlan& plan, const Product<dd_real>& x) {
  GemmPlan told{};
  told.precision = Precision::dd;
  told.layout = x.c.row_stride <= x.c.column_stride ? Layout::column : Layout::row;
  told.m = x.m();
  told.n = x.n();
  told.k = x.k();
  told.accuracy = plan.accuracy;
  told.fma = plan.fma;
  return geometry_of(told, *plan.set, plan.threads);
}

}  // namespace hilo::direct
