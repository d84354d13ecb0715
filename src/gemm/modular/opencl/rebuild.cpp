#include "gemm/modular/opencl/rebuild.hpp"

#include <algorithm>

#include "gemm/modular/opencl/bytes.hpp"
#include "gemm/modular/opencl/tables.hpp"
#include "matrix/sizes.hpp"

namespace hilo::modular {
namespace {

using opencl::ContextState;
using opencl::define;
using opencl::narrow;

cl::NDRange range(std::int64_t x, std::int64_t y) {
  return cl::NDRange(static_cast<std::size_t>(x), static_cast<std::size_t>(y));
}

// What rebuild_mma.cl is built with besides, and how many work-groups share a compute unit's registers.
struct MatrixShape {
  int vector, steps, ahead, groups;
};

MatrixShape matrix_shape(int units, bool is_complex) {
  if (is_complex) return units == 1 ? MatrixShape{4, 1, 0, 4} : MatrixShape{units < 4 ? 4 : 2, 1, 0, 2};
  return units <= 2 ? MatrixShape{4, 2, 1, 3} : MatrixShape{2, 1, 1, 3};
}

constexpr int lanes = 32, plain_columns = 4, plain_rows = 4;

// rebuild_mma.cl's unit is so many bits from the top.
constexpr int unit_bit = 144;

// The argument after those that launch() sets: of the unit mma, and then alpha and beta.
constexpr cl_uint product_at = 5;

}  // namespace

RebuildUnit rebuild_unit(ContextState& context) {
  return context.info.fp64 && byte_features(context).compute_capability >= 80 ? RebuildUnit::mma
                                                                              : RebuildUnit::integers;
}

Rebuilder::Rebuilder(ContextState& context, RebuildUnit unit, ElementKind kind, int count, bool scales, int warps)
    : unit_(unit), count_(count), warps_(warps) {
  build(context, kind, scales);
}

void Rebuilder::build(ContextState& context, ElementKind kind, bool scales) {
  const bool is_mma = unit_ == RebuildUnit::mma;
  std::string options = define("WORDS", kind.words) + define("PARTS", kind.parts);
  if (scales && kind.words == 2) {
    options += " -DHILO_LANES=1" + define("HILO_FMA", context.info.fma);
  }
  std::string table = std::to_string(count_) + (is_mma ? " weights" : " rebuild");
  if (is_mma) {
    const MatrixSizes sizes = matrix_sizes(count_);
    const MatrixShape shape = matrix_shape(sizes.units, kind.is_complex());
    columns_ = lanes * shape.vector;
    groups_ = shape.groups * context.info.compute_units;
    shift_ = matrix_shift(count_) + unit_bit - 32 * sizes.limbs();
    options += define("LIMBS", sizes.limbs()) + define("UNITS", sizes.units) + define("BLOCKS", sizes.blocks) +
               define("VECTOR", shape.vector) + define("STEPS", shape.steps) + define("AHEAD", shape.ahead) +
               define("WARPS", warps_);
    if (kind.is_complex()) table += " of parts";
  } else {
    const RebuildSizes sizes = rebuild_sizes(count_);
    columns_ = plain_columns;
    options += define("LIMBS", sizes.limbs) + define("GROUPS", sizes.groups) +
               define("HAS_DP4A", byte_features(context).compute_capability >= 61);
  }
  const char* root = is_mma   ? scales ? "modular/rebuild_mma_scaled.cl" : "modular/rebuild_mma.cl"
                     : scales ? "modular/rebuild_scaled.cl"
                              : "modular/rebuild.cl";
  kernel_ =
      context.kernels.borrow(context.programs.get(context, opencl::ProgramRecipe{"rebuild", root, options}), "rebuild");
  table_ = device_table(context, table,
                        [&] { return is_mma ? matrix_weights(count_, kind.is_complex()) : rebuild_table(count_); });
  if (is_mma) {
    const auto words = matrix_modulus(count_);
    (*kernel_).setArg(product_at, sizeof(cl_uint) * words.size(), words.data());
  }
}

void Rebuilder::set_factors(const dd_complex& alpha, const dd_complex& beta) {
  (*kernel_).setArg(unit_ == RebuildUnit::mma ? product_at + 1 : product_at, factors_of(alpha, beta));
}

void Rebuilder::launch(opencl::Call& call, const ResiduePanel& p) {
  opencl::matrix_view view = p.view;
  view.offset += p.first_row * view.row_stride + p.first_column * view.column_stride;
  opencl::rebuild_arguments arguments{.view = view,
                                      .scale = {p.bits + shift_, p.negates},
                                      .moduli = count_,
                                      .padded_rows = narrow(p.padded_rows),
                                      .pitch = narrow(p.padded_columns),
                                      .row_exponents = narrow(p.row_exponents + p.first_row),
                                      .rows = narrow(p.rows),
                                      .column_exponents = narrow(p.column_exponents + p.first_column),
                                      .columns = narrow(p.columns),
                                      .stride = 1};
  auto set = [&] { opencl::set_arguments(kernel_, p.residues, p.exponents, table_, p.c, arguments); };
  const std::int64_t across = blocks(p.columns, columns_);
  if (unit_ == RebuildUnit::integers) {
    set();
    call.launch(*kernel_, range(round_up(across, lanes), round_up(p.rows, plain_rows)), range(lanes, plain_rows));
    return;
  }
  // As many rows at a time as the device has room for, or twice as many to even out long turns.
  constexpr std::int64_t long_turns = 16;
  std::int64_t warps = groups_ * warps_;
  if (across * p.rows >= 2 * long_turns * warps) warps *= 2;
  const std::int64_t stride = std::clamp<std::int64_t>(warps / across, 1, p.rows);
  arguments.stride = narrow(stride);
  set();
  const auto items = static_cast<std::size_t>(lanes * round_up(across * stride, warps_));
  call.launch(*kernel_, cl::NDRange(items), cl::NDRange(static_cast<std::size_t>(lanes * warps_)));
}

}  // namespace hilo::modular
