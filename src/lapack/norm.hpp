// Norms of matrices by a function that gives their entries.
#pragma once

#include <cmath>
#include <cstdint>
#include <hilo/complex_math.hpp>
#include <hilo/lapack.hpp>
#include <hilo/math/basic.hpp>
#include <limits>

#include "blas/words.hpp"

namespace hilo::lapack {

/// x · 2^e.
template <gemm_scalar T>
T times_power_of_two(const T& x, int e) {
  using std::ldexp;
  if constexpr (is_complex(precision_of<T>)) {
    return {times_power_of_two(real_type<T>(x.real()), e), times_power_of_two(real_type<T>(x.imag()), e)};
  } else {
    return ldexp(x, e);
  }
}

/// |x| without overflow on the way.
template <gemm_scalar T>
real_type<T> modulus(const T& x) {
  using std::abs;
  return abs(x);
}

template <class Real>
bool is_nan(const Real& x) {
  return x != x;
}
template <class Real>
bool is_finite(const Real& x) {
  return !is_nan(x - x);
}

/// The larger, NaN if one is.
template <class Real>
Real larger(const Real& x, const Real& y) {
  return y > x || is_nan(y) ? y : x;
}

template <class Real>
int exponent(const Real& x) {
  using std::ilogb;
  return ilogb(x);
}

/// The largest of columns' sums of magnitudes, or of their largest magnitudes.
template <gemm_scalar T, class Entry>
real_type<T> norm_by_columns(bool sums, std::int64_t rows, std::int64_t columns, Entry entry) {
  using Real = real_type<T>;
  Real most(0);
  for (std::int64_t j = 0; j < columns; ++j) {
    Real of_column(0);
    for (std::int64_t i = 0; i < rows; ++i) {
      const Real x = modulus(T(entry(i, j)));
      of_column = sums ? of_column + x : larger(of_column, x);
    }
    most = larger(most, of_column);
  }
  return most;
}

/// entry(i, j) of rows × columns entries.
template <gemm_scalar T, class Entry>
real_type<T> norm_of_entries(Norm norm, std::int64_t rows, std::int64_t columns, Entry entry) {
  using Real = real_type<T>;
  if (norm == Norm::one) return norm_by_columns<T>(true, rows, columns, entry);
  if (norm == Norm::infinity) {
    return norm_by_columns<T>(true, columns, rows, [&](std::int64_t i, std::int64_t j) { return entry(j, i); });
  }
  const Real most = norm_by_columns<T>(false, rows, columns, entry);
  if (norm == Norm::max || most == Real(0) || !is_finite(most)) return most;
  using std::sqrt;
  const int e = exponent(most);
  Real sum(0);
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) {
      const Real x = modulus(times_power_of_two(T(entry(i, j)), -e));
      sum = sum + x * x;
    }
  }
  return times_power_of_two(Real(sqrt(sum)), e);
}

template <gemm_scalar T>
real_type<T> norm_of_triangle(Norm norm, Uplo uplo, Diag diag, const MatrixView<const T>& a) {
  return norm_of_entries<T>(norm, a.rows, a.columns, [&](std::int64_t i, std::int64_t j) {
    if (i == j) return diag == Diag::unit ? T(1) : a(i, i);
    return (i > j) == (uplo == Uplo::lower) ? a(i, j) : T(0);
  });
}

}  // namespace hilo::lapack
