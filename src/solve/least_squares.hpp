// Least squares and solutions of smallest norm, by corrections of the augmented system.
//
// With A m × n, m >= n, of full rank: r + A z = f, Aᴴ r = g. Of min ‖b − A x‖, f = b and g = 0, and x is z; of the
// smallest x with Aᴴ x = b, f = 0 and g = b, and x is r. Both r and z are corrected: what refines x alone does not
// converge unless b is nearly in A's range. Source: Björck, BIT 7 (1967).
#pragma once

#include <array>
#include <hilo/solve.hpp>
#include <vector>

#include "solve/host_system.hpp"

namespace hilo::solver {

/// Q · R of an m × n matrix in one precision.
template <gemm_scalar F>
class AugmentedFactors {
 public:
  using Element = F;

  AugmentedFactors(std::int64_t m, std::int64_t n, const BlockedOptions& options)
      : m_(m), n_(n), options_(options), data_(static_cast<std::size_t>(m * n)), tau_(static_cast<std::size_t>(n)) {}

  /// False where R's diagonal has a 0.
  template <class Entry>
  bool factor(Entry entry) {
    for (std::int64_t j = 0; j < n_; ++j) {
      for (std::int64_t i = 0; i < m_; ++i) matrix()(i, j) = entry(i, j);
    }
    geqrf(matrix(), std::span(tau_), options_);
    for (std::int64_t i = 0; i < n_; ++i) {
      if (!(size_of(matrix()(i, i)) > 0.0)) return false;
    }
    return true;
  }

  /// (r, z) in the place of (f, g), a column each.
  void solve(const MatrixView<F>& y) const {
    const MatrixView<const F> a = matrix(), triangle = a.sub(0, 0, n_, n_);
    const MatrixView<F> upper = y.sub(0, 0, m_, y.columns), lower = y.sub(m_, 0, n_, y.columns);
    const std::span<const F> tau(tau_);
    trsm(Side::left, Uplo::lower, Diag::non_unit, F(1), triangle.turned(Op::conjugate_transpose), lower, options_);
    unmqr(Side::left, Op::conjugate_transpose, a, tau, upper, options_);
    for (std::int64_t k = 0; k < y.columns; ++k) {
      for (std::int64_t i = 0; i < n_; ++i) {
        const F h = lower(i, k);
        lower(i, k) = upper(i, k) - h;
        upper(i, k) = h;
      }
    }
    unmqr(Side::left, Op::none, a, tau, upper, options_);
    trsm(Side::left, Uplo::upper, Diag::non_unit, F(1), triangle, lower, options_);
  }

  /// An estimate of ‖R‖ ‖R⁻¹‖ in the ∞-norm.
  double condition() const {
    return 1.0 / static_cast<double>(
                     trcon(Norm::infinity, Uplo::upper, Diag::non_unit, matrix().sub(0, 0, n_, n_), options_));
  }

 private:
  MatrixView<const F> matrix() const { return view(Layout::column, Op::none, data_.data(), m_, n_, m_); }
  MatrixView<F> matrix() { return view(Layout::column, Op::none, data_.data(), m_, n_, m_); }

  std::int64_t m_, n_;
  BlockedOptions options_;
  std::vector<F> data_, tau_;
};

/// On the host. Columns of A are scaled, and right-hand sides.
template <gemm_scalar T>
class LeastSquaresSystem {
 public:
  using X = Solution<T>;
  using E = Exact<T>;

