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

/// Real numbers of a matrix by columns: doubles, or double-double numbers as pairs of them.
struct MatrixInPlace {
  const double* data;
  std::int64_t rows, columns;
  std::int64_t words, column_stride;  ///< 1 or 2 words of an entry, side by side; in doubles

  const double* column(std::int64_t j) const { return data + j * column_stride; }
};

/// What entries of some columns are like.
struct Entries {
  bool are_finite = true, have_low_words = false;
};

/// Sums that memory is padded to.
inline constexpr std::int64_t row_padding = 32;

/// What one instruction set offers.
struct KernelSet {
  std::string_view target;                         ///< Highway's name
  void (*add_products[7])(const WordProducts& p);  ///< by words: 2, 3, 4 and 6; null elsewhere
  /// sum i += Σ |a_ij| · x_j of leading words in double, rounded after each product and each sum.
  void (*add_magnitudes)(const WordProducts& p);
  /// Of columns first … last − 1: largest[i] is made no less than leading words of row i.
  Entries (*find_largest)(const MatrixInPlace& a, std::int64_t first, std::int64_t last, double* largest);
  /// The largest leading word of column j, each times the scale of its row.
  double (*largest_of_column)(const MatrixInPlace& a, std::int64_t j, const double* row_scales);
  /// to[i] = leading word i of column j times scale · row_scales[i].
  void (*put_leading)(const MatrixInPlace& a, std::int64_t j, const double* row_scales, double scale, double* to);
};

/// The set of that name, or the best this CPU can run for an empty one. Throws unsupported, naming those that exist.
const KernelSet& kernel_set(std::string_view target);

}  // namespace hilo::solver
