// Cholesky by halves: one text for every place.
#pragma once

#include <cstdint>

#include "blas/symmetric.hpp"
#include "blas/triangular.hpp"

namespace hilo::lapack {

/// A = L · Lᴴ in the lower triangle of A, whose first column is column `first` of the whole. Nothing more is done once
/// the place knows a column whose pivot is not positive.
template <class Place>
void factor_positive(Place& place, const typename Place::Matrix& a, std::int64_t first) {
  using Scalar = typename Place::Scalar;
  const std::int64_t n = a.rows;
  if (n <= place.block()) return place.cholesky_block(a, first);
  const std::int64_t h = blas::half(n, place.block());
  const auto top = a.sub(0, 0, h, h), below = a.sub(h, 0, n - h, h), rest = a.sub(h, h, n - h, n - h);
  factor_positive(place, top, first);
  if (place.has_failed()) return;
  // L21 = A21 · L11⁻ᴴ
  blas::solve_triangle_right(place, Uplo::upper, Diag::non_unit,
                             typename Place::Operand(top).turned(Op::conjugate_transpose), below);
  blas::multiply_to_triangle(place, Uplo::lower, blas::Symmetry::hermitian, Scalar(-1), below,
                             typename Place::Operand(below).turned(Op::conjugate_transpose), Scalar(1), rest);
  factor_positive(place, rest, first + h);
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
