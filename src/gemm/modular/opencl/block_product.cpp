#include "gemm/modular/opencl/block_product.hpp"

#include <algorithm>
#include <string>

#include "gemm/modular/block_products.hpp"
#include "matrix/sizes.hpp"

namespace hilo::modular {
namespace {

using opencl::define;
using opencl::narrow;

// Words of four bytes that an item of modular/block_sums.cl takes of each factor.
int words_of_item(int levels) { return levels == 1 ? 4 : 1; }

Range part(std::int64_t all, std::int64_t first, std::int64_t count) { return {first, std::min(count, all - first)}; }

}  // namespace

DevicePanels panels_for(opencl::ContextState& context, const DevicePlan& plan, int count, int row_parts) {
  // Parts that come one after the other are rows of a product as a whole.
  const bool may_have_blocks = plan.levels > 0 || row_parts <= 1;
  const DevicePanels panels = plan.panels_of(count, may_have_blocks);
  const bool can = panels.levels == 0 || multiplies(context, plan.unit, BytePart::blocks);
  return can ? panels : plan.panels_of(count, false);
}

BlockProduct::BlockProduct(opencl::ContextState& context, Residues& residues, const ByteMultiplier& multiplier,
                           const DevicePanelProblem& problem, const DevicePanels& panels, int first)
    : residues_(residues), multiplier_(multiplier), problem_(problem), panels_(panels), first_(first) {
  forms_at_once_ = residues.prepare_factors(context, panels.levels);
  for (int place : {0, 1}) {
    if (forms_at_once_) break;
    const std::string options =
        define("LEVELS", panels.levels) + define("OPERAND", place) + define("WORDS", words_of_item(panels.levels));
    const opencl::ProgramRecipe recipe{"sums of blocks", "modular/block_sums.cl", options};
    sums_[place] = context.kernels.borrow(context.programs.get(context, recipe), "form_factors");
  }
}

void BlockProduct::multiply(opencl::Call& call, Range chunk, const cl::Buffer& row_factors,
                            const cl::Buffer& column_factors, const cl::Buffer& result,
                            const cl::Buffer& plane_moduli) {
  find_factors(call, 0, chunk, row_factors, plane_moduli);
  find_factors(call, 1, chunk, column_factors, plane_moduli);
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
  opencl::Workspace scratch = call.lend(multiplier_.scratch_bytes(product), "sums of blocks");
  call.fill(scratch.buffer(), cl_uint{0}, sizeof(cl_uint));
  product.scratch = opencl::copied(scratch.buffer());
  const auto launch = multiplier_.launch(product);
  call.launch(*launch.kernel, launch.global, launch.local, true);
  call.give_back(scratch);
}

void BlockProduct::find_factors(opencl::Call& call, int place, Range chunk, const cl::Buffer& factors,
                                const cl::Buffer& plane_moduli) {
  const bool is_left = place == 0;
  const int grid = block_grid(panels_.levels), count = block_factors(panels_.levels);
  const std::int64_t all_lines = is_left ? problem_.rows : problem_.columns;
  const std::int64_t lines = (is_left ? panels_.rows : panels_.columns) / grid, depth = panels_.depth / grid;
  const int tile_lines = is_left ? problem_.tile.rows : problem_.tile.columns;
  const std::int64_t plane_bytes = count * lines * depth;
  if (forms_at_once_) {
    return residues_.launch_factors(call, {.operand = is_left ? first_ : 1 - first_,
                                           .is_of_columns = !is_left,
                                           .lines = {0, all_lines},
                                           .terms = {0, problem_.terms},
                                           .moduli = chunk,
                                           .padded_lines = lines,
                                           .padded_terms = depth,
                                           .tile_lines = tile_lines,
                                           .residues = factors,
                                           .plane_bytes = plane_bytes});
  }
  for (int line = 0; line < grid; ++line) {
    for (int term = 0; term < grid; ++term) {
      const int factor = factor_of_block(panels_.levels, place, is_left ? line : term, is_left ? term : line);
      residues_.launch(call, {.operand = is_left ? first_ : 1 - first_,
                              .is_of_columns = !is_left,
                              .lines = part(all_lines, line * lines, lines),
                              .terms = part(problem_.terms, term * depth, depth),
                              .moduli = chunk,
                              .padded_lines = lines,
                              .padded_terms = depth,
                              .tile_lines = tile_lines,
                              .residues = factors,
                              .first_byte = factor * lines * depth,
                              .plane_bytes = plane_bytes});
    }
  }
  constexpr std::int64_t group = 128, word_bytes = 4;
  const std::int64_t words = lines * depth / word_bytes, planes = problem_.planes(chunk.first, chunk.count);
  opencl::set_arguments(sums_[place], factors, plane_moduli,
                        opencl::block_sum_arguments{words, problem_.planes(0, chunk.first), 0});
  const auto items = static_cast<std::size_t>(round_up(words / words_of_item(panels_.levels), group));
  call.launch(*sums_[place], cl::NDRange(items, static_cast<std::size_t>(planes)), cl::NDRange(group, 1), true);
}

}  // namespace hilo::modular
