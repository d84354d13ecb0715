// Sums over vectors, in the order of docs/linear-algebra.md: their bits do not depend on threads, strides or
// instruction sets.
#pragma once

#include "blas/cpu/vectors.hpp"

namespace hilo::blas {

/// Σ conj(x_i) · y_i, or without conj.
template <gemm_scalar T>
T sum_of_products(const VectorCall& call, const VectorView<const T>& x, const VectorView<const T>& y, bool conjugate);

/// Σ(|Re x_i| + |Im x_i|).
template <gemm_scalar T>
real_type<T> sum_of_magnitudes(const VectorCall& call, const VectorView<const T>& x);

/// √Σ|x_i|².
template <gemm_scalar T>
real_type<T> root_of_squares(const VectorCall& call, const VectorView<const T>& x);

}  // namespace hilo::blas
