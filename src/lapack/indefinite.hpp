// L · D · Lᵀ and L · D · Lᴴ of indefinite matrices with Bunch and Kaufman's pivots, and what is solved with them, by
// the lower triangle: one text for every place.
//
// Source: Bunch, Kaufman, Math. Comp. 31 (1977); LAPACK's xSYTRF.
#pragma once

#include <algorithm>
#include <cstdint>

#include "blas/symmetric.hpp"
#include "blas/triangular.hpp"

namespace hilo::lapack {

inline constexpr Op adjoint_of(blas::Symmetry symmetry) {
  return symmetry == blas::Symmetry::hermitian ? Op::conjugate_transpose : Op::transpose;
}

/// The factors in A's place; pivots are the place's.
template <class Place>
void factor_indefinite(Place& place, const typename Place::Matrix& a) {
  using Scalar = typename Place::Scalar;
  using Operand = typename Place::Operand;
  const std::int64_t n = a.rows;
  // A block of D may take two columns.
  const std::int64_t width = std::max<std::int64_t>(place.block(), 2);
  for (std::int64_t first = 0, taken = 0; first < n; first += taken) {
    const std::int64_t m = n - first;
    const auto rest = a.sub(first, first, m, m);
    auto memory = place.lend(m, std::min(width, m));
    taken = place.indefinite_panel(rest, first, memory.matrix());
    if (taken < m) {
      const auto l = rest.sub(taken, 0, m - taken, taken), w = memory.matrix().sub(taken, 0, m - taken, taken);
      blas::multiply_to_triangle(place, Uplo::lower, place.symmetry(), Scalar(-1), l,
                                 Operand(w).turned(adjoint_of(place.symmetry())), Scalar(1),
                                 rest.sub(taken, taken, m - taken, m - taken));
    }
    place.put_rows_back(rest, first, taken);
  }
}

/// Columns of L that are copied at a time, in blocks.
inline constexpr std::int64_t solve_strip_blocks = 4;

/// B = A⁻¹ · B with the factors and the place's pivots: strips of columns of L, of which rows are exchanged in a copy.
template <class Place>
void solve_indefinite(Place& place, const typename Place::Operand& a, const typename Place::Matrix& b) {
  using Scalar = typename Place::Scalar;
  using Operand = typename Place::Operand;
  const std::int64_t n = a.rows, columns = b.columns;
  const Op adjoint = adjoint_of(place.symmetry());
  const std::int64_t width = solve_strip_blocks * place.block();
  const auto strips = place.strips(width);
  auto memory = place.lend(n, std::min(n, width + 1));
  const auto copied = [&](auto strip) {
    const auto l = memory.matrix().sub(0, 0, n - strip.first, strip.count);
    place.copy_strip(a, strip.first, strip.count, l);
    return l;
  };
  for (const auto& strip : strips) {
    const std::int64_t below = n - strip.first - strip.count;
    const auto l = copied(strip);
    const auto rows = b.sub(strip.first, 0, strip.count, columns);
    place.exchange_rows(b, strip.first, strip.count);
    blas::solve_triangle(place, Uplo::lower, Diag::unit, l.sub(0, 0, strip.count, strip.count), rows);
    if (below > 0) {
      place.multiply(Scalar(-1), l.sub(strip.count, 0, below, strip.count), rows, Scalar(1),
                     b.sub(n - below, 0, below, columns));
    }
  }
  place.divide_by_blocks(a, b);
  for (auto s = strips.rbegin(); s != strips.rend(); ++s) {
    const std::int64_t below = n - s->first - s->count;
    const auto l = copied(*s);
    const auto rows = b.sub(s->first, 0, s->count, columns);
    if (below > 0) {
      place.multiply(Scalar(-1), Operand(l.sub(s->count, 0, below, s->count)).turned(adjoint),
                     b.sub(n - below, 0, below, columns), Scalar(1), rows);
    }
    blas::solve_triangle(place, Uplo::upper, Diag::unit, Operand(l.sub(0, 0, s->count, s->count)).turned(adjoint),
                         rows);
    place.exchange_rows_back(b, s->first, s->count);
  }
}

}  // namespace hilo::lapack
