// Cholesky by halves: one text for every place.
#pragma once

#include <cstdint>

#include "blas/symmetric.hpp"
#include "blas/triangular.hpp"

namespace hilo::lapack {

/// L of the first n columns of a Hermitian matrix in the place of its lower trapezium, m × n, n <= m, whose first
/// column is column `first` of the whole. Nothing more is done once the place knows a column whose pivot is not
/// positive. factor_positive_columns_at_once() is as factor_columns_at_once() (lu.hpp).
template <class Place>
void factor_positive_columns(Place& place, const typename Place::Matrix& a, std::int64_t first) {
  using Scalar = typename Place::Scalar;
  using Operand = typename Place::Operand;
  const std::int64_t m = a.rows, n = a.columns;
  if constexpr (requires { place.factor_positive_columns_at_once(a, first); }) {
    if (place.factor_positive_columns_at_once(a, first)) return;
  }
  if constexpr (requires { place.cholesky_block(a, first); }) {
    if (n <= place.block()) {
      const auto top = a.sub(0, 0, n, n);
      place.cholesky_block(top, first);
      if (place.has_failed()) return;
      return blas::solve_triangle_right(place, Uplo::upper, Diag::non_unit,
                                        Operand(top).turned(Op::conjugate_transpose), a.sub(n, 0, m - n, n));
    }
  }
  const std::int64_t h = blas::half(n, place.block());
  factor_positive_columns(place, a.sub(0, 0, m, h), first);
  if (place.has_failed()) return;
  const auto left = a.sub(h, 0, m - h, h), right = a.sub(h, h, m - h, n - h);
  blas::multiply_to_trapezium(place, blas::Symmetry::hermitian, Scalar(-1), left,
                              Operand(left.sub(0, 0, n - h, h)).turned(Op::conjugate_transpose), Scalar(1), right);
  factor_positive_columns(place, right, first + h);
}

/// A = L · Lᴴ in the lower triangle of A.
template <class Place>
void factor_positive(Place& place, const typename Place::Matrix& a) {
  factor_positive_columns(place, a, 0);
}

/// As a lower triangle: of an upper one the transpose is, of a Hermitian matrix conj(A) = L · Lᴴ with L = Uᵀ.
template <class Matrix>
Matrix as_lower(Uplo uplo, const Matrix& a) {
  return uplo == Uplo::lower ? a : a.turned(Op::transpose);
}

/// B = A⁻¹ · B with the factor of A.
template <class Place>
void solve_positive(Place& place, Uplo uplo, const typename Place::Operand& factor, const typename Place::Matrix& b) {
  const auto turned = factor.turned(Op::conjugate_transpose);
  const bool is_lower = uplo == Uplo::lower;
  blas::solve_triangle(place, Uplo::lower, Diag::non_unit, is_lower ? factor : turned, b);
  blas::solve_triangle(place, Uplo::upper, Diag::non_unit, is_lower ? turned : factor, b);
}

}  // namespace hilo::lapack
