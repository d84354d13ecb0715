#include "gemm/modular/opencl/plan.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include "gemm/modular/guarantee.hpp"
#include "gemm/modular/moduli.hpp"
#include "gemm/modular/opencl/scaling.hpp"

namespace hilo::modular {
namespace {

// What a device gives for residues where a caller names no bound: enough for n = 16384 in double-double on a large one.
std::int64_t default_workspace(const DeviceInfo& device) {
  return std::min(device.global_memory / 4, std::int64_t{40} << 30);
}

// Sizes that the kernels' 32-bit indices hold.
void check_sizes(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 4096;
  for (auto [size_name, x] : {std::pair{"m", m}, {"n", n}, {"k", k}}) {
    if (x > most) {
      throw error(errc::unsupported, std::string("gemm: ") + size_name + " = " + std::to_string(x) +
                                         " is more than the modular engine takes on backend opencl, which is " +
                                         std::to_string(most));
    }
  }
  constexpr std::int64_t most_lines = (std::int64_t{1} << 30) - 1;
  if (m + n > most_lines) {
    throw error(errc::unsupported, "gemm: m + n = " + std::to_string(m + n) +
                                       " is more than the modular engine takes on backend opencl, which is " +
                                       std::to_string(most_lines));
  }
}

}  // namespace

DevicePanelProblem DevicePlan::problem_of(int count) const {
  DevicePanelProblem p = problem;
  p.moduli = count;
  return p;
}

DevicePanels DevicePlan::panels_of(int count) const {
  return count == problem.moduli ? panels : choose_device_panels(problem_of(count), workspace, buffer, depth);
}

DevicePlan plan_product(GemmPlan& told, const DeviceInfo& device, ByteUnit unit, const DeviceProduct& x,
                        const GemmOptions& options, int most_moduli) {
  check_sizes(x.m(), x.n(), x.k());
  plan_bits(told, options);
  std::snprintf(told.unit, sizeof told.unit, "%s, %s", device.name.c_str(), std::string(name(unit)).c_str());
  const ElementKind kind(x.precision);
  const std::int64_t m = std::max<std::int64_t>(x.m(), 1), n = std::max<std::int64_t>(x.n(), 1),
                     k = std::max<std::int64_t>(x.k(), 1);
  const bool is_transposed = x.c.row_stride < x.c.column_stride;
  const std::int64_t rows = is_transposed ? n : m, columns = is_transposed ? m : n;
  const ByteTile tile = byte_tile(unit, rows, columns);
  DevicePlan plan{options.accuracy,
                  options.bits,
                  told.fma,
                  most_moduli,
                  options.workspace_bytes != 0,
                  options.workspace_bytes ? options.workspace_bytes : default_workspace(device),
                  device.max_allocation,
                  options.depth ? options.depth : max_device_depth,
                  is_transposed,
                  unit,
                  {rows, columns, k, max_moduli, kind.products(), tile, edge_tile(unit, tile, columns)},
                  {}};
  const std::int64_t of_scaling = scaling_bytes(options.accuracy, kind, m, n, k);
  if (plan.is_bounded) {
    const std::int64_t of_panels = choose_device_panels(plan.problem, 0, 0, plan.depth).bytes(plan.problem);
    const std::int64_t least = std::max(of_panels, of_scaling);
    if (least > plan.workspace) {
      throw error(errc::invalid_argument, "gemm: options.workspace_bytes = " + std::to_string(plan.workspace) +
                                              " is less than " + std::to_string(least) +
                                              ", the least for this product on " + device.name);
    }
  }
  plan.problem.moduli = std::max(told.moduli, 1);
  plan.panels = choose_device_panels(plan.problem, plan.workspace, plan.buffer, plan.depth);
  told.tile_rows = is_transposed ? plan.panels.all_columns() : plan.panels.rows;
  told.tile_columns = is_transposed ? plan.panels.rows : plan.panels.all_columns();
  told.depth = plan.panels.depth;
  told.workspace_bytes = std::max(plan.panels.bytes(plan.problem), of_scaling);
  return plan;
}

}  // namespace hilo::modular
