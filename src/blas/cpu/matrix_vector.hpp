// A matrix times a vector, and triangular systems, on the host: x and y are elements side by side that share nothing.
#pragma once

#include "blas/cpu/vectors.hpp"
#include "blas/symmetric.hpp"

namespace hilo::blas {

/// y = A · x.
template <gemm_scalar T>
void multiply(const VectorCall& call, const MatrixView<const T>& a, const T* x, T* y);

/// The same, A symmetric or Hermitian, of which the lower triangle is read.
template <gemm_scalar T>
void multiply_symmetric(const VectorCall& call, Symmetry symmetry, const MatrixView<const T>& a, const T* x, T* y);

/// The same, A triangular.
template <gemm_scalar T>
void multiply_triangle(const VectorCall& call, Uplo uplo, Diag diag, const MatrixView<const T>& a, const T* x, T* y);

/// x = A⁻¹ · x, A triangular.
template <gemm_scalar T>
void solve_triangle(const VectorCall& call, Uplo uplo, Diag diag, const MatrixView<const T>& a, T* x);

}  // namespace hilo::blas
