// Columns that lie side by side: threads take chunks of them, from one end to the other, since pieces of columns are
// read more slowly. What chunks sum is kept for a round of them, and then added up, from left to right, row by row.
#pragma once

#include "blas/cpu/row_sums.hpp"
#include "blas/cpu/vectors.hpp"

namespace hilo::blas {

/// Rows that a task takes at least.
inline constexpr std::int64_t row_step = 64;

/// Chunks of a round, whose sums over so many rows stay in a core's own cache where one thread has them.
inline std::int64_t round_of(int threads, std::int64_t rows, std::int64_t chunks) {
  constexpr std::int64_t kept = std::int64_t{1} << 16;
  return threads == 1 ? 1 : std::min(chunks, std::max<std::int64_t>(kept / std::max<std::int64_t>(rows, 1), threads));
}

struct RowRange {
  std::int64_t begin, end;
};

/// y += sums of rows over chunks. add(rows, c, sums) adds chunk c of the matrix to one sum a row, of which it has those
/// of range(c).
template <gemm_scalar T, class Range, class Add>
void add_rounds_of_chunks(const VectorCall& call, std::int64_t n, std::int64_t chunks, Range range, Add add, T* y) {
  const std::int64_t round = round_of(call.threads, n, chunks);
  const Zeros<T> sums(round * n);
  for (std::int64_t first = 0; first < chunks; first += round) {
    const std::int64_t count = std::min(round, chunks - first);
    host::for_each(call.threads, count,
                   [&](std::int64_t c, int) { add(RowSums<T>(*call.set), first + c, sums.data() + c * n); });
    host::for_parts(call.threads, blocks(n, row_step), [&](std::int64_t begin, std::int64_t end) {
      const RowSums<T> rows(*call.set);
      for (std::int64_t c = 0; c < count; ++c) {
        const RowRange all = range(first + c);
        const std::int64_t top = std::max(all.begin, begin * row_step), bottom = std::min(all.end, end * row_step);
        if (top < bottom) rows.close(bottom - top, sums.data() + c * n + top, y + top);
      }
    });
  }
}

}  // namespace hilo::blas
