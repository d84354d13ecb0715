// A place that computes nothing: it adds up what its products and blocks are expected to take. Costs say what that is
// on a CPU (cost.cpp) or on a device (device_cost.cpp).
#pragma once

#include <algorithm>
#include <utility>

#include "lapack/cholesky.hpp"
#include "lapack/lu.hpp"
#include "matrix/arguments.hpp"

namespace hilo::lapack {

template <class Costs>
class CostPlace {
 public:
  using Scalar = double;

  /// A matrix without elements.
  struct Matrix {
    std::int64_t rows, columns;

    Matrix sub(std::int64_t, std::int64_t, std::int64_t m, std::int64_t n) const { return {m, n}; }
    Matrix turned(Op op) const { return is_transposed(op) ? Matrix{columns, rows} : *this; }
  };
  using Operand = Matrix;

  CostPlace(Costs costs, Precision precision) : costs_(std::move(costs)), precision_(precision) {}

  double seconds() const { return seconds_; }

  std::int64_t block() const { return blas::default_block; }
  std::int64_t solved_rows() const { return blas::default_block; }
  std::int64_t diagonal_rows() const { return costs_.diagonal_rows(); }
  bool has_failed() const { return false; }

  void multiply(Scalar, const Operand& a, const Operand&, Scalar, const Matrix& c) { add_product(a, c, false); }
  bool multiply_triangle_at_once(Uplo, blas::Symmetry, Scalar, const Operand& a, const Operand&, Scalar,
                                 const Matrix& c) {
    if (!costs_.takes_triangle(c.rows, c.columns)) return false;
    add_product(a, c, true);
    return true;
  }
  struct Lent {
    Matrix whole;
    const Matrix& matrix() const { return whole; }
  };
  Lent lend(std::int64_t rows, std::int64_t columns) const { return {{rows, columns}}; }
  void take_triangle(Uplo, blas::Symmetry, const Matrix&, const Matrix&) const {}
  void put_triangle(Uplo, blas::Symmetry, const Matrix&, const Matrix&) const {}

  void solve_block(Uplo, Diag diag, const Operand& a, const Matrix& b) {
    if (a.rows > 0 && b.columns > 0) seconds_ += costs_.solve(a.rows, b.columns, diag);
  }
  void lu_panel(const Matrix& a, std::int64_t) { seconds_ += costs_.lu_panel(a.rows, a.columns); }
  void cholesky_block(const Matrix& a, std::int64_t) { seconds_ += costs_.cholesky_block(a.rows); }
  void move_rows(const Matrix& b, std::int64_t, std::int64_t count) {
    if (b.columns > 0) seconds_ += costs_.move(std::min(b.rows, 2 * count), b.columns);
  }

 private:
  void add_product(const Operand& a, const Matrix& c, bool is_triangle) {
    if (c.rows == 0 || c.columns == 0) return;
    const GemmShape shape =
        packed_shape(Layout::column, Op::none, Op::none, c.rows, c.columns, a.columns, element_bytes(precision_));
    seconds_ += costs_.product(shape, is_triangle);
  }

  Costs costs_;
  Precision precision_;
  double seconds_ = 0.0;
};

/// Seconds of an n × n matrix.
template <class Costs>
double lu_by(Costs costs, Precision precision, std::int64_t n) {
  CostPlace<Costs> place(std::move(costs), precision);
  factor(place, typename CostPlace<Costs>::Matrix{n, n});
  return place.seconds();
}

template <class Costs>
double cholesky_by(Costs costs, Precision precision, std::int64_t n) {
  CostPlace<Costs> place(std::move(costs), precision);
  factor_positive(place, typename CostPlace<Costs>::Matrix{n, n});
  return place.seconds();
}

}  // namespace hilo::lapack
