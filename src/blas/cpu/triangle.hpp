// Blocks of a triangular matrix, without products: solved with, and multiplied by.
#pragma once

#include "blas/cpu/line_arithmetic.hpp"

namespace hilo::blas {

/// B = A⁻¹ · B; A is n × n, B n × m, each entry by reference.hpp: x_i = (b_i − Σ a_ik · x_k) / a_ii, k from the end
/// where x is known. Throws std::bad_alloc before B is touched.
template <gemm_scalar T>
void solve_block(const LineArithmetic<T>& arithmetic, int threads, Uplo uplo, Diag diag, MatrixView<const T> a,
                 MatrixView<T> b);

/// B = A · B: y_i = a_ii · x_i + Σ a_ik · x_k, k from the diagonal on, as sums from 0 by reference.hpp.
template <gemm_scalar T>
void multiply_block(const LineArithmetic<T>& arithmetic, int threads, Uplo uplo, Diag diag, MatrixView<const T> a,
                    MatrixView<T> b);

}  // namespace hilo::blas
