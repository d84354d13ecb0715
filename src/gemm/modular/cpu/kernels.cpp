// The modular engine's steps on SIMD lanes, compiled once for each instruction set by Highway.
//
// Integers live in doubles and stay below 2^53, so sums of products are exact with and without fused multiply-adds, and
// all instruction sets give the same results.
#include "gemm/modular/cpu/kernels.hpp"

#include <algorithm>
#include <hilo/error.hpp>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "dd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gemm/modular/cpu/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "dd/kernel_sets.hpp"
#include "gemm/modular/cpu/rebuild_kernels.hpp"
#include "gemm/modular/cpu/residue_kernels.hpp"
#include "gemm/modular/cpu/scan_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace hilo::modular::HWY_NAMESPACE {

const KernelSet* kernels() {
  static const KernelSet set = {
      .target = hwy::TargetName(HWY_TARGET),
      .largest = largest,
      .largest_each = largest_each,
      .sum = sum,
      .sum_each = sum_each,
      .codes = codes,
      .codes_each = codes_each,
      .squares = squares,
      .squares_each = squares_each,
      .deficits = deficits,
      .magnitudes = magnitudes,
      .min_plus = min_plus,
      .residues = residues,
      .limbs = limbs,
      .block_sums = block_sums,
      .reduce = reduce,
      .reduce_complex = reduce_complex,
      .reduce_split = reduce_split,
      .rebuild = rebuild,
  };
  return &set;
}

}  // namespace hilo::modular::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hilo::modular {

HWY_EXPORT(kernels);

const std::vector<const KernelSet*>& kernel_sets() {
  // Never destroyed: destructors of static objects may still multiply.
  static const auto& sets =
      *new std::vector<const KernelSet*>(detail::supported_kernel_sets(HWY_DISPATCH_TABLE(kernels)));
  return sets;
}

const KernelSet& kernel_set(std::string_view target) { return detail::kernel_set_of_name(kernel_sets(), target); }

}  // namespace hilo::modular
#endif
