// MPLAPACK's factorisations and solutions by hilo's: names, arguments, info and what is refused are those of
// mplapack_dd.h. What R… and C… have in common stands in a template before them.
#include <hilo/lapack.hpp>

#include "arguments.hpp"

using namespace hilo::mplapack;

namespace {

template <class N>
void lu(const char* routine, Int m, Int n, N* a, Int lda, Int* pivots, Int& info) {
  const Check check = Check().size(1, m).size(2, n).leading(4, lda, m);
  info = check.info();
  if (check.passes(routine)) info = hilo::getrf(layout, m, n, in_place(a), lda, pivots);
}

template <class N>
void solve_by_lu(const char* routine, const char* trans, Int n, Int nrhs, N* a, Int lda, Int* pivots, N* b, Int ldb,
                 Int& info) {
  const Check check = Check().op(1, trans).size(2, n).size(3, nrhs).leading(5, lda, n).leading(8, ldb, n);
  info = check.info();
  if (check.passes(routine)) {
    hilo::getrs(layout, op(trans), n, nrhs, in_place(a), lda, pivots, in_place(b), ldb);
  }
}

template <class N>
void solve(const char* routine, Int n, Int nrhs, N* a, Int lda, Int* pivots, N* b, Int ldb, Int& info) {
  const Check check = Check().size(1, n).size(2, nrhs).leading(4, lda, n).leading(7, ldb, n);
  info = check.info();
  if (check.passes(routine)) info = hilo::gesv(layout, n, nrhs, in_place(a), lda, pivots, in_place(b), ldb);
}

template <class N>
void cholesky(const char* routine, const char* triangle, Int n, N* a, Int lda, Int& info) {
  const Check check = Check().uplo(1, triangle).size(2, n).leading(4, lda, n);
  info = check.info();
  if (check.passes(routine)) info = hilo::potrf(layout, uplo(triangle), n, in_place(a), lda);
}

template <class N>
void solve_by_cholesky(const char* routine, const char* triangle, Int n, Int nrhs, N* a, Int lda, N* b, Int ldb,
                       Int& info) {
  const Check check = Check().uplo(1, triangle).size(2, n).size(3, nrhs).leading(5, lda, n).leading(7, ldb, n);
  info = check.info();
  if (check.passes(routine)) hilo::potrs(layout, uplo(triangle), n, nrhs, in_place(a), lda, in_place(b), ldb);
}

template <class N>
void solve_positive(const char* routine, const char* triangle, Int n, Int nrhs, N* a, Int lda, N* b, Int ldb,
                    Int& info) {
  const Check check = Check().uplo(1, triangle).size(2, n).size(3, nrhs).leading(5, lda, n).leading(7, ldb, n);
  info = check.info();
  if (check.passes(routine)) {
    info = hilo::posv(layout, uplo(triangle), n, nrhs, in_place(a), lda, in_place(b), ldb);
  }
}

template <class N>
void inverse_of_lu(const char* routine, Int n, N* a, Int lda, Int* pivots, N* work, Int lwork, Int& info) {
  Check check = Check().size(1, n).leading(3, lda, n);
  if (!has_workspace(check, routine, 6, std::max<Int>(n, 1), work, lwork, info)) return;
  info = hilo::getri(layout, n, in_place(a), lda, pivots);
}

template <class N>
void inverse_of_cholesky(const char* routine, const char* triangle, Int n, N* a, Int lda, Int& info) {
  const Check check = Check().uplo(1, triangle).size(2, n).leading(4, lda, n);
  info = check.info();
  if (check.passes(routine)) info = hilo::potri(layout, uplo(triangle), n, in_place(a), lda);
}

template <class N>
void inverse_of_triangle(const char* routine, const char* triangle, const char* unit, Int n, N* a, Int lda, Int& info) {
  const Check check = Check().uplo(1, triangle).letter(2, unit, "un").size(3, n).leading(5, lda, n);
  info = check.info();
  if (check.passes(routine)) info = hilo::trtri(layout, uplo(triangle), diag(unit), n, in_place(a), lda);
}

template <class N>
void qr(const char* routine, Int m, Int n, N* a, Int lda, N* tau, N* work, Int lwork, Int& info) {
  Check check = Check().size(1, m).size(2, n).leading(4, lda, m);
  if (!has_workspace(check, routine, 7, std::max<Int>(n, 1), work, lwork, info)) return;
  hilo::geqrf(layout, m, n, in_place(a), lda, in_place(tau));
}

template <class N>
void columns_of_q(const char* routine, Int m, Int n, Int k, N* a, Int lda, N* tau, N* work, Int lwork, Int& info) {
  Check check = Check().size(1, m).right(2, n >= 0 && n <= m).right(3, k >= 0 && k <= n).leading(5, lda, m);
  if (!has_workspace(check, routine, 8, std::max<Int>(n, 1), work, lwork, info)) return;
  hilo::ungqr(layout, m, n, k, in_place(a), lda, in_place(tau));
}

template <class N>
void multiply_by_q(const char* routine, const char* letters, const char* from, const char* trans, Int m, Int n, Int k,
                   N* a, Int lda, N* tau, N* c, Int ldc, N* work, Int lwork, Int& info) {
  const bool is_left = is_letter(from, 'l');
  const Int order = is_left ? m : n;
  Check check = Check().side(1, from).op(2, trans, letters).size(3, m).size(4, n).right(5, k >= 0 && k <= order);
  check.leading(7, lda, order).leading(10, ldc, m);
  if (!has_workspace(check, routine, 12, std::max<Int>(is_left ? n : m, 1), work, lwork, info)) return;
  hilo::unmqr(layout, side(from), op(trans), m, n, k, in_place(a), lda, in_place(tau), in_place(c), ldc);
}

}  // namespace

