// The SIMD kernels of array operations: what array.cpp calls, whatever the instruction set.
#pragma once

#include <cstdint>
#include <hilo/complex.hpp>
#include <string_view>
#include <vector>

#include "host/expect.hpp"

namespace hilo::array {

/// out[i] for i < n. `out` may be an operand.
using Unary = void (*)(std::int64_t n, const dd_real* x, dd_real* out);
using Binary = void (*)(std::int64_t n, const dd_real* x, const dd_real* y, dd_real* out);
using WithNumber = void (*)(std::int64_t n, const dd_real* x, dd_real a, dd_real* out);
using WithWord = void (*)(std::int64_t n, const dd_real* x, double a, dd_real* out);

/// The sums of the 64 columns of a reduction, in an order of the kernels' own.
struct alignas(64) ColumnSums {
  double hi[64], lo[64];
};

/// The cache that memory is asked for into: none, since lines are in one; the nearest one, or the next.
enum class Reach : std::uint8_t { here, nearest, next };

/// sums[i] += Σ_k lines[k · apart + i] · factors[k], i < n, k < count in increasing order, by the steps of `dot`.
/// Complex terms are the real steps (re, re) and (−im, im) into re, (re, im) and (im, re) into im, im of a line negated
/// where it is conjugated. What lies `ahead` bytes behind an element comes soon, into the cache that `reach` says.
template <class T>
struct LineTerms {
  std::int64_t n, count;
  const T* lines;
  std::int64_t apart;
  const T* factors;
  T* sums;
  bool conjugate = false;
  std::int64_t ahead = 0;
  Reach reach = Reach::here;
};

/// How complex numbers, of which the terms 2i and 2i + 1 are Re and Im, are taken as factors.
enum class Turn : std::uint8_t { re_im, re_minus_im, im_re, im_minus_re };

/// What one instruction set offers.
struct KernelSet {
  std::string_view target;  ///< Highway's name
  std::int64_t lanes;

  Binary add, subtract, multiply, divide;
  WithNumber add_number, number_minus, multiply_number, divide_number, number_over;
  WithWord add_word, word_minus, multiply_word, divide_word;
  Unary square_root, exponential, logarithm, sine, cosine;
  /// sine and cosine do not overlap; one of them may be x.
  void (*sine_cosine)(std::int64_t n, const dd_real* x, dd_real* sine, dd_real* cosine);

  /// y[i] = alpha · x[i] + y[i], and x[i] = x[i] · alpha. What lies behind is asked for as `ahead` says.
  void (*axpy)(std::int64_t n, dd_real alpha, const dd_real* x, dd_real* y, host::Ahead ahead);
  void (*scale)(std::int64_t n, dd_real alpha, dd_real* x, host::Ahead ahead);
  /// The sums of reduction.hpp before it is asked whether they are finite.
  dd_real (*sum)(std::int64_t n, const dd_real* x);
  dd_real (*dot)(std::int64_t n, const dd_real* x, const dd_real* y);

  /// The parts they are made of: columns of a chunk, of at most 4096 terms, closed; of x[i] · y[i], of both parts of
  /// conj(x)·y or x·y, and of |x[i]|.
  void (*dot_chunk)(std::int64_t n, const dd_real* x, const dd_real* y, host::Ahead ahead, ColumnSums& sums);
  void (*complex_dot_chunk)(std::int64_t n, const dd_real* x, const dd_real* y, bool conjugate, host::Ahead ahead,
                            ColumnSums (&sums)[2]);
  void (*magnitude_chunk)(std::int64_t n, const dd_real* x, host::Ahead ahead, ColumnSums& sums);
  /// total = total + part in each column; the sum of all columns of n terms, which takes their place.
  void (*add_columns)(ColumnSums& total, const ColumnSums& part);
  dd_real (*fold)(ColumnSums& sums, std::int64_t n);

  void (*add_lines)(const LineTerms<dd_real>& p);
  void (*add_lines_complex)(const LineTerms<dd_complex>& p);
  /// The same of rows of a matrix: line k is lines[k], lines[apart + k] and so on; backward, factor k is of the line
  /// count − 1 − k.
  void (*add_rows)(const LineTerms<dd_real>& p);
  void (*add_rows_backward)(const LineTerms<dd_real>& p);
  void (*add_rows_complex)(const LineTerms<dd_complex>& p);
  void (*add_rows_complex_backward)(const LineTerms<dd_complex>& p);
  /// Closes sums[i] and adds them to totals[i]; they are 0 then.
  void (*close_sums)(std::int64_t n, dd_real* sums, dd_real* totals);

  /// (x[i], y[i]) = (c · x[i] + s · y[i], c · y[i] − s · x[i])
  void (*rotate)(std::int64_t n, dd_real c, dd_real s, dd_real* x, dd_real* y, host::Ahead ahead);

  /// Complex products by multiply_finite: x[i] = alpha · x[i], y[i] = alpha · x[i] + y[i], and the rotation with
  /// conj(s) in y[i].
  void (*scale_complex)(std::int64_t n, dd_complex alpha, dd_complex* x, host::Ahead ahead);
  void (*axpy_complex)(std::int64_t n, dd_complex alpha, const dd_complex* x, dd_complex* y, host::Ahead ahead);
  void (*rotate_complex)(std::int64_t n, dd_real c, dd_complex s, dd_complex* x, dd_complex* y, host::Ahead ahead);
};

/// The sets this CPU can run, best first; the last needs nothing beyond the build's baseline.
const std::vector<const KernelSet*>& kernel_sets();

}  // namespace hilo::array
