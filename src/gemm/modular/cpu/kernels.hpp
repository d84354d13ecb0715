// The SIMD steps of the modular engine: what its driver calls, whatever the instruction set. Every step is exact, so
// all sets give the same results; docs/modular.md proves it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gemm/modular/guarantee.hpp"
#include "gemm/modular/moduli.hpp"

namespace hilo::modular {

/// `count` neighbouring elements of an operand, `stride` doubles from one to the next: a word (hi), or hi and lo, of
/// the real part, and the same of an imaginary part.
struct Run {
  const double* data;
  std::int64_t count, stride;
  int words;  ///< 1 or 2
  int parts;  ///< 1 or 2
  bool negates_imaginary;
};

/// Integers along a run: base0 + base[i], or base0 alone where base is null.
struct Exponents {
  const std::int64_t* base;
  std::int64_t base0;
};

/// A shift that makes its element count as 0.
inline constexpr std::int64_t leave_out = -100000;

/// Scaled magnitudes below this count as 0 beside the largest of their line. So nothing that is decided depends on how
/// subnormal numbers are rounded, and exponents alone tell which elements count.
inline constexpr double least_magnitude = 0x1p-1000;

/// Codes of 0, and of Inf and NaN.
inline constexpr std::int16_t code_of_zero = -32768, code_of_bad = 32767;

/// Rows of bytes are written in whole blocks of up to this many.
inline constexpr std::int64_t block_bytes = 64;

/// smallest[i][j] = min(smallest[i][j], left[i][h] + right[h][j]) over the terms h, sums saturated at 255; columns are
/// a multiple of block_bytes. The product returns the largest of the smallest.
struct MinPlus {
  std::int64_t rows, columns, terms;
  const std::uint8_t* left;
  std::int64_t left_row_stride, left_term_stride;
  const std::uint8_t* right;
  std::int64_t right_leading;
  std::uint8_t* smallest;
  std::int64_t leading;
};

/// Residues that are added to sums, of each part; they may be where results go.
struct Added {
  static constexpr int most = 3;
  int count = 0;
  const std::int8_t* part[2][most] = {};

  void add(const std::int8_t* re, const std::int8_t* im) {
    part[0][count] = re;
    part[1][count++] = im;
  }
};

struct KernelSet {
  std::string_view target;  ///< Highway's name

  /// The largest |x_i · 2^s_i| of a run, s_i from `shifts`; |x| is that of RN(hi + lo), of a complex element's larger
  /// part, and Inf for NaN. A shift of leave_out leaves its element out.
  double (*largest)(const Run& run, Exponents shifts);
  /// magnitude[i] = max(magnitude[i], |x_i · 2^s_i|). Writes whole blocks.
  void (*largest_each)(const Run& run, Exponents shifts, double* magnitude);

  /// Sums of ⌈|x_i · 2^s_i|⌉ instead, integers that are exact below 2^53, without what is below least_magnitude.
  double (*sum)(const Run& run, Exponents shifts);
  void (*sum_each)(const Run& run, Exponents shifts, double* total);

  /// Codes of a run's |x_i|: 16 E(x_i) and the four bits after the first, so that codes rise with |x_i|, and
  /// code_of_zero or code_of_bad. The largest |x_i|. Writes whole blocks, code_of_zero behind the last.
  double (*codes)(const Run& run, std::int16_t* code);
  /// The same, with magnitude[i] = max(magnitude[i], |x_i|).
  void (*codes_each)(const Run& run, std::int16_t* code, double* magnitude);

  /// Σ ⌈(ν⁺(x_i) · 2^(norm_unit − e))²⌉ by `count` codes of at most e, without zeros and what has E + norm_unit − e <=
  /// −1000; ν⁺(x) is the number of five bits above |x|. Reads whole blocks.
  std::int64_t (*squares)(const std::int16_t* code, std::int64_t count, std::int64_t exponent);
  /// sum[j] = the same of column j, with exponent[j], of `count` columns of `rows` rows of codes, `leading` apart.
  void (*squares_each)(const std::int16_t* code, std::int64_t rows, std::int64_t leading, std::int64_t count,
                       const std::int64_t* exponent, std::int64_t* sum);

