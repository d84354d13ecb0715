// Where indefinite matrices are factored on the host. An upper triangle is a lower one with rows and columns in the
// opposite order, which all of the place's matrices then are; products have them as they lie.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "lapack/cpu/indefinite_panel.hpp"
#include "lapack/host_place.hpp"
#include "lapack/indefinite_order.hpp"

namespace hilo::lapack {

template <gemm_scalar T>
class IndefinitePlace : public HostPlace<T> {
 public:
  using Base = HostPlace<T>;
  using typename Base::Matrix;
  using typename Base::Operand;

  struct Strip {
    std::int64_t first, count;
  };

  /// Pivots as a lower triangle has them.
  IndefinitePlace(const BlockedOptions& options, Uplo uplo, blas::Symmetry symmetry, std::vector<std::int64_t> pivots)
      : Base(options), is_around_(uplo == Uplo::upper), symmetry_(symmetry), pivots_(std::move(pivots)) {}

  blas::Symmetry symmetry() const { return symmetry_; }
  std::int64_t info() const { return info_; }
  const std::vector<std::int64_t>& pivots() const { return pivots_; }

  template <class View>
  View placed(const View& x) const {
    return is_around_ ? turned_around(x) : x;
  }

  class Lent {
   public:
    Lent(std::int64_t rows, std::int64_t columns, bool is_around)
        : memory_(rows, columns), matrix_(is_around ? turned_around(memory_.matrix()) : memory_.matrix()) {}
    const Matrix& matrix() const { return matrix_; }

   private:
    typename Base::Lent memory_;
    Matrix matrix_;
  };
  Lent lend(std::int64_t rows, std::int64_t columns) { return {rows, columns, is_around_}; }

  void multiply(T alpha, const Operand& a, const Operand& b, T beta, const Matrix& c) {
    Base::multiply(alpha, placed(a), placed(b), beta, placed(c));
  }
  void scale(T alpha, const Matrix& b) { Base::scale(alpha, placed(b)); }
  bool multiply_triangle_at_once(Uplo uplo, blas::Symmetry symmetry, T alpha, const Operand& a, const Operand& b,
                                 T beta, const Matrix& c) {
    return Base::multiply_triangle_at_once(is_around_ ? blas::other(uplo) : uplo, symmetry, alpha, placed(a), placed(b),
                                           beta, placed(c));
  }

  /// Of A, whose first row is row `first` of the whole; gives the columns that were taken.
  std::int64_t indefinite_panel(const Matrix& a, std::int64_t first, const Matrix& w) {
    const auto pivots = std::span(pivots_).subspan(static_cast<std::size_t>(first));
    const auto taken = lapack::indefinite_panel<T>(this->arithmetic(), this->threads(), symmetry_, a, pivots, w);
    for (std::int64_t& p : pivots.first(static_cast<std::size_t>(taken.columns))) p += p > 0 ? first : -first;
    if (info_ == 0 && taken.info != 0) info_ = first + taken.info;
    return taken.columns;
  }

  /// Columns of L as LAPACK leaves them: without the exchanges that came after them.
  void put_rows_back(const Matrix& a, std::int64_t first, std::int64_t taken) {
    for (const BlockOfD& s : backward(first, taken)) exchange(a.sub(0, 0, a.rows, s.begin - first), s, first);
  }

  /// Of `width` columns, and one more where that would part a block of D.
  std::vector<Strip> strips(std::int64_t width) const {
    std::vector<Strip> all;
    const auto n = static_cast<std::int64_t>(pivots_.size());
    for (const BlockOfD& s : steps(0, n)) {
      if (all.empty() || all.back().count >= width) all.push_back({s.begin, 0});
      all.back().count += s.size;
    }
    return all;
  }

  /// Columns of L from their diagonal on, with all exchanges of the strip.
  void copy_strip(const Operand& a, std::int64_t first, std::int64_t count, const Matrix& l) {
    host::for_parts(this->threads_for(l), count, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = begin; j < end; ++j) {
        for (std::int64_t i = 0; i < l.rows; ++i) {
          l(i, j) = i > j ? blas::element(a, first + i, first + j) : T(i == j ? 1 : 0);
        }
      }
    });
    for (const BlockOfD& s : steps(first, count)) {
      if (s.size == 2) l(s.begin - first + 1, s.begin - first) = T(0);
      exchange(l.sub(0, 0, l.rows, s.begin - first), s, first);
    }
  }

  void exchange_rows(const Matrix& b, std::int64_t first, std::int64_t count) { exchange_all(b, steps(first, count)); }
  void exchange_rows_back(const Matrix& b, std::int64_t first, std::int64_t count) {
    exchange_all(b, backward(first, count));
  }

  /// B = D⁻¹ · B.
  void divide_by_blocks(const Operand& a, const Matrix& b) {
    const bool is_hermitian = symmetry_ == blas::Symmetry::hermitian;
    const auto diagonal = [&](std::int64_t i) {
      const T x = blas::element(a, i, i);
      return is_hermitian ? T(real(x)) : x;
    };
    for (const BlockOfD& s : steps(0, b.rows)) {
      const std::int64_t k = s.begin;
      if (s.size == 1) {
        const blas::Divisor<T> d(diagonal(k));
        for (std::int64_t j = 0; j < b.columns; ++j) b(k, j) = blas::quotient(b(k, j), d);
        continue;
      }
      // Scaled by the entry beside the diagonal, the largest.
      const T beside = blas::element(a, k + 1, k), other = blas::conjugated(beside, is_hermitian);
      const T first = diagonal(k) / other, second = diagonal(k + 1) / beside, determinant = first * second - T(1);
      for (std::int64_t j = 0; j < b.columns; ++j) {
        const T x = b(k, j) / other, y = b(k + 1, j) / beside;
        b(k, j) = (second * x - y) / determinant;
        b(k + 1, j) = (first * y - x) / determinant;
      }
    }
  }

 protected:
  std::vector<BlockOfD> steps(std::int64_t first, std::int64_t count) const {
    return blocks_of_d(pivots_, first, count);
  }
  std::vector<BlockOfD> backward(std::int64_t first, std::int64_t count) const {
    std::vector<BlockOfD> all = steps(first, count);
    std::ranges::reverse(all);
    return all;
  }

 private:
  // In X, whose first row is row `first` of the whole.
  static void exchange(const Matrix& x, const BlockOfD& s, std::int64_t first) {
    const std::int64_t i = s.begin + s.size - 1 - first, p = s.with - first;
    if (i == p) return;
    for (std::int64_t j = 0; j < x.columns; ++j) std::swap(x(i, j), x(p, j));
  }
  void exchange_all(const Matrix& b, const std::vector<BlockOfD>& all) {
    this->for_columns(b, [&](const Matrix& part) {
      for (const BlockOfD& s : all) exchange(part, s, 0);
    });
  }

  bool is_around_;
  blas::Symmetry symmetry_;
  std::vector<std::int64_t> pivots_;
  std::int64_t info_ = 0;
};

}  // namespace hilo::lapack
