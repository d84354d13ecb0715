// Singular values by Jacobi rotations of columns: slow, for every matrix, and right relative to each value where others
// are right relative to the largest.
//
// Of A = B · D, or D · B, D diagonal: rows in order of their sizes, QR with column pivoting, and rotations of R's rows,
// which pivoting leaves nearly orthogonal. Sources: Cox, Higham, Stability of Householder QR factorization for weighted
// least squares problems, 1998; Drmač, Veselić, SIAM J. Matrix Anal. Appl. 29 (2008).
#pragma once

#include <cmath>
#include <numeric>

#include "spectral/decomposition.hpp"
#include "spectral/jacobi.hpp"

namespace hilo::spectral {

/// Columns of norms below this count as 0: squares of others neither underflow nor lose low words.
inline constexpr double least_norm = 0x1p-450;

/// Σ|x_ij|² of a column.
template <gemm_scalar T>
real_type<T> square_of(const Dense<T>& x, std::int64_t j) {
  real_type<T> sum(0);
  for (std::int64_t i = 0; i < x.rows(); ++i) sum = sum + real_part(T(blas::conjugated(x(i, j), true) * x(i, j)));
  return sum;
}

/// W's columns become orthogonal, those of `rotations` are rotated with them. W's largest entry is near 1. The number
/// of sweeps; more than 60 are not made.
template <gemm_scalar T>
int orthogonalise_columns(Dense<T>& w, Dense<T>& rotations) {
  using Real = real_type<T>;
  using std::abs;
  using std::sqrt;
  const std::int64_t n = w.columns(), m = w.rows();
  // What a product of two columns rounds.
  const double rounding = double_double<T> ? 0x1p-105 : 0x1p-53;
  const Real least((4.0 + std::sqrt(static_cast<double>(m))) * rounding);
  const auto product_of = [&](std::int64_t p, std::int64_t q) {
    T sum(0);
    for (std::int64_t i = 0; i < m; ++i) sum = sum + blas::conjugated(w(i, p), true) * w(i, q);
    return sum;
  };
  std::vector<Real> squares(static_cast<std::size_t>(n));
  const auto square = [&](std::int64_t j) -> Real& { return squares[static_cast<std::size_t>(j)]; };
  constexpr int most = 60;
  for (int sweep = 1; sweep <= most; ++sweep) {
    bool is_orthogonal = true;
    for (std::int64_t j = 0; j < n; ++j) {
      square(j) = square_of(w, j);
      if (square(j) >= Real(least_norm * least_norm)) continue;
      square(j) = Real(0);
      for (std::int64_t i = 0; i < m; ++i) w(i, j) = T(0);
    }
    for (std::int64_t p = 0; p < n; ++p) {
      for (std::int64_t q = p + 1; q < n; ++q) {
        const T coupling = product_of(p, q);
        if (Real(abs(coupling)) <= least * sqrt(square(p)) * sqrt(square(q))) continue;
        is_orthogonal = false;
        const Rotation<T> rotation(square(p), square(q), coupling);
        for (std::int64_t i = 0; i < m; ++i) rotation.apply(w(i, p), w(i, q));
        for (std::int64_t i = 0; i < rotations.rows(); ++i) rotation.apply(rotations(i, p), rotations(i, q));
        for (const std::int64_t j : {p, q}) square(j) = square_of(w, j);
      }
    }
    if (is_orthogonal) return sweep;
  }
  return most;
}

/// 0 … of values in descending order, equal ones as they are.
template <class Real>
std::vector<std::int64_t> descending_order(const std::vector<Real>& values) {
  std::vector<std::int64_t> order(values.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t k) {
    return values[static_cast<std::size_t>(i)] > values[static_cast<std::size_t>(k)];
  });
  return order;
}

/// Rows in the order of their largest entries.
template <gemm_scalar T>
std::vector<std::int64_t> order_of_rows(const Dense<T>& a) {
  std::vector<double> sizes(static_cast<std::size_t>(a.rows()));
  for (std::int64_t j = 0; j < a.columns(); ++j) {
    for (std::int64_t i = 0; i < a.rows(); ++i) {
      double& size = sizes[static_cast<std::size_t>(i)];
      size = std::max(size, solver::size_of(a(i, j)));
    }
  }
  return descending_order(sizes);
}

