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

// Rows that are summed by themselves, and how many of such sums are added by themselves, and of those sums again.
constexpr std::int64_t chain_rows = 32, fold = 8;

// Lines for sums over m rows: of chains, of fold chains, of fold of those, and all.
constexpr std::int64_t sum_lines(std::int64_t m) {
  const std::int64_t chains = blocks(m, chain_rows), chunks = blocks(chains, fold);
  return chains + chunks + blocks(chunks, fold) + 1;
}

// What a quotient and its moves take, in terms of a sum.
constexpr std::int64_t terms_of_quotient = 8;

// The panel by rows, R and V as they come to be, so that sums over rows and what is subtracted from rows run along
// lines; one column by itself. One sum over rows with v gives all that is needed of it: |v|², T's column, and vᴴ · A.
template <gemm_scalar T>
class Reflectors {
 public:
  Reflectors(const LineArithmetic<T>& arithmetic, int threads, const MatrixView<const T>& a)
      : arithmetic_(arithmetic),
        threads_(threads),
        m_(a.rows),
        n_(a.columns),
        ones_(static_cast<std::size_t>(std::max(fold, blocks(m_, chain_rows * fold * fold))), T(1)),
        sums_(static_cast<std::size_t>(n_)),
        memory_(Lines<T>::bytes(m_ + sum_lines(m_) + 1, n_) + Lines<T>::bytes(1, m_) + Lines<T>::bytes(n_, n_) +
                (m_ + n_) * static_cast<std::int64_t>(sizeof(T)) + 5 * 64) {
    Cutter cutter(memory_.data());
    rows_ = cutter.lines<T>(m_ + sum_lines(m_) + 1, n_);
    column_ = cutter.lines<T>(1, m_);
    triangle_ = cutter.lines<T>(n_, n_);
    row_scalars_ = cutter.words<T>(m_);
    scalars_ = cutter.words<T>(n_);
    for_entries([&](std::int64_t i, std::int64_t j) { rows_.put(j, i, blas::element(a, i, j)); });
  }
  void store(const MatrixView<T>& a) const {
    for_entries([&](std::int64_t i, std::int64_t j) { a(i, j) = rows_.get(j, i); });
  }

  // Makes R's and V's column j, with columns after it brought up to date; tau.
  T make(std::int64_t j) {
    if (j == 0) take_column(0);
    const ColumnScale<T> scale(column_, 0, j, m_);
    if (scale.is_done) {
      append(j, T(0), nullptr);
      if (j + 1 < n_) take_column(j + 1);
      return T(0);
    }
    const Word<T> s = scale.scale;
    // With x below the diagonal, scaled: Vᴴ x of the vectors before, |x|², and the columns after.
    sum_rows(j, n_, [&](std::int64_t i) {
      const T x = scaled<T>(column_.get(i, 0), s);
      column_.put(i, 0, x);
      rows_.put(j, i, x);
      return x;
    });
    const T alpha = scaled<T>(column_.get(j, 0), s);
    const Reflector<T> h(alpha, sum(j));
    const blas::Divisor<T> divisor(h.divisor), conjugate_divisor(conjugate(h.divisor));
    append(j, h.tau, &divisor);
    rows_.put(j, j, scaled<T>(T(h.beta), Word<T>(1) / s));
    // y = conj(tau) · vᴴ · A.
    for (std::int64_t k = j + 1; k < n_; ++k) {
      const T with_v = rows_.get(k, j) + blas::quotient(sum(k), conjugate_divisor);
      rows_.put(k, y_at(), -(conjugate(h.tau) * with_v));
    }
    host::for_parts(team(n_ - j + terms_of_quotient), m_ - j, [&](std::int64_t first, std::int64_t last) {
      arithmetic_.divide(column_, 0, divisor, std::max(j + first, j + 1), j + last);
      for (std::int64_t i = j + first; i < j + last; ++i) {
        const T v = i == j ? T(1) : column_.get(i, 0);
        if (i > j) rows_.put(j, i, v);
        blas::put_words<T>(v, row_scalars_ + i * word_count<T>);
        arithmetic_.add_products(rows_, {i, y_at(), y_at() + 1, j + 1, n_}, row_scalars_ + i * word_count<T>,
                                 Factor::left);
        if (j + 1 < n_) column_.put(i, 0, rows_.get(j + 1, i));
      }
    });
    return h.tau;
  }

  // The same of a column that holds v below row j already.
  void take(std::int64_t j, const T& tau) {
    sum_rows(j, j, [&](std::int64_t i) { return rows_.get(j, i); });
    append(j, tau, nullptr);
  }

  T triangle(std::int64_t i, std::int64_t j) const { return triangle_.get(i, j); }

