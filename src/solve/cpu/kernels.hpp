// The SIMD kernels of sums in K words: whatever the instruction set, the bits of solve/word_sums.hpp.
#pragma once

#include <cstdint>
#include <string_view>

namespace hilo::solver {

/// sum i += Σ a_ij · x_j, i < rows, j = 0 … columns − 1 in increasing order, a_ij = hi + lo at [i · row_stride + j ·
/// column_stride]. Word w of sum i is sums[w · pitch + i]. Rows from `rows` up to the next multiple of 16 may be read
/// and summed, too.
struct WordProducts {
  std::int64_t rows, columns;
  const double* hi;
  const double* lo;  ///< null: 0
  std::int64_t row_stride, column_stride;
  const double* x_hi;
  const double* x_lo;
  double* sums;
  std::int64_t pitch;
};

/// Rows that memory is padded to.
inline constexpr std::int64_t row_padding = 16;

/// What one instruction set offers.
struct KernelSet {
  std::string_view target;                         ///< Highway's name
  void (*add_products[7])(const WordProducts& p);  ///< by words: 2, 3, 4 and 6; null elsewhere
};

/// The set of that name, or the best this CPU can run for an empty one. Throws unsupported, naming those that exist.
const KernelSet& kernel_set(std::string_view target);

}  // namespace hilo::solver
