// What lapack.hpp declares, in LAPACK's own arguments: the layout, those of LAPACK++ in its order, then options.
// lapack.hpp includes it.
//
// Each is the routine on views of the same name, with its results, bits and errors, and gives info, which is 0 where
// that routine has none. Of matrices and what is refused: blas_calls.hpp. `pivots` are as many as the matrix has rows,
// of getrf min(m, n), of geqp3 n; `tau` min(m, n), or k.
#pragma once

#include <algorithm>
#include <cstdint>
#include <hilo/lapack.hpp>
#include <span>

namespace hilo {
namespace detail {

template <class T>
std::span<T> numbers(T* data, std::int64_t count) {
  return {data, static_cast<std::size_t>(count)};
}

}  // namespace detail

template <gemm_scalar T>
std::int64_t getrf(Layout layout, std::int64_t m, std::int64_t n, T* a, std::int64_t lda, std::int64_t* pivots,
                   const BlockedOptions& options = {}) {
  const detail::Call call("getrf", layout, {{"m", m}, {"n", n}});
  return getrf(call.matrix("lda", a, m, n, lda), detail::numbers(pivots, std::min(m, n)), options);
}

template <gemm_scalar T>
std::int64_t getrs(Layout layout, Op op, std::int64_t n, std::int64_t nrhs, const T* a, std::int64_t lda,
                   const std::int64_t* pivots, T* b, std::int64_t ldb, const BlockedOptions& options = {}) {
  const detail::Call call("getrs", layout, {{"n", n}, {"nrhs", nrhs}}, op);
  getrs(op, call.matrix("lda", a, n, n, lda), detail::numbers(pivots, n), call.matrix("ldb", b, n, nrhs, ldb), options);
  return 0;
}

template <gemm_scalar T>
std::int64_t gesv(Layout layout, std::int64_t n, std::int64_t nrhs, T* a, std::int64_t lda, std::int64_t* pivots, T* b,
                  std::int64_t ldb, const BlockedOptions& options = {}) {
  const detail::Call call("gesv", layout, {{"n", n}, {"nrhs", nrhs}});
  return gesv(call.matrix("lda", a, n, n, lda), detail::numbers(pivots, n), call.matrix("ldb", b, n, nrhs, ldb),
              options);
}

template <gemm_scalar T>
std::int64_t getri(Layout layout, std::int64_t n, T* a, std::int64_t lda, const std::int64_t* pivots,
                   const BlockedOptions& options = {}) {
  const detail::Call call("getri", layout, {{"n", n}});
  return getri(call.matrix("lda", a, n, n, lda), detail::numbers(pivots, n), options);
}

template <gemm_scalar T>
std::int64_t potrf(Layout layout, Uplo uplo, std::int64_t n, T* a, std::int64_t lda,
                   const BlockedOptions& options = {}) {
  const detail::Call call("potrf", layout, {{"n", n}});
  return potrf(uplo, call.matrix("lda", a, n, n, lda), options);
}

template <gemm_scalar T>
std::int64_t potrs(Layout layout, Uplo uplo, std::int64_t n, std::int64_t nrhs, const T* a, std::int64_t lda, T* b,
                   std::int64_t ldb, const BlockedOptions& options = {}) {
  const detail::Call call("potrs", layout, {{"n", n}, {"nrhs", nrhs}});
  potrs(uplo, call.matrix("lda", a, n, n, lda), call.matrix("ldb", b, n, nrhs, ldb), options);
  return 0;
}

template <gemm_scalar T>
std::int64_t posv(Layout layout, Uplo uplo, std::int64_t n, std::int64_t nrhs, T* a, std::int64_t lda, T* b,
                  std::int64_t ldb, const BlockedOptions& options = {}) {
  const detail::Call call("posv", layout, {{"n", n}, {"nrhs", nrhs}});
  return posv(uplo, call.matrix("lda", a, n, n, lda), call.matrix("ldb", b, n, nrhs, ldb), options);
}

template <gemm_scalar T>
std::int64_t potri(Layout layout, Uplo uplo, std::int64_t n, T* a, std::int64_t lda,
                   const BlockedOptions& options = {}) {
  const detail::Call call("potri", layout, {{"n", n}});
  return potri(uplo, call.matrix("lda", a, n, n, lda), options);
}

template <gemm_scalar T>
std::int64_t sytrf(Layout layout, Uplo uplo, std::int64_t n, T* a, std::int64_t lda, std::int64_t* pivots,
                   const BlockedOptions& options = {}) {
  const detail::Call call("sytrf", layout, {{"n", n}});
  return sytrf(uplo, call.matrix("lda", a, n, n, lda), detail::numbers(pivots, n), options);
}

template <gemm_scalar T>
std::int64_t sytrs(Layout layout, Uplo uplo, std::int64_t n, std::int64_t nrhs, const T* a, std::int64_t lda,
                   const std::int64_t* pivots, T* b, std::int64_t ldb, const BlockedOptions& options = {}) {
  const detail::Call call("sytrs", layout, {{"n", n}, {"nrhs", nrhs}});
  sytrs(uplo, call.matrix("lda", a, n, n, lda), detail::numbers(pivots, n), call.matrix("ldb", b, n, nrhs, ldb),
        options);
  return 0;
}

template <gemm_scalar T>
std::int64_t sysv(Layout layout, Uplo uplo, std::int64_t n, std::int64_t nrhs, T* a, std::int64_t lda,
                  std::int64_t* pivots, T* b, std::int64_t ldb, const BlockedOptions& options = {}) {
  const detail::Call call("sysv", layout, {{"n", n}, {"nrhs", nrhs}});
  return sysv(uplo, call.matrix("lda", a, n, n, lda), detail::numbers(pivots, n), call.matrix("ldb", b, n, nrhs, ldb),
              options);
}

template <gemm_scalar T>
std::int64_t sytri(Layout layout, Uplo uplo, std::int64_t n, T* a, std::int64_t lda, const std::int64_t* pivots,
                   const BlockedOptions& options = {}) {
  const detail::Call call("sytri", layout, {{"n", n}});
  return sytri(uplo, call.matrix("lda", a, n, n, lda), detail::numbers(pivots, n), options);
}

template <gemm_scalar T>
std::int64_t hetrf(Layout layout, Uplo uplo, std::int64_t n, T* a, std::int64_t lda, std::int64_t* pivots,
                   const BlockedOptions& options = {}) {
  const detail::Call call("hetrf", layout, {{"n", n}});
  return hetrf(uplo, call.matrix("lda", a, n, n, lda), detail::numbers(pivots, n), options);
}

template <gemm_scalar T>
std::int64_t hetrs(Layout layout, Uplo uplo, std::int64_t n, std::int64_t nrhs, const T* a, std::int64_t lda,
                   const std::int64_t* pivots, T* b, std::int64_t ldb, const BlockedOptions& options = {}) {
  const detail::Call call("hetrs", layout, {{"n", n}, {"nrhs", nrhs}});
  hetrs(uplo, call.matrix("lda", a, n, n, lda), detail::numbers(pivots, n), call.matrix("ldb", b, n, nrhs, ldb),
        options);
  return 0;
}

template <gemm_scalar T>
std::int64_t hesv(Layout layout, Uplo uplo, std::int64_t n, std::int64_t nrhs, T* a, std::int64_t lda,
                  std::int64_t* pivots, T* b, std::int64_t ldb, const BlockedOptions& options = {}) {
  const detail::Call call("hesv", layout, {{"n", n}, {"nrhs", nrhs}});
  return hesv(uplo, call.matrix("lda", a, n, n, lda), detail::numbers(pivots, n), call.matrix("ldb", b, n, nrhs, ldb),
              options);
}

template <gemm_scalar T>
std::int64_t hetri(Layout layout, Uplo uplo, std::int64_t n, T* a, std::int64_t lda, const std::int64_t* pivots,
                   const BlockedOptions& options = {}) {
  const detail::Call call("hetri", layout, {{"n", n}});
  return hetri(uplo, call.matrix("lda", a, n, n, lda), detail::numbers(pivots, n), options);
}

template <gemm_scalar T>
std::int64_t trtri(Layout layout, Uplo uplo, Diag diag, std::int64_t n, T* a, std::int64_t lda,
                   const BlockedOptions& options = {}) {
  const detail::Call call("trtri", layout, {{"n", n}});
  return trtri(uplo, diag, call.matrix("lda", a, n, n, lda), options);
}

template <gemm_scalar T>
real_type<T> lange(Layout layout, Norm norm, std::int64_t m, std::int64_t n, const T* a, std::int64_t lda) {
  const detail::Call call("lange", layout, {{"m", m}, {"n", n}});
  return lange(norm, call.matrix("lda", a, m, n, lda));
}

template <gemm_scalar T>
real_type<T> lansy(Layout layout, Norm norm, Uplo uplo, std::int64_t n, const T* a, std::int64_t lda) {
  const detail::Call call("lansy", layout, {{"n", n}});
  return lansy(norm, uplo, call.matrix("lda", a, n, n, lda));
}

template <gemm_scalar T>
real_type<T> lanhe(Layout layout, Norm norm, Uplo uplo, std::int64_t n, const T* a, std::int64_t lda) {
  const detail::Call call("lanhe", layout, {{"n", n}});
  return lanhe(norm, uplo, call.matrix("lda", a, n, n, lda));
}

template <gemm_scalar T>
real_type<T> lantr(Layout layout, Norm norm, Uplo uplo, Diag diag, std::int64_t m, std::int64_t n, const T* a,
                   std::int64_t lda) {
  const detail::Call call("lantr", layout, {{"m", m}, {"n", n}});
  return lantr(norm, uplo, diag, call.matrix("lda", a, m, n, lda));
}

template <gemm_scalar T>
std::int64_t gecon(Layout layout, Norm norm, std::int64_t n, const T* a, std::int64_t lda, real_type<T> anorm,
                   real_type<T>* rcond, const BlockedOptions& options = {}) {
  const detail::Call call("gecon", layout, {{"n", n}});
  call.check_not_null("rcond", rcond);
  *rcond = gecon(norm, call.matrix("lda", a, n, n, lda), anorm, options);
  return 0;
}

template <gemm_scalar T>
std::int64_t pocon(Layout layout, Uplo uplo, std::int64_t n, const T* a, std::int64_t lda, real_type<T> anorm,
                   real_type<T>* rcond, const BlockedOptions& options = {}) {
  const detail::Call call("pocon", layout, {{"n", n}});
  call.check_not_null("rcond", rcond);
  *rcond = pocon(uplo, call.matrix("lda", a, n, n, lda), anorm, options);
  return 0;
}

template <gemm_scalar T>
std::int64_t sycon(Layout layout, Uplo uplo, std::int64_t n, const T* a, std::int64_t lda, const std::int64_t* pivots,
                   real_type<T> anorm, real_type<T>* rcond, const BlockedOptions& options = {}) {
  const detail::Call call("sycon", layout, {{"n", n}});
  call.check_not_null("rcond", rcond);
  *rcond = sycon(uplo, call.matrix("lda", a, n, n, lda), detail::numbers(pivots, n), anorm, options);
  return 0;
}

template <gemm_scalar T>
std::int64_t hecon(Layout layout, Uplo uplo, std::int64_t n, const T* a, std::int64_t lda, const std::int64_t* pivots,
                   real_type<T> anorm, real_type<T>* rcond, const BlockedOptions& options = {}) {
  const detail::Call call("hecon", layout, {{"n", n}});
  call.check_not_null("rcond", rcond);
  *rcond = hecon(uplo, call.matrix("lda", a, n, n, lda), detail::numbers(pivots, n), anorm, options);
  return 0;
}

template <gemm_scalar T>
std::int64_t trcon(Layout layout, Norm norm, Uplo uplo, Diag diag, std::int64_t n, const T* a, std::int64_t lda,
                   real_type<T>* rcond, const BlockedOptions& options = {}) {
  const detail::Call call("trcon", layout, {{"n", n}});
  call.check_not_null("rcond", rcond);
  *rcond = trcon(norm, uplo, diag, call.matrix("lda", a, n, n, lda), options);
  return 0;
}

template <gemm_scalar T>
std::int64_t geqrf(Layout layout, std::int64_t m, std::int64_t n, T* a, std::int64_t lda, T* tau,
                   const BlockedOptions& options = {}) {
  const detail::Call call("geqrf", layout, {{"m", m}, {"n", n}});
  geqrf(call.matrix("lda", a, m, n, lda), detail::numbers(tau, std::min(m, n)), options);
  return 0;
}

template <gemm_scalar T>
std::int64_t geqp3(Layout layout, std::int64_t m, std::int64_t n, T* a, std::int64_t lda, std::int64_t* pivots, T* tau,
                   const BlockedOptions& options = {}) {
  const detail::Call call("geqp3", layout, {{"m", m}, {"n", n}});
  geqp3(call.matrix("lda", a, m, n, lda), detail::numbers(pivots, n), detail::numbers(tau, std::min(m, n)), options);
  return 0;
}

/// k reflectors of m rows (left) or n (right), in as many columns of A.
template <gemm_scalar T>
std::int64_t unmqr(Layout layout, Side side, Op op, std::int64_t m, std::int64_t n, std::int64_t k, const T* a,
                   std::int64_t lda, const T* tau, T* c, std::int64_t ldc, const BlockedOptions& options = {}) {
  const detail::Call call("unmqr", layout, {{"m", m}, {"n", n}, {"k", k}}, op);
  call.check_side(side);
  const std::int64_t order = side == Side::left ? m : n;
  call.check_at_most({"k", k}, {side == Side::left ? "m" : "n", order});
  const auto reflectors = call.matrix("lda", a, order, k, lda);
  unmqr(side, op, reflectors, detail::numbers(tau, k), call.matrix("ldc", c, m, n, ldc), options);
  return 0;
}

template <gemm_scalar T>
std::int64_t ungqr(Layout layout, std::int64_t m, std::int64_t n, std::int64_t k, T* a, std::int64_t lda, const T* tau,
                   const BlockedOptions& options = {}) {
  const detail::Call call("ungqr", layout, {{"m", m}, {"n", n}, {"k", k}});
  call.check_at_most({"n", n}, {"m", m});
  call.check_at_most({"k", k}, {"n", n});
  ungqr(call.matrix("lda", a, m, n, lda), detail::numbers(tau, k), options);
  return 0;
}

template <gemm_scalar T>
requires(!is_complex(precision_of<T>)) std::int64_t
    ormqr(Layout layout, Side side, Op op, std::int64_t m, std::int64_t n, std::int64_t k, const T* a, std::int64_t lda,
          const T* tau, T* c, std::int64_t ldc, const BlockedOptions& options = {}) {
  return unmqr(layout, side, op, m, n, k, a, lda, tau, c, ldc, options);
}

template <gemm_scalar T>
requires(!is_complex(precision_of<T>)) std::int64_t
    orgqr(Layout layout, std::int64_t m, std::int64_t n, std::int64_t k, T* a, std::int64_t lda, const T* tau,
          const BlockedOptions& options = {}) {
  return ungqr(layout, m, n, k, a, lda, tau, options);
}

/// A is m × n, B has max(m, n) rows.
template <gemm_scalar T>
std::int64_t gels(Layout layout, Op op, std::int64_t m, std::int64_t n, std::int64_t nrhs, T* a, std::int64_t lda, T* b,
                  std::int64_t ldb, const BlockedOptions& options = {}) {
  const detail::Call call("gels", layout, {{"m", m}, {"n", n}, {"nrhs", nrhs}}, op);
  return gels(op, call.matrix("lda", a, m, n, lda), call.matrix("ldb", b, std::max(m, n), nrhs, ldb), options);
}

}  // namespace hilo
