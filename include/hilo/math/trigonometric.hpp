// Tangent, and sine, cosine and tangent of multiples of π.
#pragma once

#include <hilo/detail/reduction.hpp>
#include <hilo/detail/wide_trigonometric.hpp>

namespace hilo {

namespace detail {

constexpr double signed_zero(bool is_negative) { return is_negative ? -0.0 : 0.0; }

}  // namespace detail

/// The tangent, 0.5u² + 2^-12 u² for every finite x, however large or near to a pole; tan(±0) = ±0, NaN for ±Inf.
constexpr dd_real tan(dd_real x) {
  if (!isfinite(x)) return std::numeric_limits<dd_real>::quiet_NaN();
  if (__builtin_fabs(x.hi) < 0x1p-60) return x;
  auto [quadrant, remainder] = detail::reduce_to_quadrant(x);
  auto [sine, cosine] = detail::wide_sincos(remainder);
  return detail::to_dd_real(quadrant % 2 == 0 ? sine / cosine : -cosine / sine);
}

/// sin(πx), 0.5u² + 2^-12 u²; exactly ±0, with the sign of x, for integers and ±1 halfway between; NaN for ±Inf.
constexpr dd_real sinpi(dd_real x) {
  if (!isfinite(x)) return std::numeric_limits<dd_real>::quiet_NaN();
  detail::Wide sine = detail::wide_sincospi(x).sine;
  return sine.is_zero() ? dd_real(detail::signed_zero(signbit(x))) : detail::to_dd_real(sine);
}

/// cos(πx), 0.5u² + 2^-12 u²; exactly ±1 for integers and +0 halfway between; NaN for ±Inf.
constexpr dd_real cospi(dd_real x) {
  if (!isfinite(x)) return std::numeric_limits<dd_real>::quiet_NaN();
  detail::Wide cosine = detail::wide_sincospi(x).cosine;
  return cosine.is_zero() ? dd_real(0) : detail::to_dd_real(cosine);
}

/// tan(πx), 0.5u² + 2^-11 u²; exact for multiples of 1/4. Zero for integers n, with the sign of n where n is even and
/// the other one where it is odd; Inf for n + 1/2, with the sign of (−1)^n; NaN for ±Inf.
constexpr dd_real tanpi(dd_real x) {
  if (!isfinite(x)) return std::numeric_limits<dd_real>::quiet_NaN();
  auto [quadrant, remainder] = detail::reduce_half_turns(x);
  bool is_odd = quadrant % 2 != 0;
  if (remainder.hi == 0.0) {
    if (!is_odd) return dd_real(detail::signed_zero(signbit(x) != (quadrant == 2)));
    dd_real infinity = std::numeric_limits<dd_real>::infinity();
    return quadrant == 1 ? infinity : -infinity;
  }
  if (abs(remainder) == 0.25) return dd_real((remainder.hi > 0.0) != is_odd ? 1 : -1);
  auto [sine, cosine] = detail::wide_sincos(detail::wide_pi() * detail::Wide(remainder));
  return detail::to_dd_real(is_odd ? -cosine / sine : sine / cosine);
}

}  // namespace hilo
