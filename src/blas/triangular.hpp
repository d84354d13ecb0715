// Triangular solves and products by halves: one text for every place.
//
// A place has the types Scalar, Operand (a matrix that is read) and Matrix, and the verbs used here.
#pragma once

#include <cstdint>
#include <hilo/matrix.hpp>

#include "matrix/sizes.hpp"

namespace hilo::blas {

/// Rows of a block without products, where options leave it open.
inline constexpr std::int64_t default_block = 64;

constexpr Uplo other(Uplo uplo) { return uplo == Uplo::lower ? Uplo::upper : Uplo::lower; }

/// About half of n > block rows, in whole blocks.
constexpr std::int64_t half(std::int64_t n, std::int64_t block) { return blocks(n, block) / 2 * block; }

/// B = A⁻¹ · B.
template <class Place>
void solve_triangle(Place& place, Uplo uplo, Diag diag, const typename Place::Operand& a,
                    const typename Place::Matrix& b) {
  using Scalar = typename Place::Scalar;
  const std::int64_t n = a.rows, m = b.columns;
  if (n <= place.solved_rows()) return place.solve_block(uplo, diag, a, b);
  const std::int64_t h = half(n, place.block());
  const auto upper_rows = b.sub(0, 0, h, m), lower_rows = b.sub(h, 0, n - h, m);
  const auto first = a.sub(0, 0, h, h), last = a.sub(h, h, n - h, n - h);
  if (uplo == Uplo::lower) {
    solve_triangle(place, uplo, diag, first, upper_rows);
    place.multiply(Scalar(-1), a.sub(h, 0, n - h, h), upper_rows, Scalar(1), lower_rows);
    solve_triangle(place, uplo, diag, last, lower_rows);
  } else {
    solve_triangle(place, uplo, diag, last, lower_rows);
    place.multiply(Scalar(-1), a.sub(0, h, h, n - h), lower_rows, Scalar(1), upper_rows);
    solve_triangle(place, uplo, diag, first, upper_rows);
  }
}

/// B = A · B.
template <class Place>
void multiply_triangle(Place& place, Uplo uplo, Diag diag, const typename Place::Operand& a,
                       const typename Place::Matrix& b) {
  using Scalar = typename Place::Scalar;
  const std::int64_t n = a.rows, m = b.columns;
  if (n <= place.block()) return place.multiply_block(uplo, diag, a, b);
  const std::int64_t h = half(n, place.block());
  const auto upper_rows = b.sub(0, 0, h, m), lower_rows = b.sub(h, 0, n - h, m);
  const auto first = a.sub(0, 0, h, h), last = a.sub(h, h, n - h, n - h);
  if (uplo == Uplo::lower) {
    multiply_triangle(place, uplo, diag, last, lower_rows);
    place.multiply(Scalar(1), a.sub(h, 0, n - h, h), upper_rows, Scalar(1), lower_rows);
    multiply_triangle(place, uplo, diag, first, upper_rows);
  } else {
    multiply_triangle(place, uplo, diag, first, upper_rows);
    place.multiply(Scalar(1), a.sub(0, h, h, n - h), lower_rows, Scalar(1), upper_rows);
    multiply_triangle(place, uplo, diag, last, lower_rows);
  }
}

/// B = alpha · A · B as one product with B as it was, of A with zeros beside the triangle. An entry that is not finite
/// may reach others of its column, whatever A has there.
template <class Place>
void multiply_triangle_at_once(Place& place, Uplo uplo, Diag diag, typename Place::Scalar alpha,
                               const typename Place::Operand& a, const typename Place::Matrix& b) {
  const std::int64_t n = a.rows, m = b.columns;
  const auto whole = place.lend(n, n);
  place.copy_trapezoid(uplo, diag, a, whole.matrix());
  const auto lent = b.row_stride == 1 ? place.lend(n, m) : place.lend(m, n);
  const auto old = b.row_stride == 1 ? lent.matrix() : lent.matrix().turned(Op::transpose);
  place.copy(b, old);
  place.multiply_by_triangle(uplo, alpha, whole.matrix(), old, b);
}

/// B = alpha · A · B, whose rows with many terms are one product with B as it was, of A with zeros beside the triangle.
/// False where the place does not take it so, and nothing is done.
template <class Place>
bool multiply_most_rows_at_once(Place& place, Uplo uplo, Diag diag, typename Place::Scalar alpha,
                                const typename Place::Operand& a, const typename Place::Matrix& b) {
  const std::int64_t n = a.rows, m = b.columns, beside = place.rows_beside_one_product(n, m);
  if (beside == 0) return false;
  const std::int64_t first = uplo == Uplo::lower ? beside : 0, first_beside = uplo == Uplo::lower ? 0 : n - beside;
  {
    const auto whole = place.lend(n, n);
    place.copy_trapezoid(uplo, diag, a, whole.matrix());
    const auto lent = b.row_stride == 1 ? place.lend(n, m) : place.lend(m, n);
    const auto old = b.row_stride == 1 ? lent.matrix() : lent.matrix().turned(Op::transpose);
    place.copy(b, old);
    const auto rows = whole.matrix().sub(first, 0, n - beside, n);
    if (!place.multiply_by_trapezoid(uplo, alpha, rows, old, b.sub(first, 0, n - beside, m))) return false;
  }
  const auto rest = b.sub(first_beside, 0, beside, m);
  place.scale(alpha, rest);
  multiply_triangle(place, uplo, diag, a.sub(first_beside, first_beside, beside, beside), rest);
  return true;
}

/// The same with A on B's right: B = B · A⁻¹ is Bᵀ = A⁻ᵀ · Bᵀ.
template <class Place>
void solve_triangle_right(Place& place, Uplo uplo, Diag diag, const typename Place::Operand& a,
                          const typename Place::Matrix& b) {
  solve_triangle(place, other(uplo), diag, a.turned(Op::transpose), b.turned(Op::transpose));
}
template <class Place>
void multiply_triangle_right(Place& place, Uplo uplo, Diag diag, const typename Place::Operand& a,
                             const typename Place::Matrix& b) {
  multiply_triangle(place, other(uplo), diag, a.turned(Op::transpose), b.turned(Op::transpose));
}

}  // namespace hilo::blas
