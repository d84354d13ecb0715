// A system on the host: what the ladder of solve/ladder.hpp is climbed with.
#pragma once

#include <array>
#include <hilo/solve.hpp>
#include <utility>
#include <vector>

#include "solve/exact_matrix.hpp"
#include "solve/factors.hpp"
#include "solve/unknowns.hpp"

namespace hilo::solver {

// What asks for an engine of double-double products is not for the CBLAS.
inline BlockedOptions options_of_double(const BlockedOptions& of_double_double) {
  BlockedOptions options;
  options.threads = of_double_double.threads;
  options.block = of_double_double.block;
  return options;
}

inline int threads_of(const BlockedOptions& options) {
  return options.threads > 0 ? options.threads : host::default_threads();
}

/// d = A⁻¹ r of some lines, r rounded to what the factors are made of.
template <class F, gemm_scalar X>
void solve_by(const F& factors, const std::vector<std::int64_t>& lines, Unknowns<X>& unknowns) {
  using Element = typename F::Element;
  const auto n = unknowns.length(), count = static_cast<std::int64_t>(lines.size());
  std::vector<Element> data(static_cast<std::size_t>(n * count));
  const MatrixView<Element> y = view(Layout::column, Op::none, data.data(), n, count, n);
  for (std::int64_t k = 0; k < count; ++k) {
    for (std::int64_t i = 0; i < n; ++i) {
      const X r = unknowns.r.get(i, lines[static_cast<std::size_t>(k)]);
      if constexpr (double_double<Element>) {
        y(i, k) = r;
      } else {
        y(i, k) = leading(r);
      }
    }
  }
  factors.solve(y);
  for (std::int64_t k = 0; k < count; ++k) {
    for (std::int64_t i = 0; i < n; ++i) unknowns.d.put(i, lines[static_cast<std::size_t>(k)], X(y(i, k)));
  }
}

/// A · X = B, A and B scaled; right-hand sides are columns of B.
template <gemm_scalar T>
class HostSystem {
 public:
  using X = Solution<T>;
  using E = Exact<T>;

  /// entry(i, j) of A is of that structure; `largest` are those of a general A's rows.
  template <class Entry>
  HostSystem(Structure structure, std::int64_t n, Entry entry, const MatrixView<const T>& b,
             const BlockedOptions& options, const std::vector<double>& largest = {})
      : n_(n),
        structure_(structure),
        options_(options),
        threads_(threads_of(options)),
        kernels_(&kernel_set(options.target)),
        scaling_(structure == Structure::general    ? scaling_of(largest, n)
                 : structure == Structure::positive ? positive_scaling_of(n, entry)
                                                    : symmetric_scaling_of(n, entry)),
        matrix_(threads_, scaling_, entry, structure == Structure::general ? &scaling_.columns : nullptr),
        exponents_(exponents_of(b, [this](std::int64_t i) { return row_exponent(i); })),
        unknowns_(b.columns, n, 0, n) {
    for (std::int64_t j = 0; j < b.columns; ++j) {
      for (std::int64_t i = 0; i < n; ++i) {
        const int e = row_exponent(i) - exponents_[static_cast<std::size_t>(j)];
        unknowns_.b.put(i, j, X(scaled(E(blas::element(b, i, j)), e)));
      }
    }
    row_sums_ = sizes_times(std::vector<double>(static_cast<std::size_t>(n), 1.0));
    for (const double sum : row_sums_) norm_ = std::max(norm_, sum);
  }

  std::int64_t rows() const { return n_; }
  std::int64_t columns() const { return unknowns_.count(); }
  Unknowns<X>& unknowns() { return unknowns_; }

