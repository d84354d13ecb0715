// A system on the host: what the ladder of solve/ladder.hpp is climbed with.
#pragma once

#include <array>
#include <hilo/solve.hpp>
#include <utility>
#include <vector>

#include "solve/exact_matrix.hpp"
#include "solve/factors.hpp"

namespace hilo::solver {

/// A · X = B, A and B scaled; right-hand sides are columns of B.
template <gemm_scalar T>
class HostSystem {
 public:
  using X = Solution<T>;
  using E = Exact<T>;

  /// entry(i, j) of A is of that structure.
  template <class Entry>
  HostSystem(Structure structure, std::int64_t n, Entry entry, const MatrixView<const T>& b,
             const BlockedOptions& options)
      : n_(n),
        structure_(structure),
        options_(options),
        threads_(options.threads > 0 ? options.threads : host::default_threads()),
        kernels_(&kernel_set(options.target)),
        scaling_(structure == Structure::general    ? scaling_of(n, n, entry)
                 : structure == Structure::positive ? positive_scaling_of(n, entry)
                                                    : symmetric_scaling_of(n, entry)),
        matrix_(threads_, scaling_, entry),
        b_(b.columns, n),
        x_(b.columns, n),
        r_(b.columns, n),
        d_(b.columns, n),
        rest_(b.columns, n),
        has_rest_(static_cast<std::size_t>(b.columns)),
        exponents_(static_cast<std::size_t>(b.columns)) {
    for (std::int64_t j = 0; j < b.columns; ++j) {
      int& e = exponents_[static_cast<std::size_t>(j)];
      double most = 0.0;
      for (std::int64_t i = 0; i < n; ++i) {
        const double size = size_of(blas::element(b, i, j));
        if (size == 0.0) continue;
        const int of_entry = std::ilogb(size) + row_exponent(i);
        if (most == 0.0 || of_entry > e) e = of_entry;
        most = size;
      }
      for (std::int64_t i = 0; i < n; ++i) {
        b_.put(i, j, X(scaled(E(blas::element(b, i, j)), row_exponent(i) - e)));
      }
    }
    for (const double sum : sizes_times(std::vector<double>(static_cast<std::size_t>(n), 1.0))) {
      norm_ = std::max(norm_, sum);
    }
  }

  std::int64_t rows() const { return n_; }
  std::int64_t columns() const { return b_.count(); }

  /// Factors in the order in which they are tried; QR where the pivots of the ones before grew too much.
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

  /// x = 0 and r = b.
  void start(const std::vector<std::int64_t>& lines) {
    for (const std::int64_t j : lines) {
      drop_rest(j);
      for (std::int64_t i = 0; i < n_; ++i) {
        x_.put(i, j, X(0));
        r_.put(i, j, b_.get(i, j));
      }
    }
  }
  /// r = b − A x, or b − A (x + rest), rounded once.
  void find_residuals(const std::vector<std::int64_t>& lines, int words) {
    for (const std::int64_t j : lines) {
      VectorOfSums<X> sum(words, n_);
      for (std::int64_t i = 0; i < n_; ++i) sum.add(i, b_.get(i, j));
      matrix_.subtract_product(threads_, *kernels_, words, Op::none, x_, j, sum.data(), sum.pitch());
      if (has_rest_[static_cast<std::size_t>(j)]) {
        matrix_.subtract_product(threads_, *kernels_, words, Op::none, rest_, j, sum.data(), sum.pitch());
      }
      for (std::int64_t i = 0; i < n_; ++i) r_.put(i, j, sum.close(i));
    }
  }
  /// d = A⁻¹ r by the factors.
  void find_corrections(const std::vector<std::int64_t>& lines) {
    if (low_) {
      correct(*low_, lines, [](const X& r) { return leading(r); });
    } else {
      correct(*high_, lines, [](const X& r) { return r; });
    }
  }
  /// x += d.
  void correct(std::int64_t line) {
    for (std::int64_t i = 0; i < n_; ++i) x_.put(i, line, x_.get(i, line) + d_.get(i, line));
  }
  /// The same, what x cannot hold going to `rest`, which residuals then count.
  void correct_with_rest(std::int64_t line) {
    has_rest_[static_cast<std::size_t>(line)] = true;
    for (std::int64_t i = 0; i < n_; ++i) {
      const X old = x_.get(i, line), change = rest_.get(i, line) + d_.get(i, line), x = old + change;
      x_.put(i, line, x);
      rest_.put(i, line, (old - x) + change);
    }
  }
  /// Residuals are x's alone again.
  void drop_rest(std::int64_t line) {
    has_rest_[static_cast<std::size_t>(line)] = false;
    for (std::int64_t i = 0; i < n_; ++i) rest_.put(i, line, X(0));
  }

