#include "gemm/modular/opencl/plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "gemm/modular/guarantee.hpp"
#include "gemm/modular/moduli.hpp"
#include "gemm/modular/opencl/scaling.hpp"
#include "matrix/sizes.hpp"

namespace hilo::modular {
namespace {

// What a device gives for residues where a caller names no bound: where that is not there, execute() takes less. Beside
// it the context keeps what is found of operands before.
std::int64_t default_workspace(const DeviceInfo& device) {
  const std::int64_t all = device.global_memory;
  return opencl::has_own_memory(device) ? all / 16 * 9 : std::min(all / 4, std::int64_t{40} << 30);
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

std::int64_t halved(std::int64_t x, std::int64_t unit) { return round_up(x / 2, unit); }

}  // namespace

DevicePanels choose_device_panels(const DevicePanelProblem& p, std::int64_t bytes, std::int64_t buffer_bytes,
                                  std::int64_t most_depth) {
  const ByteTile& tile = p.tile;
  const std::int64_t deepest =
      std::max<std::int64_t>(std::min(most_depth, max_device_depth) / tile.depth, 1) * tile.depth;
  DevicePanels x{round_up(p.rows, tile.rows), round_up(p.main_columns(), tile.columns),
                 round_up(p.edge_columns(), p.edge.columns), std::min(round_up(p.terms, tile.depth), deepest),
                 p.moduli};
  auto fits = [&] {
    return x.bytes(p) <= bytes &&
           std::max(x.operand_bytes(p, std::max(x.rows, x.columns)), x.result_bytes(p, x.columns)) <= buffer_bytes;
  };
  while (!fits()) {
    // The product's residues stay for all moduli. Operands' are found again for each chunk and panel, which costs
    // least for chunks of moduli.
    const bool is_result = x.result_bytes(p, x.all_columns()) > std::min(bytes / 2, buffer_bytes);
    const bool has_lines = x.rows > tile.rows || x.columns > tile.columns;
    if (!is_result && x.chunk > std::max(p.moduli / 8, 1)) {
      x.chunk = (x.chunk + 1) / 2;
    } else if (!is_result && x.depth > std::max<std::int64_t>(4096, tile.depth)) {
      x.depth = halved(x.depth, tile.depth);
    } else if (has_lines) {
      const bool cuts_columns = x.columns > tile.columns && (x.columns >= x.rows || x.rows == tile.rows);
      if (cuts_columns) {
        x.columns = halved(x.columns, tile.columns);
      } else {
        x.rows = halved(x.rows, tile.rows);
      }
    } else if (x.chunk > 1) {
      x.chunk = (x.chunk + 1) / 2;
    } else if (x.depth > tile.depth) {
      x.depth = halved(x.depth, tile.depth);
    } else {
      break;
    }
  }
  return x;
}

namespace {

std::int64_t block_of(std::int64_t lines, int levels, std::int64_t unit) {
  return round_up(blocks(lines, block_grid(levels)), unit);
}

}  // namespace

bool has_blocks(const DevicePanelProblem& p, int levels, std::int64_t most_depth) {
  const auto has_all = [&](std::int64_t lines, std::int64_t unit) {
    return lines > (block_grid(levels) - 1) * block_of(lines, levels, unit);
  };
  return has_all(p.rows, p.tile.rows) && has_all(p.columns, p.tile.columns) && has_all(p.terms, p.tile.depth) &&
         most_steps_on * block_of(p.terms, levels, p.tile.depth) <= max_device_depth && p.terms <= most_depth;
}

std::optional<DevicePanels> choose_device_blocks(const DevicePanelProblem& p, int levels, std::int64_t bytes,
                                                 std::int64_t buffer_bytes, std::int64_t most_depth) {
  if (!has_blocks(p, levels, most_depth)) return std::nullopt;
  const auto padded = [&](std::int64_t lines, std::int64_t unit) {
    return block_grid(levels) * block_of(lines, levels, unit);
  };
  DevicePanels x{padded(p.rows, p.tile.rows),
                 padded(p.columns, p.tile.columns),
                 0,
                 padded(p.terms, p.tile.depth),
                 p.moduli,
                 levels};
  auto fits = [&] {
    return x.bytes(p) <= bytes &&
           std::max(x.operand_bytes(p, std::max(x.rows, x.columns)), x.result_bytes(p, x.columns)) <= buffer_bytes;
  };
  // As few chunks as possible, and alike.
  for (int chunks = 2; !fits(); ++chunks) {
    if (chunks > std::min(p.moduli, 8)) return std::nullopt;
    x.chunk = (p.moduli + chunks - 1) / chunks;
  }
  return x;
}

BlockCosts block_costs(int levels, bool is_complex) {
  // Of an H200, 1400 TOPS and 3.8 TB/s, where there are many terms.
  constexpr double stored[] = {0.0, 520.0, 3360.0}, moved[][2] = {{0.0, 0.0}, {1.0, 1.9}, {2.7, 5.0}};
  return {stored[levels], moved[levels][is_complex ? 1 : 0]};
}

namespace {

// Operations that products of blocks save, less those that take as long as sums of blocks: negative where a product as
// a whole is faster.
double gain_of(const DevicePanelProblem& p, const DevicePanels& x) {
  constexpr double operations_a_byte = 370.0, element_bytes = 16.0;
  const BlockCosts costs = block_costs(x.levels, p.is_complex);
  const double whole = 2.0 * static_cast<double>(round_up(p.rows, p.tile.rows)) *
                       static_cast<double>(round_up(p.columns, p.tile.columns)) *
                       static_cast<double>(round_up(p.terms, p.tile.depth));
  const double entries = static_cast<double>(x.rows) * static_cast<double>(x.columns);
  const double all = 2.0 * entries * static_cast<double>(x.depth);
  const double saved = whole - all * std::pow(7.0 / 8.0, x.levels) - entries * costs.stored;
  // Each chunk of moduli but the first reads the operands once more.
  const int chunks = (p.moduli + x.chunk - 1) / x.chunk;
  const double read_again = element_bytes * (chunks - 1) / p.moduli;
  const double elements = static_cast<double>(x.rows + x.columns) * static_cast<double>(x.depth);
  return saved - operations_a_byte * elements * (costs.moved + read_again);
}

}  // namespace

DevicePanelProblem DevicePlan::problem_of(int count, int of_levels) const {
  DevicePanelProblem p = problem;
  p.moduli = count;
  if (of_levels > 0) p.edge = p.tile;
  return p;
}

DevicePanels DevicePlan::panels_of(int count, bool may_have_blocks) const {
  const DevicePanelProblem p = problem_of(count, 0);
  std::optional<DevicePanels> best;
  double most = 0.0;
  // Units other than wgmma have not been measured.
  for (int l = may_have_blocks ? levels_at_most() : 0; l > 0; --l) {
    const auto blocks = choose_device_blocks(p, l, workspace, buffer, depth);
    if (!blocks) continue;
    if (levels > 0) return *blocks;
    if (const double gain = gain_of(p, *blocks); gain > most) {
      most = gain;
      best = blocks;
    }
  }
  return best ? *best : choose_device_panels(p, workspace, buffer, depth);
}

DevicePlan plan_product(GemmPlan& told, const DeviceInfo& device, ByteUnit unit, const DeviceProduct& x,
                        const GemmOptions& options, int most_moduli, SmallWorkspace small) {
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
                  x.triangle || x.triangle_of_a ? 0 : options.levels,
                  false,
                  {rows, columns, k, max_moduli, kind.is_complex(), tile, edge_tile(unit, tile, columns)},
                  {}};
  const std::int64_t of_scaling = scaling_bytes(options.accuracy, kind, m, n, k);
  if (plan.is_bounded) {
    const std::int64_t of_panels = choose_device_panels(plan.problem, 0, 0, plan.depth).bytes(plan.problem);
    const std::int64_t least = std::max(of_panels, of_scaling);
    if (small == SmallWorkspace::raised) {
      plan.workspace = std::max(plan.workspace, least);
    } else if (least > plan.workspace) {
      throw error(errc::invalid_argument, "gemm: options.workspace_bytes = " + std::to_string(plan.workspace) +
                                              " is less than " + std::to_string(least) +
                                              ", the least for this product on " + device.name);
    }
  }
  plan.problem.moduli = std::max(told.moduli, 1);
  plan.panels = plan.panels_of(plan.problem.moduli, true);
  told.levels = plan.panels.levels;
  told.tile_rows = is_transposed ? plan.panels.all_columns() : plan.panels.rows;
  told.tile_columns = is_transposed ? plan.panels.rows : plan.panels.all_columns();
  told.depth = plan.panels.depth;
  told.workspace_bytes = std::max(plan.panels.bytes(plan.problem), of_scaling);
  return plan;
}

}  // namespace hilo::modular
