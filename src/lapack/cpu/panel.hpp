// Panels of factorisations, without products.
#pragma once

#include <cstdint>
#include <span>

#include "blas/cpu/line_arithmetic.hpp"

namespace hilo::lapack {

/// LU with partial pivoting of m × n entries, m >= n, column after column: u_ij and what l_ij is a quotient of are
/// a_ij − Σ l_ik · u_kj by blas/reference.hpp. pivots[j] is the row, from 0, that was exchanged with row j. Gives the
/// first column, counted from 1, whose pivot is 0, or 0. Throws std::bad_alloc before A is touched.
template <gemm_scalar T>
std::int64_t lu_panel(const blas::LineArithmetic<T>& arithmetic, int threads, MatrixView<T> a,
                      std::span<std::int64_t> pivots);

/// The lower triangle of a Hermitian matrix A = L · Lᴴ, L in A's place. Gives the first column, counted from 1, whose
/// pivot is not positive, with L in those before; or 0.
template <gemm_scalar T>
std::int64_t cholesky_block(const blas::LineArithmetic<T>& arithmetic, MatrixView<T> a);

}  // namespace hilo::lapack
