// sinh, cosh, tanh, sin, cos and tan of complex numbers: products of real functions on 128 bits, so that every part
// errs by less than 0.505u² of itself, for every z. Special values as in C23, Annex G.
#pragma once

#include <hilo/math/complex_exponential.hpp>

namespace hilo {

namespace detail {

struct WideSinhCosh {
  Wide sinh, cosh;
};

// Relative errors below 2^-121; a zero has the sign of x. Beyond ±4000 as wide_exp_clamped. Precondition: x is finite.
constexpr WideSinhCosh wide_sinhcosh(dd_real x) {
  Wide size = abs(Wide(x));
  Wide rise = size.exponent >= 12 ? wide_exp_clamped(size) : wide_expm1(size);
  Wide power = rise + Wide(1), inverse = Wide(1) / power;
  Wide sinh = ldexp(rise + rise * inverse, -1);
  sinh.is_negative = signbit(x);
  return {sinh, ldexp(power + inverse, -1)};
}

// a · b with the sign that a and b have, zero or not.
constexpr Wide signed_product(Wide a, Wide b) {
  Wide p = a * b;
  p.is_negative = a.is_negative != b.is_negative;
  return p;
}

// NaN, but ±0 for the part that is 0 whatever the other.
constexpr dd_real zero_or_nan(dd_real x) { return x.hi == 0.0 ? x : not_a_number().re; }

}  // namespace detail

/// sinh(x) cos(y) + i cosh(x) sin(y).
template <detail::complex_argument Z>
constexpr dd_complex sinh(Z z) {
  constexpr dd_real infinity = std::numeric_limits<dd_real>::infinity();
  if (isnan(z.re)) return {z.re, detail::zero_or_nan(z.im)};
  if (!isfinite(z.im)) return {isinf(z.re) ? z.re : detail::zero_or_nan(z.re), detail::not_a_number().im};
  if (isinf(z.re)) {
    if (z.im.hi == 0.0) return z;
    dd_complex r = detail::along(infinity, z.im);
    return {signbit(z.re) ? -r.re : r.re, r.im};
  }
  auto [sine, cosine] = detail::wide_sincos_of(z.im);
  auto [sinh_x, cosh_x] = detail::wide_sinhcosh(z.re);
  return detail::to_dd_complex({detail::signed_product(sinh_x, cosine), detail::signed_product(cosh_x, sine)});
}

/// cosh(x) cos(y) + i sinh(x) sin(y).
template <detail::complex_argument Z>
constexpr dd_complex cosh(Z z) {
  constexpr dd_real infinity = std::numeric_limits<dd_real>::infinity();
  if (isnan(z.re)) return {z.re, detail::zero_or_nan(z.im)};
  if (!isfinite(z.im)) return {isinf(z.re) ? infinity : detail::not_a_number().re, detail::zero_or_nan(z.re)};
  if (isinf(z.re)) {
    bool is_negative = signbit(z.re);
    if (z.im.hi == 0.0) return {infinity, is_negative ? -z.im : z.im};
    dd_complex r = detail::along(infinity, z.im);
    return {r.re, is_negative ? -r.im : r.im};
  }
  auto [sine, cosine] = detail::wide_sincos_of(z.im);
  auto [sinh_x, cosh_x] = detail::wide_sinhcosh(z.re);
  return detail::to_dd_complex({detail::signed_product(cosh_x, cosine), detail::signed_product(sinh_x, sine)});
}

/// (sinh(x) cosh(x) + i sin(y) cos(y)) / (sinh²(x) + cos²(y)).
template <detail::complex_argument Z>
constexpr dd_complex tanh(Z z) {
  constexpr dd_real zero = 0;
  if (isnan(z.re)) return {z.re, detail::zero_or_nan(z.im)};
  if (isinf(z.re)) {
    dd_real one = copysign(dd_real(1), z.re);
    if (!isfinite(z.im)) return {one, copysign(zero, z.im)};
    auto [sine, cosine] = detail::wide_sincos_of(z.im);
    return {one, sine.is_negative != cosine.is_negative ? -zero : zero};
  }
  if (!isfinite(z.im)) return {detail::zero_or_nan(z.re), detail::not_a_number().im};
  auto [sine, cosine] = detail::wide_sincos_of(z.im);
  auto [sinh_x, cosh_x] = detail::wide_sinhcosh(z.re);
  detail::Wide inverse = detail::Wide(1) / (sinh_x * sinh_x + cosine * cosine);
  return detail::to_dd_complex({detail::signed_product(detail::signed_product(sinh_x, cosh_x), inverse),
                                detail::signed_product(detail::signed_product(sine, cosine), inverse)});
}

/// sin(x) cosh(y) + i cos(x) sinh(y).
template <detail::complex_argument Z>
constexpr dd_complex sin(Z z) {
  return detail::swap_parts(sinh(detail::swap_parts(z)));
}

/// cos(x) cosh(y) − i sin(x) sinh(y).
template <detail::complex_argument Z>
constexpr dd_complex cos(Z z) {
  return cosh(dd_complex(-z.im, z.re));
}

/// (sin(x) cos(x) + i sinh(y) cosh(y)) / (cos²(x) + sinh²(y)).
template <detail::complex_argument Z>
constexpr dd_complex tan(Z z) {
  return detail::swap_parts(tanh(detail::swap_parts(z)));
}

}  // namespace hilo
