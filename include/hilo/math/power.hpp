// Powers and roots: computed on 128 bits, then rounded. u = 2^-53.
#pragma once

#include <hilo/detail/wide_exponential.hpp>

namespace hilo {

namespace detail {

// x^n by repeated squaring, relative error below |n| · 2^-125, exact where x^n has at most 128 bits.
// Preconditions: |n| <= 1024, and x is not 0 where n < 0.
constexpr Wide integer_power(Wide x, int n) {
  Wide power(1);
  for (int rest = n < 0 ? -n : n; rest != 0; rest >>= 1) {
    if (rest % 2 != 0) power *= x;
    if (rest > 1) x *= x;
  }
  return n < 0 ? Wide(1) / power : power;
}

// Whether y is an integer, and an odd one; both words decide.
struct Parity {
  bool is_integer, is_odd;
};
constexpr Parity parity(dd_real y) {
  if (!isfinite(y) || floor_double(y.hi) != y.hi || floor_double(y.lo) != y.lo) return {false, false};
  return {true, is_odd(y.hi) != is_odd(y.lo)};
}

// t · 2^63 with t = x^−1/3, relative error below 2^-56, from x · 2^61. Precondition: 1 <= x < 8.
constexpr std::uint64_t inverse_cube_root(std::uint64_t x) {
  auto high_product = [](std::uint64_t a, std::uint64_t b) { return high_word(static_cast<uint128>(a) * b); };
  // Lines that are right to 2^-7 in [1, 2), [2, 4) and [4, 8) begin Newton's iteration t + t (1 − x t³) / 3.
  const double start[] = {1.2003, 0.9527, 0.7561}, slope[] = {0.2063, 0.08187, 0.03249};
  int binade = 2 - std::countl_zero(x);
  std::uint64_t t = static_cast<std::uint64_t>(start[binade] * 0x1p63) -
                    4 * high_product(x, static_cast<std::uint64_t>(slope[binade] * 0x1p64));
  for (int i = 0; i < 4; ++i) {
    std::uint64_t cube = high_product(2 * high_product(x, t), 2 * high_product(t, t));
    // cube is near 2^60.
    const std::uint64_t one = std::uint64_t{1} << 60;
    std::uint64_t step = high_product(t, (cube > one ? cube - one : one - cube) / 3 << 4);
    t += cube > one ? -step : step;
  }
  return t;
}

// The cube root, relative error below 2^-123. Precondition: x is not 0.
constexpr Wide cube_root(Wide x) {
  int third = x.exponent / 3 - (x.exponent % 3 < 0);
  x.exponent -= 3 * third;
  const Wide one_third(make_uint128(0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaab), -2, false);
  Wide size = abs(x);
  // x · 2^61 of 1 <= x < 8.
  std::uint64_t bits = high_word(size.mantissa) >> (2 - size.exponent);
  Wide t = Wide::normalized(inverse_cube_root(bits), 64, false);
  t += t * (Wide(1) - size * t * t * t) * one_third;
  Wide square = t * t;
  Wide root = size * square;
  root += (size - root * root * root) * square * one_third;
  root.is_negative = x.is_negative;
  return ldexp(root, third);
}

}  // namespace detail

/// x^y, below 0.502u², over the full range and for any y; exact where x^y is a dd_real of at most 107 bits. Negative x
/// have powers of integral y alone, of either word; special values as in C23, F.10.4.4.
constexpr dd_real pow(dd_real x, dd_real y) {
  using detail::Wide;
  const dd_real infinity = std::numeric_limits<dd_real>::infinity();
  if (x == 1 || y.hi == 0.0) return 1;
  if (y == 1) return x;
  if (isnan(x) || isnan(y)) return std::numeric_limits<dd_real>::quiet_NaN();
  dd_real size = abs(x);
  if (isinf(y)) return size == 1 ? dd_real(1) : (size > 1) == (y.hi > 0.0) ? infinity : dd_real(0);
  auto [is_integer, is_odd] = detail::parity(y);
  bool is_negative = signbit(x) && is_odd;
  if (x.hi == 0.0 || isinf(x)) {
    dd_real limit = (x.hi == 0.0) == (y.hi < 0.0) ? infinity : dd_real(0);
    return is_negative ? -limit : limit;
  }
  if (x.hi < 0.0 && !is_integer) return std::numeric_limits<dd_real>::quiet_NaN();

  Wide power;
  if (is_integer && __builtin_fabs(y.hi) <= 1024.0) {
    power = detail::integer_power(Wide(size), static_cast<int>(y.hi));
  } else {
    Wide log = Wide(y) * detail::wide_log_of_words(size);
    if (log.exponent < 12) {
      power = detail::wide_exp(log);
    } else {
      power = ldexp(Wide(1), log.is_negative ? -10'000 : 10'000);
    }
  }
  power.is_negative = is_negative;
  return to_dd_real(without_noise(power));
}

/// The cube root, below 0.501u², over the full range; exact for cubes. The sign of x, also of a zero.
constexpr dd_real cbrt(dd_real x) {
  if (x.hi == 0.0 || !isfinite(x)) return x;
  return to_dd_real(without_noise(detail::cube_root(detail::Wide(x))));
}

/// sqrt(x² + y² + z²), below 0.501u², without overflow or underflow on the way; exact where it is a dd_real of at most
/// 107 bits. Inf where one is infinite, even beside NaN.
constexpr dd_real hypot(dd_real x, dd_real y, dd_real z) {
  using detail::Wide;
  if (isinf(x) || isinf(y) || isinf(z)) return std::numeric_limits<dd_real>::infinity();
  if (isnan(x) || isnan(y) || isnan(z)) return std::numeric_limits<dd_real>::quiet_NaN();
  bool one_term = (x.hi != 0.0) + (y.hi != 0.0) + (z.hi != 0.0) <= 1;
  if (one_term) return abs(x.hi != 0.0 ? x : y.hi != 0.0 ? y : z);
  Wide a(x), b(y), c(z);
  return to_dd_real(without_noise(sqrt(a * a + b * b + c * c)));
}
/// sqrt(x² + y²), likewise.
constexpr dd_real hypot(dd_real x, dd_real y) { return hypot(x, y, 0); }

}  // namespace hilo