  double size(std::int64_t line) const { return largest(x_, line); }
  double size_of_correction(std::int64_t line) const { return largest(d_, line); }
  /// max (|d_i| + noise · ‖d‖) / |x_i|, where |x_i| is less than 2^-53 of the largest to that.
  double relative_correction(std::int64_t line, double noise) const {
    const double least = 0x1p-53 * size(line), own = noise * size_of_correction(line);
    double ratio = 0.0;
    for (std::int64_t i = 0; i < n_; ++i) {
      const double d = size_of(d_.get(i, line)) + own, x = size_of(x_.get(i, line));
      if (d > 0.0) ratio = std::max(ratio, d / std::max(x, least));
    }
    return ratio;
  }
  /// max |r_i| / (|A| |x| + |b|)_i.
  double backward_error(std::int64_t line) const {
    const std::vector<double> sizes = product_of_sizes(line);
    double most = 0.0;
    for (std::int64_t i = 0; i < n_; ++i) {
      const double r = size_of(r_.get(i, line)), whole = sizes[static_cast<std::size_t>(i)];
      if (r > 0.0) most = std::max(most, r / whole);
    }
    return most;
  }

  const BlockedOptions& options() const { return options_; }
  // What asks for an engine of double-double products is not for the CBLAS.
  BlockedOptions options_of_double() const {
    BlockedOptions options;
    options.threads = options_.threads;
    options.block = options_.block;
    return options;
  }

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
    for (std::int64_t i = 0; i < n_; ++i) sum.add(i, b_.get(i, line));
    matrix_.subtract_product(threads_, *kernels_, most_words, Op::none, x_, line, sum.data(), sum.pitch());
    std::vector<X> r(static_cast<std::size_t>(n_));
    // A complex sum has twice as many terms in each part; a modulus is at most √2 of the larger part's bound.
    const double terms = 16.0 * static_cast<double>(n_) + 2.0, lost = std::pow(2.0 * terms * 0x1p-53, most_words);
    std::vector<double> error = product_of_sizes(line);
    double sum_of_x = 1.0;
    for (std::int64_t i = 0; i < n_; ++i) sum_of_x += size_of(x_.get(i, line));
    for (std::size_t i = 0; i < r.size(); ++i) {
      r[i] = sum.close(static_cast<std::int64_t>(i));
      // The product of sizes takes larger parts, which moduli are up to √2 times, and rounds itself.
      error[i] = 4.0 * (2.0 * 0x1p-106 * size_of(r[i]) + 2.0 * lost * error[i]) + 0x1p-1000 * sum_of_x;
    }
    return {std::move(r), std::move(error)};
  }

  /// Entry i of a solution of the system as it was given.
  X solution(std::int64_t i, std::int64_t line) const { return scaled(x_.get(i, line), exponent_of(i, line)); }
  /// How far what `write` writes may lie from the solution, entry by entry, where the scaled x lies within `bound`.
  void write_bound(std::int64_t line, const std::vector<double>& bound, double* to) const {
    for (std::int64_t i = 0; i < n_; ++i) {
      const X x = solution(i, line);
      const double rounding = magnitude_of_difference(X(rounded_to<T>(x)), x);
      const double own = scaled(bound[static_cast<std::size_t>(i)], exponent_of(i, line));
      // An x that is scaled into the subnormal numbers is rounded there.
      to[i] = (own + rounding) * (1.0 + 0x1p-50) + 4.0 * std::numeric_limits<double>::denorm_min();
    }
  }

  void write(const MatrixView<T>& to) const {
    for (std::int64_t j = 0; j < columns(); ++j) {
      for (std::int64_t i = 0; i < n_; ++i) to(i, j) = rounded_to<T>(solution(i, j));
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
    for (std::int64_t i = 0; i < n_; ++i) y[static_cast<std::size_t>(i)] = size_of(x_.get(i, line));
    std::vector<double> sums = sizes_times(y);
    for (std::int64_t i = 0; i < n_; ++i) sums[static_cast<std::size_t>(i)] += size_of(b_.get(i, line));
    return sums;
  }
  double largest(const Vectors<X>& v, std::int64_t line) const {
    double most = 0.0;
    for (std::int64_t i = 0; i < n_; ++i) {
      const double size = size_of(v.get(i, line));
      if (!(size <= most)) most = size;
    }
    return most;
  }
  template <class F, class Round>
  void correct(const Factors<F>& factors, const std::vector<std::int64_t>& lines, Round rounded) {
    const auto count = static_cast<std::int64_t>(lines.size());
    std::vector<F> data(static_cast<std::size_t>(n_ * count));
    const MatrixView<F> y = view(Layout::column, Op::none, data.data(), n_, count, n_);
    for (std::int64_t k = 0; k < count; ++k) {
      for (std::int64_t i = 0; i < n_; ++i) y(i, k) = rounded(r_.get(i, lines[static_cast<std::size_t>(k)]));
    }
    factors.solve(y);
    for (std::int64_t k = 0; k < count; ++k) {
      for (std::int64_t i = 0; i < n_; ++i) d_.put(i, lines[static_cast<std::size_t>(k)], X(y(i, k)));
    }
  }

  std::int64_t n_;
  Structure structure_;
  BlockedOptions options_;
  int threads_;
  const KernelSet* kernels_;
  Scaling scaling_;
  ExactMatrix<E> matrix_;
  Vectors<X> b_, x_, r_, d_, rest_;
  std::vector<char> has_rest_;
  std::vector<int> exponents_;
  double norm_ = 0.0;
  std::unique_ptr<Factors<Leading<T>>> low_;
  std::unique_ptr<Factors<X>> high_;
};

}  // namespace hilo::solver
