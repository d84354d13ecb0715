// log |Γ| next to its zeros between negative integers, with a small relative error: from 1/|Γ| in 256 bits, of which
// the difference from 1 keeps 135 at the dd_real closest to a zero.
#pragma once

#include <hilo/detail/gamma_zero_tables.hpp>
#include <hilo/detail/wide_exponential.hpp>

namespace hilo::detail {

/// Precondition: 0 <= n.
constexpr uint256 operator<<(uint256 a, int n) {
  if (n >= 256) return {0, 0};
  if (n >= 128) return {a.low << (n - 128), 0};
  return n == 0 ? a : uint256{a.high << n | a.low >> (128 - n), a.low << n};
}
constexpr uint256 operator>>(uint256 a, int n) {
  if (n >= 256) return {0, 0};
  if (n >= 128) return {0, a.high >> (n - 128)};
  return n == 0 ? a : uint256{a.high >> n, a.high << (128 - n) | a.low >> n};
}

/// floor(a · b / 2^256): the product of two fractions in [0, 1).
constexpr uint256 multiply_fractions(uint256 a, uint256 b) {
  uint256 outer = full_product(a.high, b.low), inner = full_product(a.low, b.high);
  uint256 middle = uint256{0, full_product(a.low, b.low).high} + uint256{0, outer.low} + uint256{0, inner.low};
  return full_product(a.high, b.high) + uint256{0, outer.high} + uint256{0, inner.high} + uint256{0, middle.high};
}

/// mantissa · 2^(exponent − 255) with the top bit of mantissa set: a Wide of twice the length, positive.
struct LongWide {
  uint256 mantissa;
  int exponent;

  /// m · 2^(e − 255). Precondition: m is not zero.
  static constexpr LongWide normalized(uint256 m, int e) {
    int shift = m.high != 0 ? leading_zeros(m.high) : 128 + leading_zeros(m.low);
    return {m << shift, e - shift};
  }

  /// |x|, truncated to the 256 bits that begin with hi's. Precondition: x is finite and not zero.
  static constexpr LongWide magnitude(dd_real x) {
    Wide high(x.hi), low(x.lo);
    uint256 a{high.mantissa, 0};
    if (low.is_zero()) return {a, high.exponent};
    uint256 b = uint256{low.mantissa, 0} >> (high.exponent - low.exponent);
    // Where hi is a power of two, the difference has a bit less.
    return normalized(low.is_negative == high.is_negative ? a + b : a - b, high.exponent);
  }

  /// Relative error below 2^-254.
  friend constexpr LongWide operator*(LongWide x, LongWide y) {
    return normalized(multiply_fractions(x.mantissa, y.mantissa), x.exponent + y.exponent + 1);
  }

  /// The leading 128 bits.
  constexpr Wide leading_bits() const { return {mantissa.high, exponent, false}; }

  /// x − 1, rounded to 128 bits where x is in [1/2, 2).
  constexpr Wide minus_one() const {
    if (exponent != 0 && exponent != -1) return leading_bits() - Wide(1);
    bool is_below = exponent < 0;
    uint256 one{uint128{1} << 127, 0}, rest = is_below ? uint256{0, 0} - mantissa : mantissa - one;
    if (rest.high == 0 && rest.low == 0) return {};
    Wide difference = normalized(rest, is_below ? -1 : 0).leading_bits();
    return is_below ? -difference : difference;
  }
};

/// 1/Γ(1 + t), t = ±size / 2^256, relative error below 2^-248. Precondition: |t| <= 1/2.
constexpr LongWide long_reciprocal_gamma(uint256 size, bool is_negative) {
  uint256 sum{0, 0};
  for (int k = reciprocal_gamma_terms - 1; k >= 0; --k) {
    uint256 product = multiply_fractions(sum, size), c = long_reciprocal_gamma_polynomial[k];
    if (detail::is_negative(sum)) product = product - size;
    sum = is_negative ? c - product : c + product;
  }
  return LongWide::normalized(sum, 1);
}

/// 1/|Γ(t − n)| = |t| (1 − t) (2 − t) … (n − t) / Γ(1 + t), relative error below 2^-244. 4 to 15 us.
/// Preconditions: 0 < |t| <= 1/2, n < 256.
constexpr LongWide long_reciprocal_abs_gamma(dd_real t, int n) {
  LongWide product = LongWide::magnitude(t);
  bool is_negative = sign_bit(t.hi);
  uint256 size = product.mantissa >> (-1 - product.exponent);
  product = product * long_reciprocal_gamma(size, is_negative);
  // k − t in units of 2^-248.
  uint256 part = size >> 8;
  for (int k = 1; k <= n; ++k) {
    uint256 whole{static_cast<uint128>(k) << 120, 0};
    product = product * LongWide::normalized(is_negative ? whole + part : whole - part, 7);
  }
  return product;
}

/// log |Γ(t − n)|, relative error below 2^-121. Preconditions: those of long_reciprocal_abs_gamma, and t − n is a
/// dd_real below −2, so that |log |Γ(t − n)|| > 2^-109.
constexpr Wide log_abs_gamma_near_zero(dd_real t, int n) {
  return -wide_log1p(long_reciprocal_abs_gamma(t, n).minus_one());
}

}  // namespace hilo::detail