/// W and J after rotations, W = L · J, as L = X · Σ · Uᴴ: values in descending order, X (n × n) for V.
template <gemm_scalar T>
Decomposition<T> normalised(const Dense<T>& w, const Dense<T>& rotations, bool wants_vectors,
                            const BlockedOptions& options) {
  using Real = real_type<T>;
  using std::sqrt;
  const std::int64_t n = w.columns();
  // J's columns have grown or shrunk with those of W.
  std::vector<Real> norms, of_rotations, values;
  for (std::int64_t j = 0; j < n; ++j) {
    norms.push_back(sqrt(square_of(w, j)));
    of_rotations.push_back(sqrt(square_of(rotations, j)));
    values.push_back(norms.back() / of_rotations.back());
  }
  const std::vector<std::int64_t> order = descending_order(values);
  Decomposition<T> found;
  std::int64_t rank = 0;
  for (const std::int64_t j : order) {
    found.values.push_back(values[static_cast<std::size_t>(j)]);
    if (found.values.back() > Real(0)) ++rank;
  }
  if (!wants_vectors) return found;
  found.u = Dense<T>(n, n);
  found.v = Dense<T>(n, n);
  for (std::int64_t k = 0; k < n; ++k) {
    const std::int64_t j = order[static_cast<std::size_t>(k)];
    const Real of_u = Real(1.0) / of_rotations[static_cast<std::size_t>(j)];
    for (std::int64_t i = 0; i < n; ++i) found.u(i, k) = rotations(i, j) * of_u;
    if (k >= rank) continue;
    const Real of_v = Real(1.0) / norms[static_cast<std::size_t>(j)];
    for (std::int64_t i = 0; i < n; ++i) found.v(i, k) = w(i, j) * of_v;
  }
  complete(found.v, rank, options);
  return found;
}

/// Of an m × n matrix in double or double-double, m >= n >= 1, with its largest entry near 1, or 0.
template <gemm_scalar T>
Decomposition<T> jacobi_decomposition(const Dense<T>& a, LeftVectors left, BlockedOptions options) {
  // Others err relative to the largest entries of rows and columns.
  if constexpr (double_double<T>) {
    if (options.engine == Engine::reproducible) options.fma = Fma::on;
    options.engine = Engine::direct;
  }
  const std::int64_t m = a.rows(), n = a.columns();
  const std::vector<std::int64_t> rows = order_of_rows(a);
  Dense<T> f(m, n), w(n, n), rotations = identity<T>(n);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) f(i, j) = a(rows[static_cast<std::size_t>(i)], j);
  }
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
  std::vector<T> tau(pivots.size());
  geqp3(f.view(), std::span(pivots), std::span<T>(tau), options);
  // A P = Q R and Rᴴ J = X Σ: A = (Q J) · Σ · (P X)ᴴ.
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i <= j; ++i) w(j, i) = blas::conjugated(f(i, j), true);
  }
  const int sweeps = orthogonalise_columns(w, rotations);
  Decomposition<T> found = normalised(w, rotations, left != LeftVectors::none, options);
  found.sweeps = sweeps;
  if (left == LeftVectors::none) return found;
  const Dense<T> x = std::move(found.v);
  Dense<T> u = padded(found.u, m, left == LeftVectors::thin ? n : m);
  unmqr(Side::left, Op::none, f.view(), std::span<const T>(tau), u.view(), options);
  found.u = Dense<T>(m, u.columns());
  found.v = Dense<T>(n, n);
  for (std::int64_t k = 0; k < u.columns(); ++k) {
    for (std::int64_t i = 0; i < m; ++i) found.u(rows[static_cast<std::size_t>(i)], k) = u(i, k);
  }
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t i = 0; i < n; ++i) found.v(pivots[static_cast<std::size_t>(i)] - 1, k) = x(i, k);
  }
  return found;
}

}  // namespace hilo::spectral
