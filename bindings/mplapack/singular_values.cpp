// MPLAPACK's singular values by hilo's: names, arguments, info and what is refused are those of mplapack_dd.h.
#include <hilo/singular_values.hpp>
#include <vector>

#include "arguments.hpp"
#include "finite.hpp"

using namespace hilo::mplapack;

namespace {

// What a job asks for of U or Vᴴ: 'a' all, 's' the first min(m, n) columns or rows, 'o' the same in A's place, 'n'
// none.
class Job {
 public:
  explicit Job(const char* word) : letter_(static_cast<char>(*word | 0x20)) {}

  bool in_place() const { return letter_ == 'o'; }
  bool wants_vectors() const { return letter_ != 'n'; }
  Int count(Int all, Int least) const { return letter_ == 'a' ? all : least; }
  bool has_room(Int leading, Int rows) const {
    return leading >= (letter_ == 'a' || letter_ == 's' ? std::max<Int>(rows, 1) : 1);
  }

 private:
  char letter_;
};

hilo::dd_real conjugate(const hilo::dd_real& x) { return x; }
hilo::dd_complex conjugate(const hilo::dd_complex& x) { return {x.re, -x.im}; }

// `least` is the least that LAPACK asks of lwork for any jobs.
template <class N>
void decompose(const char* routine, const char* jobu, const char* jobvt, Int m, Int n, N* a, Int lda, Real* s, N* u,
               Int ldu, N* vt, Int ldvt, N* work, Int lwork, Int least, Int& info) {
  const Job left(jobu), right(jobvt);
  const Int count = std::min(m, n);
  Check check = Check().letter(1, jobu, "ason").letter(2, jobvt, "ason");
  check.right(2, !(left.in_place() && right.in_place())).size(3, m).size(4, n).leading(6, lda, m);
  check.right(9, left.has_room(ldu, m)).right(11, right.has_room(ldvt, right.count(n, count)));
  if (!has_workspace(check, routine, 13, std::max<Int>(least, 1), work, lwork, info) || count == 0) return;
  auto* matrix = in_place(a);
  auto* values = in_place(s);
  using T = std::remove_pointer_t<decltype(matrix)>;
  // LAPACK's number of superdiagonals that did not converge: all. Arrays are as they were.
  info = count;
  if (!is_finite(m, n, matrix, lda)) return;
  if (!left.wants_vectors() && !right.wants_vectors()) {
    if (hilo::singular_values(layout, m, n, matrix, lda, values)) info = 0;
    return;
  }
  const Int columns = left.count(m, count), rows = right.count(n, count);
  std::vector<T> own_u = own_numbers<T>(routine, m, columns), own_v = own_numbers<T>(routine, n, rows);
  if (!hilo::singular_value_decomposition<T>(hilo::view(layout, hilo::Op::none, matrix, m, n, lda), {values, count},
                                             hilo::view(layout, hilo::Op::none, own_u.data(), m, columns, m),
                                             hilo::view(layout, hilo::Op::none, own_v.data(), n, rows, n))) {
    return;
  }
  info = 0;
  if (left.wants_vectors()) {
    T* to = left.in_place() ? matrix : in_place(u);
    const Int leading = left.in_place() ? lda : ldu;
    for (Int j = 0; j < columns; ++j) std::copy_n(own_u.data() + j * m, m, to + j * leading);
  }
  if (right.wants_vectors()) {
    T* to = right.in_place() ? matrix : in_place(vt);
    const Int leading = right.in_place() ? lda : ldvt;
    for (Int j = 0; j < n; ++j) {
      for (Int i = 0; i < rows; ++i) to[i + j * leading] = conjugate(own_v[static_cast<std::size_t>(j + i * n)]);
    }
  }
}

}  // namespace

void Rgesvd(const char* jobu, const char* jobvt, Int m, Int n, Real* a, Int lda, Real* s, Real* u, Int ldu, Real* vt,
            Int ldvt, Real* work, Int lwork, Int& info) {
  decompose("Rgesvd", jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, 5 * std::min(m, n), info);
}
// rwork is LAPACK's alone.
void Cgesvd(const char* jobu, const char* jobvt, Int m, Int n, Complex* a, Int lda, Real* s, Complex* u, Int ldu,
            Complex* vt, Int ldvt, Complex* work, Int lwork, Real*, Int& info) {
  decompose("Cgesvd", jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, 3 * std::min(m, n), info);
}
