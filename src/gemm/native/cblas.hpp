// S, D, C and Z products on the CPU: through CBLAS, or plain loops in a build without it.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>

#include "matrix/product.hpp"

namespace hilo::native {

/// "OpenBLAS 0.3.21", "CBLAS" or "plain loops".
const char* blas_name();

/// Whether its threads are others than OpenMP's: both wait actively for work, and take time from each other where
/// regions of the one follow those of the other at short intervals.
bool has_threads_of_its_own();

/// Fills unit, threads, depth and fma of a plan in S, D, C or Z.
void plan_blas(GemmPlan& plan, const GemmOptions& options);

/// One product; alpha is not 0 and k is not 0. T is float, double or complex of them. Throws std::bad_alloc before C is
/// touched.
template <class T>
void run_blas(int threads, const Product<T>& product);

/// A batch of such products: small ones are shared out among the threads, each by one of them.
template <class T>
void run_blas_batch(int threads, const Product<T>& product);

/// f() while the library's calls have that many threads; a build without CBLAS just calls it. Whoever asks for that
/// takes turns.
void on_blas_threads(int threads, void (*f)(void* x), void* x);
template <class F>
void on_blas_threads(int threads, F f) {
  on_blas_threads(
      threads, [](void* x) { (*static_cast<F*>(x))(); }, &f);
}

}  // namespace hilo::native
