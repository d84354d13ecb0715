#include "lapack/cpu/qr_panel.hpp"

#include <algorithm>
#include <vector>

#include "host/team.hpp"
#include "host/workspace.hpp"
#include "lapack/cpu/cutter.hpp"
#include "lapack/cpu/reflector.hpp"

namespace hilo::lapack {
namespace {

using blas::Factor;
using blas::LineArithmetic;
using blas::Lines;
using blas::Word;
using blas::word_count;

// What a quotient and its moves take, in terms of a sum.
constexpr std::int64_t terms_of_quotient = 8;

// V, with its ones and zeros, by columns, and below its diagonal by rows: sums over rows run along lines that are rows,
// and combinations of columns along lines that are columns. T likewise. Columns that are not V's yet are A's; as rows
// have them as they were, one sum over rows with v gives all of it that is needed: |v|², T's column, and Vᴴ · A's row.
// Rows get a vector with the sums of the next, when they are in a cache.
template <gemm_scalar T>
class Reflectors {
 public:
  Reflectors(const LineArithmetic<T>& arithmetic, int threads, std::int64_t m, std::int64_t n)
      : arithmetic_(arithmetic),
        threads_(threads),
        m_(m),
        n_(n),
        chunks_(blocks(m, chunk_rows)),
        memory_(Lines<T>::bytes(n, m) + Lines<T>::bytes(m + chunks_, n) + Lines<T>::bytes(n, n) +
                Lines<T>::bytes(n + 1, n) + (m + n) * static_cast<std::int64_t>(sizeof(T)) + 5 * 64) {
    Cutter cutter(memory_.data());
    columns_ = cutter.lines<T>(n, m);
    rows_ = cutter.lines<T>(m + chunks_, n);
    t_columns_ = cutter.lines<T>(n, n);
    t_rows_ = cutter.lines<T>(n + 1, n);
    row_scalars_ = cutter.words<T>(m);
    scalars_ = cutter.words<T>(n);
    sums_.resize(static_cast<std::size_t>(n));
    products_.resize(static_cast<std::size_t>(n * n));
  }

  // Columns of A, or of vectors v what is below the diagonal.
  void load(const MatrixView<const T>& a) {
    for_entries(a, [&](std::int64_t i, std::int64_t j) {
      const T x = blas::element(a, i, j);
      columns_.put(i, j, x);
      rows_.put(j, i, x);
    });
  }
  void store_vectors(const MatrixView<T>& a) const {
    for_entries(a, [&](std::int64_t i, std::int64_t j) {
      if (i > j) a(i, j) = columns_.get(i, j);
    });
  }

  // Column j −= V · Tᴴ · (Vᴴ · column j), of the reflectors before.
  void apply_to(std::int64_t j) {
    if (j == 0) return;
    for (std::int64_t k = 0; k < j; ++k) {
      t_rows_.put(k, n_, T(0));
      blas::put_words<T>(product(k, j), scalar(k));
    }
    arithmetic_.add_products(t_rows_, {n_, 0, j, 0, j}, scalars_, Factor::right);
    for (std::int64_t k = 0; k < j; ++k) blas::put_words<T>(-t_rows_.get(k, n_), scalar(k));
    host::for_parts(team(j), m_, [&](std::int64_t first, std::int64_t last) {
      arithmetic_.add_products(columns_, {j, 0, j, first, last}, scalars_, Factor::right);
    });
  }

  // Makes column j from row j on v, and gives tau and R's diagonal entry.
  struct Made {
    T tau, diagonal;
  };
  Made make(std::int64_t j) {
    const ColumnScale<T> scale(columns_, j, m_);
    const Word<T> s = scale.scale;
    if (scale.is_done) {
      const T diagonal = columns_.get(j, j);
      for (std::int64_t k = 0; k < n_; ++k) product(j, k) = T(0);
      append(j, T(0), nullptr);
      return {T(0), diagonal};
    }
    // With x below the diagonal, scaled: Vᴴ x of the vectors before, |x|², and the columns after.
    sum_rows(j, n_, [&](std::int64_t i) {
      for (std::int64_t k = joined_; k < j; ++k) rows_.put(k, i, columns_.get(i, k));
      const T x = scaled<T>(columns_.get(i, j), s);
      columns_.put(i, j, x);
      rows_.put(j, i, x);
      return x;
    });
    joined_ = j;
    const T alpha = scaled<T>(columns_.get(j, j), s);
    const Reflector<T> h(alpha, sum(j));
    const blas::Divisor<T> divisor(h.divisor), conjugate_divisor(conjugate(h.divisor));
    for (std::int64_t k = j + 1; k < n_; ++k) {
      product(j, k) = rows_.get(k, j) + blas::quotient(sum(k), conjugate_divisor);
    }
    append(j, h.tau, &divisor);
    return {h.tau, scaled<T>(T(h.beta), Word<T>(1) / s)};
  }

  // The same of a column that holds v below row j already.
  void take(std::int64_t j, const T& tau) {
    sum_rows(j, j, [&](std::int64_t i) { return columns_.get(i, j); });
    append(j, tau, nullptr);
  }

  T column(std::int64_t i, std::int64_t j) const { return columns_.get(i, j); }
  T triangle(std::int64_t i, std::int64_t j) const { return t_columns_.get(i, j); }

 private:
  // By few rows at a time, which stay in a cache whichever way they lie.
  template <class View, class F>
  void for_entries(const View& a, F f) const {
    constexpr std::int64_t few = 8;
    host::for_parts(team(n_), m_, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t begin = first; begin < last; begin += few) {
        for (std::int64_t j = 0; j < a.columns; ++j) {
          for (std::int64_t i = begin; i < std::min(begin + few, last); ++i) f(i, j);
        }
      }
    });
  }

