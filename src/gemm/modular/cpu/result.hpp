// From sums to C: alpha and beta.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <hilo/gemm.hpp>

#include "gemm/direct/cpu/kernels.hpp"
#include "gemm/modular/cpu/operand.hpp"
#include "gemm/modular/cpu/plain_product.hpp"
#include "gemm/modular/exact_scalars.hpp"

namespace hilo::modular {

template <class T>
class Result {
 public:
  static constexpr std::int64_t width = 256;

  /// Up to `width` numbers, by part.
  struct Line {
    alignas(64) double hi[2][width];
    alignas(64) double lo[2][width];
  };

  Result(T alpha, T beta, MatrixView<T> c, bool is_exact, const direct::KernelSet& kernels)
      : alpha_(alpha), beta_(beta), c_(c), is_exact_(is_exact), kernels_(kernels) {
    if (!is_exact) return;
    shift_ = std::ilogb(leading_word(alpha));
    negates_ = leading_word(alpha) < 0.0;
  }

  /// What an exact product's exponents are moved by.
  std::int64_t shift() const { return shift_; }

  /// Sums of `count` entries from (row, column) on, along the row or along the column.
  void write(std::int64_t row, std::int64_t column, bool along_row, std::int64_t count, Line& line) const {
    const std::int64_t stride = along_row ? c_.column_stride : c_.row_stride;
    T* const c = &c_(row, column);
    if (is_exact_ ? !negates_ : alpha_ == T(1) && beta_ == T(0)) {
      for (std::int64_t i = 0; i < count; ++i) c[i * stride] = value(line, i);
    } else if (is_exact_) {
      for (std::int64_t i = 0; i < count; ++i) c[i * stride] = -value(line, i);
    } else {
      scale_and_add(line, count, c, stride);
    }
  }

 private:
  // C = alpha · sums + beta · C; C is not read where beta = 0.
  void scale_and_add(Line& sum, std::int64_t count, T* c, std::int64_t stride) const {
    if constexpr (double_double<T>) {
      Line result;
      if (!(beta_ == T(0))) {
        for (std::int64_t i = 0; i < count; ++i) put(c[i * stride], result, i);
      }
      if constexpr (std::same_as<T, dd_real>) {
        kernels_.scale_and_add(count, alpha_, {sum.hi[0], sum.lo[0]}, beta_, {result.hi[0], result.lo[0]});
      } else {
        kernels_.scale_and_add_complex(count, alpha_, {{sum.hi[0], sum.lo[0]}, {sum.hi[1], sum.lo[1]}}, beta_,
                                       {{result.hi[0], result.lo[0]}, {result.hi[1], result.lo[1]}});
      }
      for (std::int64_t i = 0; i < count; ++i) c[i * stride] = value(result, i);
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        T& to = c[i * stride];
        to = plain_scale_and_add(alpha_, value(sum, i), beta_, to);
      }
    }
  }

  static void put(const dd_real& x, Line& line, std::int64_t i, int part = 0) {
    line.hi[part][i] = x.hi;
    line.lo[part][i] = x.lo;
  }
  static void put(const dd_complex& z, Line& line, std::int64_t i) {
    put(z.re, line, i, 0);
    put(z.im, line, i, 1);
  }
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

  T alpha_, beta_;
  MatrixView<T> c_;
  bool is_exact_, negates_ = false;
  const direct::KernelSet& kernels_;
  std::int64_t shift_ = 0;
};

}  // namespace hilo::modular
