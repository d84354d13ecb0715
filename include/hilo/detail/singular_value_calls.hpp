// What singular_values.hpp declares, in LAPACK's manner of arguments: the layout, sizes, pointers with leading
// dimensions, then options. singular_values.hpp includes it. Each is the routine on views of the same name, values side
// by side; what is refused: blas_calls.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <hilo/singular_values.hpp>

namespace hilo {

template <gemm_scalar T>
SingularValueReport singular_values(Layout layout, std::int64_t m, std::int64_t n, const T* a, std::int64_t lda,
                                    real_type<T>* values, const SingularValueOptions& options = {}) {
  const detail::Call call("singular_values", layout, {{"m", m}, {"n", n}});
  return singular_values(call.matrix("lda", a, m, n, lda), {values, std::min(m, n)}, options);
}

/// U is m × min(m, n), V is n × min(m, n).
template <gemm_scalar T>
SingularValueReport singular_value_decomposition(Layout layout, std::int64_t m, std::int64_t n,
                                                 const detail::Scalar<T>* a, std::int64_t lda, real_type<T>* values,
                                                 T* u, std::int64_t ldu, T* v, std::int64_t ldv,
                                                 const SingularValueOptions& options = {}) {
  const detail::Call call("singular_value_decomposition", layout, {{"m", m}, {"n", n}});
  const std::int64_t count = std::min(m, n);
  return singular_value_decomposition<T>(call.matrix("lda", a, m, n, lda), {values, count},
                                         call.matrix("ldu", u, m, count, ldu), call.matrix("ldv", v, n, count, ldv),
                                         options);
}

}  // namespace hilo
