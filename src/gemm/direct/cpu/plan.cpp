#include "gemm/direct/cpu/plan.hpp"

#include <algorithm>
#include <string_view>

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

}  // namespace

std::int64_t CpuPlan::workspace() const {
  return geometry->workspace() * host::bytes_per_double * (is_by_batch ? threads : 1);
}

CpuPlan plan_product(GemmPlan& told, Fma fma, const GemmOptions& options) {
  using Way = CpuPlan::Way;
  const KernelSet& set = kernel_set(options.target);
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

}  // namespace hilo::direct
