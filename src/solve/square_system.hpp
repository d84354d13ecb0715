// A square system wherever its matrix lies: its scaling, right-hand sides and solutions, which are on the host, and
// what these tell.
#pragma once

#include <array>
#include <hilo/solve.hpp>
#include <vector>

#include "solve/factors.hpp"
#include "solve/unknowns.hpp"

namespace hilo::solver {

/// d = A⁻¹ r of some lines, r rounded to what the factors are made of.
template <class F, gemm_scalar X>
void solve_by(F& factors, const std::vector<std::int64_t>& lines, Unknowns<X>& unknowns) {
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

/// A · X = B, A and B scaled; right-hand sides are columns of B. A system adds factor, growth, condition,
/// find_residual, find_corrections and backward_error.
template <gemm_scalar T>
class SquareSystem {
 public:
  using X = Solution<T>;
  using E = Exact<T>;

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
  /// Corrections in double that cost as much as factors in double-double, at most.
  static constexpr double most_worthwhile = std::numeric_limits<double>::infinity();
  /// Whether corrections are better from now on.
  bool takes_more_care() { return false; }
  /// Whether these are for A whose pivots have grown with those before.
  bool is_for_growth(SolvePath path) const { return path == SolvePath::double_double_qr; }
  /// What A is where factors are not to be had.
  const char* flaw() const { return structure_ == Structure::positive ? "not positive definite" : "singular"; }
  /// How much of the residual's error, relative to x, comes to x.
  double sensitivity(std::int64_t, double condition) const { return condition; }

  /// What factors that round to `unit` may add to corrections beside what these shrink by at each step.
  double noise(std::int64_t, double, double) const { return 0.0; }

  /// What a residual in K words loses at most of |A| |x| + |b|: (2Nu)^K of each part's N = 8 · 2n + 2 terms, twice as
  /// many of complex numbers, x and its rest being two.
  double lost_of_residual(int words) const {
    const double terms = (is_complex_of<T> ? 32.0 : 16.0) * static_cast<double>(n_) + 2.0;
    return std::pow(2.0 * terms * 0x1p-53, words);
  }
  /// Above |rest|, entry by entry.
  std::vector<double> rest_above(std::int64_t line) const {
    std::vector<double> sizes(static_cast<std::size_t>(n_));
    for (std::int64_t i = 0; i < n_; ++i) sizes[static_cast<std::size_t>(i)] = magnitude_above(unknowns_.rest(i, line));
    return sizes;
  }
  /// The largest part of the rest that `left` is, where that is less than an eighth of u² x of that; entries of x below
  /// 2^-53 of the largest count as that.
  double share_of_rest(std::int64_t line, const std::vector<double>& left) const {
    const double least = 0x1p-53 * unknowns_.size(line);
    double most = 0.0;
    for (std::int64_t i = 0; i < n_; ++i) {
      const double x = std::max(size_of(unknowns_.x.get(i, line)), least);
      const double share = left[static_cast<std::size_t>(i)] / std::max(rest_size(i, line), 0x1p-109 * x);
      if (!(share <= most)) most = share;
    }
    return most;
  }

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

  /// Entry i of a solution of the system as it was given.
  X solution(std::int64_t i, std::int64_t line) const {
    return scaled_back(unknowns_.x.get(i, line), exponent_of(i, line));
  }

  double rest_size(std::int64_t i, std::int64_t line) const { return size_of(unknowns_.rest(i, line)); }

 protected:
  SquareSystem(Structure structure, std::int64_t n, Scaling scaling, const MatrixView<const T>& b)
      : n_(n),
        structure_(structure),
        scaling_(std::move(scaling)),
        exponents_(exponents_of(b, [this](std::int64_t i) { return row_exponent(i); })),
        unknowns_(b.columns, n, 0, n) {
    for (std::int64_t j = 0; j < b.columns; ++j) {
      for (std::int64_t i = 0; i < n; ++i) {
        const int e = row_exponent(i) - exponents_[static_cast<std::size_t>(j)];
        unknowns_.b.put(i, j, X(scaled(E(blas::element(b, i, j)), e)));
      }
    }
  }
  /// Σ |a_ij| of each row.
  void set_row_sums(std::vector<double> sums) {
    row_sums_ = std::move(sums);
    for (const double sum : row_sums_) norm_ = std::max(norm_, sum);
  }

  int row_exponent(std::int64_t i) const { return scaling_.rows[static_cast<std::size_t>(i)]; }
  int exponent_of(std::int64_t i, std::int64_t line) const {
    return scaling_.columns[static_cast<std::size_t>(i)] + exponents_[static_cast<std::size_t>(line)];
  }
  /// |A| (|x| + |rest|) + |b|, by |A| · y = sizes_times(y).
  template <class SizesTimes>
  std::vector<double> product_of_sizes(std::int64_t line, SizesTimes sizes_times) const {
    std::vector<double> y(static_cast<std::size_t>(n_));
    for (std::int64_t i = 0; i < n_; ++i) {
      y[static_cast<std::size_t>(i)] = size_of(unknowns_.x.get(i, line)) + rest_size(i, line);
    }
    std::vector<double> sums = sizes_times(y);
    for (std::int64_t i = 0; i < n_; ++i) sums[static_cast<std::size_t>(i)] += size_of(unknowns_.b.get(i, line));
    return sums;
  }
  /// max |r_i| / (|A| |x| + |b|)_i, a row whose whole is less than u ‖x‖ Σ |a_ij| counting as `least` ‖x‖ Σ |a_ij|:
  /// entries of x that are 0 are found to be small, not to be 0. Source: Arioli, Demmel, Duff, SIAM J. Matrix Anal.
  /// Appl. 10 (1989).
  double backward_error_of(std::int64_t line, double least, const std::vector<double>& sizes) const {
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

  static double magnitude_of_difference(const X& x, const X& y) {
    return std::abs(leading(X(x - y))) * (1.0 + 0x1p-40);
  }

  std::int64_t n_;
  Structure structure_;
  Scaling scaling_;
  std::vector<int> exponents_;
  Unknowns<X> unknowns_;
  std::vector<double> row_sums_;  // of magnitudes
  double norm_ = 0.0;
};

}  // namespace hilo::solver
