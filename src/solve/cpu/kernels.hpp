// The SIMD kernels of sums in K words: whatever the instruction set, the bits of solve/word_sums.hpp.
#pragma once

#include <cstdint>
#include <string_view>

namespace hilo::solver {

/// A vector x that a matrix is multiplied by, a double-double number each, and its sums: word w of sum i is
/// sums[w · pitch + i].
struct WordLine {
  const double* x_hi;
  const double* x_lo;
  double* sums;
};

/// sum i += Σ a_ij · x_j, i < rows, j = 0 … columns − 1 in increasing order, of `count` lines. a_ij = hi + lo at
/// [i · row_stride + j · column_stride], times row_scales[i] · column_scales[j], a power of two, where these are not
/// null. Sums from `rows` up to the next multiple of row_padding are read and written, too.
struct WordProducts {
  std::int64_t rows, columns;
  const double* hi;
  const double* lo;  ///< null: 0
  std::int64_t row_stride, column_stride;
  const double* row_scales;
  const double* column_scales;
  const WordLine* lines;
  std::int64_t count;
  std::int64_t pitch;
};

/// Sums that memory is padded to.
inline constexpr std::int64_t row_padding = 32;

/// What one instruction set offers.
struct KernelSet {
  std::string_view target;                         ///< Highway's name
  void (*add_products[7])(const WordProducts& p);  ///< by words: 2, 3, 4 and 6; null elsewhere
  /// sum i += Σ |a_ij| · x_j of leading words in double, rounded after each product and each sum.
  void (*add_magnitudes)(const WordProducts& p);
};

/// The set of that name, or the best this CPU can run for an empty one. Throws unsupported, naming those that exist.
const KernelSet& kernel_set(std::string_view target);

}  // namespace hilo::solver
