// What solve.hpp declares, in LAPACK's manner of arguments: the layout, sizes, pointers with leading dimensions, then
// options. solve.hpp includes it. Each is the routine on views of the same name; what is refused: blas_calls.hpp.
#pragma once

#include <cstdint>
#include <hilo/solve.hpp>

namespace hilo {

template <gemm_scalar T>
SolveReport solve(Layout layout, std::int64_t n, std::int64_t nrhs, const detail::Scalar<T>* a, std::int64_t lda,
                  const detail::Scalar<T>* b, std::int64_t ldb, T* x, std::int64_t ldx,
                  const SolveOptions& options = {}) {
  const detail::Call call("solve", layout, {{"n", n}, {"nrhs", nrhs}});
  return solve(call.matrix("lda", a, n, n, lda), call.matrix("ldb", b, n, nrhs, ldb),
               call.matrix("ldx", x, n, nrhs, ldx), options);
}

template <gemm_scalar T>
SolveReport solve_positive(Layout layout, Uplo uplo, std::int64_t n, std::int64_t nrhs, const detail::Scalar<T>* a,
                           std::int64_t lda, const detail::Scalar<T>* b, std::int64_t ldb, T* x, std::int64_t ldx,
                           const SolveOptions& options = {}) {
  const detail::Call call("solve_positive", layout, {{"n", n}, {"nrhs", nrhs}});
  return solve_positive(uplo, call.matrix("lda", a, n, n, lda), call.matrix("ldb", b, n, nrhs, ldb),
                        call.matrix("ldx", x, n, nrhs, ldx), options);
}

template <gemm_scalar T>
SolveReport solve_symmetric(Layout layout, Uplo uplo, std::int64_t n, std::int64_t nrhs, const detail::Scalar<T>* a,
                            std::int64_t lda, const detail::Scalar<T>* b, std::int64_t ldb, T* x, std::int64_t ldx,
                            const SolveOptions& options = {}) {
  const detail::Call call("solve_symmetric", layout, {{"n", n}, {"nrhs", nrhs}});
  return solve_symmetric(uplo, call.matrix("lda", a, n, n, lda), call.matrix("ldb", b, n, nrhs, ldb),
                         call.matrix("ldx", x, n, nrhs, ldx), options);
}

template <gemm_scalar T>
SolveReport solve_hermitian(Layout layout, Uplo uplo, std::int64_t n, std::int64_t nrhs, const detail::Scalar<T>* a,
                            std::int64_t lda, const detail::Scalar<T>* b, std::int64_t ldb, T* x, std::int64_t ldx,
                            const SolveOptions& options = {}) {
  const detail::Call call("solve_hermitian", layout, {{"n", n}, {"nrhs", nrhs}});
  return solve_hermitian(uplo, call.matrix("lda", a, n, n, lda), call.matrix("ldb", b, n, nrhs, ldb),
                         call.matrix("ldx", x, n, nrhs, ldx), options);
}

template <gemm_scalar T>
SolveReport solve_least_squares(Layout layout, std::int64_t m, std::int64_t n, std::int64_t nrhs,
                                const detail::Scalar<T>* a, std::int64_t lda, const detail::Scalar<T>* b,
                                std::int64_t ldb, T* x, std::int64_t ldx, const SolveOptions& options = {}) {
  const detail::Call call("solve_least_squares", layout, {{"m", m}, {"n", n}, {"nrhs", nrhs}});
  return solve_least_squares(call.matrix("lda", a, m, n, lda), call.matrix("ldb", b, m, nrhs, ldb),
                             call.matrix("ldx", x, n, nrhs, ldx), options);
}

}  // namespace hilo
