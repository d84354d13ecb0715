// Operands of the direct engine's products as lines of real steps, packed into panels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <hilo/complex.hpp>
#include <hilo/matrix.hpp>

namespace hilo::direct {

enum class Side { left, right };

// An operand as lines of real steps: op(A) has a line for each row, op(B) for each column, and the product of line i
// and line j is the entry (i, j). A complex term is two steps. op(A)'s line holds (ar, ai); op(B) has two lines for
// each column: (br, −bi) for the real part and (bi, br) for the imaginary part. The step on (ai, −bi) has the bits of
// the canonical (−ai, bi).
template <class T, Side side>
struct Lines {
  const T* data;
  std::int64_t count;  // of lines
  std::int64_t line_stride, term_stride;
  bool conjugate;

  static Lines of(const MatrixView<const T>& x) {
    if constexpr (side == Side::left) {
      return {x.data, x.rows, x.row_stride, x.column_stride, x.conjugate};
    } else {
      const std::int64_t parts = std::same_as<T, dd_complex> ? 2 : 1;
      return {x.data, x.columns * parts, x.column_stride, x.row_stride, x.conjugate};
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

  // Packs steps [first_step, first_step + steps) of `width` lines from first_line: step after step, `width` hi parts
  // and then `width` lo parts. Lines past the last are zero.
  void pack(std::int64_t first_line, std::int64_t width, std::int64_t first_step, std::int64_t steps,
            double* out) const {
    const std::int64_t present = std::min(width, count - first_line);
    if constexpr (std::same_as<T, dd_real>) {
      const bool whole = present == width;
      if (whole && width == 16) return pack_whole<16>(first_line, first_step, steps, out);
      if (whole && width == 8) return pack_whole<8>(first_line, first_step, steps, out);
      if (whole && width == 6) return pack_whole<6>(first_line, first_step, steps, out);
      if (whole && width == 4) return pack_whole<4>(first_line, first_step, steps, out);
      if (whole && width == 2) return pack_whole<2>(first_line, first_step, steps, out);
    }
    // All at once is faster than what is missing from each step.
    if (present < width) std::fill_n(out, 2 * width * steps, 0.0);
    for (std::int64_t s = 0; s < steps; ++s, out += 2 * width) {
      for (std::int64_t l = 0; l < present; ++l) {
        const dd_real x = step(first_line + l, first_step + s);
        out[l] = x.hi;
        out[width + l] = x.lo;
      }
    }
  }

 private:
  static constexpr std::int64_t line_bytes = 64;  // of a cache

  // The width is a constant, so that the compiler takes words of neighbours in vectors. The panel after this one is
  // asked for meanwhile: what is packed comes from memory mostly, and lies too far apart for the CPU to foresee it.
  template <std::int64_t Width>
  void pack_whole(std::int64_t first_line, std::int64_t first_step, std::int64_t steps, double* __restrict out) const {
    const dd_real* from = data + first_line * line_stride + first_step * term_stride;
    const std::int64_t next = std::max<std::int64_t>(std::min(Width, count - first_line - Width), 0);
    constexpr auto elements = line_bytes / static_cast<std::int64_t>(sizeof(dd_real));
    const dd_real* const expected = from + Width * line_stride;
    for (std::int64_t s = 0; s < steps; ++s, from += term_stride, out += 2 * Width) {
      if (line_stride == 1) {
        for (std::int64_t l = 0; l < next; l += elements) __builtin_prefetch(expected + s * term_stride + l);
        copy_step<Width>(from, 1, out);
      } else {
        if (term_stride != 1 || s % elements == 0) {
          for (std::int64_t l = 0; l < next; ++l) __builtin_prefetch(expected + s * term_stride + l * line_stride);
        }
        copy_step<Width>(from, line_stride, out);
      }
    }
  }
  template <std::int64_t Width>
  static void copy_step(const dd_real* from, std::int64_t stride, double* __restrict out) {
#pragma GCC unroll 16
    for (std::int64_t l = 0; l < Width; l += 2) {
      const dd_real &x = from[l * stride], &y = from[(l + 1) * stride];
      out[l] = x.hi;
      out[l + 1] = y.hi;
      out[Width + l] = x.lo;
      out[Width + l + 1] = y.lo;
    }
  }
};

}  // namespace hilo::direct
