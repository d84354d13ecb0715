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
      low_ = std::make_shared<Factors<Leading<T>>>(n_, options_of_double());
      return low_->factor(path, structure_, leading_entries());
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
  /// The leading words of some of its columns.
  void write_leading(std::int64_t first, const MatrixView<Leading<T>>& to) const {
    host::for_parts(n_ < 128 ? 1 : threads_, to.columns, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = begin; j < end; ++j) {
        for (std::int64_t i = 0; i < n_; ++i) to(i, j) = leading(matrix_(i, first + j));
      }
    });
  }
  /// About |A| · y, no less but for what a sum of n products rounds.
  std::vector<double> product_with_magnitudes(const std::vector<double>& y) const {
    std::vector<double> sums = sizes_times(y);
    // Parts of complex numbers are counted, which moduli are up to √2 times.
    if constexpr (is_complex_of<T>) {
      for (double& e : sums) e *= 1.5;
    }
    return sums;
  }
  bool has_factors_in_double() const { return low_ != nullptr; }
  /// Near the scaled matrix's inverse, by the factors there are.
  std::vector<X> inverse() const {
    if (!low_) return high_->inverse();
    const std::vector<Leading<T>> x = low_->inverse();
    return {x.begin(), x.end()};
  }

  bool has_factors() const { return low_ || high_; }
  int threads() const { return threads_; }
  /// Factors of the leading words in double that are triangles, made where those there are are none; null where they
  /// are not to be had.
  std::shared_ptr<const Factors<Leading<T>>> triangles() const {
    if (low_ && low_->are_triangles()) return low_;
    auto lu = std::make_shared<Factors<Leading<T>>>(n_, options_of_double());
    const bool is_there = lu->factor(SolvePath::double_lu, Structure::general, leading_entries());
    // What proofs count of quotients that underflow needs pivots that have not grown much, as the ladder's have not.
    return is_there && lu->growth() <= 0x1p20 ? lu : nullptr;
  }

  /// What x lacks, by the residual there is and the factors, is added to its rest.
  void correct_rest(std::int64_t line) {
    find_corrections({line});
    unknowns_.correct_rest(line);
  }
  /// A bound of |b − A (x + rest)|, which is found in so many words and rounded.
  std::vector<double> bound_residual(std::int64_t line, int words) {
    find_residuals({line}, words);
    const double lost = lost_of_residual(words);
    std::vector<double> error = product_of_sizes(line);
    double sum_of_x = 1.0;
    for (std::int64_t i = 0; i < n_; ++i) sum_of_x += size_of(unknowns_.x.get(i, line)) + rest_size(i, line);
    for (std::int64_t i = 0; i < n_; ++i) {
      double& e = error[static_cast<std::size_t>(i)];
      const X r = unknowns_.r.get(i, line);
      // The product of sizes takes larger parts, which moduli are up to √2 times, and rounds itself.
      e = 4.0 * (2.0 * 0x1p-106 * size_of(r) + 2.0 * lost * e) + 0x1p-1000 * sum_of_x;
      e = (e + magnitude_above(r)) * (1.0 + 0x1p-50);
    }
    return error;
  }
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

 private:
  auto leading_entries() const {
    return [this](std::int64_t i, std::int64_t j) { return leading(matrix_(i, j)); };
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
    return Base::product_of_sizes(line, [this](const std::vector<double>& y) { return sizes_times(y); });
  }

  using Base::exponent_of;
  using Base::n_;
  using Base::norm_;
  using Base::rest_size;
  using Base::scaling_;
  using Base::structure_;
  using Base::unknowns_;
  BlockedOptions options_;
  int threads_;
  const KernelSet* kernels_;
  ExactMatrix<E> matrix_;
  std::shared_ptr<Factors<Leading<T>>> low_;
  std::unique_ptr<Factors<X>> high_;
};

}  // namespace hilo::solver
