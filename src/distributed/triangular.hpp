// Triangular systems by tiles.
#pragma once

#include "distributed/tasks.hpp"

namespace hilo::distributed {

/// B = alpha · A⁻¹ · B (left) or alpha · B · A⁻¹ (right): a row of B's tiles after the other, or a column, each taken
/// off those that come after it.
template <class T>
void solve_triangle(Tasks<T>& tasks, Side side, Uplo uplo, Diag diag, T alpha, const SeenMatrix<T>& a,
                    const SeenMatrix<T>& b) {
  const bool is_left = side == Side::left, is_forward = is_left == (uplo == Uplo::lower);
  const std::int64_t n = a.tile_rows(), lines = is_left ? b.tile_columns() : b.tile_rows();
  const auto at = [&](std::int64_t k, std::int64_t line) { return is_left ? b(k, line) : b(line, k); };
  for (std::int64_t s = 0; s < n; ++s) {
    const std::int64_t k = is_forward ? s : n - 1 - s;
    const T factor = s == 0 ? alpha : T(1);
    for (std::int64_t line = 0; line < lines; ++line) tasks.trsm(side, uplo, diag, factor, a(k, k), at(k, line));
    for (std::int64_t r = s + 1; r < n; ++r) {
      const std::int64_t i = is_forward ? r : n - 1 - r;
      for (std::int64_t line = 0; line < lines; ++line) {
        if (is_left) {
          tasks.gemm(T(-1), a(i, k), at(k, line), factor, at(i, line));
        } else {
          tasks.gemm(T(-1), at(k, line), a(k, i), factor, at(i, line));
        }
      }
      tasks.forget(is_left ? a(i, k) : a(k, i));
    }
    tasks.forget(a(k, k));
    for (std::int64_t line = 0; line < lines; ++line) tasks.forget(at(k, line));
    tasks.end_step();
  }
}

}  // namespace hilo::distributed
