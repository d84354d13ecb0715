// In DD and ZDD: tiles of a matrix into the sums of row_sums.hpp.
#include "blas/cpu/matrix_vector.hpp"

#include "blas/cpu/row_sums.hpp"
#include "blas/reference.hpp"

namespace hilo::blas {
namespace {

// Fewer elements than this are not worth waking threads for.
constexpr std::int64_t least_elements = std::int64_t{1} << 14;
// Rows whose sums stay in a nearest cache.
constexpr std::int64_t most_rows = 1024;
constexpr std::int64_t row_step = 64;

template <class T>
std::int64_t rows_of_a_task(int threads, const MatrixView<const T>& a) {
  // Rows that lie in memory one after the other are read to their ends.
  if (a.row_stride != 1) return row_step;
  const std::int64_t even = threads > 1 ? blocks(a.rows, 4 * static_cast<std::int64_t>(threads)) : most_rows;
  return std::clamp(round_up(even, row_step), row_step, most_rows);
}

// n zeros.
template <class T>
class Zeros {
 public:
  explicit Zeros(std::int64_t n) : memory_(n * static_cast<std::int64_t>(sizeof(T))) { std::fill_n(data(), n, T(0)); }
  T* data() const { return reinterpret_cast<T*>(memory_.data()); }

 private:
  host::Workspace memory_;
};

// Rows that are taken at a time.
template <class T>
std::int64_t rows_at_a_time(const MatrixView<const T>& a) {
  return a.row_stride == 1 ? most_rows : row_step;
}

// totals += A · x, chunk after chunk; sums are 0 and as many as A has rows.
template <class T>
void add_chunks(const RowSums<T>& rows, const MatrixView<const T>& a, const T* x, T* sums, T* totals) {
  for (std::int64_t k = 0; k < a.columns; k += chunk_terms<T>) {
    rows.add(a.sub(0, k, a.rows, std::min(chunk_terms<T>, a.columns - k)), x + k, sums);
    rows.close(a.rows, sums, totals);
  }
}

// Sums of few rows, whose chunks the threads share.
template <class T>
void multiply_few_rows(const VectorCall& call, const MatrixView<const T>& a, const T* x, T* y) {
  constexpr std::int64_t kept = std::int64_t{1} << 16;
  const std::int64_t chunks = blocks(a.columns, chunk_terms<T>);
  const std::int64_t round = std::clamp(kept / a.rows, std::int64_t{1}, chunks);
  const Zeros<T> sums(round * a.rows);
  for (std::int64_t first = 0; first < chunks; first += round) {
    const std::int64_t count = std::min(round, chunks - first);
    host::for_parts(call.threads, count, [&](std::int64_t begin, std::int64_t end) {
      const RowSums<T> rows(*call.set);
      for (std::int64_t c = begin; c < end; ++c) {
        const std::int64_t k = (first + c) * chunk_terms<T>;
        rows.add(a.sub(0, k, a.rows, std::min(chunk_terms<T>, a.columns - k)), x + k, sums.data() + c * a.rows);
      }
    });
    const RowSums<T> rows(*call.set);
    for (std::int64_t c = 0; c < count; ++c) rows.close(a.rows, sums.data() + c * a.rows, y);
  }
}

// The block of A from (first, first) on, its lower or upper triangle, as columns side by side.
template <class T>
void copy_triangle(Uplo uplo, Diag diag, const MatrixView<const T>& a, T* to) {
  for (std::int64_t j = 0; j < a.columns; ++j) {
    const std::int64_t begin = uplo == Uplo::lower ? j : 0, end = uplo == Uplo::lower ? a.rows : j + 1;
    for (std::int64_t i = begin; i < end; ++i) {
      to[j * a.rows + i] = i == j && diag == Diag::unit ? T(1) : element(a, i, j);
    }
  }
}

// The entry of a symmetric or Hermitian matrix.
template <class T>
T symmetric_element(const MatrixView<const T>& a, Symmetry symmetry, std::int64_t i, std::int64_t j) {
  if (symmetry == Symmetry::symmetric) return i >= j ? element(a, i, j) : element(a, j, i);
  return i == j ? T(real(a(i, i))) : i > j ? element(a, i, j) : conjugated(element(a, j, i), true);
}

template <class T>
inline constexpr std::int64_t tile_elements = chunk_terms<T>* chunk_terms<T>;

}  // namespace

template <gemm_scalar T>
void multiply(const VectorCall& call, const MatrixView<const T>& a, const T* x, T* y) {
  if (a.rows == 0) return;
  std::fill_n(y, a.rows, T(0));
  if (blocks(a.rows, row_step) < call.threads && a.columns > a.rows) {
    multiply_few_rows(call, a, x, y);
  } else {
    const std::int64_t step = rows_of_a_task(call.threads, a);
    host::for_each(call.threads, blocks(a.rows, step), [&](std::int64_t task, int) {
      const std::int64_t first = task * step, n = std::min(step, a.rows - first);
      const RowSums<T> rows(*call.set);
      const Zeros<T> sums(n);
      add_chunks(rows, a.sub(first, 0, n, a.columns), x, sums.data(), y + first);
    });
  }
  for (std::int64_t i = 0; i < a.rows; ++i) {
    make_plain(
        y[i], 0, a.columns, [&](std::int64_t k) { return element(a, i, k); }, x);
  }
}

// The rows of a tile on the diagonal of a symmetric or Hermitian matrix, whole, as columns side by side.
template <class T>
MatrixView<const T> whole_tile(const MatrixView<const T>& a, Symmetry symmetry, T* tile) {
  for (std::int64_t j = 0; j < a.columns; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) tile[j * a.rows + i] = symmetric_element(a, symmetry, i, j);
  }
  return {tile, a.rows, a.columns, 1, a.rows};
}

