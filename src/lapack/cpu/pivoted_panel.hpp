// Panels of QR with column pivoting, without products.
#pragma once

#include <cstdint>
#include <hilo/blas.hpp>
#include <span>
#include <vector>

#include "blas/cpu/line_arithmetic.hpp"
#include "host/workspace.hpp"

namespace hilo::lapack {

/// Householder QR with column pivoting of an m × n matrix A by panels. Of a panel each column makes a column of V and a
/// row of W, where A − V · W is what is left of A; only the row of that which is R's is made at once, for the norms of
/// columns. Sums over rows are those of 256 rows each, from 0 on by
/// blas/reference.hpp in increasing order, which are added in this order by its steps with 1.
template <gemm_scalar T>
class PivotedPanels {
 public:
  /// Of at most `width` columns each. Throws std::bad_alloc.
  PivotedPanels(const blas::LineArithmetic<T>& arithmetic, int threads, const MatrixView<T>& a,
                std::span<std::int64_t> pivots, std::span<T> tau, std::int64_t width);

  /// Columns first … first + k − 1, and rows, of R and of V take A's place, A's columns being exchanged as whole ones;
  /// then W is in rows 0 … k − 1 of w's columns first + k … . k is width, or less where a norm is to be renewed first.
  std::int64_t factor(std::int64_t first, std::int64_t width, const MatrixView<T>& w);

  /// Norms of A's columns first … from row `first` on, where no good ones are known.
  void renew_norms(std::int64_t first);

 private:
  using Real = real_type<T>;
  using Word = blas::Word<T>;

  void load(std::int64_t first);
  void exchange(std::int64_t k);
  void update_column(std::int64_t k);
  void reflect(std::int64_t k);
  void sum_rows(std::int64_t k);
  void add_sums(std::int64_t tile, std::int64_t k);
  void make_row(std::int64_t tile, std::int64_t k, const blas::Divisor<T>* divisor, const T& factor);
  void lower_norm(std::int64_t column, const T& x);
  void store(std::int64_t k, const MatrixView<T>& w);

  /// Entry (l, c) of W.
  T product(std::int64_t l, std::int64_t c) const;
  std::int64_t products() const { return m_ + chunks_; }
  std::int64_t tile_width(std::int64_t tile) const;
  int team(std::int64_t terms) const { return terms < 65536 ? 1 : threads_; }
  static void put(Word* scalars, std::int64_t k, const T& x) {
    blas::put_words<T>(x, scalars + k * blas::word_count<T>);
  }

  const blas::LineArithmetic<T>& arithmetic_;
  int threads_;
  MatrixView<T> a_;
  std::span<std::int64_t> pivots_;
  std::span<T> tau_;
  std::int64_t width_;
  host::Workspace memory_;
  // Of columns as they are left: as lowered from row to row, and as they last were by their entries, −1 where they are
  // to be renewed.
  std::vector<Real> norms_, exact_norms_;

  // Of a panel: what is left of A, of m_ × n_ entries from row and column first_ on; V by columns; and by rows, a tile
  // for each tile_columns columns: A as it was, but V in its columns, then the sums of each chunk of rows, then W.
  std::int64_t first_ = 0, m_ = 0, n_ = 0, chunks_ = 0;
  std::int64_t joined_ = 0;  // columns of V that the tiles have
  blas::Lines<T> columns_;
  std::vector<blas::Lines<T>> tiles_;
  Word *row_scalars_ = nullptr, *scalars_ = nullptr, *row_of_v_ = nullptr, *ones_ = nullptr;
};

}  // namespace hilo::lapack
