// What blas.hpp declares, in the BLAS's own arguments: those of BLAS++ in its order, then options. blas.hpp includes
// it.
//
// Each is the routine on views of the same name, with its result, bits and errors. Matrices lie in `layout` with
// leading dimensions; uplo and diag tell of A before op. x[0] is a vector's first element, or its last where incx < 0,
// as in the BLAS. Before anything is written hilo::error (invalid_argument) names an argument that cannot be right: a
// negative size, a leading dimension less than what is contiguous, or than 1, an increment of 0, and one below 0 where
// a routine has a single vector and the BLAS does nothing. With sizes of 0 pointers may be null.
#pragma once

#include <cstdint>
#include <hilo/blas.hpp>
#include <initializer_list>

namespace hilo {
namespace detail {

/// The arguments of a call, which become views.
class Call {
 public:
  struct Size {
    const char* name;
    std::int64_t value;
  };

  Call(const char* routine, Layout layout, std::initializer_list<Size> sizes, Op op = Op::none);
  Call(const char* routine, std::int64_t n) : Call(routine, Layout::column, {{"n", n}}) {}

  /// X as it is stored; ldx is `name`.
  template <class T>
  MatrixView<T> matrix(const char* name, T* x, std::int64_t rows, std::int64_t columns, std::int64_t ldx) const {
    check_leading(name, rows, columns, ldx);
    return view(layout_, Op::none, x, rows, columns, ldx);
  }
  /// op(X), rows × columns.
  template <class T>
  MatrixView<T> factor(const char* name, T* x, Op op, std::int64_t rows, std::int64_t columns, std::int64_t ldx) const {
    return (is_transposed(op) ? matrix(name, x, columns, rows, ldx) : matrix(name, x, rows, columns, ldx)).turned(op);
  }
  /// incx is `name`.
  template <class T>
  VectorView<T> vector(const char* name, T* x, std::int64_t n, std::int64_t incx) const {
    const std::int64_t first = first_element(name, n, incx, sizeof(T));
    return {x ? x + first : x, n, incx};
  }
  /// Of routines that have a single vector, whose increment the BLAS takes as positive.
  template <class T>
  VectorView<T> only_vector(T* x, std::int64_t n, std::int64_t incx) const {
    check_positive("incx", incx);
    return vector("incx", x, n, incx);
  }
  void check_positive(const char* name, std::int64_t value) const;
  void check_at_most(const Size& x, const Size& most) const;
  void check_side(Side side) const;
  void check_not_null(const char* name, const void* x) const;

 private:
  void check_leading(const char* name, std::int64_t rows, std::int64_t columns, std::int64_t leading) const;
  std::int64_t first_element(const char* name, std::int64_t n, std::int64_t increment, std::int64_t bytes) const;

