// Factors of a scaled matrix in one precision, and what is solved with them.
#pragma once

#include <algorithm>
#include <hilo/solve.hpp>
#include <limits>
#include <mutex>
#include <vector>

#include "host/workspace.hpp"
#include "solve/scaling.hpp"

namespace hilo::solver {

enum class Structure : std::uint8_t { general, symmetric, hermitian, positive };

constexpr bool is_in_double(SolvePath path) { return path < SolvePath::double_double_lu; }

// What asks for an engine of double-double products is not for the CBLAS.
inline BlockedOptions options_of_double(const BlockedOptions& of_double_double) {
  BlockedOptions options;
  options.threads = of_double_double.threads;
  options.block = of_double_double.block;
  return options;
}

/// An n × n matrix's. What is not general is factored by its lower triangle.
template <gemm_scalar F>
class Factors {
 public:
  using Element = F;

  Factors(std::int64_t n, const BlockedOptions& options)
      : n_(n),
        options_(options),
        memory_(n * n * static_cast<std::int64_t>(sizeof(F))),
        data_(reinterpret_cast<F*>(memory_.data())),
        pivots_(static_cast<std::size_t>(n)) {}

  /// Where the matrix is to be put.
  MatrixView<F> place() { return view(Layout::column, Op::none, data_, n_, n_, n_); }

  /// Those that `path` names; false where a pivot is 0, or not positive.
  template <class Entry>
  bool factor(SolvePath path, Structure structure, Entry entry) {
    double of_matrix = 0.0;
    std::mutex mutex;
    const int threads = n_ < 128 ? 1 : options_.threads > 0 ? options_.threads : host::default_threads();
    host::for_parts(threads, n_, [&](std::int64_t begin, std::int64_t end) {
      double own = 0.0;
      for (std::int64_t j = begin; j < end; ++j) {
        for (std::int64_t i = 0; i < n_; ++i) own = std::max(own, size_of(place()(i, j) = entry(i, j)));
      }
      const std::lock_guard lock(mutex);
      of_matrix = std::max(of_matrix, own);
    });
    return factor_in_place(path, structure, of_matrix);
  }
  /// The same of what has been put there, whose largest entry is known.
  bool factor_in_place(SolvePath path, Structure structure, double of_matrix) {
    const std::span<std::int64_t> pivots(pivots_);
    bool is_triangle_upper = false;
    switch (path) {
      case SolvePath::double_cholesky:
      case SolvePath::double_double_cholesky:
        method_ = Method::cholesky;
        return potrf(Uplo::lower, place(), options_) == 0;
      case SolvePath::double_ldl:
      case SolvePath::double_double_ldl:
        method_ = structure == Structure::symmetric ? Method::symmetric : Method::hermitian;
        if (method_ == Method::symmetric ? sytrf(Uplo::lower, place(), pivots, options_) != 0
                                         : hetrf(Uplo::lower, place(), pivots, options_) != 0) {
          return false;
        }
        break;
      case SolvePath::double_double_qr:
        method_ = Method::qr;
        tau_.resize(static_cast<std::size_t>(n_));
        geqrf(place(), std::span(tau_), options_);
        for (std::int64_t i = 0; i < n_; ++i) {
          if (!(size_of(place()(i, i)) > 0.0)) return false;
        }
        return true;
      default:
        method_ = Method::lu;
        if (getrf(place(), pivots, options_) != 0) return false;
        is_triangle_upper = true;
    }
    double of_factor = 0.0;
    for (std::int64_t j = 0; j < n_; ++j) {
      for (std::int64_t i = is_triangle_upper ? 0 : j; i < (is_triangle_upper ? j + 1 : n_); ++i) {
        of_factor = std::max(of_factor, size_of(place()(i, j)));
      }
    }
    growth_ = of_factor / of_matrix;
    return growth_ < std::numeric_limits<double>::infinity();
  }

  /// Near A⁻¹, by columns.
  std::vector<F> inverse() const {
    std::vector<F> x(static_cast<std::size_t>(n_ * n_));
    for (std::int64_t i = 0; i < n_; ++i) x[static_cast<std::size_t>(i * (n_ + 1))] = F(1);
    solve(view(Layout::column, Op::none, x.data(), n_, n_, n_));
    return x;
  }

  /// X = A⁻¹ · X.
  void solve(const MatrixView<F>& x) const {
    const MatrixView<const F> a = matrix();
    const std::span<const std::int64_t> pivots(pivots_);
    switch (method_) {
      case Method::lu:
        return getrs(Op::none, a, pivots, x, options_);
      case Method::cholesky:
        return potrs(Uplo::lower, a, x, options_);
      case Method::symmetric:
        return sytrs(Uplo::lower, a, pivots, x, options_);
      case Method::hermitian:
        return hetrs(Uplo::lower, a, pivots, x, options_);
      case Method::qr:
        break;
    }
    unmqr(Side::left, Op::conjugate_transpose, a, std::span<const F>(tau_), x, options_);
    trsm(Side::left, Uplo::upper, Diag::non_unit, F(1), a, x, options_);
  }

  /// What LU and Cholesky leave: P · A = L · U, A = L · Lᴴ in the lower triangle.
  bool are_triangles() const { return method_ == Method::lu || method_ == Method::cholesky; }
  bool is_positive() const { return method_ == Method::cholesky; }
  MatrixView<const F> matrix() const { return view<const F>(Layout::column, Op::none, data_, n_, n_, n_); }
  std::span<const std::int64_t> pivots() const { return pivots_; }

  /// The largest entry of U, or of L and D, by the largest of A; 0 where pivots do not grow.
  double growth() const { return growth_; }
  /// An estimate of ‖A‖ ‖A⁻¹‖ in the ∞-norm, `norm` being ‖A‖.
  double condition(double norm) const {
    using Real = real_type<F>;
    const MatrixView<const F> a = matrix();
    const std::span<const std::int64_t> pivots(pivots_);
    const auto reciprocal = [&]() -> Real {
      switch (method_) {
        case Method::lu:
          return gecon(Norm::infinity, a, Real(norm), options_);
        case Method::cholesky:
          return pocon(Uplo::lower, a, Real(norm), options_);
        case Method::symmetric:
          return sycon(Uplo::lower, a, pivots, Real(norm), options_);
        case Method::hermitian:
          return hecon(Uplo::lower, a, pivots, Real(norm), options_);
        case Method::qr:
          break;
      }
      return trcon(Norm::infinity, Uplo::upper, Diag::non_unit, a, options_);
    };
    return 1.0 / static_cast<double>(reciprocal());
  }

 private:
  enum class Method : std::uint8_t { lu, cholesky, symmetric, hermitian, qr };

  std::int64_t n_;
  BlockedOptions options_;
  Method method_ = Method::lu;
  host::Workspace memory_;
  F* data_;
  std::vector<F> tau_;
  std::vector<std::int64_t> pivots_;
  double growth_ = 0.0;
};

}  // namespace hilo::solver
