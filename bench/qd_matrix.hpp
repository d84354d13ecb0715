// Matrices of QD's dd_real numbers, by columns, as programs beside `hilo bench` multiply them.
#pragma once

#include <qd/dd_real.h>

#include "reference_program.hpp"

namespace hilo::bench {

using QdMatrix = std::vector<dd_real>;

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

}  // namespace hilo::bench
