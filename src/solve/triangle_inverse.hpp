// Inverses of triangles that leave X · L − I small entry by entry, and products of them, for proofs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "blas/host_place.hpp"
#include "solve/proof_units.hpp"

namespace hilo::solver {

/// A place with the memory that what follows borrows, of n rows and so many columns.
template <gemm_scalar F>
class ProofPlace : public blas::HostPlace<F> {
 public:
  ProofPlace(const BlockedOptions& options, std::int64_t n, std::int64_t columns)
      : blas::HostPlace<F>(options),
        block_(std::min(n, proof_strip) * std::min(n, proof_strip) * words),
        columns_(n * std::min(n, columns) * words),
        part_(n * std::min(n, columns) * words) {}

  MatrixView<F> block(std::int64_t rows, std::int64_t columns) const { return of(block_, rows, columns); }
  MatrixView<F> columns(std::int64_t rows, std::int64_t columns) const { return of(columns_, rows, columns); }

  /// C += A · B. `by_parts` of so many terms, each a product of its own, roundings do not add up along all of k.
  void add_product(bool by_parts, const MatrixView<const F>& a, const MatrixView<const F>& b, const MatrixView<F>& c) {
    if (!by_parts) return this->multiply(F(1), a, b, F(1), c);
    const MatrixView<F> part = of(part_, c.rows, c.columns);
    for (std::int64_t first = 0; first < a.columns; first += proof_depth) {
      const std::int64_t depth = std::min(proof_depth, a.columns - first);
      this->multiply(F(1), a.sub(0, first, a.rows, depth), b.sub(first, 0, depth, b.columns), F(0), part);
      host::for_parts(this->threads_between_products(), c.columns, [&](auto begin, auto end) {
        for (std::int64_t j = begin; j < end; ++j) {
          for (std::int64_t i = 0; i < c.rows; ++i) c(i, j) += part(i, j);
        }
      });
    }
  }

 private:
  static constexpr std::int64_t words = sizeof(F);

  static MatrixView<F> of(const host::AlignedMemory& memory, std::int64_t rows, std::int64_t columns) {
    return view(Layout::column, Op::none, reinterpret_cast<F*>(memory.data()), rows, columns, rows);
  }

  host::AlignedMemory block_, columns_, part_;
};

/// A square with the triangle of A, zeros beside it, and a diagonal of 1 where that is a unit one.
template <gemm_scalar F>
void copy_triangle(Uplo uplo, Diag diag, const MatrixView<const F>& a, const MatrixView<F>& to) {
  for (std::int64_t j = 0; j < a.columns; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) {
      const bool is_there = i == j ? diag == Diag::non_unit : (i > j) == (uplo == Uplo::lower);
      to(i, j) = is_there ? blas::element(a, i, j) : F(i == j ? 1 : 0);
    }
  }
}

/// C = X · B, X a lower triangle whose other half is not read.
template <gemm_scalar F>
void multiply_by_lower(ProofPlace<F>& place, bool by_parts, Diag diag, const MatrixView<const F>& x,
                       const MatrixView<const F>& b, const MatrixView<F>& c) {
  const std::int64_t n = x.rows, m = b.columns;
  if (n <= proof_strip) {
    const MatrixView<F> block = place.block(n, n);
    copy_triangle<F>(Uplo::lower, diag, x, block);
    return place.multiply(F(1), block, b, F(0), c);
  }
  const std::int64_t h = blas::half(n, proof_strip);
  const auto upper = b.sub(0, 0, h, m);
  const auto lower = c.sub(h, 0, n - h, m);
  multiply_by_lower<F>(place, by_parts, diag, x.sub(0, 0, h, h), upper, c.sub(0, 0, h, m));
  multiply_by_lower<F>(place, by_parts, diag, x.sub(h, h, n - h, n - h), b.sub(h, 0, n - h, m), lower);
  place.add_product(by_parts, x.sub(h, 0, n - h, h), upper, lower);
}

/// The lower triangle of X ≈ L⁻¹, strips of columns from the last on, each from X · L = I by substitution: sums of
/// products x_ik l_kj in some order, divided by l_jj, so that |X L − I| <= γ |X| |L| (Higham, Accuracy and Stability of
/// Numerical Algorithms, 2002, lemma 8.4; Du Croz, Higham, IMA J. Numer. Anal. 12, 1992, method 2). Neither matrix's
/// other half is touched, nor a unit diagonal.
template <gemm_scalar F>
void invert_lower(ProofPlace<F>& place, Diag diag, const MatrixView<const F>& l, const MatrixView<F>& x) {
  const std::int64_t n = l.rows;
  for (std::int64_t first = (n - 1) / proof_strip * proof_strip; first >= 0; first -= proof_strip) {
    const std::int64_t width = std::min(proof_strip, n - first), after = first + width, left = n - after;
    const auto of_strip = l.sub(first, first, width, width);
    const MatrixView<F> block = place.block(width, width);
    for (std::int64_t j = 0; j < width; ++j) {
      for (std::int64_t i = 0; i < width; ++i) block(i, j) = F(i == j ? 1 : 0);
    }
    blas::solve_triangle_right<blas::HostPlace<F>>(place, Uplo::lower, diag, of_strip, block);
    for (std::int64_t j = 0; j < width; ++j) {
      for (std::int64_t i = diag == Diag::unit ? j + 1 : j; i < width; ++i) x(first + i, first + j) = block(i, j);
    }
    if (left == 0) continue;
    const MatrixView<F> below = place.columns(left, width);
    multiply_by_lower<F>(place, false, diag, x.sub(after, after, left, left), l.sub(after, first, left, width), below);
    blas::solve_triangle_right<blas::HostPlace<F>>(place, Uplo::lower, diag, of_strip, below);
    // Along whichever lines of X are contiguous.
    const bool by_rows = x.column_stride == 1;
    for (std::int64_t r = 0; r < (by_rows ? left : width); ++r) {
      for (std::int64_t s = 0; s < (by_rows ? width : left); ++s) {
        const std::int64_t i = by_rows ? r : s, j = by_rows ? s : r;
        x(after + i, first + j) = -below(i, j);
      }
    }
  }
}

/// C = Y · X of an upper and a lower triangle, whose other halves are not read.
template <gemm_scalar F>
void multiply_triangles(ProofPlace<F>& place, Diag diag_of_x, const MatrixView<const F>& y,
                        const MatrixView<const F>& x, const MatrixView<F>& c) {
  const std::int64_t n = y.rows;
  for (std::int64_t first = 0; first < n; first += proof_strip) {
    const std::int64_t width = std::min(proof_strip, n - first), rows = n - first;
    const MatrixView<F> columns = place.columns(rows, width);
    copy_triangle<F>(Uplo::lower, diag_of_x, x.sub(first, first, rows, width), columns);
    for (std::int64_t i = 0; i < n; i += proof_strip) {
      const std::int64_t height = std::min(proof_strip, n - i), from = std::max(first, i >= first ? i + height : 0);
      const auto to = c.sub(i, first, height, width);
      if (i >= first) {
        const MatrixView<F> block = place.block(height, height);
        copy_triangle<F>(Uplo::upper, Diag::non_unit, y.sub(i, i, height, height), block);
        place.multiply(F(1), block, columns.sub(i - first, 0, height, width), F(0), to);
      }
      if (from < n) {
        place.multiply(F(1), y.sub(i, from, height, n - from), columns.sub(from - first, 0, n - from, width),
                       F(i >= first ? 1 : 0), to);
      }
    }
  }
}

}  // namespace hilo::solver
