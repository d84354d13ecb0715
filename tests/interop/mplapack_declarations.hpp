// What programs for MPLAPACK compile with: declarations of mpblas_dd.h and mplapack_dd.h, and a dd_complex of which
// calls depend on the same: its name, its two numbers, and a copy constructor and destructor that are not trivial.
#pragma once

#include <qd/dd_real.h>

#include <cstdint>
#include <type_traits>

class dd_complex {
 public:
  dd_complex() : re(0.0), im(0.0) {}
  dd_complex(const dd_real& real, const dd_real& imag = 0.0) : re(real), im(imag) {}
  dd_complex(double real) : re(real), im(0.0) {}
  dd_complex(const dd_complex& other) : re(other.re), im(other.im) {}
  ~dd_complex() {}
  dd_complex& operator=(const dd_complex&) = default;

  const dd_real& real() const { return re; }
  const dd_real& imag() const { return im; }

  friend dd_complex operator+(const dd_complex& a, const dd_complex& b) { return {a.re + b.re, a.im + b.im}; }
  friend dd_complex operator-(const dd_complex& a, const dd_complex& b) { return {a.re - b.re, a.im - b.im}; }
  friend dd_complex operator*(const dd_complex& a, const dd_complex& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend dd_complex conj(const dd_complex& a) { return {a.re, -a.im}; }
  friend bool operator==(const dd_complex& a, const dd_complex& b) { return a.re == b.re && a.im == b.im; }

 private:
  dd_real re, im;
};
static_assert(!std::is_trivially_copyable_v<dd_complex> && sizeof(dd_complex) == 4 * sizeof(double));

using mplapackint = std::int64_t;
using Int = mplapackint const;
using Real = dd_real const;
using Complex = dd_complex const;

void Mxerbla_dd(const char* srname, int info);
void Raxpy(Int n, Real da, dd_real* dx, Int incx, dd_real* dy, Int incy);
void Rcopy(Int n, dd_real* dx, Int incx, dd_real* dy, Int incy);
void Rswap(Int n, dd_real* dx, Int incx, dd_real* dy, Int incy);
void Rscal(Int n, Real da, dd_real* dx, Int incx);
dd_real Rdot(Int n, dd_real* dx, Int incx, dd_real* dy, Int incy);
dd_real Rnrm2(Int n, dd_real* x, Int incx);
dd_real Rasum(Int n, dd_real* dx, Int incx);
mplapackint iRamax(Int n, dd_real* dx, Int incx);
void Rgemv(const char* trans, Int m, Int n, Real alpha, dd_real* a, Int lda, dd_real* x, Int incx, Real beta,
           dd_real* y, Int incy);
void Rger(Int m, Int n, Real alpha, dd_real* x, Int incx, dd_real* y, Int incy, dd_real* a, Int lda);
void Rgemm(const char* transa, const char* transb, Int m, Int n, Int k, Real alpha, dd_real* a, Int lda, dd_real* b,
           Int ldb, Real beta, dd_real* c, Int ldc);
void Rsymm(const char* side, const char* uplo, Int m, Int n, Real alpha, dd_real* a, Int lda, dd_real* b, Int ldb,
           Real beta, dd_real* c, Int ldc);
void Rsyrk(const char* uplo, const char* trans, Int n, Int k, Real alpha, dd_real* a, Int lda, Real beta, dd_real* c,
           Int ldc);
void Rtrmm(const char* side, const char* uplo, const char* transa, const char* diag, Int m, Int n, Real alpha,
           dd_real* a, Int lda, dd_real* b, Int ldb);
void Rtrsm(const char* side, const char* uplo, const char* transa, const char* diag, Int m, Int n, Real alpha,
           dd_real* a, Int lda, dd_real* b, Int ldb);
void Rgetrf(Int m, Int n, dd_real* a, Int lda, mplapackint* ipiv, mplapackint& info);
void Rgetrs(const char* trans, Int n, Int nrhs, dd_real* a, Int lda, mplapackint* ipiv, dd_real* b, Int ldb,
            mplapackint& info);
void Rgesv(Int n, Int nrhs, dd_real* a, Int lda, mplapackint* ipiv, dd_real* b, Int ldb, mplapackint& info);
void Rpotrf(const char* uplo, Int n, dd_real* a, Int lda, mplapackint& info);
void Rpotrs(const char* uplo, Int n, Int nrhs, dd_real* a, Int lda, dd_real* b, Int ldb, mplapackint& info);
void Rposv(const char* uplo, Int n, Int nrhs, dd_real* a, Int lda, dd_real* b, Int ldb, mplapackint& info);
void Rgeqrf(Int m, Int n, dd_real* a, Int lda, dd_real* tau, dd_real* work, Int lwork, mplapackint& info);
void Rrot(Int n, dd_real* dx, Int incx, dd_real* dy, Int incy, Real c, Real s);
void Rsyr2k(const char* uplo, const char* trans, Int n, Int k, Real alpha, dd_real* a, Int lda, dd_real* b, Int ldb,
            Real beta, dd_real* c, Int ldc);
void Caxpy(Int n, Complex za, dd_complex* zx, Int incx, dd_complex* zy, Int incy);
void Ccopy(Int n, dd_complex* zx, Int incx, dd_complex* zy, Int incy);
void Cswap(Int n, dd_complex* zx, Int incx, dd_complex* zy, Int incy);
void Cscal(Int n, Complex za, dd_complex* zx, Int incx);
void CRscal(Int n, Real da, dd_complex* zx, Int incx);
void CRrot(Int n, dd_complex* zx, Int incx, dd_complex* zy, Int incy, Real c, Real s);
dd_complex Cdotc(Int n, dd_complex* zx, Int incx, dd_complex* zy, Int incy);
dd_complex Cdotu(Int n, dd_complex* zx, Int incx, dd_complex* zy, Int incy);
dd_real RCnrm2(Int n, dd_complex* x, Int incx);
dd_real RCasum(Int n, dd_complex* zx, Int incx);
mplapackint iCamax(Int n, dd_complex* zx, Int incx);
void Cgemv(const char* trans, Int m, Int n, Complex alpha, dd_complex* a, Int lda, dd_complex* x, Int incx,
           Complex beta, dd_complex* y, Int incy);
void Cgerc(Int m, Int n, Complex alpha, dd_complex* x, Int incx, dd_complex* y, Int incy, dd_complex* a, Int lda);
void Cgeru(Int m, Int n, Complex alpha, dd_complex* x, Int incx, dd_complex* y, Int incy, dd_complex* a, Int lda);
void Cgemm(const char* transa, const char* transb, Int m, Int n, Int k, Complex alpha, dd_complex* a, Int lda,
           dd_complex* b, Int ldb, Complex beta, dd_complex* c, Int ldc);
void Csymm(const char* side, const char* uplo, Int m, Int n, Complex alpha, dd_complex* a, Int lda, dd_complex* b,
           Int ldb, Complex beta, dd_complex* c, Int ldc);
void Chemm(const char* side, const char* uplo, Int m, Int n, Complex alpha, dd_complex* a, Int lda, dd_complex* b,
           Int ldb, Complex beta, dd_complex* c, Int ldc);
void Csyrk(const char* uplo, const char* trans, Int n, Int k, Complex alpha, dd_complex* a, Int lda, Complex beta,
           dd_complex* c, Int ldc);
void Cherk(const char* uplo, const char* trans, Int n, Int k, Real alpha, dd_complex* a, Int lda, Real beta,
           dd_complex* c, Int ldc);
void Csyr2k(const char* uplo, const char* trans, Int n, Int k, Complex alpha, dd_complex* a, Int lda, dd_complex* b,
            Int ldb, Complex beta, dd_complex* c, Int ldc);
void Cher2k(const char* uplo, const char* trans, Int n, Int k, Complex alpha, dd_complex* a, Int lda, dd_complex* b,
            Int ldb, Real beta, dd_complex* c, Int ldc);
void Ctrmm(const char* side, const char* uplo, const char* transa, const char* diag, Int m, Int n, Complex alpha,
           dd_complex* a, Int lda, dd_complex* b, Int ldb);
void Ctrsm(const char* side, const char* uplo, const char* transa, const char* diag, Int m, Int n, Complex alpha,
           dd_complex* a, Int lda, dd_complex* b, Int ldb);
void Rorgqr(Int m, Int n, Int k, dd_real* a, Int lda, dd_real* tau, dd_real* work, Int lwork, mplapackint& info);
void Rormqr(const char* side, const char* trans, Int m, Int n, Int k, dd_real* a, Int lda, dd_real* tau, dd_real* c,
            Int ldc, dd_real* work, Int lwork, mplapackint& info);
void Rsyev(const char* jobz, const char* uplo, Int n, dd_real* a, Int lda, dd_real* w, dd_real* work, Int lwork,
           mplapackint& info);
void Cgetrf(Int m, Int n, dd_complex* a, Int lda, mplapackint* ipiv, mplapackint& info);
void Cgetrs(const char* trans, Int n, Int nrhs, dd_complex* a, Int lda, mplapackint* ipiv, dd_complex* b, Int ldb,
            mplapackint& info);
void Cgesv(Int n, Int nrhs, dd_complex* a, Int lda, mplapackint* ipiv, dd_complex* b, Int ldb, mplapackint& info);
void Cpotrf(const char* uplo, Int n, dd_complex* a, Int lda, mplapackint& info);
void Cpotrs(const char* uplo, Int n, Int nrhs, dd_complex* a, Int lda, dd_complex* b, Int ldb, mplapackint& info);
void Cposv(const char* uplo, Int n, Int nrhs, dd_complex* a, Int lda, dd_complex* b, Int ldb, mplapackint& info);
void Cgeqrf(Int m, Int n, dd_complex* a, Int lda, dd_complex* tau, dd_complex* work, Int lwork, mplapackint& info);
void Cungqr(Int m, Int n, Int k, dd_complex* a, Int lda, dd_complex* tau, dd_complex* work, Int lwork,
            mplapackint& info);
void Cunmqr(const char* side, const char* trans, Int m, Int n, Int k, dd_complex* a, Int lda, dd_complex* tau,
            dd_complex* c, Int ldc, dd_complex* work, Int lwork, mplapackint& info);
void Cheev(const char* jobz, const char* uplo, Int n, dd_complex* a, Int lda, dd_real* w, dd_complex* work, Int lwork,
           dd_real* rwork, mplapackint& info);
void Rgesvd(const char* jobu, const char* jobvt, Int m, Int n, dd_real* a, Int lda, dd_real* s, dd_real* u, Int ldu,
            dd_real* vt, Int ldvt, dd_real* work, Int lwork, mplapackint& info);
void Cgesvd(const char* jobu, const char* jobvt, Int m, Int n, dd_complex* a, Int lda, dd_real* s, dd_complex* u,
            Int ldu, dd_complex* vt, Int ldvt, dd_complex* work, Int lwork, dd_real* rwork, mplapackint& info);
void Rsymv(const char* uplo, Int n, Real alpha, dd_real* a, Int lda, dd_real* x, Int incx, Real beta, dd_real* y,
           Int incy);
void Chemv(const char* uplo, Int n, Complex alpha, dd_complex* a, Int lda, dd_complex* x, Int incx, Complex beta,
           dd_complex* y, Int incy);
void Rtrmv(const char* uplo, const char* trans, const char* diag, Int n, dd_real* a, Int lda, dd_real* x, Int incx);
void Ctrmv(const char* uplo, const char* trans, const char* diag, Int n, dd_complex* a, Int lda, dd_complex* x,
           Int incx);
void Rtrsv(const char* uplo, const char* trans, const char* diag, Int n, dd_real* a, Int lda, dd_real* x, Int incx);
void Ctrsv(const char* uplo, const char* trans, const char* diag, Int n, dd_complex* a, Int lda, dd_complex* x,
           Int incx);
void Rsyr(const char* uplo, Int n, Real alpha, dd_real* x, Int incx, dd_real* a, Int lda);
void Cher(const char* uplo, Int n, Real alpha, dd_complex* x, Int incx, dd_complex* a, Int lda);
void Rsyr2(const char* uplo, Int n, Real alpha, dd_real* x, Int incx, dd_real* y, Int incy, dd_real* a, Int lda);
void Cher2(const char* uplo, Int n, Complex alpha, dd_complex* x, Int incx, dd_complex* y, Int incy, dd_complex* a,
           Int lda);
void Rgetri(Int n, dd_real* a, Int lda, mplapackint* ipiv, dd_real* work, Int lwork, mplapackint& info);
void Cgetri(Int n, dd_complex* a, Int lda, mplapackint* ipiv, dd_complex* work, Int lwork, mplapackint& info);
void Rpotri(const char* uplo, Int n, dd_real* a, Int lda, mplapackint& info);
void Cpotri(const char* uplo, Int n, dd_complex* a, Int lda, mplapackint& info);
void Rtrtri(const char* uplo, const char* diag, Int n, dd_real* a, Int lda, mplapackint& info);
void Ctrtri(const char* uplo, const char* diag, Int n, dd_complex* a, Int lda, mplapackint& info);
