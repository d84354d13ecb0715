// Inverses of triangles by halves, and of matrices from their factors: one text for every place.
//
// Source: Du Croz, Higham, IMA J. Numer. Anal. 12 (1992). All leave X · A − I small, of a triangle that for getri must.
#pragma once

#include <algorithm>
#include <cstdint>

#include "blas/symmetric.hpp"
#include "blas/triangular.hpp"

namespace hilo::lapack {

/// A = A⁻¹ of a triangle in its place.
template <class Place>
void invert_triangle(Place& place, Uplo uplo, Diag diag, const typename Place::Matrix& a) {
  using Scalar = typename Place::Scalar;
  const std::int64_t n = a.rows;
  if (n <= place.block()) return place.invert_block(uplo, diag, a);
  const std::int64_t h = blas::half(n, place.block());
  const auto first = a.sub(0, 0, h, h), last = a.sub(h, h, n - h, n - h);
  const bool is_lower = uplo == Uplo::lower;
  // Lower: X21 = −X22 · (L21 · L11⁻¹).
  const auto off = is_lower ? a.sub(h, 0, n - h, h) : a.sub(0, h, h, n - h);
  const auto right = is_lower ? first : last, left = is_lower ? last : first;
  blas::solve_triangle_right(place, uplo, diag, right, off);
  place.scale(Scalar(-1), off);
  invert_triangle(place, uplo, diag, left);
  blas::multiply_triangle<Place>(place, uplo, diag, left, off);
  invert_triangle(place, uplo, diag, right);
}

/// Columns of L that are moved out of A at a time, in blocks.
inline constexpr std::int64_t inverse_strip_blocks = 4;

/// A = A⁻¹ with A's factors and the place's pivots, U's diagonal without zeros: X · L = U⁻¹, strips of columns from the
/// last on.
template <class Place>
void invert_with_factors(Place& place, const typename Place::Matrix& a) {
  using Scalar = typename Place::Scalar;
  const std::int64_t n = a.rows, strip = inverse_strip_blocks * place.block();
  invert_triangle(place, Uplo::upper, Diag::non_unit, a);
  auto memory = place.lend(n, std::min(n, strip));
  for (std::int64_t first = (n - 1) / strip * strip; first >= 0; first -= strip) {
    const std::int64_t width = std::min(strip, n - first), after = first + width;
    const auto l = memory.matrix().sub(0, 0, n - first, width);
    place.move_out_lower(a.sub(first, first, n - first, width), l);
    const auto columns = a.sub(0, first, n, width);
    if (after < n) {
      place.multiply(Scalar(-1), a.sub(0, after, n, n - after), l.sub(width, 0, n - after, width), Scalar(1), columns);
    }
    blas::solve_triangle_right(place, Uplo::lower, Diag::unit, l.sub(0, 0, width, width), columns);
  }
  place.move_rows_back(a.turned(Op::transpose), 0, n);
}

/// The lower triangle of Lᴴ · L in L's place.
template <class Place>
void multiply_by_adjoint(Place& place, const typename Place::Matrix& l) {
  using Scalar = typename Place::Scalar;
  using Operand = typename Place::Operand;
  const std::int64_t n = l.rows;
  if (n <= place.block()) return place.multiply_block_by_adjoint(l);
  const std::int64_t h = blas::half(n, place.block());
  const auto first = l.sub(0, 0, h, h), below = l.sub(h, 0, n - h, h), last = l.sub(h, h, n - h, n - h);
  multiply_by_adjoint(place, first);
  blas::multiply_to_triangle(place, Uplo::lower, blas::Symmetry::hermitian, Scalar(1),
                             Operand(below).turned(Op::conjugate_transpose), below, Scalar(1), first);
  blas::multiply_triangle(place, Uplo::upper, Diag::non_unit, Operand(last).turned(Op::conjugate_transpose), below);
  multiply_by_adjoint(place, last);
}

/// The lower triangle of A⁻¹ in the place of that of L, A = L · Lᴴ.
template <class Place>
void invert_positive(Place& place, const typename Place::Matrix& l) {
  invert_triangle(place, Uplo::lower, Diag::non_unit, l);
  multiply_by_adjoint(place, l);
}

}  // namespace hilo::lapack
