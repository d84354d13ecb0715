// A floating-point number of 128 bits and any exponent, in integer arithmetic: what elementary functions are computed
// in before they are rounded to a dd_real. Integers alone decide the bits, whatever the compiler and its flags.
#pragma once

#include <hilo/math/basic.hpp>

namespace hilo::detail {

__extension__ using uint128 = unsigned __int128;

constexpr uint128 make_uint128(std::uint64_t high, std::uint64_t low) { return static_cast<uint128>(high) << 64 | low; }
constexpr std::uint64_t high_word(uint128 a) { return static_cast<std::uint64_t>(a >> 64); }
constexpr std::uint64_t low_word(uint128 a) { return static_cast<std::uint64_t>(a); }

/// Precondition: a != 0.
constexpr int leading_zeros(uint128 a) {
  return high_word(a) != 0 ? std::countl_zero(high_word(a)) : 64 + std::countl_zero(low_word(a));
}

struct uint256 {
  uint128 high, low;
};

constexpr uint256 full_product(uint128 a, uint128 b) {
  uint128 a1 = high_word(a), a0 = low_word(a), b1 = high_word(b), b0 = low_word(b);
  uint128 outer = a1 * b0, inner = a0 * b1, bottom = a0 * b0;
  uint128 middle = (bottom >> 64) + low_word(outer) + low_word(inner);
  return {a1 * b1 + (outer >> 64) + (inner >> 64) + (middle >> 64), middle << 64 | low_word(bottom)};
}

/// floor(a · b / 2^128): the product of two fractions in [0, 1).
constexpr uint128 multiply_fractions(uint128 a, uint128 b) { return full_product(a, b).high; }

/// ±mantissa · 2^(exponent − 127) with the top bit of mantissa set, so that 2^exponent <= |x| < 2^(exponent + 1); or
/// zero, with mantissa 0. Sums, products and conversions from dd_real truncate: their relative error is below 2^-126,
/// and 0 where the result has 128 bits. Exponents do not overflow in any use (|exponent| < 2^29).
struct Wide {
  uint128 mantissa = 0;
  int exponent = 0;
  bool is_negative = false;

  constexpr Wide() = default;
  constexpr Wide(uint128 m, int e, bool negative) : mantissa(m), exponent(e), is_negative(negative) {}

  /// m · 2^(e − 127) for any m.
  static constexpr Wide normalized(uint128 m, int e, bool negative) {
    if (m == 0) return {};
    int shift = leading_zeros(m);
    return {m << shift, e - shift, negative};
  }

  constexpr Wide(int n)
      : Wide(normalized(static_cast<uint128>(n < 0 ? -static_cast<std::int64_t>(n) : n), 127, n < 0)) {}

  /// Exact. Precondition: a is finite.
  constexpr Wide(double a) {
    if (a == 0.0) return;
    auto bits = std::bit_cast<std::uint64_t>(a);
    std::uint64_t fraction = bits & 0xfffffffffffffu;
    int field = static_cast<int>(bits >> 52 & 0x7ff);
    if (field != 0) {
      *this = {make_uint128((std::uint64_t{1} << 52 | fraction) << 11, 0), field - 1023, sign_bit(a)};
    } else {
      *this = normalized(fraction, 127 - 1074, sign_bit(a));
    }
  }

  /// Precondition: x is finite. Exact unless lo reaches below the 128 bits that begin with hi's.
  constexpr Wide(dd_real x) : Wide(Wide(x.hi) + Wide(x.lo)) {}

  constexpr bool is_zero() const { return mantissa == 0; }

  friend constexpr Wide operator-(Wide x) { return {x.mantissa, x.exponent, !x.is_negative}; }

  friend constexpr Wide operator+(Wide x, Wide y) {
    if (x.mantissa == 0) return y;
    if (y.mantissa == 0) return x;
    if (x.exponent < y.exponent || (x.exponent == y.exponent && x.mantissa < y.mantissa)) {
      Wide z = x;
      x = y;
      y = z;
    }
    int shift = x.exponent - y.exponent;
    if (shift > 127) return x;
    if (x.is_negative == y.is_negative) {
      uint128 sum = x.mantissa + (y.mantissa >> shift);
      bool carry = sum < x.mantissa;
      return {carry ? sum >> 1 | uint128{1} << 127 : sum, x.exponent + carry, x.is_negative};
    }
    // One bit more keeps the difference of neighbouring binades exact; from two binades on one bit cancels at most.
    if (shift == 1) {
      uint128 difference = (x.mantissa << 1) - y.mantissa;
      bool overflows = (x.mantissa << 1) >= y.mantissa;
      if (overflows) return {difference >> 1 | uint128{1} << 127, x.exponent, x.is_negative};
      return normalized(difference, x.exponent - 1, x.is_negative);
    }
    return normalized(x.mantissa - (y.mantissa >> shift), x.exponent, x.is_negative);
  }
  friend constexpr Wide operator-(Wide x, Wide y) { return x + -y; }

  friend constexpr Wide operator*(Wide x, Wide y) {
    if (x.mantissa == 0 || y.mantissa == 0) return {};
    uint256 p = full_product(x.mantissa, y.mantissa);
    bool negative = x.is_negative != y.is_negative;
    if (p.high >> 127 != 0) return {p.high, x.exponent + y.exponent + 1, negative};
    return {p.high << 1 | p.low >> 127, x.exponent + y.exponent, negative};
  }

  /// Relative error below 2^-124. Precondition: y is not zero.
  friend constexpr Wide operator/(Wide x, Wide y) {
    if (x.mantissa == 0) return {};
    Wide divisor(y.mantissa, 0, y.is_negative);
    Wide inverse(1.0 / divisor.leading_double());
    inverse = inverse + inverse * (Wide(1) - divisor * inverse);
    Wide quotient = x * inverse;
    quotient = quotient + inverse * (x - divisor * quotient);
    quotient.exponent -= y.exponent;
    return quotient;
  }