// Tiles left of the diagonal serve twice: for their rows, and turned for rows above, whose sums over a chunk are kept
// until these rows have all chunks before it.
template <gemm_scalar T>
void multiply_symmetric(const VectorCall& call, Symmetry symmetry, const MatrixView<const T>& a, const T* x, T* y) {
  // Lines of a tile, of 1 KiB each, that stay in the nearest cache for their second turn.
  constexpr std::int64_t block = chunk_terms<T>, near_lines = 16;
  const Op mirror = symmetry == Symmetry::hermitian ? Op::conjugate_transpose : Op::transpose;
  const std::int64_t n = a.rows;
  if (n == 0) return;
  const std::int64_t step = rows_of_a_task(call.threads, a);
  // Rows whose sums above are kept at a time.
  const std::int64_t round = std::min(round_up(n, step), std::max(16, 4 * call.threads) * step);
  const host::Workspace memory(round / block * n * static_cast<std::int64_t>(sizeof(T)));
  T* const above = reinterpret_cast<T*>(memory.data());
  std::fill_n(y, n, T(0));
  for (std::int64_t top = 0; top < n; top += round) {
    const std::int64_t bottom = std::min(top + round, n), tasks = blocks(bottom - top, step);
    const auto sums_above = [&](std::int64_t i, std::int64_t k) { return above + (i - top) / block * n + k; };
    host::for_each(call.threads, tasks, [&](std::int64_t task, int) {
      // Long rows first.
      const std::int64_t first = top + (tasks - 1 - task) * step, last = std::min(first + step, bottom);
      const RowSums<T> rows(*call.set);
      const Zeros<T> sums(block), tile(tile_elements<T>);
      for (std::int64_t k = 0; k < last; k += block) {
        const std::int64_t width = std::min(block, n - k);
        for (std::int64_t i = std::max(first, k); i < last; i += block) {
          MatrixView<const T> part = a.sub(i, k, std::min(block, last - i), width);
          if (i == k) {
            part = whole_tile(part, symmetry, tile.data());
          } else {
            std::fill_n(sums_above(i, k), width, T(0));
          }
          const bool by_columns = part.row_stride == 1;
          const std::int64_t lines = by_columns ? width : part.rows;
          for (std::int64_t j = 0; j < lines; j += near_lines) {
            const std::int64_t count = std::min(near_lines, lines - j), row = by_columns ? 0 : j, column = j - row;
            const MatrixView<const T> some =
                by_columns ? part.sub(0, j, part.rows, count) : part.sub(j, 0, count, width);
            if (i != k) rows.add(some.turned(mirror), x + i + row, sums_above(i, k) + column);
            rows.add(some, x + k + column, sums.data() + row);
          }
          rows.close(part.rows, sums.data(), y + i);
        }
      }
    });
    host::for_parts(call.threads, blocks(bottom, block), [&](std::int64_t begin, std::int64_t end) {
      const RowSums<T> rows(*call.set);
      for (std::int64_t k = begin * block; k < std::min(end * block, bottom); k += block) {
        for (std::int64_t i = std::max(top, k + block); i < bottom; i += block) {
          rows.close(block, sums_above(i, k), y + k);
        }
      }
    });
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = [&](std::int64_t k) { return symmetric_element(a, symmetry, i, k); };
    make_plain(y[i], 0, n, at, x);
  }
}

