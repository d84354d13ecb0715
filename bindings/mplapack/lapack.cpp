// MPLAPACK's factorisations and solutions of QD's dd_real, by hilo's: names, arguments, info and what is refused are
// those of mplapack_dd.h.
#include <hilo/lapack.hpp>

#include "arguments.hpp"

using namespace hilo;
using namespace hilo::mplapack;
using Number = ::dd_real;

void Rgetrf(mplapackint const m, mplapackint const n, Number* a, mplapackint const lda, mplapackint* ipiv,
            mplapackint& info) {
  const Check check = Check().size(1, m).size(2, n).leading(4, lda, m);
  info = check.info();
  if (check.passes("Rgetrf")) info = getrf(layout, m, n, as_hilo(a), lda, ipiv);
}

void Rgetrs(const char* trans, mplapackint const n, mplapackint const nrhs, Number* a, mplapackint const lda,
            mplapackint* ipiv, Number* b, mplapackint const ldb, mplapackint& info) {
  const Check check = Check().op(1, trans).size(2, n).size(3, nrhs).leading(5, lda, n).leading(8, ldb, n);
  info = check.info();
  if (check.passes("Rgetrs")) getrs(layout, op(trans), n, nrhs, as_hilo(a), lda, ipiv, as_hilo(b), ldb);
}

void Rgesv(mplapackint const n, mplapackint const nrhs, Number* a, mplapackint const lda, mplapackint* ipiv, Number* b,
           mplapackint const ldb, mplapackint& info) {
  const Check check = Check().size(1, n).size(2, nrhs).leading(4, lda, n).leading(7, ldb, n);
  info = check.info();
  if (check.passes("Rgesv")) info = gesv(layout, n, nrhs, as_hilo(a), lda, ipiv, as_hilo(b), ldb);
}

void Rpotrf(const char* triangle, mplapackint const n, Number* a, mplapackint const lda, mplapackint& info) {
  const Check check = Check().uplo(1, triangle).size(2, n).leading(4, lda, n);
  info = check.info();
  if (check.passes("Rpotrf")) info = potrf(layout, uplo(triangle), n, as_hilo(a), lda);
}

void Rpotrs(const char* triangle, mplapackint const n, mplapackint const nrhs, Number* a, mplapackint const lda,
            Number* b, mplapackint const ldb, mplapackint& info) {
  const Check check = Check().uplo(1, triangle).size(2, n).size(3, nrhs).leading(5, lda, n).leading(7, ldb, n);
  info = check.info();
  if (check.passes("Rpotrs")) potrs(layout, uplo(triangle), n, nrhs, as_hilo(a), lda, as_hilo(b), ldb);
}

void Rposv(const char* triangle, mplapackint const n, mplapackint const nrhs, Number* a, mplapackint const lda,
           Number* b, mplapackint const ldb, mplapackint& info) {
  const Check check = Check().uplo(1, triangle).size(2, n).size(3, nrhs).leading(5, lda, n).leading(7, ldb, n);
  info = check.info();
  if (check.passes("Rposv")) info = posv(layout, uplo(triangle), n, nrhs, as_hilo(a), lda, as_hilo(b), ldb);
}

void Rgeqrf(mplapackint const m, mplapackint const n, Number* a, mplapackint const lda, Number* tau, Number* work,
            mplapackint const lwork, mplapackint& info) {
  // hilo has its own workspace: what LAPACK asks for at least is also the best.
  const bool is_query = lwork == -1;
  const mplapackint least = std::max<mplapackint>(n, 1);
  const Check check = Check().size(1, m).size(2, n).leading(4, lda, m).right(7, is_query || lwork >= least);
  info = check.info();
  if (!check.passes("Rgeqrf")) return;
  work[0] = static_cast<double>(least);
  if (!is_query) geqrf(layout, m, n, as_hilo(a), lda, as_hilo(tau));
}
