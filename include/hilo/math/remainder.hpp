// fmod, remainder and remquo, by long division of the exact values.
#pragma once

#include <hilo/detail/exact_sum.hpp>

namespace hilo {

namespace detail {

// A natural number of at most 2176 bits; the limbs from `size` on are zero, and the last one before it is not.
struct Natural {
  std::uint64_t limb[36] = {};
  int size = 0;

  constexpr void trim() {
    while (size > 0 && limb[size - 1] == 0) --size;
  }

  // Adds or subtracts m · 2^shift. Precondition: the result is not negative.
  constexpr void accumulate(std::uint64_t m, int shift, bool subtracts) {
    int i = shift / 64;
    uint128 wide = static_cast<uint128>(m) << shift % 64;
    std::uint64_t part[2] = {low_word(wide), high_word(wide)};
    bool carry = false;
    for (int j = 0; j < 2 || carry; ++i, ++j) {
      std::uint64_t p = j < 2 ? part[j] : 0, old = limb[i];
      limb[i] = subtracts ? old - p - carry : old + p + carry;
      carry = subtracts ? limb[i] > old || (carry && limb[i] == old) : limb[i] < old || (carry && limb[i] == old);
      size = i + 1 > size ? i + 1 : size;
    }
  }

  constexpr void shift_left(int bits) {
    if (bits == 0) return;
    for (int i = size; i > 0; --i) limb[i] = limb[i] << bits | limb[i - 1] >> (64 - bits);
    limb[0] <<= bits;
    size += limb[size] != 0;
  }
  constexpr void shift_right(int bits) {
    if (bits == 0) return;
    for (int i = 0; i + 1 < size; ++i) limb[i] = limb[i] >> bits | limb[i + 1] << (64 - bits);
    if (size > 0) limb[size - 1] >>= bits;
    trim();
  }

