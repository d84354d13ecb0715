// Products in D and Z as plain sums in increasing order, with the same bits on every machine: for what the modular
// engine leaves to others, where a BLAS library would sum as it likes.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <hilo/matrix.hpp>

#include "gemm/modular/cpu/operand.hpp"
#include "host/team.hpp"
#include "matrix/product.hpp"

namespace hilo::modular {

inline double plain_times(double x, double y) { return x * y; }
/// Infinities are not recovered.
template <class Word>
std::complex<Word> plain_times(const std::complex<Word>& x, const std::complex<Word>& y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

/// alpha · sum + beta · c; c is not read where beta = 0.
template <class T>
T plain_scale_and_add(const T& alpha, const T& sum, const T& beta, const T& c) {
  T r = alpha == T(1) ? sum : plain_times(alpha, sum);
  if (beta == T(0)) return r;
  return r + (beta == T(1) ? c : plain_times(beta, c));
}

/// One product; C is not read where beta = 0.
template <class T>
void plain_product(const Product<T>& x, int threads) {
  const MatrixView<const T>&a = x.a, &b = x.b;
  const MatrixView<T>& c = x.c;
  auto element = [](const MatrixView<const T>& y, std::int64_t i, std::int64_t j) {
    if constexpr (is_complex_scalar<T>) {
      return y.conjugate ? std::conj(y(i, j)) : y(i, j);
    } else {
      return y(i, j);
    }
  };
  // Sums side by side, so that vectors hold them and packed rows of A serve several columns.
  constexpr std::int64_t rows = 64, columns = 16, depth = 32;
  auto parts = [](std::int64_t n, std::int64_t length) { return (n + length - 1) / length; };
  const std::int64_t row_parts = parts(c.rows, rows);
  host::for_each(threads, row_parts * parts(c.columns, columns), [&](std::int64_t task, int) {
    const std::int64_t i = task % row_parts * rows, j = task / row_parts * columns;
    const std::int64_t height = std::min(rows, c.rows - i), width = std::min(columns, c.columns - j);
    T sums[columns][rows] = {}, packed[depth][rows];
    for (std::int64_t h = 0; h < b.rows; h += depth) {
      const std::int64_t terms = std::min(depth, b.rows - h);
      for (std::int64_t t = 0; t < terms; ++t) {
        for (std::int64_t r = 0; r < height; ++r) packed[t][r] = element(a, i + r, h + t);
      }
      for (std::int64_t s = 0; s < width; ++s) {
        for (std::int64_t t = 0; t < terms; ++t) {
          const T y = element(b, h + t, j + s);
          for (std::int64_t r = 0; r < height; ++r) sums[s][r] += plain_times(packed[t][r], y);
        }
      }
    }
    for (std::int64_t s = 0; s < width; ++s) {
      for (std::int64_t r = 0; r < height; ++r) {
        T& out = c(i + r, j + s);
        out = plain_scale_and_add(x.alpha, sums[s][r], x.beta, out);
      }
    }
  });
}

}  // namespace hilo::modular
