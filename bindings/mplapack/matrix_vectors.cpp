// MPLAPACK's BLAS of matrices and vectors by hilo's: names, arguments and what is refused are those of mpblas_dd.h.
// What R… and C… have in common stands in a template before them.
#include "arguments.hpp"

using namespace hilo::mplapack;

namespace {

template <class N>
void multiply_vector(const char* routine, const char* trans, Int m, Int n, const N& alpha, N* a, Int lda, N* x,
                     Int incx, const N& beta, N* y, Int incy) {
  const Check check =
      Check().op(1, trans).size(2, m).size(3, n).leading(6, lda, m).increment(8, incx).increment(11, incy);
  if (!check.passes(routine) || m == 0 || n == 0) return;  // of no elements MPLAPACK leaves y alone
  hilo::gemv(layout, op(trans), m, n, from_mplapack(alpha), in_place(a), lda, in_place(x), incx, from_mplapack(beta),
             in_place(y), incy);
}

// update(x, y, a) in hilo's numbers.
template <class N, class Update>
void update_by_vectors(const char* routine, Int m, Int n, N* x, Int incx, N* y, Int incy, N* a, Int lda,
                       Update update) {
  const Check check = Check().size(1, m).size(2, n).increment(5, incx).increment(7, incy).leading(9, lda, m);
  if (check.passes(routine)) update(in_place(x), in_place(y), in_place(a));
}

// product(a, x, y) in hilo's numbers: A is symmetric or Hermitian.
template <class N, class Product>
void multiply_symmetric(const char* routine, const char* triangle, Int n, N* a, Int lda, N* x, Int incx, N* y, Int incy,
                        Product product) {
  const Check check = Check().uplo(1, triangle).size(2, n).leading(5, lda, n).increment(7, incx).increment(10, incy);
  if (check.passes(routine)) product(in_place(a), in_place(x), in_place(y));
}

// product(a, x) in hilo's numbers: A is a triangle, multiplied with or divided by.
template <class N, class Product>
void multiply_triangle(const char* routine, const char* triangle, const char* trans, const char* unit, Int n, N* a,
                       Int lda, N* x, Int incx, Product product) {
  Check check;
  check.uplo(1, triangle).op(2, trans).letter(3, unit, "un").size(4, n).leading(6, lda, n).increment(8, incx);
  if (check.passes(routine)) product(in_place(a), in_place(x));
}

// update(x, a) in hilo's numbers: A is symmetric or Hermitian.
template <class N, class Update>
void update_by_vector(const char* routine, const char* triangle, Int n, N* x, Int incx, N* a, Int lda, Update update) {
  const Check check = Check().uplo(1, triangle).size(2, n).increment(5, incx).leading(7, lda, n);
  if (check.passes(routine)) update(in_place(x), in_place(a));
}

// update(x, y, a): the same by two vectors.
template <class N, class Update>
void update_by_two(const char* routine, const char* triangle, Int n, N* x, Int incx, N* y, Int incy, N* a, Int lda,
                   Update update) {
  const Check check = Check().uplo(1, triangle).size(2, n).increment(5, incx).increment(7, incy).leading(9, lda, n);
  if (check.passes(routine)) update(in_place(x), in_place(y), in_place(a));
}

}  // namespace

