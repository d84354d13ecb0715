// How far what a routine left is from what it was given: residuals by LAPACK's ratios, near 1 or below, whatever the
// size. Each multiplies a random vector by both sides, which takes n² operations.
#pragma once

#include <algorithm>
#include <cmath>
#include <hilo/lapack.hpp>
#include <limits>
#include <span>
#include <vector>

#include "data/scalar.hpp"

namespace hilo::cli {

/// LAPACK's ε: the distance from 1 to the next number.
template <class T>
constexpr double epsilon_of = precisions::words(precision_of<T>) == 2 ? 0x1p-105
                              : is_single(precision_of<T>)            ? 0x1p-23
                                                                      : 0x1p-52;

template <class T>
using Vector = std::vector<T>;

template <class T>
VectorView<T> whole(Vector<T>& x) {
  return {x.data(), std::ssize(x)};
}
template <class T>
VectorView<T> part(Vector<T>& x, std::int64_t first, std::int64_t count) {
  return {x.data() + first, count};
}

template <class T>
double magnitude(const T& x) {
  return std::hypot(static_cast<double>(data::real_part(x)), static_cast<double>(data::imaginary_part(x)));
}

template <class T>
double norm_of(const Vector<T>& x) {
  double most = 0.0;
  for (const T& e : x) most = std::max(most, magnitude(e));
  return most;
}

/// ‖A‖∞.
template <class T>
double norm_of(const MatrixView<T>& a) {
  return static_cast<double>(lange(Norm::infinity, a));
}

/// Numbers in (½, 1), the same in every run.
template <class T>
Vector<T> test_vector(std::int64_t n) {
  Vector<T> x(static_cast<std::size_t>(n));
  std::uint64_t state = 1;
  for (T& e : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double word = static_cast<double>(state >> 40) * 0x1p-25 + 0.5;
    e = data::from_parts<T>(static_cast<data::real_of<T>>(word), data::real_of<T>(0));
  }
  return x;
}

/// op(A) · x.
template <class T>
Vector<T> product(const MatrixView<T>& a, Vector<T>& x) {
  Vector<T> y(static_cast<std::size_t>(a.rows));
  gemv(T(1), a, whole(x), T(0), whole(y));
  return y;
}

/// ‖x − y‖∞ / (scale · ε); Inf where something is not finite.
template <class T>
double ratio(const Vector<T>& x, const Vector<T>& y, double scale) {
  double most = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double difference = magnitude(x[i] - y[i]);
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    most = std::max(most, difference);
  }
  return most == 0.0 ? 0.0 : most / (scale * epsilon_of<T>);
}

/// The first min(m, n) entries of R · x, R the upper trapezoid of m × n factors.
template <class T>
Vector<T> trapezoid_product(const MatrixView<T>& factors, Vector<T>& x) {
  const std::int64_t r = std::min(factors.rows, factors.columns), rest = factors.columns - r;
  Vector<T> y(x.begin(), x.begin() + r);
  trmv(Uplo::upper, Diag::non_unit, factors.sub(0, 0, r, r), whole(y));
  if (rest > 0) gemv(T(1), factors.sub(0, r, r, rest), part(x, r, rest), T(1), whole(y));
  return y;
}

/// ‖PAx − LUx‖ / (n ‖A‖ ‖x‖ ε).
template <class T>
double lu_ratio(const MatrixView<T>& a, const MatrixView<T>& factors, std::span<const std::int64_t> pivots) {
  const std::int64_t m = a.rows, n = a.columns, r = std::min(m, n);
  Vector<T> x = test_vector<T>(n), of_a = product(a, x), of_u = trapezoid_product(factors, x);
  for (std::size_t i = 0; i < pivots.size(); ++i) std::swap(of_a[i], of_a[static_cast<std::size_t>(pivots[i] - 1)]);
  Vector<T> of_lu = of_u;
  trmv(Uplo::lower, Diag::unit, factors.sub(0, 0, r, r), whole(of_lu));
  of_lu.resize(static_cast<std::size_t>(m));
  if (m > r) gemv(T(1), factors.sub(r, 0, m - r, r), whole(of_u), T(0), part(of_lu, r, m - r));
  return ratio(of_a, of_lu, static_cast<double>(n) * norm_of(a) * norm_of(x));
}

/// ‖Ax − LLᴴx‖ / (n ‖A‖ ‖x‖ ε).
template <class T>
double cholesky_ratio(const MatrixView<T>& a, const MatrixView<T>& factor) {
  Vector<T> x = test_vector<T>(a.columns), of_a = product(a, x), of_factors = x;
  trmv(Uplo::upper, Diag::non_unit, factor.turned(Op::conjugate_transpose), whole(of_factors));
  trmv(Uplo::lower, Diag::non_unit, factor, whole(of_factors));
  return ratio(of_a, of_factors, static_cast<double>(a.rows) * norm_of(a) * norm_of(x));
}

/// ‖Ax − QRx‖ / (m ‖A‖ ‖x‖ ε).
template <class T>
double qr_ratio(const MatrixView<T>& a, const MatrixView<T>& factors, std::span<const T> tau) {
  const std::int64_t m = a.rows;
  Vector<T> x = test_vector<T>(a.columns), of_a = product(a, x), of_qr = trapezoid_product(factors, x);
  of_qr.resize(static_cast<std::size_t>(m));
  unmqr(Side::left, Op::none, factors, tau, view(Layout::column, Op::none, of_qr.data(), m, 1, m));
  return ratio(of_a, of_qr, static_cast<double>(m) * norm_of(a) * norm_of(x));
}

/// ‖ABx − Cx‖ / (k ‖A‖ ‖B‖ ‖x‖ ε).
template <class T>
double product_ratio(const MatrixView<T>& a, const MatrixView<T>& b, const MatrixView<T>& c) {
  Vector<T> x = test_vector<T>(b.columns), of_b = product(b, x);
  return ratio(product(a, of_b), product(c, x), static_cast<double>(b.rows) * norm_of(a) * norm_of(b) * norm_of(x));
}

/// ‖AAᵀx − Cx‖ / (k ‖A‖ ‖Aᵀ‖ ‖x‖ ε), C by its lower triangle.
template <class T>
double syrk_ratio(const MatrixView<T>& a, const MatrixView<T>& c) {
  const MatrixView<T> transpose = a.turned(Op::transpose);
  Vector<T> x = test_vector<T>(a.rows), inner = product(transpose, x), of_c(x.size());
  symv(Uplo::lower, T(1), c, whole(x), T(0), whole(of_c));
  return ratio(product(a, inner), of_c, static_cast<double>(a.columns) * norm_of(a) * norm_of(transpose) * norm_of(x));
}

/// ‖AXv − Bv‖ / (‖A‖ ‖X‖ ‖v‖ ε).
template <class T>
double solution_ratio(const MatrixView<T>& a, const MatrixView<T>& x, const MatrixView<T>& b) {
  Vector<T> v = test_vector<T>(x.columns), of_x = product(x, v);
  return ratio(product(a, of_x), product(b, v), norm_of(a) * norm_of(x) * norm_of(v));
}

}  // namespace hilo::cli