  /// entry(i, j) of A, m × n, m >= n; of Aᴴ x = b where `is_smallest`, else of A x near b.
  template <class Entry>
  LeastSquaresSystem(bool is_smallest, std::int64_t m, std::int64_t n, Entry entry, const MatrixView<const T>& b,
                     const BlockedOptions& options)
      : is_smallest_(is_smallest),
        m_(m),
        n_(n),
        options_(options),
        threads_(threads_of(options)),
        kernels_(&kernel_set(options.target)),
        scaling_(column_scaling_of(m, n, entry)),
        matrix_(threads_, scaling_, entry),
        exponents_(exponents_of(b, [this](std::int64_t i) { return exponent_of_row(i); })),
        unknowns_(b.columns, m + n, is_smallest ? 0 : m, is_smallest ? m : n) {
    const std::int64_t first = is_smallest ? m : 0;
    for (std::int64_t j = 0; j < b.columns; ++j) {
      for (std::int64_t i = 0; i < b.rows; ++i) {
        const int e = exponent_of_row(i) - exponents_[static_cast<std::size_t>(j)];
        unknowns_.b.put(first + i, j, X(scaled(E(blas::element(b, i, j)), e)));
      }
    }
  }

  std::int64_t rows() const { return n_; }
  std::int64_t columns() const { return unknowns_.count(); }
  Unknowns<X>& unknowns() { return unknowns_; }

  std::array<SolvePath, 2> paths() const { return {SolvePath::double_qr, SolvePath::double_double_qr}; }
  /// Rows are not scaled, and those of small entries count little in `backward_error`: where the condition leaves x no
  /// digit, that tells nothing of x.
  static constexpr bool takes_condition = true;
  static constexpr double most_worthwhile = std::numeric_limits<double>::infinity();
  bool takes_more_care() { return false; }
  bool is_for_growth(SolvePath) const { return false; }
  const char* flaw() const { return "of less than full rank"; }
  bool factor(SolvePath path) {
    low_.reset();
    if (is_in_double(path)) {
      low_ = std::make_unique<AugmentedFactors<Leading<T>>>(m_, n_, options_of_double(options_));
      return low_->factor([this](std::int64_t i, std::int64_t j) { return leading(matrix_(i, j)); });
    }
    high_ = std::make_unique<AugmentedFactors<X>>(m_, n_, options_);
    return high_->factor([this](std::int64_t i, std::int64_t j) { return X(matrix_(i, j)); });
  }
  double growth() const { return 0.0; }
  double condition() const { return low_ ? low_->condition() : high_->condition(); }

  /// How much of the residual's error, relative to (r, z), comes to the solution: of z twice what is of r (Wedin 1973).
  double sensitivity(std::int64_t line, double condition) const {
    double of_r = 0.0;
    for (std::int64_t i = 0; i < m_; ++i) of_r = std::max(of_r, size_of(unknowns_.x.get(i, line)));
    return is_smallest_ || of_r == 0.0 ? condition : condition * (1.0 + condition * (of_r / unknowns_.size(line)));
  }

  /// What factors that round to `unit` may add to corrections of the solution beside what these shrink by at each step:
  /// of z by those of r, which come to stand still once they are below r's own rounding.
  double noise(std::int64_t line, double unit, double condition) const {
    if (is_smallest_) return 0.0;
    double of_r = 0.0;
    for (std::int64_t i = 0; i < m_; ++i) of_r = std::max(of_r, size_of(unknowns_.d.get(i, line)));
    return of_r == 0.0 ? 0.0 : unit * condition * condition * of_r;
  }