  /// Factors in the order in which they are tried.
  std::array<SolvePath, 3> paths() const {
    constexpr SolvePath last = SolvePath::double_double_qr;
    switch (structure_) {
      case Structure::general:
        return {SolvePath::double_lu, SolvePath::double_double_lu, last};
      case Structure::positive:
        return {SolvePath::double_cholesky, SolvePath::double_double_cholesky, last};
      default:
        return {SolvePath::double_ldl, SolvePath::double_double_ldl, last};
    }
  }
  /// What solves a system next to A's is taken, whatever the condition.
  static constexpr bool takes_condition = false;
  /// Whether these are for A whose pivots have grown with those before.
  bool is_for_growth(SolvePath path) const { return path == SolvePath::double_double_qr; }
  /// What A is where factors are not to be had.
  const char* flaw() const { return structure_ == Structure::positive ? "not positive definite" : "singular"; }
  /// Whether the factors are there.
  bool factor(SolvePath path) {
    low_.reset();
    if (is_in_double(path)) {
      low_ = std::make_unique<Factors<Leading<T>>>(n_, options_of_double());
      return low_->factor(path, structure_, [this](std::int64_t i, std::int64_t j) { return leading(matrix_(i, j)); });
    }
    high_ = std::make_unique<Factors<X>>(n_, options_);
    return high_->factor(path, structure_, [this](std::int64_t i, std::int64_t j) { return X(matrix_(i, j)); });
  }
  double growth() const { return low_ ? low_->growth() : high_->growth(); }
  double condition() const { return low_ ? low_->condition(norm_) : high_->condition(norm_); }

  /// How much of the residual's error, relative to x, comes to x.
  double sensitivity(std::int64_t, double condition) const { return condition; }

  /// What factors that round to `unit` may add to corrections beside what these shrink by at each step.
  double noise(std::int64_t, double, double) const { return 0.0; }

  /// r = b − A x.
  void find_residual(std::int64_t line, int words) {
    unknowns_.find_residual(line, words, [&](const Vectors<X>& y, VectorOfSums<X>& sum) {
      matrix_.subtract_product(threads_, *kernels_, words, Op::none, y, line, sum.data(), sum.pitch());
    });
  }
  /// d = A⁻¹ r by the factors.
  void find_corrections(const std::vector<std::int64_t>& lines) {
    low_ ? solve_by(*low_, lines, unknowns_) : solve_by(*high_, lines, unknowns_);
  }

  /// max |r_i| / (|A| |x| + |b|)_i, a row whose whole is less than u ‖x‖ Σ |a_ij| counting as `least` ‖x‖ Σ |a_ij|:
  /// entries of x that are 0 are found to be small, not to be 0. Source: Arioli, Demmel, Duff, SIAM J. Matrix Anal.
  /// Appl. 10 (1989).
  double backward_error(std::int64_t line, double least) const {
    const std::vector<double> sizes = product_of_sizes(line);
    const double x = unknowns_.size(line);
    double most = 0.0;
    for (std::int64_t i = 0; i < n_; ++i) {
      const double r = size_of(unknowns_.r.get(i, line)), row = x * row_sums_[static_cast<std::size_t>(i)];
      double whole = sizes[static_cast<std::size_t>(i)];
      if (whole < 0x1p-53 * row) whole = least * row;
      if (r > 0.0) most = std::max(most, r / whole);
    }
    return most;
  }

  const BlockedOptions& options() const { return options_; }
  BlockedOptions options_of_double() const { return solver::options_of_double(options_); }

