// Eigenvalues in S, D, C and Z: by LAPACK, or by Jacobi rotations in a build without it.
#pragma once

#include <vector>

#include "blas/host_place.hpp"
#include "spectral/dense.hpp"

namespace hilo::spectral {

/// Whether this build has LAPACK.
bool has_lapack();

/// Throws unsupported where n is past what the library takes.
void check_order(const char* routine, std::int64_t n);

/// Eigenvalues in ascending order of the Hermitian matrix whose lower triangle A has; its eigenvectors take A's place.
/// None where LAPACK does not converge, or A is not finite.
template <gemm_scalar T>
std::vector<real_type<T>> native_eigenvalues(int threads, Dense<T>& a);

/// Eigenvectors in D or Z of a finite matrix, by Jacobi rotations where nothing else gives them.
template <gemm_scalar T>
Dense<T> eigenvectors_in_double(int threads, const Dense<T>& a);

}  // namespace hilo::spectral
