// Singular value decompositions of one's own, and what completes them.
#pragma once

#include <algorithm>
#include <hilo/lapack.hpp>
#include <span>
#include <vector>

#include "spectral/dense.hpp"

namespace hilo::spectral {

/// A = U · Σ · Vᴴ of an m × n matrix, m >= n: values in descending order, V is n × n, U m × n, or m × m.
template <gemm_scalar T>
struct Decomposition {
  std::vector<real_type<T>> values;
  Dense<T> u, v;
  int sweeps = 0;  // of Jacobi's rotations; 0 where there were none
};

/// How many columns of U are wanted; without it V is not either.
enum class LeftVectors { none, thin, whole };

/// The first rows and columns of X and beyond them those of the identity.
template <class T>
Dense<T> padded(const Dense<T>& x, std::int64_t rows, std::int64_t columns) {
  Dense<T> y(rows, columns);
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) {
      y(i, j) = i < x.rows() && j < x.columns() ? x(i, j) : T(i == j ? 1 : 0);
    }
  }
  return y;
}

/// Orthonormal columns in the place of X's from column `first` on; those before are orthonormal.
template <gemm_scalar T>
void complete(Dense<T>& x, std::int64_t first, const BlockedOptions& options) {
  if (first == x.columns()) return;
  Dense<T> q = x;
  std::vector<T> tau(static_cast<std::size_t>(first));
  geqrf(q.view().sub(0, 0, x.rows(), first), std::span<T>(tau), options);
  ungqr(q.view(), std::span<const T>(tau), options);
  for (std::int64_t j = first; j < x.columns(); ++j) {
    for (std::int64_t i = 0; i < x.rows(); ++i) x(i, j) = q(i, j);
  }
}

}  // namespace hilo::spectral