  /// The scaled matrix, by columns.
  std::vector<X> dense() const {
    std::vector<X> a(static_cast<std::size_t>(n_ * n_));
    host::for_parts(threads_, n_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = begin; j < end; ++j) {
        for (std::int64_t i = 0; i < n_; ++i) a[static_cast<std::size_t>(i + j * n_)] = X(matrix_(i, j));
      }
    });
    return a;
  }
  bool has_factors_in_double() const { return low_ != nullptr; }
  /// Near the scaled matrix's inverse, by the factors there are.
  std::vector<X> inverse() const {
    if (!low_) return high_->inverse();
    const std::vector<Leading<T>> x = low_->inverse();
    return {x.begin(), x.end()};
  }

  /// b − A x in six words, rounded, and what bounds each entry's error.
  std::pair<std::vector<X>, std::vector<double>> residual_with_bound(std::int64_t line) const {
    VectorOfSums<X> sum(most_words, n_);
    for (std::int64_t i = 0; i < n_; ++i) sum.add(i, unknowns_.b.get(i, line));
    matrix_.subtract_product(threads_, *kernels_, most_words, Op::none, unknowns_.x, line, sum.data(), sum.pitch());
    std::vector<X> r(static_cast<std::size_t>(n_));
    // A complex sum has twice as many terms in each part; a modulus is at most √2 of the larger part's bound.
    const double terms = 16.0 * static_cast<double>(n_) + 2.0, lost = std::pow(2.0 * terms * 0x1p-53, most_words);
    std::vector<double> error = product_of_sizes(line);
    double sum_of_x = 1.0;
    for (std::int64_t i = 0; i < n_; ++i) sum_of_x += size_of(unknowns_.x.get(i, line));
    for (std::size_t i = 0; i < r.size(); ++i) {
      r[i] = sum.close(static_cast<std::int64_t>(i));
      // The product of sizes takes larger parts, which moduli are up to √2 times, and rounds itself.
      error[i] = 4.0 * (2.0 * 0x1p-106 * size_of(r[i]) + 2.0 * lost * error[i]) + 0x1p-1000 * sum_of_x;
    }
    return {std::move(r), std::move(error)};
  }

  /// Entry i of a solution of the system as it was given.
  X solution(std::int64_t i, std::int64_t line) const { return scaled(unknowns_.x.get(i, line), exponent_of(i, line)); }
  /// How far `solution`, rounded to T, may lie from the true one, entry by entry, where the scaled x lies within
  /// `bound`. Of A x = 0 it is 0.
  void write_bound(std::int64_t line, const std::vector<double>& bound, double* to) const {
    if (unknowns_.are_zero(line)) {
      std::fill_n(to, n_, 0.0);
      return;
    }
    for (std::int64_t i = 0; i < n_; ++i) {
      const X x = solution(i, line);
      const double rounding = magnitude_of_difference(X(rounded_to<T>(x)), x);
      const double own = scaled(bound[static_cast<std::size_t>(i)], exponent_of(i, line));
      // An x that is scaled into the subnormal numbers is rounded there.
      to[i] = (own + rounding) * (1.0 + 0x1p-50) + 4.0 * std::numeric_limits<double>::denorm_min();
    }
  }

 private:
  int row_exponent(std::int64_t i) const { return scaling_.rows[static_cast<std::size_t>(i)]; }
  int exponent_of(std::int64_t i, std::int64_t line) const {
    return scaling_.columns[static_cast<std::size_t>(i)] + exponents_[static_cast<std::size_t>(line)];
  }
  static double magnitude_of_difference(const X& x, const X& y) {
    return std::abs(leading(X(x - y))) * (1.0 + 0x1p-40);
  }
  // |A| · y.
  std::vector<double> sizes_times(const std::vector<double>& y) const {
    std::vector<double> sums(y.size());
    host::for_parts(n_ < 200 ? 1 : threads_, blocks(n_, 64), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = 0; j < n_; ++j) {
        const double factor = y[static_cast<std::size_t>(j)];
        for (std::int64_t i = begin * 64; i < std::min(end * 64, n_); ++i) {
          sums[static_cast<std::size_t>(i)] += size_of(matrix_(i, j)) * factor;
        }
      }
    });
    return sums;
  }
  std::vector<double> product_of_sizes(std::int64_t line) const {
    std::vector<double> y(static_cast<std::size_t>(n_));
    for (std::int64_t i = 0; i < n_; ++i) y[static_cast<std::size_t>(i)] = size_of(unknowns_.x.get(i, line));
    std::vector<double> sums = sizes_times(y);
    for (std::int64_t i = 0; i < n_; ++i) sums[static_cast<std::size_t>(i)] += size_of(unknowns_.b.get(i, line));
    return sums;
  }
  std::int64_t n_;
  Structure structure_;
  BlockedOptions options_;
  int threads_;
  const KernelSet* kernels_;
  Scaling scaling_;
  ExactMatrix<E> matrix_;
  std::vector<int> exponents_;
  Unknowns<X> unknowns_;
  std::vector<double> row_sums_;  // of magnitudes
  double norm_ = 0.0;
  std::unique_ptr<Factors<Leading<T>>> low_;
  std::unique_ptr<Factors<X>> high_;
};

}  // namespace hilo::solver
