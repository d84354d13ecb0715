// MPLAPACK's BLAS of QD's dd_real, by hilo's: names, arguments and what is refused are those of mpblas_dd.h.
#include <cstdio>
#include <cstdlib>

#include "arguments.hpp"

using namespace hilo;
using namespace hilo::mplapack;
using Number = ::dd_real;

[[gnu::weak]] void Mxerbla_dd(const char* routine, int argument) {
  std::fprintf(stderr, " ** On entry to %s parameter number %2d had an illegal value\n", routine, argument);
  std::exit(argument);
}

void Raxpy(mplapackint const n, Number const alpha, Number* x, mplapackint const incx, Number* y,
           mplapackint const incy) {
  if (n <= 0) return;
  // With an increment of 0, which hilo refuses, MPLAPACK's loops meet the same element again.
  if (incx == 0 || incy == 0) {
    for (mplapackint i = 0; i < n; ++i) {
      Number& result = y[incy == 0 ? 0 : (incy > 0 ? i : i - n + 1) * incy];
      const Number& term = x[incx == 0 ? 0 : (incx > 0 ? i : i - n + 1) * incx];
      result = to_qd(from_qd(result) + from_qd(alpha) * from_qd(term));
    }
    return;
  }
  axpy(n, from_qd(alpha), as_hilo(x), incx, as_hilo(y), incy);
}

void Rcopy(mplapackint const n, Number* x, mplapackint const incx, Number* y, mplapackint const incy) {
  if (n <= 0) return;
  if (incx == 0 || incy == 0) {
    for (mplapackint i = 0; i < n; ++i) {
      y[incy == 0 ? 0 : (incy > 0 ? i : i - n + 1) * incy] = x[incx == 0 ? 0 : (incx > 0 ? i : i - n + 1) * incx];
    }
    return;
  }
  copy(n, as_hilo(x), incx, as_hilo(y), incy);
}

void Rswap(mplapackint const n, Number* x, mplapackint const incx, Number* y, mplapackint const incy) {
  if (n > 0) swap(n, as_hilo(x), incx, as_hilo(y), incy);
}

void Rscal(mplapackint const n, Number const alpha, Number* x, mplapackint const incx) {
  if (n > 0 && incx > 0) scal(n, from_qd(alpha), as_hilo(x), incx);
}

Number Rdot(mplapackint const n, Number* x, mplapackint const incx, Number* y, mplapackint const incy) {
  return n <= 0 ? Number(0.0) : to_qd(dot(n, as_hilo(x), incx, as_hilo(y), incy));
}

Number Rnrm2(mplapackint const n, Number* x, mplapackint const incx) {
  return n <= 0 || incx <= 0 ? Number(0.0) : to_qd(nrm2(n, as_hilo(x), incx));
}

Number Rasum(mplapackint const n, Number* x, mplapackint const incx) {
  return n <= 0 || incx <= 0 ? Number(0.0) : to_qd(asum(n, as_hilo(x), incx));
}

mplapackint iRamax(mplapackint const n, Number* x, mplapackint const incx) {
  return n <= 0 || incx <= 0 ? 0 : iamax(n, as_hilo(x), incx) + 1;
}

void Rgemv(const char* trans, mplapackint const m, mplapackint const n, Number const alpha, Number* a,
           mplapackint const lda, Number* x, mplapackint const incx, Number const beta, Number* y,
           mplapackint const incy) {
  if (!Check().op(1, trans).size(2, m).size(3, n).leading(6, lda, m).increment(8, incx).increment(11, incy).passes(
          "Rgemv")) {
    return;
  }
  if (m > 0 && n > 0) {  // MPLAPACK leaves y alone otherwise
    gemv(layout, op(trans), m, n, from_qd(alpha), as_hilo(a), lda, as_hilo(x), incx, from_qd(beta), as_hilo(y), incy);
  }
}

