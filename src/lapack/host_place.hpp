// Where factorisations run on the host.
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "blas/host_place.hpp"
#include "lapack/cpu/panel.hpp"

namespace hilo::lapack {

template <gemm_scalar T>
class HostPlace : public blas::HostPlace<T> {
 public:
  using Matrix = MatrixView<T>;

  explicit HostPlace(const BlockedOptions& options) : blas::HostPlace<T>(options) {}

  /// As LAPACK has them: row i of the whole matrix was exchanged with row pivots[i] − 1.
  void set_pivots(std::span<std::int64_t> pivots) { pivots_ = made_ = pivots; }
  void set_pivots(std::span<const std::int64_t> pivots) { pivots_ = pivots; }

  std::int64_t info() const { return info_; }
  bool has_failed() const { return info_ != 0; }

  /// Of a panel whose first row and column are number `first` of the whole.
  void lu_panel(const Matrix& a, std::int64_t first) {
    const auto pivots = made_pivots(first, a.columns);
    note(lapack::lu_panel<T>(this->arithmetic(), this->threads_between_products(), a, pivots), first);
    for (std::int64_t& p : pivots) p += first + 1;
  }

  void cholesky_block(const Matrix& a, std::int64_t first) {
    note(lapack::cholesky_block<T>(this->arithmetic(), a), first);
  }

  /// Exchanges rows by pivots first … first + count − 1; row 0 of B is row `first` of the whole.
  void move_rows(const Matrix& b, std::int64_t first, std::int64_t count) {
    for_columns(b, [&](const Matrix& part) {
      for (std::int64_t i = 0; i < count; ++i) exchange(part, i, first);
    });
  }
  void move_rows_back(const Matrix& b, std::int64_t first, std::int64_t count) {
    for_columns(b, [&](const Matrix& part) {
      for (std::int64_t i = count - 1; i >= 0; --i) exchange(part, i, first);
    });
  }

 protected:
  void note(std::int64_t info, std::int64_t first) {
    if (info_ == 0 && info != 0) info_ = first + info;
  }
  /// Those of a factorisation of so many columns from `first` on; of one that makes none, none.
  std::span<std::int64_t> made_pivots(std::int64_t first, std::int64_t count) const {
    if (made_.empty()) return {};
    return made_.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }

  // To move entries; waking threads takes as long as moving some ten thousand.
  int threads_for(const Matrix& b) const { return b.rows * b.columns < 65536 ? 1 : this->threads_between_products(); }

  // A few columns at a time where they are contiguous.
  template <class F>
  void for_columns(const Matrix& b, F f) {
    constexpr std::int64_t few = 8;
    host::for_parts(threads_for(b), b.columns, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t width = b.row_stride == 1 ? few : end - begin;
      for (std::int64_t j = begin; j < end; j += width) f(b.sub(0, j, b.rows, std::min(width, end - j)));
    });
  }

 private:
  void exchange(const Matrix& b, std::int64_t i, std::int64_t first) {
    const std::int64_t k = pivots_[static_cast<std::size_t>(first + i)] - 1 - first;
    if (k == i) return;
    for (std::int64_t j = 0; j < b.columns; ++j) std::swap(b(i, j), b(k, j));
  }

  std::span<const std::int64_t> pivots_;
  std::span<std::int64_t> made_;
  std::int64_t info_ = 0;
};

}  // namespace hilo::lapack
