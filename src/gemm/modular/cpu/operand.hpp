// One operand of a product as lines of terms: op(A) has a line for each row, op(B) for each column.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <hilo/complex.hpp>
#include <hilo/matrix.hpp>

#include "gemm/modular/cpu/kernels.hpp"

namespace hilo::modular {

template <class T>
inline constexpr bool is_complex_scalar = std::same_as<T, dd_complex> || std::same_as<T, std::complex<double>>;
template <class T>
inline constexpr int words_of = std::same_as<T, dd_real> || std::same_as<T, dd_complex> ? 2 : 1;

struct Operand {
  const double* data;
  std::int64_t lines, terms;
  std::int64_t line_stride, term_stride;  ///< doubles
  int words, parts;
  bool conjugate;

  template <class T>
  static Operand left(const MatrixView<const T>& a) {
    return make(a, a.rows, a.columns, a.row_stride, a.column_stride);
  }
  template <class T>
  static Operand right(const MatrixView<const T>& b) {
    return make(b, b.columns, b.rows, b.column_stride, b.row_stride);
  }

  /// Runs are of neighbours in memory: along lines (a run for each term) or along terms (a run for each line).
  bool runs_along_lines() const { return terms == 1 || (lines > 1 && line_stride < term_stride); }

  /// Lines [first, first + count) of one term, or terms [first, first + count) of one line.
  Run run(std::int64_t index, std::int64_t first, std::int64_t count) const {
    bool along = runs_along_lines();
    std::int64_t step = along ? line_stride : term_stride, across = along ? term_stride : line_stride;
    return {data + index * across + first * step, count, step, words, parts, conjugate};
  }

  const double* element(std::int64_t line, std::int64_t term) const {
    return data + line * line_stride + term * term_stride;
  }

 private:
  template <class T>
  static Operand make(const MatrixView<const T>& x, std::int64_t lines, std::int64_t terms, std::int64_t line_stride,
                      std::int64_t term_stride) {
    constexpr int words = words_of<T>, parts = is_complex_scalar<T> ? 2 : 1, size = words * parts;
    return {reinterpret_cast<const double*>(x.data),
            lines,
            terms,
            line_stride * size,
            term_stride * size,
            words,
            parts,
            x.conjugate && parts == 2};
  }
};

}  // namespace hilo::modular
