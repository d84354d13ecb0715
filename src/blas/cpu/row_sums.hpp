// Sums over rows of a matrix, Σ a_ik · x_k, in DD and ZDD, a few columns and many rows at a time.
//
// The definition of their bits (docs/linear-algebra.md): chunks of 64 real terms, each summed by the steps of `dot`
// from +0 and closed, and added up in increasing order by the accurate addition; a sum that is not finite is the plain
// one of hi parts. In whatever order the memory has the elements, and whoever sums the chunks.
#pragma once

#include <algorithm>
#include <hilo/blas.hpp>
#include <limits>

#include "blas/words.hpp"
#include "dd/canonical_order.hpp"
#include "dd/kernels.hpp"
#include "host/workspace.hpp"

namespace hilo::blas {

/// Terms of a chunk.
template <gemm_scalar T>
inline constexpr std::int64_t chunk_terms = canonical::chunk_steps / (is_complex(precision_of<T>) ? 2 : 1);

/// The kernels of one precision.
template <gemm_scalar T>
class RowSums {
 public:
  explicit RowSums(const array::KernelSet& set)
      : set_(&set), reach_(host::ahead_in_memory() == host::Ahead::lines ? Reach::nearest : Reach::next) {}

  /// sums += A · x without closing them: row i of A into sums[i]. A's row or column stride is 1, or -1 of columns.
  void add(const MatrixView<const T>& a, const T* x, T* sums) const {
    if (a.row_stride != 1 && a.rows != 1) return add_tile(a, x, sums, along);
    // The fewer columns at a time, the fewer places in memory that are read; the more, the fewer times sums are. Where
    // columns end, the beginning of the next ones is on its way.
    constexpr std::int64_t size = sizeof(T);
    const bool is_nearest = reach_ == Reach::nearest;
    const std::int64_t lines = (is_real ? 2 : 4) * (is_nearest ? 2 : 1);
    const std::int64_t ahead = is_real ? 2 * along : along;
    const std::int64_t head = std::max<std::int64_t>(a.rows * size / ahead - 1, 0) * (ahead / size);
    for (std::int64_t k = 0; k < a.columns; k += lines) {
      const MatrixView<const T> some = a.sub(0, k, a.rows, std::min(lines, a.columns - k));
      add_tile(some.sub(0, 0, head, some.columns), x + k, sums, ahead);
      add_tile(some.sub(head, 0, a.rows - head, some.columns), x + k, sums + head,
               (lines * a.column_stride - head) * size);
    }
  }

  /// Bytes along a line by which it is on its way to a cache.
  static constexpr std::int64_t along = 1024;

  /// The same of a tile, all of whose lines are read together. What lies `ahead` bytes behind an element comes soon; 0
  /// of a tile in the nearest cache.
  void add_tile(const MatrixView<const T>& a, const T* x, T* sums, std::int64_t ahead) const {
    if (a.row_stride == 1 || a.rows == 1) {
      return add_lines(
          {a.rows, a.columns, a.data, a.column_stride, x, sums, a.conjugate, ahead, ahead == 0 ? Reach::here : reach_});
    }
    // Columns from right to left are taken as they lie.
    const bool is_backward = a.column_stride < 0;
    add_rows(is_backward, {a.rows, a.columns, &a(0, is_backward ? a.columns - 1 : 0), a.row_stride, x, sums,
                           a.conjugate, is_backward ? -ahead : ahead, reach_});
  }

  /// The same of one term, line in the nearest cache: sums[i] += line[i] · x.
  void add_line(std::int64_t n, const T* line, const T& x, T* sums) const { add_lines({n, 1, line, n, &x, sums}); }

  /// Closes n sums and adds them to totals.
  void close(std::int64_t n, T* sums, T* totals) const {
    constexpr std::int64_t parts = sizeof(T) / sizeof(dd_real);
    set_->close_sums(n * parts, reinterpret_cast<dd_real*>(sums), reinterpret_cast<dd_real*>(totals));
  }

 private:
  using Reach = array::Reach;
  static constexpr bool is_real = std::same_as<T, dd_real>;

  void add_lines(const array::LineTerms<T>& p) const {
    if constexpr (is_real) {
      set_->add_lines(p);
    } else {
      set_->add_lines_complex(p);
    }
  }
  void add_rows(bool is_backward, const array::LineTerms<T>& p) const {
    if constexpr (is_real) {
      (is_backward ? set_->add_rows_backward : set_->add_rows)(p);
    } else {
      (is_backward ? set_->add_rows_complex_backward : set_->add_rows_complex)(p);
    }
  }

  const array::KernelSet* set_;
  Reach reach_;
};

/// n zeros.
template <class T>
class Zeros {
 public:
  explicit Zeros(std::int64_t n) : memory_(n * static_cast<std::int64_t>(sizeof(T))) { std::fill_n(data(), n, T(0)); }
  T* data() const { return reinterpret_cast<T*>(memory_.data()); }

 private:
  host::Workspace memory_;
};

/// Where total is not finite: the plain sum of a(k) · x[k] in double, k = first … last − 1.
template <class A>
void make_plain(dd_real& total, std::int64_t first, std::int64_t last, A a, const dd_real* x) {
  if (total.hi - total.hi == 0.0) return;
  double sum = 0.0;
  for (std::int64_t k = first; k < last; ++k) sum += detail::rounded_product(a(k).hi, x[k].hi);
  total = dd_real(sum == sum ? sum : std::numeric_limits<double>::quiet_NaN());
}
template <class A>
void make_plain(dd_complex& total, std::int64_t first, std::int64_t last, A a, const dd_complex* x) {
  if (total.re.hi - total.re.hi == 0.0 && total.im.hi - total.im.hi == 0.0) return;
  double re = 0.0, im = 0.0;
  for (std::int64_t k = first; k < last; ++k) {
    const dd_complex y = a(k);
    re += detail::rounded_product(y.re.hi, x[k].re.hi);
    re += detail::rounded_product(-y.im.hi, x[k].im.hi);
    im += detail::rounded_product(y.re.hi, x[k].im.hi);
    im += detail::rounded_product(y.im.hi, x[k].re.hi);
  }
  const auto plain = [](double s) { return dd_real(s == s ? s : std::numeric_limits<double>::quiet_NaN()); };
  if (total.re.hi - total.re.hi != 0.0) total.re = plain(re);
  if (total.im.hi - total.im.hi != 0.0) total.im = plain(im);
}

}  // namespace hilo::blas
