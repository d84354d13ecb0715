// exp, log, log10 and pow of complex numbers, computed on 128 bits, then rounded. Special values as in C23, Annex G.
#pragma once

#include <hilo/math/complex_polar.hpp>

namespace hilo {

namespace detail {

// e^x for any x; beyond ±4000 all products with a sine or cosine of a dd_real over- or underflow alike.
constexpr Wide wide_exp_clamped(Wide x) {
  if (x.exponent >= 12) return ldexp(Wide(1), x.is_negative ? -6000 : 6000);
  return wide_exp(x);
}

// The angle of x + i·y with the sign of y, infinite parts included. Precondition: neither is NaN.
constexpr Wide wide_argument(dd_real y, dd_real x) {
  double multiple = right_angles(y, x);
  Wide angle = multiple >= 0.0 ? wide_half_pi() * Wide(multiple) : wide_atan2(Wide(y), Wide(x));
  angle.is_negative = signbit(y);
  return angle;
}

// re² + im² − 1, relative error below 2^-118. Precondition: finite.
constexpr Wide norm_minus_one(dd_complex z) {
  Wide x(z.re), y(z.im), d = x * x + y * y - Wide(1);
  if (!d.is_zero() && d.exponent > -6) return d;
  ExactSum sum;
  sum.add_product(z.re, z.re);
  sum.add_product(z.im, z.im);
  sum.add(-1.0);
  return sum.leading_bits();
}

// The logarithm, 2^-117 of each part. Precondition: finite and not zero.
constexpr WideComplex wide_complex_log(dd_complex z) {
  Wide x(z.re), y(z.im), square = x * x + y * y;
  bool is_near_one = square.exponent == 0 || square.exponent == -1;
  Wide twice = is_near_one ? wide_log1p(norm_minus_one(z)) : wide_log(square);
  return {ldexp(twice, -1), wide_argument(z.im, z.re)};
}

// What a logarithm to the base e^(1/scale) gives for zero, infinite and NaN numbers.
constexpr dd_complex log_special(dd_complex z, Wide scale) {
  constexpr dd_real infinity = std::numeric_limits<dd_real>::infinity();
  dd_real size = is_infinite(z) ? infinity : is_zero(z) ? -infinity : not_a_number().re;
  if (isnan(z.re) || isnan(z.im)) return {size, not_a_number().im};
  return {size, copysign(to_dd_real(abs(wide_argument(z.im, z.re)) * scale), z.im)};
}

}  // namespace detail

/// e^z: every part errs by less than 0.505u² of itself, for every z.
template <detail::complex_argument Z>
constexpr dd_complex exp(Z z) {
  constexpr dd_real infinity = std::numeric_limits<dd_real>::infinity(), zero = 0;
  if (isnan(z.re)) return z.im.hi == 0.0 ? z : detail::not_a_number();
  if (!isfinite(z.im)) {
    if (!isinf(z.re)) return detail::not_a_number();
    return signbit(z.re) ? dd_complex(zero, copysign(zero, z.im)) : dd_complex(infinity, detail::not_a_number().im);
  }
  if (isinf(z.re)) {
    dd_real size = signbit(z.re) ? zero : infinity;
    return z.im.hi == 0.0 ? dd_complex(size, z.im) : detail::along(size, z.im);
  }
  auto [sine, cosine] = detail::wide_sincos_of(z.im);
  detail::Wide size = detail::wide_exp_clamped(detail::Wide(z.re)), im = size * sine;
  im.is_negative = sine.is_negative;
  return detail::to_dd_complex({size * cosine, im});
}

/// The logarithm with im in [−π, π], the cut along the negative real axis: every part errs by less than 0.505u² of
/// itself, re also where |z| is near 1.
template <detail::complex_argument Z>
constexpr dd_complex log(Z z) {
  if (!detail::is_finite(z) || detail::is_zero(z)) return detail::log_special(z, detail::Wide(1));
  return detail::to_dd_complex(detail::wide_complex_log(z));
}

/// log(z) / ln 10, with the accuracy of log.
template <detail::complex_argument Z>
constexpr dd_complex log10(Z z) {
  if (!detail::is_finite(z) || detail::is_zero(z)) return detail::log_special(z, detail::wide_inverse_ln10);
  auto [re, im] = detail::wide_complex_log(z);
  detail::Wide angle = im * detail::wide_inverse_ln10;
  angle.is_negative = im.is_negative;
  return detail::to_dd_complex({re * detail::wide_inverse_ln10, angle});
}

}  // namespace hilo
