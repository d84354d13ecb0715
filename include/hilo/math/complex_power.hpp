// pow of complex numbers.
#pragma once

#include <hilo/math/complex_exponential.hpp>

namespace hilo {

namespace detail {

constexpr WideComplex multiply(WideComplex a, WideComplex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// The real part as a product of exact factors.
constexpr WideComplex squared(WideComplex a) { return {(a.re - a.im) * (a.re + a.im), ldexp(a.re * a.im, 1)}; }

// z^n by repeated squaring, |n| · 2^-123 of |z^n|. Preconditions: |n| <= 1024, z is not 0.
constexpr WideComplex integer_power(WideComplex z, int n) {
  WideComplex power{Wide(1), Wide()};
  for (int rest = n < 0 ? -n : n; rest != 0; rest >>= 1) {
    if (rest % 2 != 0) power = multiply(power, z);
    if (rest > 1) z = squared(z);
  }
  if (n >= 0) return power;
  Wide inverse = Wide(1) / (power.re * power.re + power.im * power.im);
  return {power.re * inverse, -(power.im * inverse)};
}

// e^(i·angle), 2^-120 and |angle| · 2^-125.
constexpr WideSinCos wide_sincos_of(Wide angle) {
  Wide quarters = abs(angle) * ldexp(wide_inverse_pi(), 1);
  int e = quarters.exponent, quadrant = 0;
  if (quarters.is_zero() || e < -1) return wide_sincos(angle);
  // Beyond 2^127 no digit is known.
  if (e > 126) return wide_sincos(Wide());
  quadrant = e < 0 ? 0 : static_cast<int>(low_word(quarters.mantissa >> (127 - e)) & 3);
  uint128 fraction = quarters.mantissa << (e + 1);
  bool is_below = fraction >> 127 != 0;
  quadrant += is_below;
  Wide remainder = Wide::normalized(is_below ? -fraction : fraction, -1, is_below != angle.is_negative);
  return turn(wide_sincos(remainder * wide_half_pi()), angle.is_negative ? -quadrant : quadrant);
}

// e^(re + i·im).
constexpr WideComplex wide_complex_exp(Wide re, Wide im) {
  auto [sine, cosine] = wide_sincos_of(im);
  Wide size = wide_exp_clamped(re);
  return {size * cosine, size * sine};
}

// z^y of a number on an axis, where the angle, y times a whole number of right angles, is exact.
constexpr WideComplex power_on_axis(dd_complex z, dd_real y) {
  bool is_real = z.im.hi == 0.0;
  dd_real size = abs(is_real ? z.re : z.im);
  WideSinCos angle = wide_sincospi(is_real ? (signbit(z.re) ? y : dd_real(0)) : ldexp(y, -1));
  if (signbit(z.im)) angle.sine = -angle.sine;
  if (angle.sine.is_zero()) angle.sine.is_negative = signbit(z.im) != signbit(y);
  Wide power = wide_exp_clamped(Wide(y) * wide_log_of_words(size)), im = power * angle.sine;
  im.is_negative = angle.sine.is_negative;
  return {power * angle.cosine, im};
}

constexpr bool is_small_integer(dd_real x) {
  return __builtin_fabs(x.hi) <= 1024.0 && x.lo == 0.0 && floor_double(x.hi) == x.hi;
}

// 0^y.
constexpr dd_complex power_of_zero(dd_complex y) {
  if (y.re.hi > 0.0) return dd_real(0);
  return {y.re.hi < 0.0 && y.im.hi == 0.0 ? std::numeric_limits<dd_real>::infinity() : not_a_number().re,
          not_a_number().im};
}

constexpr dd_complex power(dd_complex x, dd_real y) {
  if (y.hi == 0.0) return dd_real(1);
  if (is_finite(y) && is_zero(x)) return power_of_zero(y);
  if (!is_finite(x) || !is_finite(y)) return exp(log(x) * y);
  if (is_small_integer(y))
    return to_dd_complex(integer_power(WideComplex{Wide(x.re), Wide(x.im)}, static_cast<int>(y)));
  if (x.re.hi == 0.0 || x.im.hi == 0.0) return to_dd_complex(power_on_axis(x, y));
  auto [re, im] = wide_complex_log(x);
  return to_dd_complex(wide_complex_exp(re * Wide(y), im * Wide(y)));
}

constexpr dd_complex power(dd_complex x, dd_complex y) {
  if (is_zero(y)) return dd_real(1);
  if (is_finite(y) && is_zero(x)) return power_of_zero(y);
  if (!is_finite(x) || !is_finite(y)) return exp(y * log(x));
  if (y.im.hi == 0.0) return power(x, y.re);
  auto [re, im] = wide_complex_log(x);
  Wide a(y.re), b(y.im);
  return to_dd_complex(wide_complex_exp(re * a - im * b, re * b + im * a));
}

}  // namespace detail

/// x^y = e^(y ln x), with an error below (0.72 + |y ln x| / 2^14) u² of |x^y|; exact where y is a real integer up to
/// 1024 in magnitude and 128 bits hold what arises. x^0 = 1 for every x; 0^y = 0 where y.re > 0.
template <detail::complex_argument X, detail::complex_argument Y>
constexpr dd_complex pow(X x, Y y) {
  return detail::power(x, y);
}
/// With a real exponent; every part accurate where x is on an axis.
template <detail::complex_argument X, detail::real_operand Y>
constexpr dd_complex pow(X x, Y y) {
  return detail::power(x, dd_real(y));
}
/// With a real base.
template <detail::real_operand X, detail::complex_argument Y>
constexpr dd_complex pow(X x, Y y) {
  return detail::power(dd_complex(x), y);
}

}  // namespace hilo
