#include "lapack/cpu/indefinite_panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "host/team.hpp"
#include "host/workspace.hpp"
#include "lapack/cpu/cutter.hpp"

namespace hilo::lapack {
namespace {

using blas::Factor;
using blas::LineArithmetic;
using blas::Lines;
using blas::Symmetry;
using blas::Word;

// (1 + √17) / 8: the least growth of entries (Bunch and Kaufman, Math. Comp. 31, 1977).
constexpr double alpha = 0.6403882032022076;

// Lines 0 … width − 1 are L's columns, the next as many W's.
template <gemm_scalar T>
class Panel {
 public:
  Panel(const LineArithmetic<T>& arithmetic, int threads, Symmetry symmetry, MatrixView<T> a, std::int64_t width)
      : arithmetic_(arithmetic),
        threads_(threads),
        is_hermitian_(symmetry == Symmetry::hermitian),
        a_(a),
        n_(a.rows),
        width_(width),
        memory_(Lines<T>::bytes(2 * width, n_) + width * static_cast<std::int64_t>(sizeof(T)) + 2 * 64) {
    Cutter cutter(memory_.data());
    x_ = cutter.lines<T>(2 * width, n_);
    scalars_ = cutter.words<T>(width);
  }

  IndefinitePanel factor(std::span<std::int64_t> pivots) {
    std::int64_t k = 0, info = 0;
    while (k < n_ && (width_ == n_ || k < width_ - 1)) {
      const Pivot pivot = find(k);
      if (pivot.is_zero && info == 0) info = k + 1;
      const std::int64_t last = k + pivot.size - 1;
      if (pivot.row != last) exchange(last, pivot.row, k);
      for (std::int64_t c = k; c <= last; ++c) {
        pivots[static_cast<std::size_t>(c)] = pivot.size == 1 ? pivot.row + 1 : -(pivot.row + 1);
      }
      if (pivot.size == 1) {
        divide_column(k, pivot.is_zero);
      } else {
        divide_columns(k);
      }
      k += pivot.size;
    }
    return {k, info};
  }

  void store(std::span<const std::int64_t> pivots, std::int64_t columns, const MatrixView<T>& w) const {
    bool is_second = false;
    for (std::int64_t c = 0; c < columns; ++c) {
      const bool is_first = pivots[static_cast<std::size_t>(c)] < 0 && !is_second;
      a_(c, c) = x_.get(c, of_w(c));
      for (std::int64_t i = c + 1; i < n_; ++i) a_(i, c) = x_.get(i, is_first && i == c + 1 ? of_w(c) : c);
      for (std::int64_t i = columns; i < n_; ++i) w(i, c) = x_.get(i, of_w(c));
      is_second = is_first;
    }
  }

 private:
  struct Pivot {
    std::int64_t row;
    std::int64_t size = 1;
    bool is_zero = false;
  };

  std::int64_t of_w(std::int64_t c) const { return width_ + c; }
  T turned(const T& x) const { return blas::conjugated(x, is_hermitian_); }

  // |re| + |im| of the leading words; NaN as infinite.
  Word<T> size_of(std::int64_t i, std::int64_t line) const {
    constexpr int imaginary = precisions::words(precision_of<T>);
    const Word<T>* words = x_.line(line) + i;
    Word<T> r = std::fabs(words[0]);
    if constexpr (is_complex(precision_of<T>)) r += std::fabs(words[imaginary * x_.pitch()]);
    return r == r ? r : std::numeric_limits<Word<T>>::infinity();
  }
  // The first of the largest entries begin … n − 1 but for `left_out`.
  std::int64_t largest(std::int64_t line, std::int64_t begin, std::int64_t left_out = -1) const {
    std::int64_t best = -1;
    for (std::int64_t i = begin; i < n_; ++i) {
      if (i != left_out && (best < 0 || size_of(i, line) > size_of(best, line))) best = i;
    }
    return best;
  }

  // Column `row` of what is left when k columns are taken, from row k on, becomes W's column `to`.
  void make_column(std::int64_t row, std::int64_t k, std::int64_t to) {
    for (std::int64_t i = k; i < n_; ++i) x_.put(i, of_w(to), i < row ? turned(a_(row, i)) : a_(i, row));
    make_real(row, to);
    for (std::int64_t p = 0; p < k; ++p) {
      blas::put_words<T>(-turned(x_.get(row, of_w(p))), scalars_ + p * blas::word_count<T>);
    }
    host::for_parts((n_ - k) * k < 16384 ? 1 : threads_, n_ - k, [&](std::int64_t first, std::int64_t last) {
      arithmetic_.add_products(x_, {of_w(to), 0, k, k + first, k + last}, scalars_, Factor::right);
    });
    make_real(row, to);
  }
  void make_real(std::int64_t row, std::int64_t to) {
    if (is_hermitian_) x_.put(row, of_w(to), T(real(x_.get(row, of_w(to)))));
  }

