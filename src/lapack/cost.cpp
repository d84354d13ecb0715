#include "lapack/cost.hpp"

#include "gemm/cost.hpp"
#include "lapack/cholesky.hpp"
#include "lapack/lu.hpp"
#include "matrix/arguments.hpp"

namespace hilo::lapack {
namespace {

// A place that computes nothing: it adds up what its products and blocks are expected to take.
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

  CostPlace(const model::CpuRates& rates, Precision precision, const GemmOptions& options)
      : rates_(rates), precision_(precision), options_(options) {}

  double seconds() const { return seconds_; }

  std::int64_t block() const { return blas::default_block; }
  std::int64_t solved_rows() const { return blas::default_block; }
  std::int64_t diagonal_rows() const { return 4 * blas::default_block; }
  bool has_failed() const { return false; }

  void multiply(Scalar, const Operand& a, const Operand&, Scalar, const Matrix& c) { add_product(a, c, false); }
  // Where options name the modular engine by halves, as on the host.
  bool multiply_triangle_at_once(Uplo, blas::Symmetry, Scalar, const Operand& a, const Operand&, Scalar,
                                 const Matrix& c) {
    if (options_.engine == Engine::modular) return false;
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

  // Each as many multiply-adds as its definition has.
  void solve_block(Uplo, Diag, const Operand& a, const Matrix& b) {
    add_steps(0.5 * square(a.rows) * static_cast<double>(b.columns));
  }
  void lu_panel(const Matrix& a, std::int64_t) {
    const auto m = static_cast<double>(a.rows), n = static_cast<double>(a.columns);
    add_steps(0.5 * n * n * (m - n / 3.0));
  }
  void cholesky_block(const Matrix& a, std::int64_t) { add_steps(square(a.rows) * static_cast<double>(a.rows) / 6.0); }
  void move_rows(const Matrix&, std::int64_t, std::int64_t) {}

 private:
  static double square(std::int64_t n) { return static_cast<double>(n) * static_cast<double>(n); }

  void add_product(const Operand& a, const Matrix& c, bool is_triangle) {
    if (c.rows == 0 || c.columns == 0) return;
    const GemmShape shape =
        packed_shape(Layout::column, Op::none, Op::none, c.rows, c.columns, a.columns, element_bytes(precision_));
    seconds_ += inner_seconds(rates_, precision_, shape, options_, is_triangle);
  }
  void add_steps(double steps) { seconds_ += steps * (is_complex(precision_) ? 4.0 : 1.0) * rates_.direct_step; }

  model::CpuRates rates_;
  Precision precision_;
  GemmOptions options_;
  double seconds_ = 0.0;
};

}  // namespace

double lu_seconds(const model::CpuRates& rates, Precision precision, std::int64_t n, const GemmOptions& options) {
  CostPlace place(rates, precision, options);
  factor(place, CostPlace::Matrix{n, n});
  return place.seconds();
}

double cholesky_seconds(const model::CpuRates& rates, Precision precision, std::int64_t n, const GemmOptions& options) {
  CostPlace place(rates, precision, options);
  factor_positive(place, CostPlace::Matrix{n, n});
  return place.seconds();
}

}  // namespace hilo::lapack