  // Precondition: x >= y.
  friend constexpr Natural operator-(Natural x, const Natural& y) {
    bool borrow = false;
    for (int i = 0; i < x.size; ++i) {
      std::uint64_t old = x.limb[i];
      x.limb[i] = old - y.limb[i] - borrow;
      borrow = x.limb[i] > old || (borrow && x.limb[i] == old);
    }
    x.trim();
    return x;
  }
  friend constexpr bool operator==(const Natural& x, const Natural& y) = default;
  friend constexpr bool operator>(const Natural& x, const Natural& y) {
    if (x.size != y.size) return x.size > y.size;
    int i = x.size - 1;
    while (i >= 0 && x.limb[i] == y.limb[i]) --i;
    return i >= 0 && x.limb[i] > y.limb[i];
  }
};

// x mod y in place of x, and the 64 low bits of the quotient: Knuth, TAOCP 2, 4.3.1, Algorithm D. Precondition: y != 0.
constexpr std::uint64_t divide(Natural& x, Natural y) {
  std::uint64_t digit = 0;
  if (y.size == 1) {
    uint128 rest = 0;
    for (int i = x.size - 1; i >= 0; --i) {
      rest = rest << 64 | x.limb[i];
      digit = static_cast<std::uint64_t>(rest / y.limb[0]);
      rest %= y.limb[0];
      x.limb[i] = 0;
    }
    x.limb[0] = static_cast<std::uint64_t>(rest);
    x.trim();
    return digit;
  }
  int shift = std::countl_zero(y.limb[y.size - 1]), n = y.size;
  y.shift_left(shift);
  x.shift_left(shift);
  for (int j = x.size - n; j >= 0; --j) {
    // The digit from the two leading limbs, at most two too large, then one too large at most against three.
    uint128 head = make_uint128(x.limb[j + n], x.limb[j + n - 1]);
    uint128 estimate = head / y.limb[n - 1], rest = head % y.limb[n - 1];
    while (high_word(estimate) != 0 ||
           low_word(estimate) * static_cast<uint128>(y.limb[n - 2]) > make_uint128(low_word(rest), x.limb[j + n - 2])) {
      --estimate;
      rest += y.limb[n - 1];
      if (high_word(rest) != 0) break;
    }
    digit = low_word(estimate);
    uint128 carry = 0;
    bool borrow = false;
    for (int i = 0; i <= n; ++i) {
      carry += static_cast<uint128>(digit) * (i < n ? y.limb[i] : 0);
      std::uint64_t old = x.limb[i + j], next = old - low_word(carry) - borrow;
      borrow = next > old || (borrow && next == old);
      x.limb[i + j] = next;
      carry >>= 64;
    }
    if (borrow) {
      --digit;
      bool over = false;
      for (int i = 0; i < n; ++i) {
        std::uint64_t old = x.limb[i + j], next = old + y.limb[i] + over;
        over = next < old || (over && next == old);
        x.limb[i + j] = next;
      }
      x.limb[j + n] = 0;
    }
  }
  x.trim();
  x.shift_right(shift);
  return digit;
}

// The same of numbers that fit into 128 bits.
constexpr std::uint64_t divide(uint128& x, uint128 y) {
  uint128 quotient = x / y;
  x -= quotient * y;
  return low_word(quotient);
}

// ±n · 2^unit rounded.
constexpr dd_real to_dd_real(uint128 n, int unit, bool is_negative) {
  return to_dd_real(Wide::normalized(n, unit + 127, is_negative));
}
constexpr dd_real to_dd_real(const Natural& n, int unit, bool is_negative) {
  if (n.size <= 2) return to_dd_real(make_uint128(n.limb[1], n.limb[0]), unit, is_negative);
  ExactSum sum;
  for (int i = 0; i < n.size; ++i) {
    if (n.limb[i] != 0) sum.add(n.limb[i], unit + 64 * i, is_negative);
  }
  return sum.rounded();
}

struct Remainder {
  dd_real value;
  std::uint64_t quotient;
};

// ±(x − n·y) · 2^unit for natural x and y, the sign being that of x.
template <class Number>
constexpr Remainder remainder(Number x, const Number& y, int unit, bool is_negative, bool to_nearest) {
  std::uint64_t quotient = divide(x, y);
  bool flips = false;
  if (to_nearest) {
    Number other = y - x;
    flips = x > other || (x == other && quotient % 2 != 0);
    if (flips) x = other;
  }
  dd_real r = x == Number{} ? dd_real(is_negative ? -0.0 : 0.0) : to_dd_real(x, unit, is_negative != flips);
  return {r, quotient + flips};
}

// x − n·y, n being x / y truncated or, where `to_nearest`, rounded, halves to even; and the low bits of |n|.
constexpr Remainder remainder(dd_real x, dd_real y, bool to_nearest) {
  if (x.hi != x.hi || y.hi != y.hi || !is_finite(x.hi) || y.hi == 0.0) {
    return {std::numeric_limits<dd_real>::quiet_NaN(), 0};
  }
  if (x.hi == 0.0 || !is_finite(y.hi)) return {x, 0};
  if (to_nearest ? __builtin_fabs(x.hi) < 0.25 * __builtin_fabs(y.hi) : abs(x) < abs(y)) return {x, 0};
  OddMantissa words[4] = {OddMantissa(x.hi), OddMantissa(x.lo), OddMantissa(y.hi), OddMantissa(y.lo)};
  int unit = words[0].exponent;
  for (auto w : words) unit = w.mantissa != 0 && w.exponent < unit ? w.exponent : unit;
  bool opposes[2] = {sign_bit(x.hi) != sign_bit(x.lo), sign_bit(y.hi) != sign_bit(y.lo)};
  // |x| and |y| as multiples of 2^unit.
  if (exponent(x.hi) - unit < 126 && exponent(y.hi) - unit < 126) {
    uint128 number[2];
    for (int i = 0; i < 2; ++i) {
      OddMantissa hi = words[2 * i], lo = words[2 * i + 1];
      uint128 part = lo.mantissa != 0 ? static_cast<uint128>(lo.mantissa) << (lo.exponent - unit) : 0;
      number[i] = (static_cast<uint128>(hi.mantissa) << (hi.exponent - unit)) + (opposes[i] ? -part : part);
    }
    return remainder(number[0], number[1], unit, sign_bit(x.hi), to_nearest);
  }
  Natural number[2];
  for (int i = 0; i < 2; ++i) {
    OddMantissa hi = words[2 * i], lo = words[2 * i + 1];
    number[i].accumulate(hi.mantissa, hi.exponent - unit, false);
    if (lo.mantissa != 0) number[i].accumulate(lo.mantissa, lo.exponent - unit, opposes[i]);
    number[i].trim();
  }
  return remainder(number[0], number[1], unit, sign_bit(x.hi), to_nearest);
}

}  // namespace detail

// The three below are exact where the exact result is a dd_real, and else that result rounded: an error of at most
// u²/2, which only a gap between the bits of x or of y brings about. All exponents; 2^2000 periods take 2 µs. A zero
// has the sign of x; NaN for infinite x or y = 0; x where y is infinite.

/// x − n·y, where n is x / y truncated.
constexpr dd_real fmod(dd_real x, dd_real y) { return detail::remainder(x, y, false).value; }

/// x − n·y, where n is x / y rounded to the nearest integer, halves to even.
constexpr dd_real remainder(dd_real x, dd_real y) { return detail::remainder(x, y, true).value; }

/// The same, and in *quotient the sign of x / y with the 31 low bits of |n|; 0 where the result is NaN.
constexpr dd_real remquo(dd_real x, dd_real y, int* quotient) {
  auto r = detail::remainder(x, y, true);
  int low_bits = static_cast<int>(r.quotient & 0x7fffffff);
  *quotient = signbit(x) != signbit(y) ? -low_bits : low_bits;
  return r.value;
}

}  // namespace hilo
