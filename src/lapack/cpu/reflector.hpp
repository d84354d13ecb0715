// A reflector H = I − tau · v · vᴴ, v₁ = 1, that makes a column in lines zero below its first entry.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <hilo/blas.hpp>
#include <hilo/math/basic.hpp>
#include <limits>

#include "blas/words.hpp"

namespace hilo::lapack {

template <class T>
T conjugate(const T& x) {
  return blas::conjugated<T>(x, true);
}

template <gemm_scalar T>
real_type<T> real_part(const T& x) {
  if constexpr (is_complex(precision_of<T>)) {
    return x.real();
  } else {
    return x;
  }
}
template <gemm_scalar T>
real_type<T> imaginary_part(const T& x) {
  if constexpr (is_complex(precision_of<T>)) {
    return x.imag();
  } else {
    return real_type<T>(0);
  }
}

/// x · s, s a power of two.
template <gemm_scalar T>
T scaled(const T& x, blas::Word<T> s) {
  if constexpr (std::same_as<T, dd_real>) {
    dd_real r;
    r.hi = x.hi * s;
    r.lo = x.lo * s;
    return r;
  } else if constexpr (std::same_as<T, dd_complex>) {
    return {scaled(x.re, s), scaled(x.im, s)};
  } else {
    return x * s;
  }
}

/// The power of two that brings x near 1, as far as it can; 1 of what is near enough, so that most columns need not be
/// scaled, and sums with columns of any size still have nearly all of the range, and of 0.
template <std::floating_point Word>
Word scale_to_one(Word x) {
  constexpr int limit = std::numeric_limits<Word>::max_exponent - 2, near_one = sizeof(Word) == 8 ? 16 : 8;
  const int exponent = x == 0 ? 0 : std::ilogb(x);
  return std::abs(exponent) <= near_one ? Word(1) : std::ldexp(Word(1), std::clamp(-exponent, -limit, limit));
}

/// That of the largest part of entries j … m − 1 of line k; 1 where not all are finite. Whether the column is R's
/// already: real, and zero below.
template <gemm_scalar T>
struct ColumnScale {
  blas::Word<T> scale = 1;
  bool is_done;

  ColumnScale(const blas::Lines<T>& columns, std::int64_t k, std::int64_t j, std::int64_t m) {
    using Word = blas::Word<T>;
    using Number = std::numeric_limits<Word>;
    constexpr int step = precisions::words(precision_of<T>);
    bool is_finite = true, is_zero = true;
    Word most = 0;
    for (int w = 0; w < blas::word_count<T>; w += step) {
      const Word* x = columns.line(k) + w * columns.pitch();
      for (std::int64_t i = j; i < m; ++i) {
        const Word size = std::fabs(x[i]);
        is_finite = is_finite && size <= Number::max();
        if (i > j || w > 0) is_zero = is_zero && size == 0;
        most = std::max(most, size);
      }
    }
    is_done = is_zero;
    if (is_finite) scale = scale_to_one(most);
  }
};

/// Of a column that begins with alpha, and Σ |x|² of what is below, whose imaginary part is left out: H · column =
/// (beta, 0 …), v = x / divisor below 1.
template <gemm_scalar T>
struct Reflector {
  using Real = real_type<T>;
  Real beta;
  T tau, divisor;

  Reflector(const T& alpha, const T& below) {
    using std::sqrt;
    const Real re = real_part(alpha), im = imaginary_part(alpha);
    const Real norm = sqrt(re * re + im * im + real_part(below));
    beta = re < Real(0) ? norm : -norm;
    divisor = alpha - T(beta);
    if constexpr (is_complex(precision_of<T>)) {
      tau = T((beta - re) / beta, -im / beta);
    } else {
      tau = (beta - re) / beta;
    }
  }
};

}  // namespace hilo::lapack
