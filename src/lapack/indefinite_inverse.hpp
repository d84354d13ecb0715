// Inverses of indefinite matrices from L · D · Lᵀ or L · D · Lᴴ, by the lower triangle: one text for every place.
//
// A⁻¹ = Wᵀ · D⁻¹ · W with W = L⁻¹, as LAPACK's xSYTRI2X. Its xSYTRI, columns of X · L = L⁻ᵀ · D⁻¹ from the last on,
// leaves residuals a thousand times as large of ill-conditioned matrices such as Hilbert's.
#pragma once

#include <cstdint>

#include "lapack/indefinite.hpp"
#include "lapack/inverse.hpp"

namespace hilo::lapack {

/// L = L⁻¹ of a unit lower triangle in its place. W21 = −(W22 · L21) · L11⁻¹ leaves W · L near I in proportion to
/// |W| · |L|; as invert_triangle has it, −W22 · (L21 · L11⁻¹), residuals of A⁻¹ would be far larger.
template <class Place>
void invert_unit_lower(Place& place, const typename Place::Matrix& l) {
  using Scalar = typename Place::Scalar;
  const std::int64_t n = l.rows;
  if (n <= place.block()) return place.invert_block(Uplo::lower, Diag::unit, l);
  const std::int64_t h = blas::half(n, place.block());
  const auto top = l.sub(0, 0, h, h), below = l.sub(h, 0, n - h, h), last = l.sub(h, h, n - h, n - h);
  invert_unit_lower(place, last);
  blas::multiply_triangle<Place>(place, Uplo::lower, Diag::unit, last, below);
  place.scale(Scalar(-1), below);
  blas::solve_triangle_right<Place>(place, Uplo::lower, Diag::unit, top, below);
  invert_unit_lower(place, top);
}

/// The lower triangle of Wᵀ · D⁻¹ · W, or Wᴴ · D⁻¹ · W, in the place of W, unit lower; its first row is row `first` of
/// the whole.
template <class Place>
void multiply_around_blocks(Place& place, const typename Place::Matrix& w, std::int64_t first) {
  using Scalar = typename Place::Scalar;
  using Operand = typename Place::Operand;
  const std::int64_t n = w.rows;
  const std::int64_t h = n > place.block() ? place.with_whole_blocks(first, blas::half(n, place.block())) : n;
  if (h == n) return place.multiply_block_around_blocks(w, first);
  const Op adjoint = adjoint_of(place.symmetry());
  const auto top = w.sub(0, 0, h, h), below = w.sub(h, 0, n - h, h), last = w.sub(h, h, n - h, n - h);
  multiply_around_blocks(place, top, first);
  {
    auto memory = place.lend(n - h, h);
    const auto kept = memory.matrix();
    place.divide_by_blocks(below, first + h, kept);
    blas::multiply_to_triangle(place, Uplo::lower, place.symmetry(), Scalar(1), Operand(kept).turned(adjoint), below,
                               Scalar(1), top);
  }
  blas::multiply_triangle<Place>(place, Uplo::upper, Diag::unit, Operand(last).turned(adjoint), below);
  multiply_around_blocks(place, last, first + h);
}

/// The lower triangle of A⁻¹ in the place of A's factors, D without zeros, with the place's pivots.
template <class Place>
void invert_indefinite(Place& place, const typename Place::Matrix& a) {
  place.take_blocks(a);
  place.exchange_rows_before(a);
  invert_unit_lower(place, a);
  multiply_around_blocks(place, a, 0);
  place.exchange_symmetric_back(a);
}

}  // namespace hilo::lapack