void Rgetrf(Int m, Int n, Real* a, Int lda, Int* ipiv, Int& info) { lu("Rgetrf", m, n, a, lda, ipiv, info); }
void Cgetrf(Int m, Int n, Complex* a, Int lda, Int* ipiv, Int& info) { lu("Cgetrf", m, n, a, lda, ipiv, info); }

void Rgetrs(const char* trans, Int n, Int nrhs, Real* a, Int lda, Int* ipiv, Real* b, Int ldb, Int& info) {
  solve_by_lu("Rgetrs", trans, n, nrhs, a, lda, ipiv, b, ldb, info);
}
void Cgetrs(const char* trans, Int n, Int nrhs, Complex* a, Int lda, Int* ipiv, Complex* b, Int ldb, Int& info) {
  solve_by_lu("Cgetrs", trans, n, nrhs, a, lda, ipiv, b, ldb, info);
}

void Rgesv(Int n, Int nrhs, Real* a, Int lda, Int* ipiv, Real* b, Int ldb, Int& info) {
  solve("Rgesv", n, nrhs, a, lda, ipiv, b, ldb, info);
}
void Cgesv(Int n, Int nrhs, Complex* a, Int lda, Int* ipiv, Complex* b, Int ldb, Int& info) {
  solve("Cgesv", n, nrhs, a, lda, ipiv, b, ldb, info);
}

void Rpotrf(const char* triangle, Int n, Real* a, Int lda, Int& info) { cholesky("Rpotrf", triangle, n, a, lda, info); }
void Cpotrf(const char* triangle, Int n, Complex* a, Int lda, Int& info) {
  cholesky("Cpotrf", triangle, n, a, lda, info);
}

void Rpotrs(const char* triangle, Int n, Int nrhs, Real* a, Int lda, Real* b, Int ldb, Int& info) {
  solve_by_cholesky("Rpotrs", triangle, n, nrhs, a, lda, b, ldb, info);
}
void Cpotrs(const char* triangle, Int n, Int nrhs, Complex* a, Int lda, Complex* b, Int ldb, Int& info) {
  solve_by_cholesky("Cpotrs", triangle, n, nrhs, a, lda, b, ldb, info);
}

void Rposv(const char* triangle, Int n, Int nrhs, Real* a, Int lda, Real* b, Int ldb, Int& info) {
  solve_positive("Rposv", triangle, n, nrhs, a, lda, b, ldb, info);
}
void Cposv(const char* triangle, Int n, Int nrhs, Complex* a, Int lda, Complex* b, Int ldb, Int& info) {
  solve_positive("Cposv", triangle, n, nrhs, a, lda, b, ldb, info);
}

void Rgetri(Int n, Real* a, Int lda, Int* ipiv, Real* work, Int lwork, Int& info) {
  inverse_of_lu("Rgetri", n, a, lda, ipiv, work, lwork, info);
}
void Cgetri(Int n, Complex* a, Int lda, Int* ipiv, Complex* work, Int lwork, Int& info) {
  inverse_of_lu("Cgetri", n, a, lda, ipiv, work, lwork, info);
}

void Rpotri(const char* triangle, Int n, Real* a, Int lda, Int& info) {
  inverse_of_cholesky("Rpotri", triangle, n, a, lda, info);
}
void Cpotri(const char* triangle, Int n, Complex* a, Int lda, Int& info) {
  inverse_of_cholesky("Cpotri", triangle, n, a, lda, info);
}

void Rtrtri(const char* triangle, const char* unit, Int n, Real* a, Int lda, Int& info) {
  inverse_of_triangle("Rtrtri", triangle, unit, n, a, lda, info);
}
void Ctrtri(const char* triangle, const char* unit, Int n, Complex* a, Int lda, Int& info) {
  inverse_of_triangle("Ctrtri", triangle, unit, n, a, lda, info);
}

void Rgeqrf(Int m, Int n, Real* a, Int lda, Real* tau, Real* work, Int lwork, Int& info) {
  qr("Rgeqrf", m, n, a, lda, tau, work, lwork, info);
}
void Cgeqrf(Int m, Int n, Complex* a, Int lda, Complex* tau, Complex* work, Int lwork, Int& info) {
  qr("Cgeqrf", m, n, a, lda, tau, work, lwork, info);
}

void Rorgqr(Int m, Int n, Int k, Real* a, Int lda, Real* tau, Real* work, Int lwork, Int& info) {
  columns_of_q("Rorgqr", m, n, k, a, lda, tau, work, lwork, info);
}
void Cungqr(Int m, Int n, Int k, Complex* a, Int lda, Complex* tau, Complex* work, Int lwork, Int& info) {
  columns_of_q("Cungqr", m, n, k, a, lda, tau, work, lwork, info);
}

void Rormqr(const char* from, const char* trans, Int m, Int n, Int k, Real* a, Int lda, Real* tau, Real* c, Int ldc,
            Real* work, Int lwork, Int& info) {
  multiply_by_q("Rormqr", "nt", from, trans, m, n, k, a, lda, tau, c, ldc, work, lwork, info);
}
void Cunmqr(const char* from, const char* trans, Int m, Int n, Int k, Complex* a, Int lda, Complex* tau, Complex* c,
            Int ldc, Complex* work, Int lwork, Int& info) {
  multiply_by_q("Cunmqr", "nc", from, trans, m, n, k, a, lda, tau, c, ldc, work, lwork, info);
}
