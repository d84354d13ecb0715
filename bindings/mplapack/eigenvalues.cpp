// MPLAPACK's eigenvalues of symmetric and Hermitian matrices by hilo's: names, arguments, info and what is refused are
// those of mplapack_dd.h.
#include <hilo/eigenvalues.hpp>
#include <vector>

#include "arguments.hpp"
#include "finite.hpp"

using namespace hilo::mplapack;

namespace {

// `least` is what LAPACK asks of lwork.
template <class N>
void eigensystem(const char* routine, const char* job, const char* triangle, Int n, N* a, Int lda, Real* w, N* work,
                 Int lwork, Int least, Int& info) {
  Check check = Check().letter(1, job, "nv").uplo(2, triangle).size(3, n).leading(5, lda, n);
  if (!has_workspace(check, routine, 8, std::max<Int>(least, 1), work, lwork, info) || n == 0) return;
  auto* matrix = in_place(a);
  auto* values = in_place(w);
  using T = std::remove_pointer_t<decltype(matrix)>;
  // LAPACK's number of values that did not converge: all. They, and A, are as they were.
  info = n;
  if (!is_finite(uplo(triangle), n, matrix, lda)) return;
  if (is_letter(job, 'n')) {
    if (hilo::hermitian_eigenvalues(layout, uplo(triangle), n, matrix, lda, values)) info = 0;
    return;
  }
  std::vector<T> vectors = own_numbers<T>(routine, n, n);
  if (!hilo::hermitian_eigensystem(layout, uplo(triangle), n, matrix, lda, values, vectors.data(), n)) return;
  for (Int j = 0; j < n; ++j) std::copy_n(vectors.data() + j * n, n, matrix + j * lda);
  info = 0;
}

}  // namespace

void Rsyev(const char* jobz, const char* triangle, Int n, Real* a, Int lda, Real* w, Real* work, Int lwork, Int& info) {
  eigensystem("Rsyev", jobz, triangle, n, a, lda, w, work, lwork, 3 * n - 1, info);
}
// rwork is LAPACK's alone.
void Cheev(const char* jobz, const char* triangle, Int n, Complex* a, Int lda, Real* w, Complex* work, Int lwork, Real*,
           Int& info) {
  eigensystem("Cheev", jobz, triangle, n, a, lda, w, work, lwork, 2 * n - 1, info);
}
