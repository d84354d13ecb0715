// The kernels of array operations, compiled once for each instruction set by Highway.
#include "dd/kernels.hpp"

#include "dd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dd/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "dd/complex_kernels.hpp"
#include "dd/elementwise_kernels.hpp"
#include "dd/function_kernels.hpp"
#include "dd/kernel_sets.hpp"
#include "dd/line_kernels.hpp"
#include "dd/reduction_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace hilo::array::HWY_NAMESPACE {

const KernelSet* kernels() {
  static const KernelSet set = {
      .target = hwy::TargetName(HWY_TARGET),
      .lanes = lanes,
      .add = binary<Add>,
      .subtract = binary<Subtract>,
      .multiply = binary<Multiply>,
      .divide = binary<Divide>,
      .add_number = with_number<Add>,
      .number_minus = number_with<Subtract>,
      .multiply_number = with_number<Multiply>,
      .divide_number = with_number<Divide>,
      .number_over = number_with<Divide>,
      .add_word = with_word<AddWord>,
      .word_minus = with_word<WordMinus>,
      .multiply_word = with_word<MultiplyWord>,
      .divide_word = with_word<DivideWord>,
      .square_root = unary<SquareRoot>,
      .exponential = function<Exponential>,
      .logarithm = function<Logarithm>,
      .sine = function<Sine>,
      .cosine = function<Cosine>,
      .sine_cosine = sine_cosine,
      .axpy = axpy,
      .scale = scale,
      .sum = sum,
      .dot = dot,
      .dot_chunk = dot_chunk,
      .complex_dot_chunk = complex_dot_chunk,
      .magnitude_chunk = magnitude_chunk,
      .add_columns = add_to_columns,
      .fold = fold,
      .add_lines = add_lines<RealLine>,
      .add_lines_complex = add_lines<ComplexLine>,
      .add_rows = add_rows<RealLine, false>,
      .add_rows_backward = add_rows<RealLine, true>,
      .add_rows_complex = add_rows<ComplexLine, false>,
      .add_rows_complex_backward = add_rows<ComplexLine, true>,
      .close_sums = close_sums,
      .rotate = rotate,
      .scale_complex = scale_complex,
      .axpy_complex = axpy_complex,
      .rotate_complex = rotate_complex,
  };
  return &set;
}

}  // namespace hilo::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hilo::array {

HWY_EXPORT(kernels);

const std::vector<const KernelSet*>& kernel_sets() {
  // Never destroyed: destructors of static objects may still compute.
  static const auto& sets =
      *new std::vector<const KernelSet*>(detail::supported_kernel_sets(HWY_DISPATCH_TABLE(kernels)));
  return sets;
}

}  // namespace hilo::array
#endif
