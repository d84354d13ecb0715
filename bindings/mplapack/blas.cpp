// MPLAPACK's BLAS of matrices alone by hilo's: names, arguments and what is refused are those of mpblas_dd.h. What R…
// and C… have in common stands in a template before them.
#include <cstdio>
#include <cstdlib>

#include "arguments.hpp"

using namespace hilo::mplapack;
using hilo::Op;
using hilo::Uplo;

[[gnu::weak]] void Mxerbla_dd(const char* routine, int argument) {
  std::fprintf(stderr, " ** On entry to %s parameter number %2d had an illegal value\n", routine, argument);
  std::exit(argument);
}

namespace {

template <class N>
void multiply(const char* routine, const char* transa, const char* transb, Int m, Int n, Int k, const N& alpha, N* a,
              Int lda, N* b, Int ldb, const N& beta, N* c, Int ldc) {
  Check check;
  check.op(1, transa).op(2, transb).size(3, m).size(4, n).size(5, k);
  check.leading(8, lda, is_letter(transa, 'n') ? m : k).leading(10, ldb, is_letter(transb, 'n') ? k : n);
  if (!check.leading(13, ldc, m).passes(routine)) return;
  hilo::gemm(layout, op(transa), op(transb), m, n, k, from_mplapack(alpha), in_place(a), lda, in_place(b), ldb,
             from_mplapack(beta), in_place(c), ldc);
}

// product(a, b, c) in hilo's numbers: A is symmetric or Hermitian.
template <class N, class Product>
void multiply_symmetric(const char* routine, const char* from, const char* triangle, Int m, Int n, N* a, Int lda, N* b,
                        Int ldb, N* c, Int ldc, Product product) {
  Check check;
  check.side(1, from).uplo(2, triangle).size(3, m).size(4, n).leading(7, lda, is_letter(from, 'l') ? m : n);
  if (!check.leading(9, ldb, m).leading(12, ldc, m).passes(routine)) return;
  product(in_place(a), in_place(b), in_place(c));
}

// update(a, c) in hilo's numbers: C is symmetric or Hermitian; trans is one of those letters.
template <class N, class Update>
void update_symmetric(const char* routine, const char* letters, const char* triangle, const char* trans, Int n, Int k,
                      N* a, Int lda, N* c, Int ldc, Update update) {
  Check check;
  check.uplo(1, triangle).op(2, trans, letters).size(3, n).size(4, k).leading(7, lda, is_letter(trans, 'n') ? n : k);
  if (check.leading(10, ldc, n).passes(routine)) update(in_place(a), in_place(c));
}

// update(a, b, c): the same by two matrices.
template <class N, class Update>
void update_symmetric_by_two(const char* routine, const char* letters, const char* triangle, const char* trans, Int n,
                             Int k, N* a, Int lda, N* b, Int ldb, N* c, Int ldc, Update update) {
  const Int rows = is_letter(trans, 'n') ? n : k;
  Check check;
  check.uplo(1, triangle).op(2, trans, letters).size(3, n).size(4, k).leading(7, lda, rows).leading(9, ldb, rows);
  if (check.leading(12, ldc, n).passes(routine)) update(in_place(a), in_place(b), in_place(c));
}

// product(a, b) in hilo's numbers: A is a triangle, multiplied with or divided by.
template <class N, class Product>
void multiply_triangle(const char* routine, const char* from, const char* triangle, const char* trans, const char* unit,
                       Int m, Int n, N* a, Int lda, N* b, Int ldb, Product product) {
  Check check;
  check.side(1, from).uplo(2, triangle).op(3, trans).letter(4, unit, "un").size(5, m).size(6, n);
  if (!check.leading(9, lda, is_letter(from, 'l') ? m : n).leading(11, ldb, m).passes(routine)) return;
  product(in_place(a), in_place(b));
}

}  // namespace

