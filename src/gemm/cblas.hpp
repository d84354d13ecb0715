// S, D, C and Z products on the CPU: through CBLAS, or plain loops in a build without it.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>

#include "gemm/arguments.hpp"

namespace hilo {

/// "OpenBLAS 0.3.21", "CBLAS" or "plain loops".
const char* blas_name();

/// Fills unit, threads and the error bound of a plan in S, D, C or Z.
void plan_blas(GemmPlan& plan, const GemmOptions& options);

/// Throws unsupported where a leading dimension is past what the library takes.
void check_blas(const GemmShape& shape);

/// C = alpha · op(A) · op(B) + beta · C; alpha is not 0 and k is not 0. T is float, double or complex of them.
template <class T>
void run_blas(const GemmShape& shape, int threads, T alpha, const T* a, const T* b, T beta, T* c);

}  // namespace hilo
