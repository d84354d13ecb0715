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

/// B = A⁻¹ · B. A place whose matrices are elsewhere than where it computes has solve_triangle_at_once(), which does all
/// of it or nothing.
template <class Place>
void solve_triangle(Place& place, Uplo uplo, Diag diag, const typename Place::Operand& a,
                    const typename Place::Matrix& b) {
  using Scalar = typename Place::Scalar;
  const std::int64_t n = a.rows, m = b.columns;
  if constexpr (requires { place.solve_triangle_at_once(uplo, diag, a, b); }) {
    if (place.solve_triangle_at_once(uplo, diag, a, b)) return;
  }
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

/// B = alpha · A · B by blocks: those on the diagonal, and all others with B as it was by one product, of A with zeros
/// beside them. False where the place does not take it so, and B is as before.
template <class Place>
bool multiply_blocks_at_once(Place& place, Uplo uplo, Diag diag, typename Place::Scalar alpha,
                             const typename Place::Operand& a, const typename Place::Matrix& b) {
  const std::int64_t n = a.rows, m = b.columns, size = place.rows_beside_one_product(n, m);
  if (size == 0 || n <= size) return false;
  // Beside the diagonal's blocks the first one has no rows and the last one, which may be smaller, no columns; or the
  // other way round.
  const bool is_lower = uplo == Uplo::lower;
  const std::int64_t first_row = is_lower ? size : 0, first_term = size - first_row,
                     before_last = (n - 1) / size * size;
  const std::int64_t rows = is_lower ? n - size : before_last, terms = is_lower ? before_last : n - size;
  const auto beside = place.lend(rows, terms);
  place.copy_blocks(uplo, size, a.sub(first_row, first_term, rows, terms), beside.matrix());
  const auto lent = b.row_stride == 1 ? place.lend(n, m) : place.lend(m, n);
  const auto old = b.row_stride == 1 ? lent.matrix() : lent.matrix().turned(Op::transpose);
  place.copy(b, old);
  place.scale(alpha, b);
  place.multiply_diagonal(uplo, diag, a, size, b);
  const bool is_done = place.multiply_by_blocks(uplo, alpha, beside.matrix(), old.sub(first_term, 0, terms, m),
                                                b.sub(first_row, 0, rows, m));
  if (!is_done) place.copy(old, b);
  return is_done;
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
