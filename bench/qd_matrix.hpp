// Matrices of QD's dd_real numbers, and of complex ones made of two of them, by columns, as programs beside `hilo
// bench` and `hilo accuracy` multiply them.
#pragma once

#include <qd/dd_real.h>

#include "reference_program.hpp"

namespace hilo::bench {

using QdMatrix = std::vector<dd_real>;

/// A complex number, which QD has not: the textbook's product, each part by dd_real's products and sums.
struct QdComplex {
  dd_real re = 0.0, im = 0.0;

  QdComplex& operator+=(const QdComplex& x) {
    re += x.re;
    im += x.im;
    return *this;
  }
  friend QdComplex operator*(const QdComplex& x, const QdComplex& y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }
};

/// Entries in (-1, 1), all 106 bits filled.
inline QdMatrix random_qd_matrix(std::int64_t n, Uniform& uniform) {
  QdMatrix x(static_cast<std::size_t>(n * n));
  for (dd_real& e : x) {
    const double hi = uniform();
    e = dd_real(hi, 0x1p-54 * hi * uniform());
  }
  return x;
}

/// Of op(X), as reference programs check them.
inline std::complex<long double> qd_entry(std::int64_t n, const QdMatrix& x, char op, std::int64_t i, std::int64_t j) {
  const dd_real& e = x[static_cast<std::size_t>(op == 'n' ? i + j * n : j + i * n)];
  return static_cast<long double>(e.x[0]) + static_cast<long double>(e.x[1]);
}

/// C = A · B, A m × k: for each entry of B a column of A is added to one of C, so that all that is read lies side by
/// side.
template <class T>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, const T* b, T* c) {
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) c[j * m + i] = T{0.0};
    for (std::int64_t h = 0; h < k; ++h) {
      for (std::int64_t i = 0; i < m; ++i) c[j * m + i] += a[h * m + i] * b[j * k + h];
    }
  }
}

}  // namespace hilo::bench
