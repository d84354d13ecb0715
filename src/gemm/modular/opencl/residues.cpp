#include "gemm/modular/opencl/residues.hpp"

#include <string>

#include "gemm/modular/opencl/bytes.hpp"
#include "gemm/modular/opencl/tables.hpp"
#include "matrix/sizes.hpp"

namespace hilo::modular {
namespace {

using opencl::define;
using opencl::narrow;
using opencl::set_arguments;

constexpr std::int64_t terms_at_once = 16;
// Of kernels/modular/residues_mma.cl: warps of a work-group, elements of a lane.
constexpr int residue_warps = 2, lane_elements = 4;

std::size_t size(std::int64_t x) { return static_cast<std::size_t>(x); }

std::string element_options(opencl::ContextState& context, ElementKind kind) {
  const bool has_dp4a = byte_features(context).compute_capability >= 61;
  return define("WORDS", kind.words) + define("PARTS", kind.parts) + define("HAS_DP4A", has_dp4a);
}

// Whether residues_mma.cl finds residues: NVIDIA's matrix units have bytes, and doubles round.
bool has_matrix_unit(opencl::ContextState& context) {
  return context.info.fp64 && byte_features(context).compute_capability >= 80;
}

cl::Program residue_program(opencl::ContextState& context, ElementKind kind, int limbs) {
  const char* root = has_matrix_unit(context) ? "modular/residues_mma.cl" : "modular/residues_dot.cl";
  return context.programs.get(context, opencl::ProgramRecipe{"residues", root,
                                                             element_options(context, kind) + define("LIMBS", limbs) +
                                                                 define("WARPS", residue_warps)});
}

}  // namespace

Residues::Residues(opencl::ContextState& context, ElementKind kind, const DeviceOperand (&operand)[2],
                   const ScaledOperands& scaled)
    : operand_(operand), scaled_(scaled), products_(kind.products()), has_matrix_unit_(has_matrix_unit(context)) {
  const int limbs = integer_limbs(scaled.choice.most_bits() + (kind.is_complex() ? 1 : 0));
  kernel_ = context.kernels.borrow(residue_program(context, kind, limbs), "residues");
  for (int i = 0; i < 2; ++i) {
    tables_[i] = device_table(
        context,
        "residues " + std::to_string(scaled.choice.moduli) + ' ' + std::to_string(limbs) + ' ' + std::to_string(i),
        [&] { return residue_table(scaled.choice.moduli, limbs, i == 1); });
  }
  table_words_ = residue_table_stride(limbs);
}

void Residues::launch(opencl::Call& call, const ResidueBlock& block) {
  const int o = block.operand;
  const DeviceOperand& x = operand_[o];
  const cl::Buffer& exponents = scaled_.exponents;
  opencl::matrix_view view = x.view;
  view.offset += block.lines.first * view.row_stride;
  const bool is_balanced = scaled_.balance() != nullptr;
  const std::int64_t lines = block.padded_lines, depth = block.padded_terms;
  const opencl::residue_arguments arguments{
      .view = view,
      .first_word = block.moduli.first * table_words_,
      .first_exponent = narrow((o == 0 ? 0 : operand_[0].lines) + block.lines.first),
      .lines = narrow(block.lines.count),
      .first_term = narrow(block.terms.first),
      .terms = narrow(block.terms.count),
      .padded_lines = narrow(lines),
      .padded_terms = narrow(depth),
      .panel_lines = block.tile_lines,
      .bits = scaled_.choice.bits[o],
      .sign = !is_balanced ? 0
              : o == 0     ? 1
                           : -1,
      .moduli = narrow(block.moduli.count)};
  set_arguments(kernel_, x.buffer, exponents, is_balanced ? scaled_.balance : exponents,
                tables_[block.is_signed ? 1 : 0], block.residues, arguments);
  if (has_matrix_unit_) {
    const std::int64_t group = 32 * residue_warps;
    call.launch(*kernel_, cl::NDRange(size(round_up(lines * depth / lane_elements, group))), cl::NDRange(size(group)),
                true);
  } else {
    const std::int64_t group = lines % 128 == 0 ? 128 : 16;
    call.launch(*kernel_, cl::NDRange(size(lines), size(depth / terms_at_once), size(products_)),
                cl::NDRange(size(group), 1, 1), true);
  }
}

}  // namespace hilo::modular
