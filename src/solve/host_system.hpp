// A system on the host: what the ladder of solve/ladder.hpp is climbed with.
#pragma once

#include <array>
#include <hilo/solve.hpp>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "solve/exact_matrix.hpp"
#include "solve/factors.hpp"
#include "solve/square_system.hpp"

namespace hilo::solver {

inline int threads_of(const BlockedOptions& options) {
  return options.threads > 0 ? options.threads : host::default_threads();
}

/// A general matrix's rows, and where it lies.
struct GeneralMatrix {
  std::vector<double> largest = {};         ///< of each row
  std::optional<MatrixInPlace> place = {};  ///< where its columns are contiguous real numbers
  bool has_low_words = true;
  bool is_for_double = true;  ///< whether its leading words are asked for
};

/// Those of A; nothing where an entry is not finite.
template <gemm_scalar T>
std::optional<GeneralMatrix> general_matrix(const MatrixView<const T>& a, const BlockedOptions& options) {
  const int threads = threads_of(options);
  GeneralMatrix known;
  if constexpr (std::same_as<T, double> || std::same_as<T, dd_real>) {
    if (a.row_stride == 1 && a.column_stride >= 0) {
      constexpr std::int64_t words = blas::word_count<T>;
      const MatrixInPlace place{reinterpret_cast<const double*>(a.data), a.rows, a.columns, words,
                                words * a.column_stride};
      const KernelSet& kernels = kernel_set(options.target);
      known.largest.resize(static_cast<std::size_t>(a.rows));
      Entries entries;
      std::mutex mutex;
      host::for_parts(a.rows * a.columns < 16384 ? 1 : threads, a.columns, [&](std::int64_t begin, std::int64_t end) {
        std::vector<double> own(known.largest.size());
        const Entries some = kernels.find_largest(place, begin, end, own.data());
        const std::lock_guard lock(mutex);
        entries.are_finite = entries.are_finite && some.are_finite;
        entries.have_low_words = entries.have_low_words || some.have_low_words;
        std::transform(own.begin(), own.end(), known.largest.begin(), known.largest.begin(),
                       [](double x, double y) { return std::max(x, y); });
      });
      if (!entries.are_finite) return {};
      known.place = place;
      known.has_low_words = entries.have_low_words;
      return known;
    }
  }
  auto largest = largest_of_rows(threads, a.rows, a.columns,
                                 [&a](std::int64_t i, std::int64_t j) { return blas::element(a, i, j); });
  if (!largest) return {};
  known.largest = std::move(*largest);
  return known;
}

/// A · X = B, A and B scaled; right-hand sides are columns of B. A matrix that is known to lie somewhere stays there.
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

  /// entry(i, j) of A is of that structure, `known` of a general one.
  template <class Entry>
  HostSystem(Structure structure, std::int64_t n, Entry entry, const MatrixView<const T>& b,
             const BlockedOptions& options, const GeneralMatrix& known = {})
      : Base(structure, n,
             structure == Structure::general    ? scaling_of(known.largest, n)
             : structure == Structure::positive ? positive_scaling_of(n, entry)
                                                : symmetric_scaling_of(n, entry),
             b),
        options_(options),
        threads_(threads_of(options)),
        kernels_(&kernel_set(options.target)),
        matrix_(matrix_in_place(known, entry)) {
    const std::vector<double> ones(static_cast<std::size_t>(n), 1.0);
    this->set_row_sums(prepared_ ? sizes_of_prepared_times(ones) : sizes_times(ones));
  }

  /// Whether the factors are there.
  bool factor(SolvePath path) {
    low_.reset();
    if (is_in_double(path)) {
      if (prepared_) {
        low_ = std::exchange(prepared_, nullptr);
        return low_->factor_in_place(path, structure_, largest_);
      }
      low_ = std::make_shared<Factors<Leading<T>>>(n_, options_of_double());
      return low_->factor(path, structure_, leading_entries());
    }
    prepared_.reset();
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
  // Where it may be read as it lies. Scales of columns are found, and leading words put where factors are to be, while
  // a column is in a cache.
  template <class Entry>
  ExactMatrix<E> matrix_in_place(const GeneralMatrix& known, Entry entry) {
    const bool is_general = structure_ == Structure::general;
    const auto copied = [&] {
      return ExactMatrix<E>(threads_, scaling_, entry, is_general ? &scaling_.columns : nullptr);
    };
    if (!known.place || !has_normal_scales(scaling_)) return copied();
    const MatrixInPlace& a = *known.place;
    const std::vector<double> row_scales = powers_of_two(scaling_.rows);
    if constexpr (!is_complex_of<T>) {
      if (known.is_for_double) prepared_ = std::make_shared<Factors<Leading<T>>>(n_, options_of_double());
    }
    std::mutex mutex;
    host::for_parts(n_ < 128 ? 1 : threads_, n_, [&](std::int64_t begin, std::int64_t end) {
      double own = 0.0;
      for (std::int64_t j = begin; j < end; ++j) {
        const double size = kernels_->largest_of_column(a, j, row_scales.data());
        const int e = scaling_.columns[static_cast<std::size_t>(j)] = exponent_to_one(size);
        own = std::max(own, scaled(size, e));
        if constexpr (!is_complex_of<T>) {
          if (prepared_) kernels_->put_leading(a, j, row_scales.data(), scaled(1.0, e), &prepared_->place()(0, j));
        }
      }
      const std::lock_guard lock(mutex);
      largest_ = std::max(largest_, own);
    });
    if (has_normal_scales(scaling_)) return ExactMatrix<E>(a, scaling_, known.has_low_words);
    prepared_.reset();
    return copied();
  }
  auto leading_entries() const {
    return [this](std::int64_t i, std::int64_t j) { return leading(matrix_(i, j)); };
  }
  // |A| · y.
  std::vector<double> sizes_times(const std::vector<double>& y) const {
    return matrix_.multiply_magnitudes(threads_, *kernels_, y);
  }
  // The same, of leading words that wait for being factored.
  std::vector<double> sizes_of_prepared_times(const std::vector<double>& y) const {
    if constexpr (is_complex_of<T>) {
      return sizes_times(y);
    } else {
      const MatrixInPlace a{prepared_->place().data, n_, n_, 1, n_};
      const std::vector<int> zeros(y.size());
      return ExactMatrix<double>(a, {zeros, zeros}, false).multiply_magnitudes(threads_, *kernels_, y);
    }
  }
  using Base::n_;
  using Base::norm_;
  using Base::scaling_;
  using Base::structure_;
  using Base::unknowns_;
  BlockedOptions options_;
  int threads_;
  const KernelSet* kernels_;
  std::shared_ptr<Factors<Leading<T>>> prepared_;  // the leading words alone, until they are factored
  double largest_ = 0.0;                           // of these
  ExactMatrix<E> matrix_;
  std::shared_ptr<Factors<Leading<T>>> low_;
  std::unique_ptr<Factors<X>> high_;
};

}  // namespace hilo::solver
