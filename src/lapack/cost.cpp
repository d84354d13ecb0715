#include "lapack/cost.hpp"

#include "blas/symmetric.hpp"
#include "gemm/cost.hpp"
#include "lapack/cost_place.hpp"

namespace hilo::lapack {
namespace {

// The steps of a solve, a panel and a block on the diagonal, one multiply-add each.
double square(std::int64_t n) { return static_cast<double>(n) * static_cast<double>(n); }
double solve_steps(std::int64_t rows, std::int64_t columns) {
  return 0.5 * square(rows) * static_cast<double>(columns);
}
double panel_steps(std::int64_t rows, std::int64_t columns) {
  return 0.5 * square(columns) * (static_cast<double>(rows) - static_cast<double>(columns) / 3.0);
}
double cholesky_steps(std::int64_t n) { return square(n) * static_cast<double>(n) / 6.0; }

// On one core: blocks take the direct engine's step for each multiply-add.
class CpuCosts {
 public:
  CpuCosts(const model::CpuRates& rates, Precision precision, const GemmOptions& options)
      : rates_(rates), precision_(precision), options_(options) {}

  std::int64_t diagonal_rows() const { return blas::host_diagonal_rows(precision_, options_, blas::default_block); }
  bool takes_triangle(std::int64_t rows, std::int64_t columns) const {
    return blas::host_takes_triangle(precision_, options_, blas::default_block, rows, columns);
  }

  double product(const GemmShape& shape, bool is_triangle) const {
    return inner_seconds(rates_, precision_, shape, options_, is_triangle);
  }
  double solve(std::int64_t rows, std::int64_t columns, Diag) const { return steps(solve_steps(rows, columns)); }
  double lu_panel(std::int64_t rows, std::int64_t columns) const { return steps(panel_steps(rows, columns)); }
  double cholesky_block(std::int64_t n) const { return steps(cholesky_steps(n)); }
  double move(std::int64_t, std::int64_t) const { return 0.0; }

 private:
  double steps(double count) const { return count * (is_complex(precision_) ? 4.0 : 1.0) * rates_.direct_step; }

  model::CpuRates rates_;
  Precision precision_;
  GemmOptions options_;
};

}  // namespace

double lu_seconds(const model::CpuRates& rates, Precision precision, std::int64_t n, const GemmOptions& options) {
  return lu_by(CpuCosts(rates, precision, options), precision, n);
}

double cholesky_seconds(const model::CpuRates& rates, Precision precision, std::int64_t n, const GemmOptions& options) {
  return cholesky_by(CpuCosts(rates, precision, options), precision, n);
}

}  // namespace hilo::lapack