  /// (f − r − A z, g − Aᴴ r).
  void find_residuals(const std::vector<std::int64_t>& lines, int words) {
    unknowns_.find_residuals(lines, words, [&](const Vectors<X>& y, const std::vector<LineSum<X>>& sums) {
      const std::int64_t count = std::ssize(sums);
      Vectors<X> of_r(count, m_), of_z(count, n_);
      // The lower part begins where no vector does: in sums of its own.
      std::vector<VectorOfSums<X>> lower;
      std::vector<LineSum<X>> upper_sums, lower_sums;
      for (std::int64_t k = 0; k < count; ++k) {
        const auto& [line, sum] = sums[static_cast<std::size_t>(k)];
        for (std::int64_t i = 0; i < m_; ++i) {
          of_r.put(i, k, y.get(i, line));
          sum->add(i, -y.get(i, line));
        }
        for (std::int64_t i = 0; i < n_; ++i) of_z.put(i, k, y.get(m_ + i, line));
        lower.push_back(sum->part(m_, n_));
        upper_sums.push_back({k, sum});
      }
      for (std::int64_t k = 0; k < count; ++k) lower_sums.push_back({k, &lower[static_cast<std::size_t>(k)]});
      matrix_.subtract_products(threads_, *kernels_, Op::none, of_z, upper_sums);
      matrix_.subtract_products(threads_, *kernels_, Op::conjugate_transpose, of_r, lower_sums);
      for (const auto& [k, part] : lower_sums) sums[static_cast<std::size_t>(k)].sum->put(m_, *part);
    });
  }
  void find_corrections(const std::vector<std::int64_t>& lines) {
    low_ ? solve_by(*low_, lines, unknowns_) : solve_by(*high_, lines, unknowns_);
  }

  /// The largest of |f − r − A z|_i / (|r| + |A| |z| + |f|)_i and |g − Aᴴ r|_j / (|Aᴴ| |r| + |g|)_j. Of r no less
  /// counts than 2^-53 of b. A row i whose whole is less than u of the largest counts as that, where r is not what is
  /// wanted, else as `least` of it: an r that is 0, as of rows of zeros, is found to be small, not to be 0.
  double backward_error(std::int64_t line, double least) const {
    const auto x = [&](std::int64_t i) { return size_of(unknowns_.x.get(i, line)); };
    std::vector<double> sizes(static_cast<std::size_t>(m_ + n_));
    for (std::int64_t i = 0; i < m_; ++i) sizes[static_cast<std::size_t>(i)] = x(i);
    for (std::int64_t j = 0; j < n_; ++j) {
      double& of_column = sizes[static_cast<std::size_t>(m_ + j)];
      for (std::int64_t i = 0; i < m_; ++i) {
        const double a = size_of(matrix_(i, j));
        sizes[static_cast<std::size_t>(i)] += a * x(m_ + j);
        of_column += a * std::max(x(i), 0x1p-53);
      }
    }
    double most = 0.0, row = 0.0;
    for (std::int64_t i = 0; i < m_ + n_; ++i) {
      double& size = sizes[static_cast<std::size_t>(i)];
      size += size_of(unknowns_.b.get(i, line));
      if (i < m_) row = std::max(row, size);
    }
    for (std::int64_t i = 0; i < m_ + n_; ++i) {
      const double r = size_of(unknowns_.r.get(i, line));
      double whole = sizes[static_cast<std::size_t>(i)];
      if (i < m_ && whole < 0x1p-53 * row) whole = is_smallest_ ? least * row : row;
      if (r > 0.0) most = std::max(most, r / whole);
    }
    return most;
  }

  /// Entry i of a solution of the problem as it was given.
  X solution(std::int64_t i, std::int64_t line) const {
    const int of_entry = is_smallest_ ? 0 : scaling_.columns[static_cast<std::size_t>(i)];
    const int e = of_entry + exponents_[static_cast<std::size_t>(line)];
    return scaled_back(unknowns_.x.get((is_smallest_ ? 0 : m_) + i, line), e);
  }

 private:
  int exponent_of_row(std::int64_t i) const { return is_smallest_ ? scaling_.columns[static_cast<std::size_t>(i)] : 0; }

  bool is_smallest_;
  std::int64_t m_, n_;
  BlockedOptions options_;
  int threads_;
  const KernelSet* kernels_;
  Scaling scaling_;
  ExactMatrix<E> matrix_;
  std::vector<int> exponents_;
  Unknowns<X> unknowns_;
  std::unique_ptr<AugmentedFactors<Leading<T>>> low_;
  std::unique_ptr<AugmentedFactors<X>> high_;
};

}  // namespace hilo::solver
