// A system on a device: what the ladder of solve/ladder.hpp is climbed with. Vectors are on the host, the matrix and
// its factors on the device.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "solve/opencl/device_factors.hpp"
#include "solve/square_system.hpp"

namespace hilo::solver {

template <gemm_scalar T>
class DeviceSystem : public SquareSystem<T> {
  using Base = SquareSystem<T>;

 public:
  using typename Base::X;
  /// Of factors in double, and of an inverse.
  using Low = Leading<T>;
  using InverseInDouble = DeviceSquare;
  /// Nothing is known of what the device's factors leave: proofs are by products.
  static constexpr bool has_triangles = false;

  /// A device makes factors in double-double in less than twice the time of those in double.
  static constexpr double most_worthwhile = 10.0;

  DeviceSystem(Structure structure, DeviceMatrix& matrix, const Scaling& scaling, const MatrixView<const T>& b,
               const BlockedOptions& options)
      : Base(structure, matrix.order(), scaling, b), matrix_(matrix), options_(options) {
    matrix.take(scaling);
    this->set_row_sums(matrix.product_of_sizes(std::vector<double>(static_cast<std::size_t>(n_), 1.0)));
  }

  /// Whether the factors are there.
  bool factor(SolvePath path) {
    let_go(low_);
    let_go(high_);
    if (is_in_double(path)) {
      low_ = std::make_unique<DeviceFactors<Leading<T>>>(matrix_, options_of_double(options_));
      return low_->factor(path);
    }
    high_ = std::make_unique<DeviceFactors<X>>(matrix_, options_);
    return high_->factor(path);
  }
  double growth() const { return low_ ? low_->growth() : high_->growth(); }
  double condition() { return low_ ? low_->condition(norm_) : high_->condition(norm_); }

  /// Inverses of blocks give way to substitution.
  bool takes_more_care() {
    const bool does = low_ ? low_->has_inverses() : high_->has_inverses();
    if (does) low_ ? low_->drop_inverses() : high_->drop_inverses();
    return does;
  }

  /// r = b − A x.
  void find_residuals(const std::vector<std::int64_t>& lines, int words) {
    const std::int64_t count = blas::word_count<X> * unknowns_.x.pitch();
    for (const bool has_rest : {false, true}) {
      std::vector<std::int64_t> some;
      std::vector<double> vectors;
      for (const std::int64_t line : lines) {
        const Vectors<X>* const rest = unknowns_.rest(line);
        if ((rest != nullptr) != has_rest) continue;
        some.push_back(line);
        for (const double* v : {unknowns_.b.line(line), unknowns_.x.line(line), rest ? rest->line(line) : nullptr}) {
          if (v) vectors.insert(vectors.end(), v, v + count);
        }
      }
      if (some.empty()) continue;
      const std::vector<double> r = matrix_.residuals(words, vectors, unknowns_.x.pitch(), has_rest);
      for (std::size_t k = 0; k < some.size(); ++k) {
        std::copy_n(r.data() + static_cast<std::int64_t>(k) * count, count, unknowns_.r.line(some[k]));
      }
    }
  }
  /// d = A⁻¹ r by the factors.
  void find_corrections(const std::vector<std::int64_t>& lines) {
    low_ ? solve_by(*low_, lines, unknowns_) : solve_by(*high_, lines, unknowns_);
  }
  double backward_error(std::int64_t line, double least) {
    return this->backward_error_of(line, least, product_of_sizes(line));
  }

  DeviceMatrix& matrix() { return matrix_; }
  const BlockedOptions& options() const { return options_; }
  /// |A| (|x| + |rest|) + |b|, by larger parts.
  std::vector<double> product_of_sizes(std::int64_t line) {
    return Base::product_of_sizes(line, [this](const std::vector<double>& y) { return matrix_.product_of_sizes(y); });
  }
  /// About |A| · y, no less but for what a sum of n products rounds.
  std::vector<double> product_with_magnitudes(const std::vector<double>& y) {
    std::vector<double> sums = matrix_.product_of_sizes(y);
    // Moduli are up to √2 times the larger part.
    if constexpr (is_complex_of<T>) {
      for (double& e : sums) e *= 1.5;
    }
    return sums;
  }
  bool has_factors() const { return low_ || high_; }
  bool has_factors_in_double() const { return low_ != nullptr; }
  /// Near the scaled matrix's inverse, by the factors there are.
  DeviceSquare inverse_in_double() { return low_->inverse(); }
  DeviceSquare inverse() { return high_->inverse(); }

 private:
  template <class F>
  static void let_go(std::unique_ptr<F>& factors) {
    if (factors) factors->finish();
    factors.reset();
  }

  using Base::n_;
  using Base::norm_;
  using Base::unknowns_;
  DeviceMatrix& matrix_;
  BlockedOptions options_;
  std::unique_ptr<DeviceFactors<Leading<T>>> low_;
  std::unique_ptr<DeviceFactors<X>> high_;
};

}  // namespace hilo::solver
