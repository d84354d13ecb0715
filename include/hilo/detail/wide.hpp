// A floating-point number of 128 bits and any exponent, in integer arithmetic: what elementary functions are computed
// in before they are rounded to a dd_real. Integers alone decide the bits, whatever the compiler and its flags.
#pragma once

#include <hilo/math/basic.hpp>

namespace hilo::detail {

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

constexpr uint256 operator+(uint256 a, uint256 b) {
  uint128 low = a.low + b.low;
  return {a.high + b.high + (low < b.low ? 1 : 0), low};
}
/// Modulo 2^256, as is its sign.
constexpr uint256 operator-(uint256 a, uint256 b) { return {a.high - b.high - (a.low < b.low ? 1 : 0), a.low - b.low}; }
constexpr bool is_negative(uint256 a) { return a.high >> 127 != 0; }

/// 1 − p, in units of 2^-177.
struct Defect {
  uint128 magnitude;
  bool is_negative;

  /// Precondition: p, in units of 2^-254, differs from 1 by less than 2^-51.
  constexpr explicit Defect(uint256 p) {
    uint128 e = (((uint128{1} << 126) - p.high) << 51) - (p.low >> 77);
    is_negative = e >> 127 != 0;
    magnitude = is_negative ? -e : e;
  }

  constexpr uint128 squared() const {
    uint128 leading = magnitude >> 64;
    return (leading * leading) >> 49;
  }
};

/// a · r · (1 ± factor) / 2^(63 − n), factor in units of 2^-177: at most 2 too large, at most 3 too small.
constexpr uint128 corrected_product(uint128 a, std::uint64_t r, uint128 factor, bool subtract, int n) {
  uint256 p = full_product(a, make_uint128(r, 0));
  uint128 product = p.high << (1 + n) | p.low >> (127 - n);
  uint128 correction = full_product(p.high, factor).high >> (48 - n);
  return (subtract ? product - correction : product + correction) - 1;
}

/// ±mantissa · 2^(exponent − 127) with the top bit of mantissa set, so that 2^exponent <= |x| < 2^(exponent + 1); or
/// zero, with mantissa 0. Operations and conversions from dd_real truncate: their relative error is below 2^-126, and 0
/// where the result has 128 bits. Exponents do not overflow in any use (|exponent| < 2^29).
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
  constexpr Wide(dd_real x) {
    auto high = std::bit_cast<std::uint64_t>(x.hi), low = std::bit_cast<std::uint64_t>(x.lo);
    int high_field = static_cast<int>(high >> 52 & 0x7ff), low_field = static_cast<int>(low >> 52 & 0x7ff);
    if (high_field == 0 || low_field == 0) {
      *this = Wide(x.hi) + Wide(x.lo);
      return;
    }
    const std::uint64_t one = std::uint64_t{1} << 52;
    uint128 a = make_uint128(((high & (one - 1)) | one) << 11, 0), b = make_uint128(((low & (one - 1)) | one) << 11, 0);
    int shift = high_field - low_field;
    b = shift > 127 ? 0 : b >> shift;
    uint128 sum = sign_bit(x.hi) == sign_bit(x.lo) ? a + b : a - b;
    if (sum < b && sign_bit(x.hi) == sign_bit(x.lo)) {
      // A lo of a whole unit of hi, which rounding modes other than to nearest make.
      *this = {uint128{1} << 127 | sum >> 1, high_field - 1022, sign_bit(x.hi)};
      return;
    }
    int is_below = 1 - static_cast<int>(sum >> 127);
    *this = {sum << is_below, high_field - 1023 - is_below, sign_bit(x.hi)};
  }

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

  /// Precondition: y is not zero.
  friend constexpr Wide operator/(Wide x, Wide y) {
    if (x.mantissa == 0) return {};
    const uint128 a = x.mantissa, b = y.mantissa;
    const int n = a < b ? 1 : 0;
    // a/b = a r (1 + e + e² + …) with r = 1/b to 51 bits and e = 1 − b r; what is left of a makes the quotient exact.
    auto r = static_cast<std::uint64_t>(0x1p63 / Wide(b, 0, false).leading_double());
    Defect e(full_product(b, make_uint128(r, 0)));
    uint128 factor = e.is_negative ? e.magnitude - e.squared() : e.magnitude + e.squared();
    uint128 quotient = corrected_product(a, r, factor, e.is_negative, n);
    uint256 rest = uint256{a >> (1 - n), n == 0 ? a << 127 : 0} - full_product(quotient, b);
    for (; detail::is_negative(rest); rest = rest + uint256{0, b}) --quotient;
    for (; rest.high != 0 || rest.low >= b; rest = rest - uint256{0, b}) ++quotient;
    return {quotient, x.exponent - y.exponent - n, x.is_negative != y.is_negative};
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

  /// The square root. Precondition: x >= 0.
  friend constexpr Wide sqrt(Wide x) {
    if (x.mantissa == 0) return {};
    const uint128 a = x.mantissa;
    const int n = x.exponent & 1;
    // √a = a r (1 + e/2 + 3e²/8 + …) with r = 1/√a to 51 bits and e = 1 − a r²; what is left makes the root exact.
    auto r = static_cast<std::uint64_t>(0x1p63 / scalar_ops::square_root(Wide(a, n, false).leading_double()));
    uint256 p = full_product(a, static_cast<uint128>(r) * r);
    Defect e({p.high << (1 + n) | p.low >> (127 - n), p.low << (1 + n)});
    uint128 half = e.magnitude >> 1, second = (3 * e.squared()) >> 3;
    uint128 root = corrected_product(a, r, e.is_negative ? half - second : half + second, e.is_negative, n);
    uint256 rest = uint256{a >> (1 - n), n == 0 ? a << 127 : 0} - full_product(root, root);
    auto step = [](uint128 m) { return uint256{m >> 127, m << 1 | 1}; };
    while (detail::is_negative(rest)) rest = rest + step(--root);
    for (uint256 next = rest - step(root); !detail::is_negative(next); next = rest - step(root)) rest = next, ++root;
    return {root, (x.exponent - n) / 2, false};
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
  constexpr uint128 fraction() const { return mantissa == 0 || exponent < -128 ? 0 : mantissa >> (-1 - exponent); }
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
    double lo = round_to_double(rest, x.exponent, up != x.is_negative);
    // A rest just below half a unit of hi may round to that half, which belongs to the neighbour where hi is odd.
    return from_words(canonical_sum(std::bit_cast<double>(sign | bits), lo));
  }
  double hi = round_to_double(x.mantissa, x.exponent, x.is_negative);
  if (!is_finite(hi) || hi == 0.0) return dd_real(hi);
  Wide rest = x - Wide(hi);
  double lo = round_to_double(rest.mantissa, rest.exponent, rest.is_negative);
  return from_words(canonical_sum(hi, lo));
}

/// The number of at most 107 bits within 2^-115 of x, or x: exact results of functions whose error is smaller come out
/// exact. Two words hold any 107 bits, so that no rounding adds to the change of at most 2^-8 u².
constexpr Wide without_noise(Wide x) {
  const uint128 unit = uint128{1} << 21, noise = unit >> 8;
  uint128 rest = x.mantissa % unit;
  if (rest <= noise) x.mantissa -= rest;
  if (unit - rest > noise) return x;
  x.mantissa += unit - rest;
  return x.mantissa == 0 ? Wide(uint128{1} << 127, x.exponent + 1, x.is_negative) : x;
}

}  // namespace hilo::detail