  Pivot find(std::int64_t k) {
    const auto threshold = static_cast<Word<T>>(alpha);
    make_column(k, k, k);
    const Word<T> diagonal = size_of(k, of_w(k));
    const std::int64_t r = largest(of_w(k), k + 1);
    const Word<T> below = r < 0 ? Word<T>(0) : size_of(r, of_w(k));
    if (diagonal == 0 && below == 0) return {k, 1, true};
    if (diagonal >= threshold * below) return {k};
    make_column(r, k, k + 1);
    const Word<T> most = size_of(largest(of_w(k + 1), k, r), of_w(k + 1));
    // What is compared with may underflow.
    if (diagonal > 0 && diagonal >= threshold * below * (below / most)) return {k};
    if (size_of(r, of_w(k + 1)) < threshold * most) return {r, 2};
    for (std::int64_t i = k; i < n_; ++i) x_.put(i, of_w(k), x_.get(i, of_w(k + 1)));
    return {r};
  }

  // Rows and columns i < p of what is left when k columns are taken; of column i, which W has, only what p gets.
  void exchange(std::int64_t i, std::int64_t p, std::int64_t k) {
    a_(p, p) = a_(i, i);
    for (std::int64_t j = i + 1; j < p; ++j) a_(p, j) = turned(a_(j, i));
    for (std::int64_t j = p + 1; j < n_; ++j) a_(j, p) = a_(j, i);
    for (std::int64_t c = 0; c < k; ++c) exchange_in_line(i, p, c);
    for (std::int64_t c = 0; c <= i; ++c) exchange_in_line(i, p, of_w(c));
  }
  void exchange_in_line(std::int64_t i, std::int64_t p, std::int64_t line) {
    for (int w = 0; w < blas::word_count<T>; ++w) {
      Word<T>* words = x_.line(line) + w * x_.pitch();
      std::swap(words[i], words[p]);
    }
  }

  void divide_column(std::int64_t k, bool is_zero) {
    for (std::int64_t i = k + 1; i < n_; ++i) x_.put(i, k, x_.get(i, of_w(k)));
    if (!is_zero) arithmetic_.divide(x_, k, blas::Divisor<T>(x_.get(k, of_w(k))), k + 1, n_);
  }

  // (w₁ w₂) · D⁻¹, scaled by D's entry beside the diagonal, which is its largest.
  void divide_columns(std::int64_t k) {
    const T beside = x_.get(k + 1, of_w(k));
    const T first = x_.get(k, of_w(k)) / turned(beside), second = x_.get(k + 1, of_w(k + 1)) / beside;
    T determinant = first * second - T(1);
    if (is_hermitian_) determinant = T(real(determinant));
    const T factor = T(1) / determinant / beside;
    host::for_parts(n_ - k < 2048 ? 1 : threads_, n_ - k - 2, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = k + 2 + begin; i < k + 2 + end; ++i) {
        const T w1 = x_.get(i, of_w(k)), w2 = x_.get(i, of_w(k + 1));
        x_.put(i, k, turned(factor) * (second * w1 - w2));
        x_.put(i, k + 1, factor * (first * w2 - w1));
      }
    });
    x_.put(k + 1, k, T(0));
  }

  const LineArithmetic<T>& arithmetic_;
  int threads_;
  bool is_hermitian_;
  MatrixView<T> a_;
  std::int64_t n_, width_;
  host::Workspace memory_;
  Lines<T> x_;
  Word<T>* scalars_;
};

}  // namespace

template <gemm_scalar T>
IndefinitePanel indefinite_panel(const LineArithmetic<T>& arithmetic, int threads, Symmetry symmetry, MatrixView<T> a,
                                 std::span<std::int64_t> pivots, MatrixView<T> w) {
  Panel<T> panel(arithmetic, threads, symmetry, a, w.columns);
  const IndefinitePanel taken = panel.factor(pivots);
  panel.store(pivots, taken.columns, w);
  return taken;
}

#define HILO_INSTANTIATE(T)                                                                            \
  template IndefinitePanel indefinite_panel<T>(const LineArithmetic<T>&, int, Symmetry, MatrixView<T>, \
                                               std::span<std::int64_t>, MatrixView<T>);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::lapack
