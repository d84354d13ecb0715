// What eigenvalues.hpp declares, in LAPACK's manner of arguments: the layout, sizes, pointers with leading dimensions,
// then options. eigenvalues.hpp includes it. Each is the routine on views of the same name, values side by side; what
// is refused: blas_calls.hpp.
#pragma once

#include <cstdint>
#include <hilo/eigenvalues.hpp>

namespace hilo {

template <gemm_scalar T>
EigenvalueReport hermitian_eigenvalues(Layout layout, Uplo uplo, std::int64_t n, const T* a, std::int64_t lda,
                                       real_type<T>* values, const EigenvalueOptions& options = {}) {
  const detail::Call call("hermitian_eigenvalues", layout, {{"n", n}});
  return hermitian_eigenvalues(uplo, call.matrix("lda", a, n, n, lda), {values, n}, options);
}

template <gemm_scalar T>
EigenvalueReport hermitian_eigensystem(Layout layout, Uplo uplo, std::int64_t n, const detail::Scalar<T>* a,
                                       std::int64_t lda, real_type<T>* values, T* vectors, std::int64_t ldv,
                                       const EigenvalueOptions& options = {}) {
  const detail::Call call("hermitian_eigensystem", layout, {{"n", n}});
  return hermitian_eigensystem(uplo, call.matrix("lda", a, n, n, lda), {values, n},
                               call.matrix("ldv", vectors, n, n, ldv), options);
}

template <gemm_scalar T>
requires(!is_complex(precision_of<T>)) EigenvalueReport
    symmetric_eigenvalues(Layout layout, Uplo uplo, std::int64_t n, const detail::Scalar<T>* a, std::int64_t lda,
                          T* values, const EigenvalueOptions& options = {}) {
  return hermitian_eigenvalues(layout, uplo, n, a, lda, values, options);
}
template <gemm_scalar T>
requires(!is_complex(precision_of<T>)) EigenvalueReport
    symmetric_eigensystem(Layout layout, Uplo uplo, std::int64_t n, const detail::Scalar<T>* a, std::int64_t lda,
                          detail::Scalar<T>* values, T* vectors, std::int64_t ldv,
                          const EigenvalueOptions& options = {}) {
  return hermitian_eigensystem(layout, uplo, n, a, lda, values, vectors, ldv, options);
}

}  // namespace hilo
