#include "gemm/modular/opencl/residues.hpp"

#include <algorithm>
#include <string>

#include "gemm/modular/opencl/bytes.hpp"
#include "gemm/modular/opencl/tables.hpp"
#include "matrix/sizes.hpp"

namespace hilo::modular {
namespace {

using opencl::ContextState;
using opencl::define;
using opencl::narrow;
using opencl::set_arguments;

constexpr int lanes = 32;  // of a warp
// Of kernels/modular/residues_dot.cl: terms of an item.
constexpr std::int64_t terms_at_once = 16;
constexpr std::int64_t chunk_bytes = 16;
// Of kernels/modular/residues_mma.clh: warps of a work-group, elements of a lane.
constexpr int residue_warps = 2, lane_elements = 4;
// Of kernels/modular/factors_mma_twice.cl: items of a work-group.
constexpr int twice_items = 256;
// Of kernels/modular/rebuild.cl: columns of an item, rows of a work-group.
constexpr int plain_columns = 4, plain_rows = 4;
// Of kernels/modular/rebuild_mma.cl: its unit is so many bits from the top.
constexpr int unit_bit = 144;

std::size_t size(std::int64_t x) { return static_cast<std::size_t>(x); }

cl::NDRange range(std::int64_t x, std::int64_t y) { return cl::NDRange(size(x), size(y)); }

std::string element_options(ElementKind kind) { return define("WORDS", kind.words) + define("PARTS", kind.parts); }

std::string dp4a_option(ContextState& context) { return define("HAS_DP4A", byte_features(context).has_dp4a()); }

// Whether residues_mma.cl and rebuild_mma.cl can run: NVIDIA's matrix units have bytes, and doubles round.
bool has_matrix_unit(ContextState& context) {
  return context.info.fp64 && byte_features(context).compute_capability >= 80;
}

cl::Program residue_program(ContextState& context, ElementKind kind, int limbs, bool in_quads, bool is_for_both) {
  const char* root = has_matrix_unit(context) ? "modular/residues_mma.cl" : "modular/residues_dot.cl";
  std::string options = element_options(kind) + dp4a_option(context) + define("LIMBS", limbs) +
                        define("WARPS", residue_warps) + define("IN_QUADS", in_quads);
  if (is_for_both) options += define("FOR_BOTH", 1);
  return context.programs.get(context, opencl::ProgramRecipe{"residues", root, options});
}

// What rebuild_mma.cl is built with besides, and how many work-groups share a compute unit's registers.
struct MatrixShape {
  int vector, steps, ahead, groups;
};

MatrixShape matrix_shape(int units, bool is_complex) {
  if (is_complex) return units == 1 ? MatrixShape{4, 1, 0, 4} : MatrixShape{units < 4 ? 4 : 2, 1, 0, 2};
  return units <= 2 ? MatrixShape{4, 2, 1, 3} : MatrixShape{2, 1, 1, 3};
}

// The argument after those that every launch of a Rebuilder sets: of the unit mma, and then alpha and beta, and what of
// a triangle is wanted.
constexpr cl_uint product_at = 5;

// Rows of a panel's segment of columns that have an entry that is wanted.
std::int64_t wanted_rows(const ResiduePanel& p, std::int64_t first, std::int64_t columns) {
  const bool is_upper = p.wanted.triangle == 2;
  const std::int64_t begin = is_upper ? 0 : std::max<std::int64_t>(first - p.wanted.diagonal, 0);
  const std::int64_t end =
      is_upper ? std::min(std::min(first + columns, p.columns) - p.wanted.diagonal, p.rows) : p.rows;
  return std::max<std::int64_t>(end - begin, 0);
}

}  // namespace

Residues::Residues(ContextState& context, ElementKind kind, const DeviceOperand (&operand)[2],
                   const ScaledOperands& scaled, const ByteTile& tile)
    : operand_(operand),
      scaled_(scaled),
      is_complex_(kind.is_complex()),
      has_matrix_unit_(has_matrix_unit(context)),
      in_quads_(tile.in_quads),
      serves_both_(has_lines_of(operand[0], operand[1]) && scaled.balance() == nullptr &&
                   scaled.choice.bits[0] == scaled.choice.bits[1]),
      kind_(kind) {
  const int limbs = integer_limbs(scaled.choice.most_bits() + (kind.is_complex() ? 1 : 0));
  kernel_ = context.kernels.borrow(residue_program(context, kind, limbs, in_quads_, false), "residues");
  if (serves_both_) {
    kernel_of_both_ = context.kernels.borrow(residue_program(context, kind, limbs, in_quads_, true), "residues");
  }
  for (int i = 0; i < 2; ++i) {
    const OperandWeight weight = i == 0               ? OperandWeight::of_rows
                                 : tile.is_montgomery ? OperandWeight::of_montgomery_columns
                                                      : OperandWeight::of_columns;
    tables_[i] = device_table(context,
                              "residues " + std::to_string(scaled.choice.moduli) + ' ' + std::to_string(limbs) + ' ' +
                                  std::to_string(static_cast<int>(weight)) + (is_complex_ ? " of parts" : ""),
                              [&] { return residue_table(scaled.choice.moduli, limbs, weight, is_complex_); });
  }
  limbs_ = limbs;
}

opencl::residue_arguments Residues::arguments_of(const ResidueBlock& block) const {
  const int o = block.operand;
  opencl::matrix_view view = operand_[o].view;
  view.offset += block.lines.first * view.row_stride;
  const int first = narrow(block.moduli.first), end = narrow(block.moduli.first + block.moduli.count),
            all_split = is_complex_ ? split_moduli : 0, first_whole = std::max(first, all_split);
  return {.view = view,
          .first_word = residue_table_word(first_whole, limbs_, is_complex_),
          .first_split_word = residue_table_word(first, limbs_, is_complex_),
          .first_chunk = block.first_byte / chunk_bytes,
          .plane = (block.plane_bytes ? block.plane_bytes : block.padded_lines * block.padded_terms) / chunk_bytes,
          .split = std::max(std::min(end, all_split) - first, 0),
          .first_exponent = narrow((o == 0 ? 0 : operand_[0].lines) + block.lines.first),
          .lines = narrow(block.lines.count),
          .first_term = narrow(block.terms.first),
          .terms = narrow(block.terms.count),
          .padded_lines = narrow(block.padded_lines),
          .padded_terms = narrow(block.padded_terms),
          .panel_lines = block.tile_lines,
          .bits = scaled_.choice.bits[o],
          .sign = scaled_.balance() == nullptr ? 0
                  : o == 0                     ? 1
                                               : -1,
          .moduli = std::max(end - first_whole, 0)};
}

void Residues::set(opencl::BorrowedKernel& kernel, const ResidueBlock& block,
                   const opencl::residue_arguments& arguments) {
  const cl::Buffer& exponents = scaled_.exponents;
  set_arguments(kernel, operand_[block.operand].buffer, exponents,
                scaled_.balance() != nullptr ? scaled_.balance : exponents, tables_[block.is_of_columns ? 1 : 0],
                block.residues, arguments);
}

void Residues::launch_lines(opencl::Call& call, const cl::Kernel& kernel, std::int64_t lines,
                            std::int64_t terms) const {
  if (has_matrix_unit_) {
    const std::int64_t group = lanes * residue_warps;
    call.launch(kernel, cl::NDRange(size(unit_groups(lines, terms) * group)), cl::NDRange(size(group)), true);
  } else {
    const std::int64_t group = lines % 128 == 0 ? 128 : 16;
    call.launch(kernel, cl::NDRange(size(lines), size(terms / terms_at_once), size(is_complex_ ? 3 : 1)),
                cl::NDRange(size(group), 1, 1), true);
  }
}

std::int64_t Residues::unit_groups(std::int64_t lines, std::int64_t terms) {
  return blocks(lines * terms, lanes * residue_warps * lane_elements);
}

void Residues::set_second(const ResidueBlock& block, std::int64_t first_group) {
  constexpr cl_uint second_at = 6;
  (*kernel_).setArg(second_at, operand_[block.operand].buffer);
  (*kernel_).setArg(second_at + 1, tables_[block.is_of_columns ? 1 : 0]);
  (*kernel_).setArg(second_at + 2, block.residues);
  (*kernel_).setArg(second_at + 3, arguments_of(block));
  (*kernel_).setArg(second_at + 4, static_cast<cl_uint>(first_group));
}

void Residues::launch(opencl::Call& call, const ResidueBlock& block) {
  set(kernel_, block, arguments_of(block));
  if (has_matrix_unit_) set_second(block, unit_groups(block.padded_lines, block.padded_terms));
  launch_lines(call, *kernel_, block.padded_lines, block.padded_terms);
}

void Residues::launch_two(opencl::Call& call, const ResidueBlock& block, const ResidueBlock& second) {
  if (!has_matrix_unit_) {
    launch(call, block);
    return launch(call, second);
  }
  constexpr std::int64_t group = lanes * residue_warps;
  const std::int64_t of_first = unit_groups(block.padded_lines, block.padded_terms),
                     of_second = unit_groups(second.padded_lines, second.padded_terms);
  set(kernel_, block, arguments_of(block));
  set_second(second, of_first);
  call.launch(*kernel_, cl::NDRange(size((of_first + of_second) * group)), cl::NDRange(size(group)), true);
}

bool Residues::prepare_factors(ContextState& context, int levels) {
  constexpr int most_limbs = 4;  // of which local memory holds all blocks
  if (!has_matrix_unit_ || is_complex_ || limbs_ > most_limbs) return false;
  const bool has_least = byte_features(context).compute_capability >= 90;
  const char* root = levels == 1 ? "modular/factors_mma.cl" : "modular/factors_mma_twice.cl";
  for (int place : {0, 1}) {
    std::string options = element_options(kind_) + define("LIMBS", limbs_) + define("OPERAND", place) +
                          define("HAS_LEAST_OF_HALVES", has_least) + define("IN_QUADS", in_quads_);
    if (levels == 1) options += define("WARPS", residue_warps);
    const opencl::ProgramRecipe recipe{"residues of factors", root, options};
    const std::optional<cl::Program> program = opencl::built([&] { return context.programs.get(context, recipe); });
    // An older driver may have no instructions on halves of words.
    if (!program) return false;
    kernels_of_factors_[place] = context.kernels.borrow(*program, "factors");
  }
  factor_levels_ = levels;
  return true;
}

void Residues::launch_factors(opencl::Call& call, const ResidueBlock& block) {
  opencl::BorrowedKernel& kernel = kernels_of_factors_[block.is_of_columns ? 1 : 0];
  set(kernel, block, arguments_of(block));
  if (factor_levels_ == 1) return launch_lines(call, *kernel, block.padded_lines, block.padded_terms);
  const std::int64_t places = block.padded_lines * block.padded_terms / (lanes * lane_elements);
  call.launch(*kernel, cl::NDRange(size(places * twice_items)), cl::NDRange(size(twice_items)), true);
}

void Residues::launch_both(opencl::Call& call, const ResidueBlock& block, const ResidueBlock& other) {
  // Exponents and lines are those of the block that has more.
  const bool has_more = block.lines.count >= other.lines.count;
  const opencl::residue_arguments of_more = arguments_of(has_more ? block : other);
  opencl::residue_arguments arguments = arguments_of(block);
  arguments.lines = of_more.lines;
  arguments.first_exponent = of_more.first_exponent;
  set(kernel_of_both_, block, arguments);
  constexpr cl_uint other_at = 6;
  (*kernel_of_both_).setArg(other_at, tables_[other.is_of_columns ? 1 : 0]);
  (*kernel_of_both_).setArg(other_at + 1, other.residues);
  (*kernel_of_both_).setArg(other_at + 2, opencl::other_operand{narrow(other.padded_lines), other.tile_lines});
  const std::int64_t lines = round_up(std::max(block.padded_lines, other.padded_lines), block.tile_lines);
  launch_lines(call, *kernel_of_both_, lines, block.padded_terms);
}

RebuildUnit rebuild_unit(ContextState& context) {
  return has_matrix_unit(context) ? RebuildUnit::mma : RebuildUnit::integers;
}

Rebuilder::Rebuilder(ContextState& context, RebuildUnit unit, ElementKind kind, int count, const Update& update,
                     bool is_triangle, int warps)
    : unit_(unit),
      count_(count),
      warps_(warps),
      wanted_at_(!is_triangle ? 0 : product_at + (unit == RebuildUnit::mma ? 1 : 0) + (update.stores() ? 0 : 1)) {
  build(context, kind, update);
}

void Rebuilder::build(ContextState& context, ElementKind kind, const Update& update) {
  const bool is_mma = unit_ == RebuildUnit::mma, scales = !update.stores();
  // Of complex numbers -1 makes other zeros and NaN than a change of signs.
  negates_ = is_mma && !kind.is_complex() && update.alpha == dd_complex(-1) && update.beta == dd_complex(1);
  const bool adds = is_mma && update.beta == dd_complex(1) && (negates_ || update.alpha == dd_complex(1));
  std::string options = element_options(kind);
  if (scales && kind.words == 2) {
    options += " -DHILO_LANES=1" + define("HILO_FMA", context.info.fma);
  }
  if (wanted_at_) options += define("TRIANGLE", 1);
  const bool is_complex = kind.is_complex();
  const std::string table =
      std::to_string(count_) + (is_mma ? " weights" : " rebuild") + (is_complex ? " of parts" : "");
  if (is_mma) {
    const MatrixSizes sizes = matrix_sizes(count_, is_complex);
    const MatrixShape shape = matrix_shape(sizes.units, is_complex);
    columns_ = lanes * shape.vector;
    groups_ = shape.groups * context.info.compute_units;
    shift_ = matrix_shift(count_, is_complex) + unit_bit - 32 * sizes.limbs();
    options += define("LIMBS", sizes.limbs()) + define("UNITS", sizes.units) + define("BLOCKS", sizes.blocks) +
               define("VECTOR", shape.vector) + define("STEPS", shape.steps) + define("AHEAD", shape.ahead) +
               define("WARPS", warps_);
  } else {
    const RebuildSizes sizes = rebuild_sizes(count_, is_complex);
    columns_ = plain_columns;
    options += define("LIMBS", sizes.limbs) + define("GROUPS", sizes.groups) + dp4a_option(context);
  }
  const char* root = adds     ? "modular/rebuild_mma_added.cl"
                     : is_mma ? scales ? "modular/rebuild_mma_scaled.cl" : "modular/rebuild_mma.cl"
                     : scales ? "modular/rebuild_scaled.cl"
                              : "modular/rebuild.cl";
  kernel_ =
      context.kernels.borrow(context.programs.get(context, opencl::ProgramRecipe{"rebuild", root, options}), "rebuild");
  table_ = device_table(
      context, table, [&] { return is_mma ? matrix_weights(count_, is_complex) : rebuild_table(count_, is_complex); });
  if (is_mma) {
    const auto words = matrix_modulus(count_, is_complex);
    (*kernel_).setArg(product_at, sizeof(cl_uint) * words.size(), words.data());
  }
  if (scales) {
    (*kernel_).setArg(is_mma ? product_at + 1 : product_at,
                      factors_of(negates_ ? dd_complex(1) : update.alpha, update.beta));
  }
}

void Rebuilder::launch(opencl::Call& call, const ResiduePanel& p) {
  opencl::matrix_view view = p.view;
  view.offset += p.first_row * view.row_stride + p.first_column * view.column_stride;
  opencl::rebuild_arguments arguments{.view = view,
                                      .scale = {p.bits + shift_, p.negates != negates_},
                                      .moduli = count_,
                                      .padded_rows = narrow(p.padded_rows),
                                      .pitch = narrow(p.padded_columns),
                                      .first_row_exponent = narrow(p.row_exponents + p.first_row),
                                      .rows = narrow(p.rows),
                                      .first_column_exponent = narrow(p.column_exponents + p.first_column),
                                      .columns = narrow(p.columns),
                                      .stride = 1};
  if (unit_ == RebuildUnit::mma) return launch_warps(call, p, arguments);
  set(p, arguments);
  call.launch(*kernel_, range(round_up(blocks(p.columns, columns_), lanes), round_up(p.rows, plain_rows)),
              range(lanes, plain_rows));
}

void Rebuilder::launch_warps(opencl::Call& call, const ResiduePanel& p, opencl::rebuild_arguments arguments) {
  const std::int64_t across = blocks(p.columns, columns_);
  // As many rows at a time as the device has room for, or twice as many to even out long turns.
  constexpr std::int64_t long_turns = 16;
  std::int64_t warps = groups_ * warps_, all_rows = 0;
  for (std::int64_t i = 0; i < across; ++i) all_rows += wanted_at_ ? wanted_rows(p, i * columns_, columns_) : p.rows;
  if (all_rows >= 2 * long_turns * warps) warps *= 2;
  std::int64_t launched = 0;
  if (wanted_at_) {
    // A segment's last warp may have fewer rows.
    const std::int64_t rows = std::max<std::int64_t>(blocks(all_rows, std::max(warps - across, warps / 2)), 1);
    for (std::int64_t i = 0; i < across; ++i) launched += blocks(wanted_rows(p, i * columns_, columns_), rows);
    arguments.stride = narrow(rows);
  } else {
    const std::int64_t stride = std::clamp<std::int64_t>(warps / across, 1, p.rows);
    launched = across * stride;
    arguments.stride = narrow(stride);
  }
  set(p, arguments);
  call.launch(*kernel_, cl::NDRange(size(lanes * round_up(launched, warps_))), cl::NDRange(size(lanes * warps_)));
}

void Rebuilder::set(const ResiduePanel& p, const opencl::rebuild_arguments& arguments) {
  set_arguments(kernel_, p.residues, p.exponents, table_, p.c, arguments);
  if (wanted_at_) (*kernel_).setArg(wanted_at_, p.wanted);
}

}  // namespace hilo::modular
