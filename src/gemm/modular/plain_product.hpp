// Products in D and Z as plain sums in increasing order, with the same bits on every machine: for what the modular
// engine leaves to others, where a BLAS library would sum as it likes.
#pragma once

#include <complex>
#include <cstdint>
#include <hilo/matrix.hpp>

#include "gemm/modular/operand.hpp"

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

/// C = alpha · A · B + beta · C; C is not read where beta = 0.
template <class T>
void plain_product(T alpha, MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c, int threads) {
  auto element = [](const MatrixView<const T>& x, std::int64_t i, std::int64_t j) {
    if constexpr (is_complex_scalar<T>) {
      return x.conjugate ? std::conj(x(i, j)) : x(i, j);
    } else {
      return x(i, j);
    }
  };
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (std::int64_t j = 0; j < c.columns; ++j) {
    for (std::int64_t i = 0; i < c.rows; ++i) {
      T sum(0);
      for (std::int64_t h = 0; h < b.rows; ++h) sum += plain_times(element(a, i, h), element(b, h, j));
      c(i, j) = plain_scale_and_add(alpha, sum, beta, c(i, j));
    }
  }
}

}  // namespace hilo::modular
