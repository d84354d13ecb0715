// In DD and ZDD: tiles of a matrix into the sums of row_sums.hpp.
#include "blas/cpu/matrix_vector.hpp"

#include "blas/cpu/chunk_rounds.hpp"
#include "blas/reference.hpp"

namespace hilo::blas {
namespace {

// Fewer elements than this are not worth waking threads for.
constexpr std::int64_t least_elements = std::int64_t{1} << 14;

// Rows whose sums stay in a core's own cache.
constexpr std::int64_t most_rows = 8192;

// Rows that are taken at a time.
template <class T>
std::int64_t rows_at_a_time(const MatrixView<const T>& a) {
  return a.row_stride == 1 ? std::min(a.rows, most_rows) : row_step;
}

// totals += A · x, chunk after chunk; sums are 0 and as many as A has rows.
template <class T>
void add_chunks(const RowSums<T>& rows, const MatrixView<const T>& a, const T* x, T* sums, T* totals) {
  for (std::int64_t k = 0; k < a.columns; k += chunk_terms<T>) {
    rows.add(a.sub(0, k, a.rows, std::min(chunk_terms<T>, a.columns - k)), x + k, sums);
    rows.close(a.rows, sums, totals);
  }
}

// y += A · x, chunks shared among the threads.
template <class T>
void add_shared_chunks(const VectorCall& call, const MatrixView<const T>& a, const T* x, T* y) {
  add_rounds_of_chunks<T>(
      call, a.rows, blocks(a.columns, chunk_terms<T>),
      [&](std::int64_t) {
        return RowRange{0, a.rows};
      },
      [&](const RowSums<T>& rows, std::int64_t c, T* sums) {
        const std::int64_t k = c * chunk_terms<T>;
        rows.add(a.sub(0, k, a.rows, std::min(chunk_terms<T>, a.columns - k)), x + k, sums);
      },
      y);
}

// The block of A from (first, first) on, its lower or upper triangle, as columns side by side.
template <class T>
void copy_triangle(Uplo uplo, Diag diag, const MatrixView<const T>& a, T* to) {
  for (std::int64_t j = 0; j < a.columns; ++j) {
    const std::int64_t begin = uplo == Uplo::lower ? j + 1 : 0, end = uplo == Uplo::lower ? a.rows : j;
    for (std::int64_t i = begin; i < end; ++i) to[j * a.rows + i] = element(a, i, j);
    to[j * a.rows + j] = diag == Diag::unit ? T(1) : element(a, j, j);
  }
}

template <class T>
inline constexpr std::int64_t tile_elements = chunk_terms<T>* chunk_terms<T>;

}  // namespace

template <gemm_scalar T>
void multiply(const VectorCall& call, const MatrixView<const T>& a, const T* x, T* y) {
  if (a.rows == 0) return;
  std::fill_n(y, a.rows, T(0));
  const std::int64_t step = a.row_stride == 1 ? most_rows : row_step;
  if (blocks(a.rows, step) < call.threads && (a.row_stride == 1 || a.columns > a.rows)) {
    add_shared_chunks(call, a, x, y);
  } else {
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

template <gemm_scalar T>
void multiply_triangle(const VectorCall& call, Uplo uplo, Diag diag, const MatrixView<const T>& a, const T* x, T* y) {
  constexpr std::int64_t block = chunk_terms<T>;
  const bool is_lower = uplo == Uplo::lower;
  const std::int64_t n = a.rows;
  std::fill_n(y, n, T(0));
  // Rows begin … end − 1 of columns k … k + width − 1, of which the triangle has all or that are its diagonal's.
  const auto add_tile = [&](const RowSums<T>& rows, const RowRange& range, std::int64_t k, T* sums) {
    const std::int64_t width = std::min(block, n - k);
    const RowRange full = is_lower ? RowRange{std::max(range.begin, k + width), range.end}
                                   : RowRange{range.begin, std::min(range.end, k)};
    if (full.begin < full.end) {
      rows.add(a.sub(full.begin, k, full.end - full.begin, width), x + k, sums + (full.begin - range.begin));
    }
    if (k < range.begin || k >= range.end) return;
    const host::Workspace memory(tile_elements<T> * static_cast<std::int64_t>(sizeof(T)));
    T* const tile = reinterpret_cast<T*>(memory.data());
    copy_triangle(uplo, diag, a.sub(k, k, width, width), tile);
    for (std::int64_t j = 0; j < width; ++j) {
      const std::int64_t top = is_lower ? j : 0;
      rows.add_line(is_lower ? width - j : j + 1, tile + j * width + top, x[k + j], sums + (k + top - range.begin));
    }
  };
  if (a.row_stride == 1) {
    const auto range = [&](std::int64_t c) {
      return is_lower ? RowRange{c * block, n} : RowRange{0, std::min(c * block + block, n)};
    };
    add_rounds_of_chunks<T>(
        call, n, blocks(n, block), range,
        [&](const RowSums<T>& rows, std::int64_t c, T* sums) {
          add_tile(rows, range(c), c * block, sums + range(c).begin);
        },
        y);
  } else {
    const std::int64_t tasks = blocks(n, row_step);
    host::for_each(call.threads, tasks, [&](std::int64_t turn, int) {
      // Long rows first.
      const std::int64_t first = (is_lower ? tasks - 1 - turn : turn) * row_step, last = std::min(first + row_step, n);
      const RowSums<T> rows(*call.set);
      const Zeros<T> sums(last - first);
      for (std::int64_t k = is_lower ? 0 : first; k < (is_lower ? last : n); k += block) {
        add_tile(rows, {first, last}, k, sums.data());
        rows.close(last - first, sums.data(), y + first);
      }
    });
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = [&](std::int64_t k) { return k == i && diag == Diag::unit ? T(1) : element(a, i, k); };
    make_plain(y[i], is_lower ? 0 : i, is_lower ? i + 1 : n, at, x);
  }
}

// A panel of unknowns at a time, one after the other, and what they are of the rows below; of an upper triangle in the
// opposite order, unknown i being of row n − 1 − i.
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
  // Where rows lie side by side, what unknowns are of the rows below waits for these, which are read from end to end.
  const bool by_rows = a.row_stride != 1;
  const std::int64_t threads = call.threads;
  const std::int64_t width = !by_rows ? panel : threads == 1 ? block : std::max(panel, row_step * threads);
  for (std::int64_t first = 0; first < n; first += width) {
    const std::int64_t last = std::min(first + width, n);
    if (by_rows) add_to_rows(call.threads, first, last, 0, first);
    for (std::int64_t i = first; i < last; i += block) {
      const std::int64_t end = std::min(i + block, last);
      if (by_rows) add_to_rows(1, i, end, first, i);
      solve_block(i, end - i);
      if (!by_rows) add_to_rows(1, end, last, i, end);
    }
    if (!by_rows) add_to_rows(call.threads, last, n, first, last);
  }
  if (!is_lower) std::reverse(x, x + n);
}

#define HILO_INSTANTIATE(T)                                                                                    \
  template void multiply<T>(const VectorCall&, const MatrixView<const T>&, const T*, T*);                      \
  template void multiply_triangle<T>(const VectorCall&, Uplo, Diag, const MatrixView<const T>&, const T*, T*); \
  template void solve_triangle<T>(const VectorCall&, Uplo, Diag, const MatrixView<const T>&, T*);
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::blas
