#include "gemm/modular/opencl/block_product.hpp"

#include <algorithm>
#include <string>

#include "gemm/modular/block_products.hpp"
#include "matrix/sizes.hpp"
#include "opencl/native.hpp"

namespace hilo::modular {
namespace {

using opencl::define;
using opencl::narrow;

// Words of four bytes that an item of modular/block_sums.cl takes of each factor.
int words_of_item(int levels) { return levels == 1 ? 4 : 1; }

// None where all end before.
Range part(std::int64_t all, std::int64_t first, std::int64_t count) {
  return {first, std::clamp<std::int64_t>(all - first, 0, count)};
}

}  // namespace

DevicePanels panels_for(opencl::ContextState& context, const DevicePlan& plan, int count, int row_parts) {
  // Parts that come one after the other are rows of a product as a whole.
  const bool may_have_blocks = plan.levels > 0 || row_parts <= 1;
  const DevicePanels panels = plan.panels_of(count, may_have_blocks);
  const bool can = panels.levels == 0 || multiplies(context, plan.unit, BytePart::blocks);
  return can ? panels : plan.panels_of(count, false);
}

BlockFactors::BlockFactors(opencl::ContextState& context, Residues& residues, int levels, bool may_form_at_once)
    : residues_(residues),
      levels_(levels),
      forms_at_once_(may_form_at_once && residues.prepare_factors(context, levels)) {
  for (int place : {0, 1}) {
    if (forms_at_once_) break;
    const std::string options =
        define("LEVELS", levels) + define("OPERAND", place) + define("WORDS", words_of_item(levels));
    const opencl::ProgramRecipe recipe{"sums of blocks", "modular/block_sums.cl", options};
    sums_[place] = context.kernels.borrow(context.programs.get(context, recipe), "form_factors");
  }
}

void BlockFactors::find(opencl::Call& call, ResidueBlock all, int first_plane, int planes,
                        const cl::Buffer& plane_moduli) {
  const int grid = block_grid(levels_), place = all.is_of_columns ? 1 : 0;
  const std::int64_t lines = all.padded_lines, depth = all.padded_terms;
  all.plane_bytes = block_factors(levels_) * lines * depth;
  if (forms_at_once_) return residues_.launch_factors(call, all);
  ResidueBlock block = all;
  for (int line = 0; line < grid; ++line) {
    for (int term = 0; term < grid; ++term) {
      const int factor = factor_of_block(levels_, place, place == 0 ? line : term, place == 0 ? term : line);
      block.lines = part(all.lines.count, line * lines, lines);
      block.terms = part(all.terms.count, term * depth, depth);
      block.first_byte = factor * lines * depth;
      residues_.launch(call, block);
    }
  }
  constexpr std::int64_t group = 128, word_bytes = 4;
  const std::int64_t words = lines * depth / word_bytes;
  opencl::set_arguments(sums_[place], all.residues, plane_moduli, opencl::block_sum_arguments{words, first_plane, 0});
  const auto items = static_cast<std::size_t>(round_up(words / words_of_item(levels_), group));
  call.launch(*sums_[place], cl::NDRange(items, static_cast<std::size_t>(planes)), cl::NDRange(group, 1), true);
}

void multiply_blocks(opencl::Call& call, const ByteMultiplier& multiplier, ByteProduct product) {
  opencl::Workspace scratch = call.lend(multiplier.scratch_bytes(product), "sums of blocks");
  call.fill(scratch.buffer(), cl_uint{0}, sizeof(cl_uint));
  product.scratch = opencl::copied(scratch.buffer());
  const auto launch = multiplier.launch(product);
  call.launch(*launch.kernel, launch.global, launch.local, true);
  call.give_back(scratch);
}

BlockProduct::BlockProduct(opencl::ContextState& context, Residues& residues, const ByteMultiplier& multiplier,
                           const DevicePanelProblem& problem, const DevicePanels& panels, int first)
    : multiplier_(multiplier),
      problem_(problem),
      panels_(panels),
      first_(first),
      factors_(context, residues, panels.levels) {}

void BlockProduct::multiply(opencl::Call& call, Range chunk, const cl::Buffer& row_factors,
                            const cl::Buffer& column_factors, const cl::Buffer& result,
                            const cl::Buffer& plane_moduli) {
  const int grid = block_grid(panels_.levels);
  ByteProduct product{row_factors,
                      column_factors,
                      result,
                      plane_moduli,
                      problem_.planes(0, chunk.first),
                      problem_.planes(chunk.first, chunk.count),
                      narrow(panels_.rows / grid / problem_.tile.rows),
                      narrow(panels_.columns / grid / problem_.tile.columns),
                      panels_.depth / grid,
                      false};
  product.levels = panels_.levels;
  multiply_blocks(call, multiplier_, product);
}

void BlockProduct::find_factors(opencl::Call& call, int place, Range chunk, const cl::Buffer& factors,
                                const cl::Buffer& plane_moduli) {
  const bool is_left = place == 0;
  const int grid = block_grid(panels_.levels);
  factors_.find(call,
                {.operand = is_left ? first_ : 1 - first_,
                 .is_of_columns = !is_left,
                 .lines = {0, is_left ? problem_.rows : problem_.columns},
                 .terms = {0, problem_.terms},
                 .moduli = chunk,
                 .padded_lines = (is_left ? panels_.rows : panels_.columns) / grid,
                 .padded_terms = panels_.depth / grid,
                 .tile_lines = is_left ? problem_.tile.rows : problem_.tile.columns,
                 .residues = factors},
                problem_.planes(0, chunk.first), problem_.planes(chunk.first, chunk.count), plane_moduli);
}

}  // namespace hilo::modular
