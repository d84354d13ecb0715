#include "gemm/modular/cpu/plan.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include "gemm/modular/cpu/bytes.hpp"
#include "gemm/modular/guarantee.hpp"
#include "gemm/modular/moduli.hpp"
#include "host/team.hpp"
#include "matrix/arguments.hpp"

namespace hilo::modular {
namespace {

static_assert(most_depth == max_byte_depth);

std::int64_t workspace_bound(const GemmPlan& told, const GemmOptions& options) {
  if (options.workspace_bytes) return options.workspace_bytes;
  // In double, as the three together may not fit an integer.
  double elements = static_cast<double>(told.m) * static_cast<double>(told.k) +
                    static_cast<double>(told.k) * static_cast<double>(told.n) +
                    static_cast<double>(told.m) * static_cast<double>(told.n);
  double bytes = std::min(elements * static_cast<double>(element_bytes(told.precision)), 0x1p60);
  return default_workspace(static_cast<std::int64_t>(bytes));
}

int threads_for(const GemmPlan& told, const GemmOptions& options) {
  // Less than a team's start is worth.
  constexpr double serial_steps = 48.0 * 48 * 48;
  double steps = static_cast<double>(told.m) * static_cast<double>(told.n) * static_cast<double>(told.k);
  if (steps < serial_steps) return 1;
  return options.threads ? options.threads : host::default_threads();
}

}  // namespace

CpuPlan plan_product(GemmPlan& told, const GemmOptions& options, int most_moduli, SmallWorkspace small) {
  const KernelSet& set = kernel_set(options.target);
  Int8Library library = int8_library(options.int8_library);
  std::snprintf(told.unit, sizeof told.unit, "%s, %s", std::string(set.target).c_str(),
                int8_library_name(library).c_str());
  told.threads = threads_for(told, options);
  plan_bits(told, options);
  // The problem as it may be at worst: whatever the entries ask for has to fit.
  bool row_major = told.layout == Layout::row;
  std::int64_t rows = std::max<std::int64_t>(told.m, 1), columns = std::max<std::int64_t>(told.n, 1);
  PanelProblem problem{{row_major ? rows : columns, row_major ? columns : rows},
                       {false, true},
                       std::max<std::int64_t>(told.k, 1),
                       max_moduli,
                       is_complex(told.precision) ? 2 : 1,
                       told.threads,
                       packs_bytes(library),
                       options.levels};
  CpuPlan plan{options,
               most_moduli,
               &set,
               library,
               told.threads,
               workspace_bound(told, options),
               options.depth ? options.depth : max_byte_depth,
               problem,
               {}};
  if (options.workspace_bytes) {
    std::int64_t least = choose_panels(problem, 0, plan.depth).bytes(problem);
    if (small == SmallWorkspace::raised) {
      plan.workspace = std::max(plan.workspace, least);
    } else if (least > plan.workspace) {
      throw error(errc::invalid_argument, "gemm: options.workspace_bytes = " + std::to_string(plan.workspace) +
                                              " is less than " + std::to_string(least) +
                                              ", the least for this product");
    }
  }
  // The caller's text may end before the plan does.
  plan.options.target = set.target;
  plan.problem.moduli = std::max(told.moduli, 1);
  plan.panels = choose_panels(plan.problem, plan.workspace, plan.depth);
  told.tile_rows = plan.panels.lines[row_major ? 0 : 1];
  told.tile_columns = plan.panels.lines[row_major ? 1 : 0];
  told.depth = plan.panels.depth;
  told.levels = plan.panels.levels;
  told.workspace_bytes = plan.panels.bytes(plan.problem);
  return plan;
}

}  // namespace hilo::modular
