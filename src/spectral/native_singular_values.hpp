// Singular values in S, D, C and Z: by LAPACK, or by Jacobi rotations in a build without it.
#pragma once

#include <vector>

#include "solve/precision.hpp"
#include "spectral/decomposition.hpp"

namespace hilo::spectral {

/// Throws unsupported where LAPACK's 32-bit integers do not count its workspace.
void check_shape(const char* routine, std::int64_t m, std::int64_t n);

/// Of A · 2^exponent, m × n, m >= n >= 1, finite with its largest entry near 1, or 0; the values are A's. By Jacobi
/// rotations, too, where LAPACK does not converge, or `relative` is asked for; `sweeps` tells.
template <gemm_scalar T>
Decomposition<T> native_decomposition(int threads, const Dense<solver::Leading<T>>& a, LeftVectors left,
                                      bool relative = false, int exponent = 0);

}  // namespace hilo::spectral
