// A system on the host: what the ladder of solve/ladder.hpp is climbed with.
#pragma once

#include <array>
#include <hilo/solve.hpp>
#include <utility>
#include <vector>

#include "solve/exact_matrix.hpp"
#include "solve/factors.hpp"
#include "solve/square_system.hpp"

namespace hilo::solver {

inline int threads_of(const BlockedOptions& options) {
  return options.threads > 0 ? options.threads : host::default_threads();
}

/// A · X = B, A and B scaled; right-hand sides are columns of B.
template <gemm_scalar T>
class HostSystem : public SquareSystem<T> {
  using Base = SquareSystem<T>;

 public:
  using Base::solution;
  using typename Base::E;
  using typename Base::X;

  /// entry(i, j) of A is of that structure; `largest` are those of a general A's rows.
  template <class Entry>
  HostSystem(Structure structure, std::int64_t n, Entry entry, const MatrixView<const T>& b,
             const BlockedOptions& options, const std::vector<double>& largest = {})
      : Base(structure, n,
             structure == Structure::general    ? scaling_of(largest, n)
             : structure == Structure::positive ? positive_scaling_of(n, entry)
                                                : symmetric_scaling_of(n, entry),
             b),
        options_(options),
        threads_(threads_of(options)),
        kernels_(&kernel_set(options.target)),
        matrix_(threads_, scaling_, entry, structure == Structure::general ? &scaling_.columns : nullptr) {
    this->set_row_sums(sizes_times(std::vector<double>(static_cast<std::size_t>(n), 1.0)));
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

  /// r = b − A x.
  void find_residuals(const std::vector<std::int64_t>& lines, int words) {
    for (const std::int64_t line : lines) {
      unknowns_.find_residual(line, words, [&](const Vectors<X>& y, VectorOfSums<X>& sum) {
        matrix_.subtract_product(threads_, *kernels_, words, Op::none, y, line, sum.data(), sum.pitch());
      });
    }
  }
  /// d = A⁻¹ r by the factors.
  void find_corrections(const std::vector<std::int64_t>& lines) {
    low_ ? solve_by(*low_, lines, unknowns_) : solve_by(*high_, lines, unknowns_);
  }

  double backward_error(std::int64_t line, double least) const {
    return this->backward_error_of(line, least, product_of_sizes(line));
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
    return Base::product_of_sizes(line, [this](const std::vector<double>& y) { return sizes_times(y); });
  }

  using Base::exponent_of;
  using Base::n_;
  using Base::norm_;
  using Base::scaling_;
  using Base::structure_;
  using Base::unknowns_;
  BlockedOptions options_;
  int threads_;
  const KernelSet* kernels_;
  ExactMatrix<E> matrix_;
  std::unique_ptr<Factors<Leading<T>>> low_;
  std::unique_ptr<Factors<X>> high_;
};

}  // namespace hilo::solver