  const char* routine_;
  Layout layout_;
};

/// The triangle that op makes of one.
constexpr Uplo turned(Uplo uplo, Op op) {
  if (!is_transposed(op)) return uplo;
  return uplo == Uplo::lower ? Uplo::upper : uplo == Uplo::upper ? Uplo::lower : uplo;
}

}  // namespace detail

/// Level 1: n elements x and y.
template <gemm_scalar T>
void axpy(std::int64_t n, detail::Scalar<T> alpha, const T* x, std::int64_t incx, T* y, std::int64_t incy,
          const BlockedOptions& options = {}) {
  const detail::Call call("axpy", n);
  axpy(alpha, call.vector("incx", x, n, incx), call.vector("incy", y, n, incy), options);
}

template <gemm_scalar T>
void scal(std::int64_t n, detail::Scalar<T> alpha, T* x, std::int64_t incx, const BlockedOptions& options = {}) {
  const detail::Call call("scal", n);
  scal(alpha, call.only_vector(x, n, incx), options);
}

template <gemm_scalar T>
void copy(std::int64_t n, const T* x, std::int64_t incx, T* y, std::int64_t incy, const BlockedOptions& options = {}) {
  const detail::Call call("copy", n);
  copy(call.vector("incx", x, n, incx), call.vector("incy", y, n, incy), options);
}

template <gemm_scalar T>
void swap(std::int64_t n, T* x, std::int64_t incx, T* y, std::int64_t incy, const BlockedOptions& options = {}) {
  const detail::Call call("swap", n);
  swap(call.vector("incx", x, n, incx), call.vector("incy", y, n, incy), options);
}

template <gemm_scalar T>
T dot(std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy,
      const BlockedOptions& options = {}) {
  const detail::Call call("dot", n);
  return dot(call.vector("incx", x, n, incx), call.vector("incy", y, n, incy), options);
}

template <gemm_scalar T>
T dotu(std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy,
       const BlockedOptions& options = {}) {
  const detail::Call call("dotu", n);
  return dotu(call.vector("incx", x, n, incx), call.vector("incy", y, n, incy), options);
}

template <gemm_scalar T>
real_type<T> nrm2(std::int64_t n, const T* x, std::int64_t incx, const BlockedOptions& options = {}) {
  const detail::Call call("nrm2", n);
  return nrm2(call.only_vector(x, n, incx), options);
}

template <gemm_scalar T>
real_type<T> asum(std::int64_t n, const T* x, std::int64_t incx, const BlockedOptions& options = {}) {
  const detail::Call call("asum", n);
  return asum(call.only_vector(x, n, incx), options);
}

template <gemm_scalar T>
std::int64_t iamax(std::int64_t n, const T* x, std::int64_t incx, const BlockedOptions& options = {}) {
  const detail::Call call("iamax", n);
  return iamax(call.only_vector(x, n, incx), options);
}

template <gemm_scalar T>
void rot(std::int64_t n, T* x, std::int64_t incx, T* y, std::int64_t incy, real_type<T> c, detail::Scalar<T> s,
         const BlockedOptions& options = {}) {
  const detail::Call call("rot", n);
  rot(call.vector("incx", x, n, incx), call.vector("incy", y, n, incy), c, s, options);
}

template <gemm_scalar T>
void rotg(T* a, detail::Scalar<T>* b, real_type<T>* c, detail::Scalar<T>* s) {
  rotg(*a, *b, *c, *s);
}

/// Level 2: A is m × n, or n × n.
template <gemm_scalar T>
void gemv(Layout layout, Op op, std::int64_t m, std::int64_t n, detail::Scalar<T> alpha, const T* a, std::int64_t lda,
          const T* x, std::int64_t incx, detail::Scalar<T> beta, T* y, std::int64_t incy,
          const BlockedOptions& options = {}) {
  const detail::Call call("gemv", layout, {{"m", m}, {"n", n}}, op);
  const auto op_a = call.matrix("lda", a, m, n, lda).turned(op);
  gemv(alpha, op_a, call.vector("incx", x, op_a.columns, incx), beta, call.vector("incy", y, op_a.rows, incy), options);
}

template <gemm_scalar T>
void symv(Layout layout, Uplo uplo, std::int64_t n, detail::Scalar<T> alpha, const T* a, std::int64_t lda, const T* x,
          std::int64_t incx, detail::Scalar<T> beta, T* y, std::int64_t incy, const BlockedOptions& options = {}) {
  const detail::Call call("symv", layout, {{"n", n}});
  symv(uplo, alpha, call.matrix("lda", a, n, n, lda), call.vector("incx", x, n, incx), beta,
       call.vector("incy", y, n, incy), options);
}

template <gemm_scalar T>
void hemv(Layout layout, Uplo uplo, std::int64_t n, detail::Scalar<T> alpha, const T* a, std::int64_t lda, const T* x,
          std::int64_t incx, detail::Scalar<T> beta, T* y, std::int64_t incy, const BlockedOptions& options = {}) {
  const detail::Call call("hemv", layout, {{"n", n}});
  hemv(uplo, alpha, call.matrix("lda", a, n, n, lda), call.vector("incx", x, n, incx), beta,
       call.vector("incy", y, n, incy), options);
}

template <gemm_scalar T>
void trmv(Layout layout, Uplo uplo, Op op, Diag diag, std::int64_t n, const T* a, std::int64_t lda, T* x,
          std::int64_t incx, const BlockedOptions& options = {}) {
  const detail::Call call("trmv", layout, {{"n", n}}, op);
  trmv(detail::turned(uplo, op), diag, call.matrix("lda", a, n, n, lda).turned(op), call.vector("incx", x, n, incx),
       options);
}

template <gemm_scalar T>
void trsv(Layout layout, Uplo uplo, Op op, Diag diag, std::int64_t n, const T* a, std::int64_t lda, T* x,
          std::int64_t incx, const BlockedOptions& options = {}) {
  const detail::Call call("trsv", layout, {{"n", n}}, op);
  trsv(detail::turned(uplo, op), diag, call.matrix("lda", a, n, n, lda).turned(op), call.vector("incx", x, n, incx),
       options);
}

template <gemm_scalar T>
void ger(Layout layout, std::int64_t m, std::int64_t n, detail::Scalar<T> alpha, const T* x, std::int64_t incx,
         const T* y, std::int64_t incy, T* a, std::int64_t lda, const BlockedOptions& options = {}) {
  const detail::Call call("ger", layout, {{"m", m}, {"n", n}});
  ger(alpha, call.vector("incx", x, m, incx), call.vector("incy", y, n, incy), call.matrix("lda", a, m, n, lda),
      options);
}

template <gemm_scalar T>
void geru(Layout layout, std::int64_t m, std::int64_t n, detail::Scalar<T> alpha, const T* x, std::int64_t incx,
          const T* y, std::int64_t incy, T* a, std::int64_t lda, const BlockedOptions& options = {}) {
  const detail::Call call("geru", layout, {{"m", m}, {"n", n}});
  geru(alpha, call.vector("incx", x, m, incx), call.vector("incy", y, n, incy), call.matrix("lda", a, m, n, lda),
       options);
}

template <gemm_scalar T>
void syr(Layout layout, Uplo uplo, std::int64_t n, detail::Scalar<T> alpha, const T* x, std::int64_t incx, T* a,
         std::int64_t lda, const BlockedOptions& options = {}) {
  const detail::Call call("syr", layout, {{"n", n}});
  syr(uplo, alpha, call.vector("incx", x, n, incx), call.matrix("lda", a, n, n, lda), options);
}

template <gemm_scalar T>
void her(Layout layout, Uplo uplo, std::int64_t n, real_type<T> alpha, const T* x, std::int64_t incx, T* a,
         std::int64_t lda, const BlockedOptions& options = {}) {
  const detail::Call call("her", layout, {{"n", n}});
  her(uplo, alpha, call.vector("incx", x, n, incx), call.matrix("lda", a, n, n, lda), options);
}

template <gemm_scalar T>
void syr2(Layout layout, Uplo uplo, std::int64_t n, detail::Scalar<T> alpha, const T* x, std::int64_t incx, const T* y,
          std::int64_t incy, T* a, std::int64_t lda, const BlockedOptions& options = {}) {
  const detail::Call call("syr2", layout, {{"n", n}});
  syr2(uplo, alpha, call.vector("incx", x, n, incx), call.vector("incy", y, n, incy), call.matrix("lda", a, n, n, lda),
       options);
}

template <gemm_scalar T>
void her2(Layout layout, Uplo uplo, std::int64_t n, detail::Scalar<T> alpha, const T* x, std::int64_t incx, const T* y,
          std::int64_t incy, T* a, std::int64_t lda, const BlockedOptions& options = {}) {
  const detail::Call call("her2", layout, {{"n", n}});
  her2(uplo, alpha, call.vector("incx", x, n, incx), call.vector("incy", y, n, incy), call.matrix("lda", a, n, n, lda),
       options);
}

/// Level 3: B and C are m × n, A m × m (left) or n × n (right).
template <gemm_scalar T>
void trsm(Layout layout, Side side, Uplo uplo, Op op, Diag diag, std::int64_t m, std::int64_t n,
          detail::Scalar<T> alpha, const T* a, std::int64_t lda, T* b, std::int64_t ldb,
          const BlockedOptions& options = {}) {
  const detail::Call call("trsm", layout, {{"m", m}, {"n", n}}, op);
  const std::int64_t order = side == Side::left ? m : n;
  const auto op_a = call.matrix("lda", a, order, order, lda).turned(op);
  trsm(side, detail::turned(uplo, op), diag, alpha, op_a, call.matrix("ldb", b, m, n, ldb), options);
}

template <gemm_scalar T>
void trmm(Layout layout, Side side, Uplo uplo, Op op, Diag diag, std::int64_t m, std::int64_t n,
          detail::Scalar<T> alpha, const T* a, std::int64_t lda, T* b, std::int64_t ldb,
          const BlockedOptions& options = {}) {
  const detail::Call call("trmm", layout, {{"m", m}, {"n", n}}, op);
  const std::int64_t order = side == Side::left ? m : n;
  const auto op_a = call.matrix("lda", a, order, order, lda).turned(op);
  trmm(side, detail::turned(uplo, op), diag, alpha, op_a, call.matrix("ldb", b, m, n, ldb), options);
}

template <gemm_scalar T>
void symm(Layout layout, Side side, Uplo uplo, std::int64_t m, std::int64_t n, detail::Scalar<T> alpha, const T* a,
          std::int64_t lda, const T* b, std::int64_t ldb, detail::Scalar<T> beta, T* c, std::int64_t ldc,
          const BlockedOptions& options = {}) {
  const detail::Call call("symm", layout, {{"m", m}, {"n", n}});
  const std::int64_t order = side == Side::left ? m : n;
  const auto left = call.matrix("lda", a, order, order, lda);
  symm(side, uplo, alpha, left, call.matrix("ldb", b, m, n, ldb), beta, call.matrix("ldc", c, m, n, ldc), options);
}

template <gemm_scalar T>
void hemm(Layout layout, Side side, Uplo uplo, std::int64_t m, std::int64_t n, detail::Scalar<T> alpha, const T* a,
          std::int64_t lda, const T* b, std::int64_t ldb, detail::Scalar<T> beta, T* c, std::int64_t ldc,
          const BlockedOptions& options = {}) {
  const detail::Call call("hemm", layout, {{"m", m}, {"n", n}});
  const std::int64_t order = side == Side::left ? m : n;
  const auto left = call.matrix("lda", a, order, order, lda);
  hemm(side, uplo, alpha, left, call.matrix("ldb", b, m, n, ldb), beta, call.matrix("ldc", c, m, n, ldc), options);
}

/// C is n × n, op(A) and op(B) are n × k: with op(X) for X these are the sums of blas.hpp.
template <gemm_scalar T>
void syrk(Layout layout, Uplo uplo, Op op, std::int64_t n, std::int64_t k, detail::Scalar<T> alpha, const T* a,
          std::int64_t lda, detail::Scalar<T> beta, T* c, std::int64_t ldc, const BlockedOptions& options = {}) {
  const detail::Call call("syrk", layout, {{"n", n}, {"k", k}}, op);
  syrk(uplo, alpha, call.factor("lda", a, op, n, k, lda), beta, call.matrix("ldc", c, n, n, ldc), options);
}

template <gemm_scalar T>
void herk(Layout layout, Uplo uplo, Op op, std::int64_t n, std::int64_t k, real_type<T> alpha, const T* a,
          std::int64_t lda, real_type<T> beta, T* c, std::int64_t ldc, const BlockedOptions& options = {}) {
  const detail::Call call("herk", layout, {{"n", n}, {"k", k}}, op);
  herk(uplo, alpha, call.factor("lda", a, op, n, k, lda), beta, call.matrix("ldc", c, n, n, ldc), options);
}

template <gemm_scalar T>
void syr2k(Layout layout, Uplo uplo, Op op, std::int64_t n, std::int64_t k, detail::Scalar<T> alpha, const T* a,
           std::int64_t lda, const T* b, std::int64_t ldb, detail::Scalar<T> beta, T* c, std::int64_t ldc,
           const BlockedOptions& options = {}) {
  const detail::Call call("syr2k", layout, {{"n", n}, {"k", k}}, op);
  const auto left = call.factor("lda", a, op, n, k, lda), right = call.factor("ldb", b, op, n, k, ldb);
  syr2k(uplo, alpha, left, right, beta, call.matrix("ldc", c, n, n, ldc), options);
}

template <gemm_scalar T>
void her2k(Layout layout, Uplo uplo, Op op, std::int64_t n, std::int64_t k, detail::Scalar<T> alpha, const T* a,
           std::int64_t lda, const T* b, std::int64_t ldb, real_type<T> beta, T* c, std::int64_t ldc,
           const BlockedOptions& options = {}) {
  const detail::Call call("her2k", layout, {{"n", n}, {"k", k}}, op);
  const auto left = call.factor("lda", a, op, n, k, lda), right = call.factor("ldb", b, op, n, k, ldb);
  her2k(uplo, alpha, left, right, beta, call.matrix("ldc", c, n, n, ldc), options);
}

}  // namespace hilo
