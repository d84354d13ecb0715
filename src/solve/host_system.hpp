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
  /// Of factors in double, and of an inverse by columns.
  using Low = Leading<T>;
  using InverseInDouble = std::vector<Low>;
  /// Proofs by factors (factor_certificate.hpp) are to be had.
  static constexpr bool has_triangles = true;

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
    unknowns_.find_residuals(lines, words, [&](const Vectors<X>& y, const std::vector<LineSum<X>>& sums) {
      matrix_.subtract_products(threads_, *kernels_, Op::none, y, sums);
    });
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
  /// |A| (|x| + |rest|) + |b|, by larger parts.
  std::vector<double> product_of_sizes(std::int64_t line) const {
    return Base::product_of_sizes(line, [this](const std::vector<double>& y) { return sizes_times(y); });
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

 private:
  auto leading_entries() const {
    return [this](std::int64_t i, std::int64_t j) { return leading(matrix_(i, j)); };
  }
  // |A| · y.
  std::vector<double> sizes_times(const std::vector<double>& y) const {
    return matrix_.multiply_magnitudes(threads_, *kernels_, y);
  }
  using Base::n_;
  using Base::norm_;
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
