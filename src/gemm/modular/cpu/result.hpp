// From sums to C: alpha and beta.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <hilo/gemm.hpp>

#include "gemm/direct/reference.hpp"
#include "gemm/modular/cpu/operand.hpp"
#include "gemm/modular/cpu/plain_product.hpp"
#include "gemm/modular/exact_scalars.hpp"

namespace hilo::modular {

template <class T>
class Result {
 public:
  static constexpr std::int64_t width = 256;

  /// Up to `width` sums, by part.
  struct Line {
    alignas(64) double hi[2][width];
    alignas(64) double lo[2][width];
  };

  Result(T alpha, T beta, MatrixView<T> c, bool is_exact) : alpha_(alpha), beta_(beta), c_(c), is_exact_(is_exact) {
    if (!is_exact) return;
    shift_ = std::ilogb(leading_word(alpha));
    negates_ = leading_word(alpha) < 0.0;
  }

  /// What an exact product's exponents are moved by.
  std::int64_t shift() const { return shift_; }

  /// Sums of `count` entries from (row, column) on, along the row or along the column.
  void write(std::int64_t row, std::int64_t column, bool along_row, std::int64_t count, const Line& line) const {
    std::int64_t stride = along_row ? c_.column_stride : c_.row_stride;
    T* c = &c_(row, column);
    bool is_plain = is_exact_ ? !negates_ : alpha_ == T(1) && beta_ == T(0);
    for (std::int64_t i = 0; i < count; ++i, c += stride) {
      T sum = value(line, i);
      *c = is_plain ? sum : is_exact_ ? -sum : scaled(sum, *c);
    }
  }

 private:
  static dd_real number(const Line& line, int part, std::int64_t i) {
    dd_real x;
    x.hi = line.hi[part][i];
    x.lo = line.lo[part][i];
    return x;
  }
  static T value(const Line& line, std::int64_t i) {
    if constexpr (std::same_as<T, dd_real>) {
      return number(line, 0, i);
    } else if constexpr (std::same_as<T, dd_complex>) {
      return {number(line, 0, i), number(line, 1, i)};
    } else if constexpr (std::same_as<T, double>) {
      return line.hi[0][i];
    } else {
      return {line.hi[0][i], line.hi[1][i]};
    }
  }

  // alpha · sum + beta · c; c is not read where beta = 0.
  T scaled(const T& sum, const T& c) const {
    if constexpr (double_double<T>) {
      return direct::scale_and_add(alpha_, sum, beta_, c);
    } else {
      return plain_scale_and_add(alpha_, sum, beta_, c);
    }
  }

  T alpha_, beta_;
  MatrixView<T> c_;
  bool is_exact_, negates_ = false;
  std::int64_t shift_ = 0;
};

}  // namespace hilo::modular