  /// deficit[i] = e_i − E(x_i) between 0 and max_deficit, and 255 for x_i = 0; e_i from `exponents`. Writes whole
  /// blocks.
  void (*deficits)(const Run& run, Exponents exponents, std::uint8_t* deficit);

  /// byte[i] = ⌊ν(x_i) · 2^s_i⌋, at most 127, by codes; ν(x) is |x| with all but its first five bits cleared, s_i =
  /// shift0, or shift[i] where that is not null. Reads and writes whole blocks.
  void (*magnitudes)(const std::int16_t* code, std::int64_t count, const std::int32_t* shift, std::int32_t shift0,
                     std::uint8_t* byte);

  int (*min_plus)(const MinPlus& x);

  /// Plane after plane, plane_stride apart, for `count` moduli: the residues of RN(x_i · 2^s_i), |.| <= 2^bits, s_i
  /// from `shifts`, and of 0 for Inf, NaN and what is left out. A modulus has one plane, of complex elements three: re,
  /// im, re + im, or where it splits two: re + r im, re − r im. Writes whole blocks.
  void (*residues)(const Run& run, Exponents shifts, int bits, const ResidueConstants* constants, int count,
                   std::uint8_t* residues, std::int64_t plane_stride);

  /// The integers of residues() themselves, of up to 64 real elements: limb l of element 8 i + v, of L, at
  /// limb + (v · L + l) · 8 + i; those of 0 behind the last.
  void (*limbs)(const Run& run, Exponents shifts, int bits, double* limb);

  /// The sums that Strassen's algorithm multiplies (block_products.hpp, one level), of `count` residues modulo
  /// `modulus` of each block of the matrix: operand 0's, 0 to m − 1, or operand 1's, symmetric. Factor f is at
  /// bytes + f · stride. Reads and writes up to 63 bytes more of each.
  void (*block_sums)(int operand, std::int64_t count, int modulus, std::uint8_t* bytes, std::int64_t stride);

  /// residue[i] = sum[i] + all that is added mod m, symmetric, for `count` sums and up to the end of their block.
  void (*reduce)(std::int64_t count, const ReductionConstants& constants, const std::int32_t* sum, const Added& added,
                 std::int8_t* residue);
  /// The same for re = sum0 − sum1 and im = sum2 − sum0 − sum1.
  void (*reduce_complex)(std::int64_t count, const ReductionConstants& constants, const std::int32_t* const (&sum)[3],
                         const Added& added, std::int8_t* re, std::int8_t* im);
  /// The same for re = sum0 + sum1 and im = (sum0 − sum1) / r, of a modulus that splits.
  void (*reduce_split)(std::int64_t count, const ReductionConstants& constants, const std::int32_t* const (&sum)[2],
                       const Added& added, std::int8_t* re, std::int8_t* im);

  /// The integers with |x_i| <= (M/2)(1 − 2^-28) whose residues (multiplied by the inverse cofactors) are at
  /// residues + l · plane_stride + i, times 2^s_i: hi = RN(x), lo = RN(x − hi), made canonical. s_i, from `shifts`,
  /// must make it neither overflow nor lose bits below 2^-1074. lo may be null. Writes whole blocks.
  void (*rebuild)(std::int64_t count, const Basis& basis, const std::int8_t* residues, std::int64_t plane_stride,
                  Exponents shifts, double* hi, double* lo);
};

/// The sets this CPU can run, best first; the last needs nothing beyond the build's baseline.
const std::vector<const KernelSet*>& kernel_sets();

/// The set of that name, or the best for an empty one.
const KernelSet& kernel_set(std::string_view target);

}  // namespace hilo::modular
