// Packing of op(A) and op(B) into panels for the direct kernels.
//
// Both matrices are seen as lines of real steps: op(A) has a line for each row, op(B) for each column, and the product
// of line i and line j is the entry (i, j). A complex term is two steps. op(A)'s line holds (ar, ai); op(B) has two
// lines for each column: (br, −bi) for the real part and (bi, br) for the imaginary part. The step on (ai, −bi) has the
// bits of the canonical (−ai, bi).
#pragma once

#include <algorithm>
#include <cstdint>
#include <hilo/complex.hpp>
#include <hilo/matrix.hpp>

#include "gemm/direct/reference.hpp"

namespace hilo::direct {

template <class T>
inline constexpr std::int64_t steps_per_term = std::same_as<T, dd_complex> ? 2 : 1;

/// Which operand a line belongs to.
enum class Side { left, right };

/// One operand as lines of steps.
template <class T, Side side>
struct Lines {
  const T* data;
  std::int64_t count;  ///< lines
  std::int64_t line_stride, term_stride;
  bool conjugate;

  static Lines of(const MatrixView<const T>& x) {
    if constexpr (side == Side::left) {
      return {x.data, x.rows, x.row_stride, x.column_stride, x.conjugate};
    } else {
      return {x.data, x.columns * steps_per_term<T>, x.column_stride, x.row_stride, x.conjugate};
    }
  }

  dd_real step(std::int64_t line, std::int64_t s) const {
    if constexpr (std::same_as<T, dd_real>) {
      return data[line * line_stride + s * term_stride];
    } else if constexpr (side == Side::left) {
      const dd_complex& z = data[line * line_stride + s / 2 * term_stride];
      return s % 2 == 0 ? z.re : conjugate ? -z.im : z.im;
    } else {
      const dd_complex& z = data[line / 2 * line_stride + s / 2 * term_stride];
      if (line % 2 == s % 2) return z.re;
      bool negate = (s % 2 == 1) != conjugate;
      return negate ? -z.im : z.im;
    }
  }

  /// Packs steps [first_step, first_step + steps) of `width` lines from first_line: step after step, `width` hi parts
  /// and then `width` lo parts. Lines past the last are zero.
  void pack(std::int64_t first_line, std::int64_t width, std::int64_t first_step, std::int64_t steps,
            double* out) const {
    std::int64_t present = std::min(width, count - first_line);
    // All at once is faster than what is missing from each step.
    if (present < width) std::fill_n(out, 2 * width * steps, 0.0);
    for (std::int64_t s = 0; s < steps; ++s, out += 2 * width) {
      if constexpr (std::same_as<T, dd_real>) {
        const dd_real* x = data + first_line * line_stride + (first_step + s) * term_stride;
        if (line_stride == 1) {
          copy_line(x, present, width, out);
          continue;
        }
      }
      for (std::int64_t l = 0; l < present; ++l) {
        dd_real x = step(first_line + l, first_step + s);
        out[l] = x.hi;
        out[width + l] = x.lo;
      }
    }
  }

 private:
  // A loop of its own, which vectorises.
  static void copy_line(const dd_real* x, std::int64_t present, std::int64_t width, double* __restrict out) {
    for (std::int64_t l = 0; l < present; ++l) {
      out[l] = x[l].hi;
      out[width + l] = x[l].lo;
    }
  }
};

}  // namespace hilo::direct