  constexpr Wide& operator+=(Wide y) { return *this = *this + y; }
  constexpr Wide& operator-=(Wide y) { return *this = *this - y; }
  constexpr Wide& operator*=(Wide y) { return *this = *this * y; }
  constexpr Wide& operator/=(Wide y) { return *this = *this / y; }

  /// Signs of zero do not count.
  friend constexpr bool operator==(Wide x, Wide y) { return (x - y).is_zero(); }
  friend constexpr bool operator<(Wide x, Wide y) {
    Wide d = x - y;
    return !d.is_zero() && d.is_negative;
  }
  friend constexpr bool operator>(Wide x, Wide y) { return y < x; }

  /// x · 2^n.
  friend constexpr Wide ldexp(Wide x, int n) {
    x.exponent += n;
    return x;
  }
  friend constexpr Wide abs(Wide x) { return {x.mantissa, x.exponent, false}; }

  /// The square root, relative error below 2^-124. Precondition: x >= 0.
  friend constexpr Wide sqrt(Wide x) {
    if (x.mantissa == 0) return {};
    int half = x.exponent >> 1;
    x.exponent &= 1;
    Wide inverse(1.0 / scalar_ops::square_root(x.leading_double()));
    inverse = inverse + ldexp(inverse * (Wide(1) - x * inverse * inverse), -1);
    Wide root = x * inverse;
    root = root + ldexp(inverse * (x - root * root), -1);
    root.exponent += half;
    return root;
  }

  /// The leading 53 bits, truncated. Precondition: |exponent| <= 1022 or zero.
  constexpr double leading_double() const {
    if (mantissa == 0) return 0.0;
    std::uint64_t sign = static_cast<std::uint64_t>(is_negative) << 63;
    std::uint64_t field = static_cast<std::uint64_t>(exponent + 1023) << 52;
    return std::bit_cast<double>(sign | field | (static_cast<std::uint64_t>(mantissa >> 75) & 0xfffffffffffffu));
  }

  /// The nearest integer, halves away from zero. Precondition: |x| < 2^62.
  constexpr std::int64_t nearest_integer() const {
    if (mantissa == 0 || exponent < -1) return 0;
    auto doubled = static_cast<std::int64_t>(mantissa >> (126 - exponent));
    std::int64_t n = (doubled + 1) >> 1;
    return is_negative ? -n : n;
  }

  /// floor(|x| · 2^128). Precondition: |x| < 1.
  constexpr uint128 fraction() const { return exponent < -128 ? 0 : mantissa >> (-1 - exponent); }
};

/// m · 2^(e − 127) rounded to nearest, ties to even, subnormal or infinite where it has to be.
constexpr double round_to_double(uint128 m, int e, bool is_negative) {
  std::uint64_t sign = static_cast<std::uint64_t>(is_negative) << 63;
  const std::uint64_t infinity = std::uint64_t{0x7ff} << 52;
  if (m == 0) return std::bit_cast<double>(sign);
  int shift = leading_zeros(m);
  m <<= shift;
  e -= shift;
  if (e < -1075) return std::bit_cast<double>(sign);
  if (e > 1023) return std::bit_cast<double>(sign | infinity);
  int dropped = e >= -1022 ? 75 : 75 + (-1022 - e);
  uint128 kept = dropped == 128 ? 0 : m >> dropped;
  uint128 rest = dropped == 128 ? m : m << (128 - dropped), half = uint128{1} << 127;
  auto bits = static_cast<std::uint64_t>(kept);
  bits += rest > half || (rest == half && bits % 2 != 0);
  // Adding to the exponent field lets a carry out of the mantissa move it up.
  bits += e >= -1022 ? static_cast<std::uint64_t>(e + 1022) << 52 : 0;
  return std::bit_cast<double>(sign | bits);
}

/// x rounded: an error of at most u²/2 + u³ of x, or 2^-1075. Zero has the sign of `is_negative`.
constexpr dd_real to_dd_real(Wide x) {
  if (x.exponent > -800 && x.exponent < 1023 && x.mantissa != 0) {
    // 53 bits, and 75 that follow: all of them normal.
    const uint128 unit = uint128{1} << 75;
    uint128 rest = x.mantissa % unit;
    auto bits = static_cast<std::uint64_t>(x.mantissa >> 75);
    bool up = rest > unit / 2 || (rest == unit / 2 && bits % 2 != 0);
    bits += up + (static_cast<std::uint64_t>(x.exponent + 1022) << 52);
    std::uint64_t sign = static_cast<std::uint64_t>(x.is_negative) << 63;
    if (up) rest = unit - rest;
    // Both parts are exact, and so is their scaling.
    double lo = static_cast<double>(static_cast<std::int64_t>(rest >> 32)) * 0x1p32 +
                static_cast<double>(static_cast<std::uint32_t>(rest));
    double scale = std::bit_cast<double>(static_cast<std::uint64_t>(x.exponent - 127 + 1023) << 52);
    lo *= up != x.is_negative ? -scale : scale;
    // A rest just below half a unit of hi may round to that half, which belongs to the neighbour where hi is odd.
    return from_words(scalar_ops::fast_two_sum(std::bit_cast<double>(sign | bits), rounded(lo)));
  }
  double hi = round_to_double(x.mantissa, x.exponent, x.is_negative);
  if (!is_finite(hi) || hi == 0.0) return dd_real(hi);
  Wide rest = x - Wide(hi);
  return from_words(scalar_ops::fast_two_sum(hi, round_to_double(rest.mantissa, rest.exponent, rest.is_negative)));
}

}  // namespace hilo::detail
