// LU with partial pivoting by halves of columns, and what is solved with it: one text for every place.
//
// Sources: Toledo, SIAM J. Matrix Anal. Appl. 18 (1997); Elmroth, Gustavson, IBM J. Res. Dev. 44 (2000).
#pragma once

#include <cstdint>

#include "blas/triangular.hpp"

namespace hilo::lapack {

/// P · A = L · U of an m × n matrix in its place, n <= m; its pivots are first … first + n − 1 of the place's pivots. A
/// place whose matrices are elsewhere than where it computes has factor_columns_at_once(), which does all of it or
/// nothing, and may have defer_update(), after which it does to the columns on the right what the left ones' factors
/// are for, by and by as these come to be known; one that does all that is so small has no panels.
template <class Place>
void factor_columns(Place& place, const typename Place::Matrix& a, std::int64_t first) {
  using Scalar = typename Place::Scalar;
  const std::int64_t m = a.rows, n = a.columns;
  if constexpr (requires { place.factor_columns_at_once(a, first); }) {
    if (place.factor_columns_at_once(a, first)) return;
  }
  if constexpr (requires { place.lu_panel(a, first); }) {
    if (n <= place.block()) return place.lu_panel(a, first);
  }
  const std::int64_t h = blas::half(n, place.block());
  const auto left = a.sub(0, 0, m, h), right = a.sub(0, h, m, n - h);
  bool is_deferred = false;
  if constexpr (requires { place.defer_update(left, right); }) is_deferred = place.defer_update(left, right);
  factor_columns(place, left, first);
  const auto top = right.sub(0, 0, h, n - h), rest = right.sub(h, 0, m - h, n - h);
  if (!is_deferred) {
    place.move_rows(right, first, h);
    blas::solve_triangle(place, Uplo::lower, Diag::unit, left.sub(0, 0, h, h), top);
    place.multiply(Scalar(-1), left.sub(h, 0, m - h, h), top, Scalar(1), rest);
  }
  factor_columns(place, rest, first + h);
  place.move_rows(a.sub(h, 0, m - h, h), first + h, n - h);
}

/// The same of any m × n matrix.
template <class Place>
void factor(Place& place, const typename Place::Matrix& a) {
  const std::int64_t n = std::min(a.rows, a.columns);
  factor_columns(place, a.sub(0, 0, a.rows, n), 0);
  if (n == a.columns) return;
  const auto right = a.sub(0, n, a.rows, a.columns - n);
  place.move_rows(right, 0, n);
  blas::solve_triangle(place, Uplo::lower, Diag::unit, a.sub(0, 0, n, n), right);
}

/// B = op(A)⁻¹ · B with the place's pivots and the factors of A.
template <class Place>
void solve_with_factors(Place& place, Op op, const typename Place::Operand& lu, const typename Place::Matrix& b) {
  const std::int64_t n = lu.rows;
  if (!is_transposed(op)) {
    const auto factors = lu.turned(op);
    place.move_rows(b, 0, n);
    blas::solve_triangle(place, Uplo::lower, Diag::unit, factors, b);
    blas::solve_triangle(place, Uplo::upper, Diag::non_unit, factors, b);
  } else {
    const auto factors = lu.turned(op);
    blas::solve_triangle(place, Uplo::lower, Diag::non_unit, factors, b);
    blas::solve_triangle(place, Uplo::upper, Diag::unit, factors, b);
    place.move_rows_back(b, 0, n);
  }
}

}  // namespace hilo::lapack
