// Householder QR with column pivoting, half of it by products: one text for every place.
//
// Sources: Quintana-Ortí, Sun, Bischof, SIAM J. Sci. Comput. 19 (1998), as LAPACK's xLAQPS; norms of columns are
// lowered from row to row by Drmač, Bujanović, ACM Trans. Math. Softw. 35 (2008).
#pragma once

#include <algorithm>
#include <cstdint>

namespace hilo::lapack {

/// A · P = Q · R of an m × n matrix in its place.
template <class Place>
void factor_pivoted(Place& place, const typename Place::Matrix& a) {
  using Scalar = typename Place::Scalar;
  const std::int64_t m = a.rows, n = a.columns, count = std::min(m, n), width = std::min(count, place.block());
  auto lent = place.lend(width, n);
  for (std::int64_t j = 0; j < count;) {
    const std::int64_t k = place.pivoted_panel(j, std::min(width, count - j), lent.matrix()), next = j + k;
    place.multiply(Scalar(-1), a.sub(next, j, m - next, k), lent.matrix().sub(0, next, k, n - next), Scalar(1),
                   a.sub(next, next, m - next, n - next));
    place.renew_norms(next);
    j = next;
  }
}

}  // namespace hilo::lapack