void Rgemv(const char* trans, Int m, Int n, Real alpha, Real* a, Int lda, Real* x, Int incx, Real beta, Real* y,
           Int incy) {
  multiply_vector("Rgemv", trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}
void Cgemv(const char* trans, Int m, Int n, Complex alpha, Complex* a, Int lda, Complex* x, Int incx, Complex beta,
           Complex* y, Int incy) {
  multiply_vector("Cgemv", trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

void Rger(Int m, Int n, Real alpha, Real* x, Int incx, Real* y, Int incy, Real* a, Int lda) {
  update_by_vectors("Rger", m, n, x, incx, y, incy, a, lda, [&](auto* u, auto* v, auto* to) {
    hilo::ger(layout, m, n, from_mplapack(alpha), u, incx, v, incy, to, lda);
  });
}
void Cgerc(Int m, Int n, Complex alpha, Complex* x, Int incx, Complex* y, Int incy, Complex* a, Int lda) {
  update_by_vectors("Cgerc", m, n, x, incx, y, incy, a, lda, [&](auto* u, auto* v, auto* to) {
    hilo::ger(layout, m, n, from_mplapack(alpha), u, incx, v, incy, to, lda);
  });
}
void Cgeru(Int m, Int n, Complex alpha, Complex* x, Int incx, Complex* y, Int incy, Complex* a, Int lda) {
  update_by_vectors("Cgeru", m, n, x, incx, y, incy, a, lda, [&](auto* u, auto* v, auto* to) {
    hilo::geru(layout, m, n, from_mplapack(alpha), u, incx, v, incy, to, lda);
  });
}

void Rsymv(const char* triangle, Int n, Real alpha, Real* a, Int lda, Real* x, Int incx, Real beta, Real* y, Int incy) {
  multiply_symmetric("Rsymv", triangle, n, a, lda, x, incx, y, incy, [&](auto* of, auto* u, auto* v) {
    hilo::symv(layout, uplo(triangle), n, from_mplapack(alpha), of, lda, u, incx, from_mplapack(beta), v, incy);
  });
}
void Chemv(const char* triangle, Int n, Complex alpha, Complex* a, Int lda, Complex* x, Int incx, Complex beta,
           Complex* y, Int incy) {
  multiply_symmetric("Chemv", triangle, n, a, lda, x, incx, y, incy, [&](auto* of, auto* u, auto* v) {
    hilo::hemv(layout, uplo(triangle), n, from_mplapack(alpha), of, lda, u, incx, from_mplapack(beta), v, incy);
  });
}

void Rtrmv(const char* triangle, const char* trans, const char* unit, Int n, Real* a, Int lda, Real* x, Int incx) {
  multiply_triangle("Rtrmv", triangle, trans, unit, n, a, lda, x, incx, [&](auto* of, auto* u) {
    hilo::trmv(layout, uplo(triangle), op(trans), diag(unit), n, of, lda, u, incx);
  });
}
void Ctrmv(const char* triangle, const char* trans, const char* unit, Int n, Complex* a, Int lda, Complex* x,
           Int incx) {
  multiply_triangle("Ctrmv", triangle, trans, unit, n, a, lda, x, incx, [&](auto* of, auto* u) {
    hilo::trmv(layout, uplo(triangle), op(trans), diag(unit), n, of, lda, u, incx);
  });
}
void Rtrsv(const char* triangle, const char* trans, const char* unit, Int n, Real* a, Int lda, Real* x, Int incx) {
  multiply_triangle("Rtrsv", triangle, trans, unit, n, a, lda, x, incx, [&](auto* of, auto* u) {
    hilo::trsv(layout, uplo(triangle), op(trans), diag(unit), n, of, lda, u, incx);
  });
}
void Ctrsv(const char* triangle, const char* trans, const char* unit, Int n, Complex* a, Int lda, Complex* x,
           Int incx) {
  multiply_triangle("Ctrsv", triangle, trans, unit, n, a, lda, x, incx, [&](auto* of, auto* u) {
    hilo::trsv(layout, uplo(triangle), op(trans), diag(unit), n, of, lda, u, incx);
  });
}

void Rsyr(const char* triangle, Int n, Real alpha, Real* x, Int incx, Real* a, Int lda) {
  update_by_vector("Rsyr", triangle, n, x, incx, a, lda, [&](auto* u, auto* to) {
    hilo::syr(layout, uplo(triangle), n, from_mplapack(alpha), u, incx, to, lda);
  });
}
void Cher(const char* triangle, Int n, Real alpha, Complex* x, Int incx, Complex* a, Int lda) {
  update_by_vector("Cher", triangle, n, x, incx, a, lda, [&](auto* u, auto* to) {
    hilo::her(layout, uplo(triangle), n, from_mplapack(alpha), u, incx, to, lda);
  });
}

void Rsyr2(const char* triangle, Int n, Real alpha, Real* x, Int incx, Real* y, Int incy, Real* a, Int lda) {
  update_by_two("Rsyr2", triangle, n, x, incx, y, incy, a, lda, [&](auto* u, auto* v, auto* to) {
    hilo::syr2(layout, uplo(triangle), n, from_mplapack(alpha), u, incx, v, incy, to, lda);
  });
}
void Cher2(const char* triangle, Int n, Complex alpha, Complex* x, Int incx, Complex* y, Int incy, Complex* a,
           Int lda) {
  update_by_two("Cher2", triangle, n, x, incx, y, incy, a, lda, [&](auto* u, auto* v, auto* to) {
    hilo::her2(layout, uplo(triangle), n, from_mplapack(alpha), u, incx, v, incy, to, lda);
  });
}
