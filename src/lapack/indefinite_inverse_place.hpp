// Where inverses of indefinite matrices are made on the host.
#pragma once

#include <cstdlib>

#include "lapack/indefinite_place.hpp"
#include "lapack/inverse_place.hpp"

namespace hilo::lapack {

template <gemm_scalar T>
class IndefiniteInversePlace : public IndefinitePlace<T> {
 public:
  using typename IndefinitePlace<T>::Matrix;
  using typename IndefinitePlace<T>::Operand;

  using IndefinitePlace<T>::IndefinitePlace;

  /// The first column, counted from 1, whose block of D is one row and 0; or 0.
  std::int64_t first_zero(const Operand& a) const {
    for (const BlockOfD& s : this->steps(0, a.rows)) {
      if (s.size == 1 && real_where_hermitian(a(s.begin, s.begin)) == T(0)) return s.begin + 1;
    }
    return 0;
  }

  /// Keeps D⁻¹; what was D beside the diagonal is L's 0.
  void take_blocks(const Matrix& a) {
    inverses_.clear();
    for (const BlockOfD& s : this->steps(0, a.rows)) {
      const std::int64_t k = s.begin;
      const T one = real_where_hermitian(a(k, k));
      if (s.size == 1) {
        inverses_.push_back({s, real_where_hermitian(blas::quotient(T(1), blas::Divisor<T>(one)))});
        continue;
      }
      // Scaled by the entry beside the diagonal, the largest.
      const T beside = a(k + 1, k), other = turned(beside);
      const T d1 = one / other, d2 = real_where_hermitian(a(k + 1, k + 1)) / beside;
      const T determinant = real_where_hermitian(d1 * d2 - T(1));
      const T x = T(1) / other / determinant, y = T(1) / beside / determinant;
      inverses_.push_back({s, real_where_hermitian(d2 * x), real_where_hermitian(d1 * y), -y});
      a(k + 1, k) = T(0);
    }
  }

  /// Rows of L's columns, by all exchanges that came after a column.
  void exchange_rows_before(const Matrix& a) const { exchange_rows_before(a, this->steps(0, a.rows)); }

  void invert_block(Uplo uplo, Diag diag, const Matrix& a) { lapack::invert_block(*this, uplo, diag, a); }

  /// At least `rows` rows behind row `first`, of whole blocks of D.
  std::int64_t with_whole_blocks(std::int64_t first, std::int64_t rows) const {
    const BlockOfD& s = inverses_[block_with(first + rows - 1)].block;
    return s.begin + s.size - first;
  }

  /// B = D⁻¹ · B, and `kept` what it was; row 0 is row `first` of the whole.
  void divide_by_blocks(const Matrix& b, std::int64_t first, const Matrix& kept) const {
    host::for_parts(this->threads_for(b), b.columns, [&](std::int64_t begin, std::int64_t end) {
      const auto block = [&](auto columns_of) {
        std::size_t k = block_with(first);
        for (std::int64_t i = 0; i < b.rows; i += inverses_[k++].block.size) columns_of(inverses_[k], i);
      };
      const auto divide = [&](const InverseOfBlock& d, std::int64_t i, std::int64_t j) {
        const T x = kept(i, j) = b(i, j);
        if (d.block.size == 1) {
          b(i, j) = times(d.first, x);
          return;
        }
        const T y = kept(i + 1, j) = b(i + 1, j);
        b(i, j) = times(d.first, x) + times(d.beside, y);
        b(i + 1, j) = times(turned(d.beside), x) + times(d.second, y);
      };
      if (std::abs(b.row_stride) == 1) {
        for (std::int64_t j = begin; j < end; ++j) block([&](const auto& d, std::int64_t i) { divide(d, i, j); });
      } else {
        block([&](const auto& d, std::int64_t i) {
          for (std::int64_t j = begin; j < end; ++j) divide(d, i, j);
        });
      }
    });
  }

  void multiply_block_around_blocks(const Matrix& w, std::int64_t first) {
    const std::int64_t n = w.rows;
    const auto memory = this->lend(n, 2 * n);
    const Matrix whole = memory.matrix().sub(0, 0, n, n), kept = memory.matrix().sub(0, n, n, n);
    this->take_triangle(Uplo::lower, blas::Symmetry::symmetric, w, whole);
    for (std::int64_t i = 0; i < n; ++i) whole(i, i) = T(1);
    divide_by_blocks(whole, first, kept);
    this->multiply_block(Uplo::upper, Diag::unit, Operand(kept).turned(adjoint_of(this->symmetry())), whole);
    this->put_triangle(Uplo::lower, this->symmetry(), whole, w);
  }

  /// Rows and columns of a lower triangle: all exchanges, the last first.
  void exchange_symmetric_back(const Matrix& x) const {
    const auto all = this->backward(0, x.rows);
    // Of rows in columns before both; none of the other moves comes before these in any column.
    exchange_rows_before(x, all);
    for (const BlockOfD& s : all) {
      const std::int64_t i = s.begin + s.size - 1, p = s.with;
      if (i == p) continue;
      if (s.size == 2) std::swap(x(i, s.begin), x(p, s.begin));
      for (std::int64_t j = i + 1; j < p; ++j) {
        const T kept = x(j, i);
        x(j, i) = turned(x(p, j));
        x(p, j) = turned(kept);
      }
      x(p, i) = turned(x(p, i));
      std::swap(x(i, i), x(p, p));
      for (std::int64_t r = p + 1; r < x.rows; ++r) std::swap(x(r, i), x(r, p));
    }
  }

 private:
  /// Of one row, or [first beside; turned(beside) second].
  struct InverseOfBlock {
    BlockOfD block;
    T first, second = T(0), beside = T(0);
  };

  // The number of the block that has row i.
  std::size_t block_with(std::int64_t i) const {
    const auto after = std::ranges::upper_bound(inverses_, i, {}, [](const auto& x) { return x.block.begin; });
    return static_cast<std::size_t>(after - inverses_.begin()) - 1;
  }

  // Of the columns before each block, in this order of blocks.
  void exchange_rows_before(const Matrix& a, const std::vector<BlockOfD>& all) const {
    const auto exchange = [&](const BlockOfD& s, std::int64_t begin, std::int64_t end) {
      const std::int64_t i = s.begin + s.size - 1, p = s.with;
      if (i == p) return;
      for (std::int64_t j = begin; j < std::min(end, s.begin); ++j) std::swap(a(i, j), a(p, j));
    };
    // Columns one by one where they are contiguous.
    host::for_parts(this->threads_for(a), a.columns, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t width = std::abs(a.row_stride) == 1 ? 1 : end - begin;
      for (std::int64_t j = begin; j < end; j += width) {
        for (const BlockOfD& s : all) exchange(s, j, j + width);
      }
    });
  }

  static T times(const T& x, const T& y) {
    if constexpr (std::same_as<T, dd_complex>) {
      return dd_complex::multiply_finite(x, y);
    } else {
      return x * y;
    }
  }
  bool is_hermitian() const { return this->symmetry() == blas::Symmetry::hermitian; }
  T turned(const T& x) const { return blas::conjugated(x, is_hermitian()); }
  T real_where_hermitian(const T& x) const { return is_hermitian() ? T(real(x)) : x; }

  std::vector<InverseOfBlock> inverses_;
};

}  // namespace hilo::lapack