  // For so many terms a row; waking threads takes as long as some thousand.
  int team(std::int64_t terms) const { return m_ * terms < 65536 ? 1 : threads_; }
  T& sum(std::int64_t k) { return sums_[static_cast<std::size_t>(k)]; }
  Word<T>* scalar(std::int64_t k) const { return scalars_ + k * word_count<T>; }

  // Entry (k, j) of Vᴴ · A.
  T& product(std::int64_t k, std::int64_t j) { return products_[static_cast<std::size_t>(k * n_ + j)]; }

  // sum(k) = Σ conj(x(i)) · (entry k of row i), i = j + 1 … m − 1, k < width.
  template <class X>
  void sum_rows(std::int64_t j, std::int64_t width, X x) {
    host::for_each(team(width), chunks_, [&](std::int64_t c, int) {
      const std::int64_t begin = std::max(j + 1, c * chunk_rows), end = std::min(m_, (c + 1) * chunk_rows);
      for (std::int64_t k = 0; k < width; ++k) rows_.put(k, m_ + c, T(0));
      if (begin >= end) return;
      for (std::int64_t i = begin; i < end; ++i) {
        blas::put_words<T>(conjugate<T>(x(i)), row_scalars_ + i * word_count<T>);
      }
      arithmetic_.add_products(rows_, {m_ + c, begin, end, 0, width}, row_scalars_ + begin * word_count<T>,
                               Factor::right);
    });
    for (std::int64_t k = 0; k < width; ++k) {
      sum(k) = T(0);
      for (std::int64_t c = (j + 1) / chunk_rows; c < chunks_; ++c) sum(k) = sum(k) + rows_.get(k, m_ + c);
    }
  }

  // Column j, which has v below row j, or what is to be divided for it, joins V, and T gets its column, by sum(k).
  void append(std::int64_t j, const T& tau, const blas::Divisor<T>* divisor) {
    for (std::int64_t i = 0; i <= j; ++i) columns_.put(i, j, T(i == j ? 1 : 0));
    if (divisor) {
      host::for_parts(team(terms_of_quotient), m_, [&](std::int64_t first, std::int64_t last) {
        arithmetic_.divide(columns_, j, *divisor, std::max(first, j + 1), last);
      });
    }
    for (std::int64_t k = 0; k < n_; ++k) t_columns_.put(k, j, T(0));
    if (!(tau == T(0))) {
      for (std::int64_t k = 0; k < j; ++k) {
        const T with_v = conjugate(sum(k)), below = divisor ? blas::quotient(with_v, *divisor) : with_v;
        blas::put_words<T>(-(tau * (conjugate(columns_.get(j, k)) + below)), scalar(k));
      }
      arithmetic_.add_products(t_columns_, {j, 0, j, 0, j}, scalars_, Factor::right);
    }
    t_columns_.put(j, j, tau);
    for (std::int64_t k = 0; k < n_; ++k) t_rows_.put(j, k, conjugate(t_columns_.get(k, j)));
  }

  const LineArithmetic<T>& arithmetic_;
  int threads_;
  std::int64_t m_, n_, chunks_, joined_ = 0;  // columns of V that rows_ has
  host::Workspace memory_;
  Lines<T> columns_, rows_;      // V, and in rows_ a line for the sums of each chunk
  Lines<T> t_columns_, t_rows_;  // T by columns; by rows conj(T), and a line for sums
  Word<T>*row_scalars_, *scalars_;
  std::vector<T> sums_, products_;
};

template <gemm_scalar T>
void store_triangle(const Reflectors<T>& reflectors, const MatrixView<T>& t) {
  for (std::int64_t j = 0; j < t.columns; ++j) {
    for (std::int64_t i = 0; i <= j; ++i) t(i, j) = reflectors.triangle(i, j);
  }
}

}  // namespace

template <gemm_scalar T>
void qr_panel(const LineArithmetic<T>& arithmetic, int threads, MatrixView<T> a, std::span<T> tau, MatrixView<T> t) {
  Reflectors<T> reflectors(arithmetic, threads, a.rows, a.columns);
  reflectors.load(a);
  for (std::int64_t j = 0; j < a.columns; ++j) {
    reflectors.apply_to(j);
    for (std::int64_t i = 0; i < j; ++i) a(i, j) = reflectors.column(i, j);
    const auto made = reflectors.make(j);
    tau[static_cast<std::size_t>(j)] = made.tau;
    a(j, j) = made.diagonal;
  }
  reflectors.store_vectors(a);
  store_triangle(reflectors, t);
}

template <gemm_scalar T>
void reflector_triangle(const LineArithmetic<T>& arithmetic, int threads, MatrixView<const T> v, std::span<const T> tau,
                        MatrixView<T> t) {
  Reflectors<T> reflectors(arithmetic, threads, v.rows, v.columns);
  reflectors.load(v);
  for (std::int64_t j = 0; j < v.columns; ++j) reflectors.take(j, tau[static_cast<std::size_t>(j)]);
  store_triangle(reflectors, t);
}

#define HILO_INSTANTIATE(T)                                                                                   \
  template void qr_panel<T>(const LineArithmetic<T>&, int, MatrixView<T>, std::span<T>, MatrixView<T>);       \
  template void reflector_triangle<T>(const LineArithmetic<T>&, int, MatrixView<const T>, std::span<const T>, \
                                      MatrixView<T>);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::lapack
