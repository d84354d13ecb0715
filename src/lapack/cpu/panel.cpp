#include "lapack/cpu/panel.hpp"

#include <algorithm>
#include <cmath>
#include <hilo/math/basic.hpp>
#include <utility>

#include "host/team.hpp"
#include "host/workspace.hpp"

namespace hilo::lapack {
namespace {

using blas::Factor;
using blas::LineArithmetic;
using blas::Lines;
using blas::Word;

// A block as lines, columns of it, in memory of its own.
template <gemm_scalar T>
class Columns {
 public:
  explicit Columns(MatrixView<T> a)
      : a_(a),
        memory_(Lines<T>::bytes(a.columns, a.rows) + scalar_bytes(a.columns)),
        lines_(reinterpret_cast<Word<T>*>(memory_.data()) +
                   scalar_bytes(a.columns) / static_cast<std::int64_t>(sizeof(Word<T>)),
               a.rows) {}

  void load(bool is_lower) {
    for_entries(is_lower, [this](std::int64_t i, std::int64_t j) { lines_.put(i, j, a_(i, j)); });
  }
  void store(bool is_lower) {
    for_entries(is_lower, [this](std::int64_t i, std::int64_t j) { a_(i, j) = lines_.get(i, j); });
  }

  const Lines<T>& lines() const { return lines_; }
  /// Place for as many scalars as there are columns.
  Word<T>* scalars() const { return reinterpret_cast<Word<T>*>(memory_.data()); }

 private:
  static std::int64_t scalar_bytes(std::int64_t n) { return round_up(n * static_cast<std::int64_t>(sizeof(T)), 64); }

  template <class F>
  void for_entries(bool is_lower, F f) {
    if (a_.row_stride == 1) {
      for (std::int64_t j = 0; j < a_.columns; ++j) {
        for (std::int64_t i = is_lower ? j : 0; i < a_.rows; ++i) f(i, j);
      }
    } else {
      for (std::int64_t i = 0; i < a_.rows; ++i) {
        for (std::int64_t j = 0; j < (is_lower ? std::min(i + 1, a_.columns) : a_.columns); ++j) f(i, j);
      }
    }
  }

  MatrixView<T> a_;
  host::Workspace memory_;
  Lines<T> lines_;
};

// What pivots are compared by: |x|, of complex numbers |re| + |im|, as LAPACK does; NaN as infinite.
template <class T>
auto magnitude(const T& x) {
  using std::abs;
  auto r = abs(real(x));
  if constexpr (is_complex(precision_of<T>)) r = r + abs(imag(x));
  return r == r ? r : std::numeric_limits<decltype(r)>::infinity();
}
template <>
auto magnitude(const float& x) {
  return x == x ? std::fabs(x) : HUGE_VALF;
}
template <>
auto magnitude(const double& x) {
  return x == x ? std::fabs(x) : HUGE_VAL;
}

// The first row of largest magnitude in column j from row j on.
template <gemm_scalar T>
std::int64_t pivot_row(const Lines<T>& x, std::int64_t j, std::int64_t rows) {
  std::int64_t best = j;
  auto most = magnitude(x.get(j, j));
  for (std::int64_t i = j + 1; i < rows; ++i) {
    if constexpr (std::same_as<T, dd_real>) {
      // A hi part that is smaller decides.
      if (std::fabs(x.line(j)[i]) < most.hi) continue;
    }
    const auto m = magnitude(x.get(i, j));
    if (m > most) {
      most = m;
      best = i;
    }
  }
  return best;
}

template <gemm_scalar T>
void exchange_rows(const Lines<T>& x, std::int64_t i, std::int64_t k, std::int64_t columns) {
  if (i == k) return;
  for (std::int64_t w = 0; w < columns * blas::word_count<T>; ++w) {
    Word<T>* words = x.line(0) + w * x.pitch();
    std::swap(words[i], words[k]);
  }
}

}  // namespace

template <gemm_scalar T>
std::int64_t lu_panel(const LineArithmetic<T>& arithmetic, int threads, MatrixView<T> a,
                      std::span<std::int64_t> pivots) {
  Columns<T> columns(a);
  columns.load(false);
  const Lines<T>& x = columns.lines();
  std::int64_t info = 0;
  for (std::int64_t j = 0; j < a.columns; ++j) {
    Word<T>* u = columns.scalars();
    // Entries of U, each as soon as those above it are known; their negatives are what the rest is multiplied by.
    for (std::int64_t k = 0; k < j; ++k) {
      Word<T>* scalar = u + k * blas::word_count<T>;
      blas::put_words<T>(-x.get(k, j), scalar);
      arithmetic.add_products(x, {j, k, k + 1, k + 1, j}, scalar, Factor::right);
    }
    const std::int64_t rows = a.rows - j;
    host::for_parts(rows * j < 16384 ? 1 : threads, rows, [&](std::int64_t first, std::int64_t last) {
      arithmetic.add_products(x, {j, 0, j, j + first, j + last}, u, Factor::right);
    });
    const std::int64_t p = pivot_row(x, j, a.rows);
    pivots[static_cast<std::size_t>(j)] = p;
    exchange_rows(x, j, p, a.columns);
    const T pivot = x.get(j, j);
    if (pivot == T(0)) {
      if (info == 0) info = j + 1;
      continue;
    }
    arithmetic.divide(x, j, blas::Divisor<T>(pivot), j + 1, a.rows);
  }
  columns.store(false);
  return info;
}

template <gemm_scalar T>
std::int64_t cholesky_block(const LineArithmetic<T>& arithmetic, MatrixView<T> a) {
  using std::sqrt;
  Columns<T> columns(a);
  columns.load(true);
  const Lines<T>& x = columns.lines();
  std::int64_t info = 0;
  for (std::int64_t j = 0; j < a.columns; ++j) {
    Word<T>* row = columns.scalars();
    for (std::int64_t k = 0; k < j; ++k) {
      blas::put_words<T>(-blas::conjugated(x.get(j, k), true), row + k * blas::word_count<T>);
    }
    arithmetic.add_products(x, {j, 0, j, j, a.rows}, row, Factor::right);
    const auto pivot = real(x.get(j, j));
    // Not of NaN either.
    if (!(pivot > 0)) {
      info = j + 1;
      break;
    }
    const T root(sqrt(pivot));
    x.put(j, j, root);
    arithmetic.divide(x, j, blas::Divisor<T>(root), j + 1, a.rows);
  }
  columns.store(true);
  return info;
}

#define HILO_INSTANTIATE(T)                                                                                 \
  template std::int64_t lu_panel<T>(const LineArithmetic<T>&, int, MatrixView<T>, std::span<std::int64_t>); \
  template std::int64_t cholesky_block<T>(const LineArithmetic<T>&, MatrixView<T>);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::lapack