void Rgemm(const char* transa, const char* transb, Int m, Int n, Int k, Real alpha, Real* a, Int lda, Real* b, Int ldb,
           Real beta, Real* c, Int ldc) {
  multiply("Rgemm", transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void Cgemm(const char* transa, const char* transb, Int m, Int n, Int k, Complex alpha, Complex* a, Int lda, Complex* b,
           Int ldb, Complex beta, Complex* c, Int ldc) {
  multiply("Cgemm", transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void Rsymm(const char* from, const char* triangle, Int m, Int n, Real alpha, Real* a, Int lda, Real* b, Int ldb,
           Real beta, Real* c, Int ldc) {
  multiply_symmetric("Rsymm", from, triangle, m, n, a, lda, b, ldb, c, ldc, [&](auto* x, auto* y, auto* z) {
    hilo::symm(layout, side(from), uplo(triangle), m, n, from_mplapack(alpha), x, lda, y, ldb, from_mplapack(beta), z,
               ldc);
  });
}
void Csymm(const char* from, const char* triangle, Int m, Int n, Complex alpha, Complex* a, Int lda, Complex* b,
           Int ldb, Complex beta, Complex* c, Int ldc) {
  multiply_symmetric("Csymm", from, triangle, m, n, a, lda, b, ldb, c, ldc, [&](auto* x, auto* y, auto* z) {
    hilo::symm(layout, side(from), uplo(triangle), m, n, from_mplapack(alpha), x, lda, y, ldb, from_mplapack(beta), z,
               ldc);
  });
}
void Chemm(const char* from, const char* triangle, Int m, Int n, Complex alpha, Complex* a, Int lda, Complex* b,
           Int ldb, Complex beta, Complex* c, Int ldc) {
  multiply_symmetric("Chemm", from, triangle, m, n, a, lda, b, ldb, c, ldc, [&](auto* x, auto* y, auto* z) {
    hilo::hemm(layout, side(from), uplo(triangle), m, n, from_mplapack(alpha), x, lda, y, ldb, from_mplapack(beta), z,
               ldc);
  });
}

void Rsyrk(const char* triangle, const char* trans, Int n, Int k, Real alpha, Real* a, Int lda, Real beta, Real* c,
           Int ldc) {
  update_symmetric("Rsyrk", "ntc", triangle, trans, n, k, a, lda, c, ldc, [&](auto* x, auto* z) {
    hilo::syrk(layout, uplo(triangle), op(trans), n, k, from_mplapack(alpha), x, lda, from_mplapack(beta), z, ldc);
  });
}
void Csyrk(const char* triangle, const char* trans, Int n, Int k, Complex alpha, Complex* a, Int lda, Complex beta,
           Complex* c, Int ldc) {
  update_symmetric("Csyrk", "nt", triangle, trans, n, k, a, lda, c, ldc, [&](auto* x, auto* z) {
    hilo::syrk(layout, uplo(triangle), op(trans), n, k, from_mplapack(alpha), x, lda, from_mplapack(beta), z, ldc);
  });
}
void Cherk(const char* triangle, const char* trans, Int n, Int k, Real alpha, Complex* a, Int lda, Real beta,
           Complex* c, Int ldc) {
  update_symmetric("Cherk", "nc", triangle, trans, n, k, a, lda, c, ldc, [&](auto* x, auto* z) {
    hilo::herk(layout, uplo(triangle), op(trans), n, k, from_mplapack(alpha), x, lda, from_mplapack(beta), z, ldc);
  });
}

void Rsyr2k(const char* triangle, const char* trans, Int n, Int k, Real alpha, Real* a, Int lda, Real* b, Int ldb,
            Real beta, Real* c, Int ldc) {
  update_symmetric_by_two("Rsyr2k", "ntc", triangle, trans, n, k, a, lda, b, ldb, c, ldc,
                          [&](auto* x, auto* y, auto* z) {
                            hilo::syr2k(layout, uplo(triangle), op(trans), n, k, from_mplapack(alpha), x, lda, y, ldb,
                                        from_mplapack(beta), z, ldc);
                          });
}
void Csyr2k(const char* triangle, const char* trans, Int n, Int k, Complex alpha, Complex* a, Int lda, Complex* b,
            Int ldb, Complex beta, Complex* c, Int ldc) {
  update_symmetric_by_two("Csyr2k", "nt", triangle, trans, n, k, a, lda, b, ldb, c, ldc,
                          [&](auto* x, auto* y, auto* z) {
                            hilo::syr2k(layout, uplo(triangle), op(trans), n, k, from_mplapack(alpha), x, lda, y, ldb,
                                        from_mplapack(beta), z, ldc);
                          });
}
void Cher2k(const char* triangle, const char* trans, Int n, Int k, Complex alpha, Complex* a, Int lda, Complex* b,
            Int ldb, Real beta, Complex* c, Int ldc) {
  update_symmetric_by_two("Cher2k", "nc", triangle, trans, n, k, a, lda, b, ldb, c, ldc,
                          [&](auto* x, auto* y, auto* z) {
                            hilo::her2k(layout, uplo(triangle), op(trans), n, k, from_mplapack(alpha), x, lda, y, ldb,
                                        from_mplapack(beta), z, ldc);
                          });
}

void Rtrmm(const char* from, const char* triangle, const char* trans, const char* unit, Int m, Int n, Real alpha,
           Real* a, Int lda, Real* b, Int ldb) {
  multiply_triangle("Rtrmm", from, triangle, trans, unit, m, n, a, lda, b, ldb, [&](auto* x, auto* y) {
    hilo::trmm(layout, side(from), uplo(triangle), op(trans), diag(unit), m, n, from_mplapack(alpha), x, lda, y, ldb);
  });
}
void Ctrmm(const char* from, const char* triangle, const char* trans, const char* unit, Int m, Int n, Complex alpha,
           Complex* a, Int lda, Complex* b, Int ldb) {
  multiply_triangle("Ctrmm", from, triangle, trans, unit, m, n, a, lda, b, ldb, [&](auto* x, auto* y) {
    hilo::trmm(layout, side(from), uplo(triangle), op(trans), diag(unit), m, n, from_mplapack(alpha), x, lda, y, ldb);
  });
}

void Rtrsm(const char* from, const char* triangle, const char* trans, const char* unit, Int m, Int n, Real alpha,
           Real* a, Int lda, Real* b, Int ldb) {
  multiply_triangle("Rtrsm", from, triangle, trans, unit, m, n, a, lda, b, ldb, [&](auto* x, auto* y) {
    hilo::trsm(layout, side(from), uplo(triangle), op(trans), diag(unit), m, n, from_mplapack(alpha), x, lda, y, ldb);
  });
}
void Ctrsm(const char* from, const char* triangle, const char* trans, const char* unit, Int m, Int n, Complex alpha,
           Complex* a, Int lda, Complex* b, Int ldb) {
  multiply_triangle("Ctrsm", from, triangle, trans, unit, m, n, a, lda, b, ldb, [&](auto* x, auto* y) {
    hilo::trsm(layout, side(from), uplo(triangle), op(trans), diag(unit), m, n, from_mplapack(alpha), x, lda, y, ldb);
  });
}
