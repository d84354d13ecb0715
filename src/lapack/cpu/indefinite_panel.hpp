// Panels of Bunch and Kaufman's factorisation, without products.
#pragma once

#include <cstdint>
#include <span>

#include "blas/cpu/line_arithmetic.hpp"
#include "blas/symmetric.hpp"

namespace hilo::lapack {

struct IndefinitePanel {
  std::int64_t columns;  ///< that were taken: as many as W has, or one less
  std::int64_t info;     ///< the first of them, counted from 1, whose block of D is exactly 0; or 0
};

/// The first columns of A = L · D · Lᵀ (symmetric) or L · D · Lᴴ (Hermitian) by A's lower triangle, column after
/// column, as LAPACK's xLASYF: L and D take A's place, rows of L exchanged by all of the pivots; W = L · D below what
/// was taken. Of the rest of A rows and columns are exchanged, no more. pivots are LAPACK's, counted from A's first
/// row. W has A's rows, and at least 2 columns or as many as A. Sums are a_ij − Σ l_ik · w_jk by blas/reference.hpp.
/// Throws std::bad_alloc before A is touched.
template <gemm_scalar T>
IndefinitePanel indefinite_panel(const blas::LineArithmetic<T>& arithmetic, int threads, blas::Symmetry symmetry,
                                 MatrixView<T> a, std::span<std::int64_t> pivots, MatrixView<T> w);

}  // namespace hilo::lapack