void Rger(mplapackint const m, mplapackint const n, Number const alpha, Number* x, mplapackint const incx, Number* y,
          mplapackint const incy, Number* a, mplapackint const lda) {
  if (!Check().size(1, m).size(2, n).increment(5, incx).increment(7, incy).leading(9, lda, m).passes("Rger")) return;
  ger(layout, m, n, from_qd(alpha), as_hilo(x), incx, as_hilo(y), incy, as_hilo(a), lda);
}

void Rgemm(const char* transa, const char* transb, mplapackint const m, mplapackint const n, mplapackint const k,
           Number const alpha, Number* a, mplapackint const lda, Number* b, mplapackint const ldb, Number const beta,
           Number* c, mplapackint const ldc) {
  Check check;
  check.op(1, transa).op(2, transb).size(3, m).size(4, n).size(5, k);
  check.leading(8, lda, is_letter(transa, 'n') ? m : k).leading(10, ldb, is_letter(transb, 'n') ? k : n);
  if (!check.leading(13, ldc, m).passes("Rgemm")) return;
  gemm(layout, op(transa), op(transb), m, n, k, from_qd(alpha), as_hilo(a), lda, as_hilo(b), ldb, from_qd(beta),
       as_hilo(c), ldc);
}

void Rsymm(const char* from, const char* triangle, mplapackint const m, mplapackint const n, Number const alpha,
           Number* a, mplapackint const lda, Number* b, mplapackint const ldb, Number const beta, Number* c,
           mplapackint const ldc) {
  Check check;
  check.letter(1, from, "lr").uplo(2, triangle).size(3, m).size(4, n).leading(7, lda, is_letter(from, 'l') ? m : n);
  if (!check.leading(9, ldb, m).leading(12, ldc, m).passes("Rsymm")) return;
  symm(layout, side(from), uplo(triangle), m, n, from_qd(alpha), as_hilo(a), lda, as_hilo(b), ldb, from_qd(beta),
       as_hilo(c), ldc);
}

void Rsyrk(const char* triangle, const char* trans, mplapackint const n, mplapackint const k, Number const alpha,
           Number* a, mplapackint const lda, Number const beta, Number* c, mplapackint const ldc) {
  Check check;
  check.uplo(1, triangle).op(2, trans).size(3, n).size(4, k).leading(7, lda, is_letter(trans, 'n') ? n : k);
  if (!check.leading(10, ldc, n).passes("Rsyrk")) return;
  syrk(layout, uplo(triangle), op(trans), n, k, from_qd(alpha), as_hilo(a), lda, from_qd(beta), as_hilo(c), ldc);
}

void Rtrmm(const char* from, const char* triangle, const char* trans, const char* unit, mplapackint const m,
           mplapackint const n, Number const alpha, Number* a, mplapackint const lda, Number* b,
           mplapackint const ldb) {
  Check check;
  check.letter(1, from, "lr").uplo(2, triangle).op(3, trans).letter(4, unit, "un").size(5, m).size(6, n);
  if (!check.leading(9, lda, is_letter(from, 'l') ? m : n).leading(11, ldb, m).passes("Rtrmm")) return;
  trmm(layout, side(from), uplo(triangle), op(trans), diag(unit), m, n, from_qd(alpha), as_hilo(a), lda, as_hilo(b),
       ldb);
}

void Rtrsm(const char* from, const char* triangle, const char* trans, const char* unit, mplapackint const m,
           mplapackint const n, Number const alpha, Number* a, mplapackint const lda, Number* b,
           mplapackint const ldb) {
  Check check;
  check.letter(1, from, "lr").uplo(2, triangle).op(3, trans).letter(4, unit, "un").size(5, m).size(6, n);
  if (!check.leading(9, lda, is_letter(from, 'l') ? m : n).leading(11, ldb, m).passes("Rtrsm")) return;
  trsm(layout, side(from), uplo(triangle), op(trans), diag(unit), m, n, from_qd(alpha), as_hilo(a), lda, as_hilo(b),
       ldb);
}