template <gemm_scalar T>
void multiply_triangle(const VectorCall& call, Uplo uplo, Diag diag, const MatrixView<const T>& a, const T* x, T* y) {
  const bool is_lower = uplo == Uplo::lower;
  const std::int64_t n = a.rows, step = rows_of_a_task(call.threads, a), tasks = blocks(n, step);
  std::fill_n(y, n, T(0));
  // Long rows first.
  host::for_each(call.threads, tasks, [&](std::int64_t task, int) {
    const std::int64_t first = (is_lower ? tasks - 1 - task : task) * step, last = std::min(first + step, n);
    const RowSums<T> rows(*call.set);
    const Zeros<T> sums(last - first), tile(tile_elements<T>);
    const auto sum_of = [&](std::int64_t i) { return sums.data() + (i - first); };
    for (std::int64_t k = is_lower ? 0 : first; k < (is_lower ? last : n); k += chunk_terms<T>) {
      const std::int64_t width = std::min(chunk_terms<T>, n - k);
      // Rows that have all terms of the chunk.
      const std::int64_t begin = is_lower ? std::max(first, k + width) : first;
      const std::int64_t end = is_lower ? last : std::min(last, k);
      if (begin < end) rows.add(a.sub(begin, k, end - begin, width), x + k, sum_of(begin));
      if (k >= first && k < last) {
        copy_triangle(uplo, diag, a.sub(k, k, width, width), tile.data());
        for (std::int64_t j = 0; j < width; ++j) {
          const std::int64_t top = is_lower ? j : 0;
          rows.add_line(is_lower ? width - j : j + 1, tile.data() + j * width + top, x[k + j], sum_of(k + top));
        }
      }
      rows.close(last - first, sums.data(), y + first);
    }
  });
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = [&](std::int64_t k) { return k == i && diag == Diag::unit ? T(1) : element(a, i, k); };
    make_plain(y[i], is_lower ? 0 : i, is_lower ? i + 1 : n, at, x);
  }
}

// A panel of unknowns at a time, one after the other, and then what they are of the rows below; of an upper triangle in
// the opposite order, unknown i being of row n − 1 − i.
template <gemm_scalar T>
void solve_triangle(const VectorCall& call, Uplo uplo, Diag diag, const MatrixView<const T>& a, T* x) {
  constexpr std::int64_t block = chunk_terms<T>, panel = 4 * block;
  const bool is_lower = uplo == Uplo::lower;
  const std::int64_t n = a.rows;
  const auto row = [&](std::int64_t i) { return is_lower ? i : n - 1 - i; };
  if (!is_lower) std::reverse(x, x + n);
  const Zeros<T> totals(n), tile(tile_elements<T>), sums(block);

  // Rows of unknowns from … to − 1 += what unknowns first … last − 1 are of them.
  const auto add_to_rows = [&](int threads, std::int64_t from, std::int64_t to, std::int64_t first, std::int64_t last) {
    const std::int64_t top = is_lower ? from : n - to;
    MatrixView<const T> part = a.sub(top, row(first), to - from, last - first);
    if (!is_lower) part.column_stride = -part.column_stride;
    if (part.rows * part.columns < least_elements) threads = 1;
    const std::int64_t step = rows_at_a_time(part);
    host::for_parts(threads, blocks(part.rows, row_step), [&](std::int64_t begin, std::int64_t end) {
      const RowSums<T> rows(*call.set);
      const Zeros<T> of_rows(step);
      const std::int64_t stop = std::min(end * row_step, part.rows);
      for (std::int64_t i = begin * row_step; i < stop; i += step) {
        const MatrixView<const T> some = part.sub(i, 0, std::min(step, stop - i), part.columns);
        add_chunks(rows, some, x + first, of_rows.data(), totals.data() + top + i);
      }
    });
  };
  const auto solve_block = [&](std::int64_t first, std::int64_t width) {
    const RowSums<T> rows(*call.set);
    MatrixView<const T> corner = a.sub(row(first), row(first), width, width);
    if (!is_lower) corner.row_stride = -a.row_stride, corner.column_stride = -a.column_stride;
    copy_triangle(Uplo::lower, diag, corner, tile.data());
    for (std::int64_t j = 0; j < width; ++j) {
      const std::int64_t i = first + j;
      const T* const column = tile.data() + j * width;
      T& total = totals.data()[row(i)];
      rows.close(1, sums.data() + j, &total);
      const auto at = [&](std::int64_t k) { return element(a, row(i), row(k)); };
      make_plain(total, 0, i, at, x);
      x[i] = x[i] - total;
      if (diag == Diag::non_unit) x[i] = quotient(x[i], Divisor<T>(column[j]));
      rows.add_line(width - j - 1, column + j + 1, x[i], sums.data() + j + 1);
    }
  };
  for (std::int64_t first = 0; first < n; first += panel) {
    const std::int64_t last = std::min(first + panel, n);
    for (std::int64_t i = first; i < last; i += block) {
      const std::int64_t end = std::min(i + block, last);
      solve_block(i, end - i);
      add_to_rows(1, end, last, i, end);
    }
    add_to_rows(call.threads, last, n, first, last);
  }
  if (!is_lower) std::reverse(x, x + n);
}

#define HILO_INSTANTIATE(T)                                                                                    \
  template void multiply<T>(const VectorCall&, const MatrixView<const T>&, const T*, T*);                      \
  template void multiply_symmetric<T>(const VectorCall&, Symmetry, const MatrixView<const T>&, const T*, T*);  \
  template void multiply_triangle<T>(const VectorCall&, Uplo, Diag, const MatrixView<const T>&, const T*, T*); \
  template void solve_triangle<T>(const VectorCall&, Uplo, Diag, const MatrixView<const T>&, T*);
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::blas
