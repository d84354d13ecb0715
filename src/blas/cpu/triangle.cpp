#include "blas/cpu/triangle.hpp"

#include <algorithm>
#include <vector>

#include "host/team.hpp"
#include "host/workspace.hpp"

namespace hilo::blas {
namespace {

// Columns of B that a thread takes at a time: lines of them stay in its cache.
constexpr std::int64_t tile = 32;

// X with its rows and columns in the opposite order: an upper triangle becomes a lower one.
template <class T>
MatrixView<T> backward(MatrixView<T> x) {
  x.data += (x.rows - 1) * x.row_stride + (x.columns - 1) * x.column_stride;
  x.row_stride = -x.row_stride;
  x.column_stride = -x.column_stride;
  return x;
}
template <class T>
MatrixView<T> rows_backward(MatrixView<T> x) {
  x.data += (x.rows - 1) * x.row_stride;
  x.row_stride = -x.row_stride;
  return x;
}

// The entries of a lower triangle as scalars, row after row, and its diagonal.
template <gemm_scalar T>
class Triangle {
 public:
  Triangle(MatrixView<const T> a, Diag diag, Word<T> sign, Word<T>* memory) : n_(a.rows), words_(memory) {
    for (std::int64_t i = 0; i < n_; ++i) {
      for (std::int64_t k = 0; k < i; ++k) put_words<T>(sign < 0 ? -element(a, i, k) : element(a, i, k), row(i, k));
      put_words<T>(diag == Diag::unit ? T(1) : element(a, i, i), row(i, i));
    }
  }
  static std::int64_t words(std::int64_t n) { return n * n * word_count<T>; }

  Word<T>* row(std::int64_t i, std::int64_t k = 0) const { return words_ + (i * n_ + k) * word_count<T>; }
  T diagonal(std::int64_t i) const { return from_words<T>(row(i, i)); }

 private:
  std::int64_t n_;
  Word<T>* words_;
};

// f(lines, width) on the rows of some columns of B as lines, for all columns.
template <gemm_scalar T, class F>
void for_tiles(int threads, MatrixView<T> b, F f) {
  const std::int64_t tiles = blocks(b.columns, tile);
  // Waking threads takes as long as some thousand steps.
  if (b.rows * b.rows * b.columns < 65536) threads = 1;
  const std::int64_t bytes = Lines<T>::bytes(b.rows, tile);
  const host::Workspace memory(bytes * std::min<std::int64_t>(threads, tiles));
  host::for_each(threads, tiles, [&](std::int64_t t, int thread) {
    const std::int64_t first = t * tile, width = std::min(tile, b.columns - first);
    const MatrixView<T> part = b.sub(0, first, b.rows, width);
    const Lines<T> lines(
        reinterpret_cast<Word<T>*>(memory.data()) + thread * bytes / static_cast<std::int64_t>(sizeof(Word<T>)), tile);
    // Along whichever lines of B are contiguous.
    if (part.row_stride == 1 || part.row_stride == -1) {
      for (std::int64_t j = 0; j < width; ++j) {
        for (std::int64_t i = 0; i < part.rows; ++i) lines.put(j, i, part(i, j));
      }
    } else {
      for (std::int64_t i = 0; i < part.rows; ++i) {
        for (std::int64_t j = 0; j < width; ++j) lines.put(j, i, part(i, j));
      }
    }
    f(lines, width);
    if (part.row_stride == 1 || part.row_stride == -1) {
      for (std::int64_t j = 0; j < width; ++j) {
        for (std::int64_t i = 0; i < part.rows; ++i) part(i, j) = lines.get(j, i);
      }
    } else {
      for (std::int64_t i = 0; i < part.rows; ++i) {
        for (std::int64_t j = 0; j < width; ++j) part(i, j) = lines.get(j, i);
      }
    }
  });
}

template <gemm_scalar T>
std::int64_t triangle_bytes(std::int64_t n) {
  return Triangle<T>::words(n) * static_cast<std::int64_t>(sizeof(Word<T>));
}

}  // namespace

template <gemm_scalar T>
void solve_block(const LineArithmetic<T>& arithmetic, int threads, Uplo uplo, Diag diag, MatrixView<const T> a,
                 MatrixView<T> b) {
  if (a.rows == 0 || b.columns == 0) return;
  if (uplo == Uplo::upper) return solve_block<T>(arithmetic, threads, Uplo::lower, diag, backward(a), rows_backward(b));
  const host::Workspace memory(triangle_bytes<T>(a.rows));
  const Triangle<T> triangle(a, diag, Word<T>(-1), reinterpret_cast<Word<T>*>(memory.data()));
  std::vector<Divisor<T>> divisors;
  for (std::int64_t i = 0; i < a.rows; ++i) divisors.emplace_back(triangle.diagonal(i));
  for_tiles(threads, b, [&](const Lines<T>& lines, std::int64_t width) {
    for (std::int64_t i = 0; i < b.rows; ++i) {
      arithmetic.add_products(lines, {i, 0, i, 0, width}, triangle.row(i), Factor::left);
      if (diag == Diag::non_unit) arithmetic.divide(lines, i, divisors[static_cast<std::size_t>(i)], 0, width);
    }
  });
}

template <gemm_scalar T>
void multiply_block(const LineArithmetic<T>& arithmetic, int threads, Uplo uplo, Diag diag, MatrixView<const T> a,
                    MatrixView<T> b) {
  if (a.rows == 0 || b.columns == 0) return;
  if (uplo == Uplo::upper) {
    return multiply_block<T>(arithmetic, threads, Uplo::lower, diag, backward(a), rows_backward(b));
  }
  const host::Workspace memory(triangle_bytes<T>(a.rows));
  const Triangle<T> triangle(a, diag, Word<T>(1), reinterpret_cast<Word<T>*>(memory.data()));
  for_tiles(threads, b, [&](const Lines<T>& lines, std::int64_t width) {
    for (std::int64_t i = b.rows - 1; i >= 0; --i) {
      // The rows above are those of B still.
      if (diag == Diag::non_unit) arithmetic.scale(lines, i, triangle.diagonal(i), width);
      arithmetic.add_products(lines, {i, 0, i, 0, width}, triangle.row(i), Factor::left);
    }
  });
}

#define HILO_INSTANTIATE(T)                                                                                    \
  template void solve_block<T>(const LineArithmetic<T>&, int, Uplo, Diag, MatrixView<const T>, MatrixView<T>); \
  template void multiply_block<T>(const LineArithmetic<T>&, int, Uplo, Diag, MatrixView<const T>, MatrixView<T>);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::blas