 private:
  // By few rows at a time, which stay in a cache whichever way they lie.
  template <class F>
  void for_entries(F f) const {
    constexpr std::int64_t few = 8;
    host::for_parts(team(n_), m_, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t begin = first; begin < last; begin += few) {
        for (std::int64_t j = 0; j < n_; ++j) {
          for (std::int64_t i = begin; i < std::min(begin + few, last); ++i) f(i, j);
        }
      }
    });
  }
  void take_column(std::int64_t j) {
    for (std::int64_t i = j; i < m_; ++i) column_.put(i, 0, rows_.get(j, i));
  }

  // For so many terms a row; waking threads takes as long as some thousand.
  int team(std::int64_t terms) const { return m_ * terms < 65536 ? 1 : threads_; }
  T& sum(std::int64_t k) { return sums_[static_cast<std::size_t>(k)]; }
  std::int64_t y_at() const { return m_ + sum_lines(m_); }

  // sum(k) = Σ conj(x(i)) · (entry k of row i), i = j + 1 … m − 1, k < width.
  template <class X>
  void sum_rows(std::int64_t j, std::int64_t width, X x) {
    const std::int64_t chains = blocks(m_, chain_rows), chunks = blocks(chains, fold), parts = blocks(chunks, fold);
    const std::int64_t chunks_at = m_ + chains, parts_at = chunks_at + chunks, all = parts_at + parts;
    host::for_each(team(width), chunks, [&](std::int64_t chunk, int) {
      const std::int64_t end = std::min(chains, (chunk + 1) * fold);
      for (std::int64_t c = chunk * fold; c < end; ++c) {
        const std::int64_t first = std::max(j + 1, c * chain_rows), last = std::min(m_, (c + 1) * chain_rows);
        for (std::int64_t i = first; i < last; ++i) {
          blas::put_words<T>(conjugate<T>(x(i)), row_scalars_ + i * word_count<T>);
        }
        sum_lines_into(m_ + c, std::min(first, last), last, width, row_scalars_ + first * word_count<T>);
      }
      sum_lines_into(chunks_at + chunk, m_ + chunk * fold, m_ + end, width, ones());
    });
    for (std::int64_t p = 0; p < parts; ++p) {
      const std::int64_t first = chunks_at + p * fold;
      sum_lines_into(parts_at + p, first, std::min(first + fold, parts_at), width, ones());
    }
    sum_lines_into(all, parts_at, all, width, ones());
    for (std::int64_t k = 0; k < width; ++k) sum(k) = rows_.get(k, all);
  }

  // The first elements of row `to` = those of rows first … last − 1 times scalars, from 0 on.
  void sum_lines_into(std::int64_t to, std::int64_t first, std::int64_t last, std::int64_t width,
                      const Word<T>* scalars) {
    for (std::int64_t k = 0; k < width; ++k) rows_.put(k, to, T(0));
    arithmetic_.add_products(rows_, {to, first, last, 0, width}, scalars, Factor::right);
  }
  const Word<T>* ones() const { return reinterpret_cast<const Word<T>*>(ones_.data()); }

  // T gets column j, by sum(k), which is to be divided where there is a divisor.
  void append(std::int64_t j, const T& tau, const blas::Divisor<T>* divisor) {
    for (std::int64_t k = 0; k < n_; ++k) triangle_.put(k, j, T(0));
    if (!(tau == T(0))) {
      for (std::int64_t k = 0; k < j; ++k) {
        const T with_v = conjugate(sum(k)), below = divisor ? blas::quotient(with_v, *divisor) : with_v;
        blas::put_words<T>(-(tau * (conjugate(rows_.get(k, j)) + below)), scalars_ + k * word_count<T>);
      }
      arithmetic_.add_products(triangle_, {j, 0, j, 0, j}, scalars_, Factor::right);
    }
    triangle_.put(j, j, tau);
  }

  const LineArithmetic<T>& arithmetic_;
  int threads_;
  std::int64_t m_, n_;
  std::vector<T> ones_, sums_;
  host::Workspace memory_;
  Lines<T> rows_;      // of the panel, then for sums, and for −y
  Lines<T> column_;    // the next
  Lines<T> triangle_;  // T, column by column
  Word<T>*row_scalars_, *scalars_;
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
  Reflectors<T> reflectors(arithmetic, threads, a);
  for (std::int64_t j = 0; j < a.columns; ++j) tau[static_cast<std::size_t>(j)] = reflectors.make(j);
  reflectors.store(a);
  store_triangle(reflectors, t);
}

template <gemm_scalar T>
void reflector_triangle(const LineArithmetic<T>& arithmetic, int threads, MatrixView<const T> v, std::span<const T> tau,
                        MatrixView<T> t) {
  Reflectors<T> reflectors(arithmetic, threads, v);
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
