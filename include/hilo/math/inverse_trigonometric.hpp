// Arcsine, arccosine and arctangent, in radians and in multiples of π.
#pragma once

#include <hilo/detail/wide_trigonometric.hpp>

namespace hilo {

namespace detail {

/// sqrt(1 − x²), relative error below 2^-122. Precondition: |x| <= 1.
constexpr Wide wide_cofactor(dd_real x) {
  dd_real a = abs(x);
  // From 1/2 on, 1 − hi is exact, and lo may lie far below it.
  auto rest = canonical_sum(1.0 - a.hi, -a.lo);
  Wide difference = a.hi < 0.5 ? Wide(1) - Wide(a) : Wide(rest.hi) + Wide(rest.lo);
  return sqrt(difference * (Wide(1) + Wide(a)));
}

/// The angle whose sine is x, and the one whose cosine is x. Precondition: |x| <= 1.
constexpr Wide wide_asin(dd_real x) { return wide_atan2(Wide(x), wide_cofactor(x)); }
constexpr Wide wide_acos(dd_real x) { return wide_atan2(wide_cofactor(x), Wide(x)); }

/// The angle of (x, y) in right angles, without its sign, where it is 0, 1/2, 1, 3/2 or 2, also between infinite words;
/// −1 elsewhere. Precondition: neither is NaN.
constexpr double right_angles(dd_real y, dd_real x) {
  bool is_left = signbit(x);
  if (y.hi == 0.0 || (isinf(x) && !isinf(y))) return is_left ? 2.0 : 0.0;
  if (x.hi == 0.0 || (isinf(y) && !isinf(x))) return 1.0;
  if (abs(y) == abs(x)) return is_left ? 1.5 : 0.5;
  return -1.0;
}

}  // namespace detail

/// The arctangent of y/x in the quadrant of the point (x, y), in [−π, π], 0.5u² + 2^-14 u²; 2^-1075 more where it
/// underflows. Zeros and infinities as in std::atan2.
constexpr dd_real atan2(dd_real y, dd_real x) {
  if (isnan(x) || isnan(y)) return std::numeric_limits<dd_real>::quiet_NaN();
  double angle = detail::right_angles(y, x);
  if (angle >= 0.0) return copysign(detail::to_dd_real(detail::wide_half_pi() * detail::Wide(angle)), y);
  return detail::to_dd_real(detail::wide_atan2(detail::Wide(y), detail::Wide(x)));
}

/// atan2(y, x) / π, in [−1, 1], 0.5u² + 2^-14 u²; exact for multiples of 1/4.
constexpr dd_real atan2pi(dd_real y, dd_real x) {
  if (isnan(x) || isnan(y)) return std::numeric_limits<dd_real>::quiet_NaN();
  double angle = detail::right_angles(y, x);
  if (angle >= 0.0) return copysign(dd_real(0.5 * angle), y);
  return detail::to_dd_real(detail::wide_atan2(detail::Wide(y), detail::Wide(x)) * detail::wide_inverse_pi());
}

/// The arctangent in [−π/2, π/2], 0.5u² + 2^-14 u².
constexpr dd_real atan(dd_real x) { return __builtin_fabs(x.hi) < 0x1p-60 ? x : atan2(x, dd_real(1)); }
/// atan(x) / π, 0.5u² + 2^-14 u².
constexpr dd_real atanpi(dd_real x) { return atan2pi(x, dd_real(1)); }

/// The arcsine in [−π/2, π/2], 0.5u² + 2^-14 u², also near ±1; asin(±0) = ±0, NaN where |x| > 1.
constexpr dd_real asin(dd_real x) {
  if (!(abs(x) <= 1.0)) return std::numeric_limits<dd_real>::quiet_NaN();
  return __builtin_fabs(x.hi) < 0x1p-60 ? x : detail::to_dd_real(detail::wide_asin(x));
}
/// asin(x) / π, 0.5u² + 2^-14 u²; ±1/2 for ±1.
constexpr dd_real asinpi(dd_real x) {
  if (!(abs(x) <= 1.0)) return std::numeric_limits<dd_real>::quiet_NaN();
  if (x.hi == 0.0) return x;
  if (abs(x) == 1.0) return copysign(dd_real(0.5), x);
  return detail::to_dd_real(detail::wide_asin(x) * detail::wide_inverse_pi());
}

/// The arccosine in [0, π], 0.5u² + 2^-14 u², also near ±1; acos(1) = +0, NaN where |x| > 1.
constexpr dd_real acos(dd_real x) {
  if (!(abs(x) <= 1.0)) return std::numeric_limits<dd_real>::quiet_NaN();
  return detail::to_dd_real(detail::wide_acos(x));
}
/// acos(x) / π, 0.5u² + 2^-14 u²; 0, 1/2 and 1 for 1, 0 and −1.
constexpr dd_real acospi(dd_real x) {
  if (!(abs(x) <= 1.0)) return std::numeric_limits<dd_real>::quiet_NaN();
  if (x.hi == 0.0) return dd_real(0.5);
  if (abs(x) == 1.0) return dd_real(x.hi > 0.0 ? 0 : 1);
  return detail::to_dd_real(detail::wide_acos(x) * detail::wide_inverse_pi());
}

}  // namespace hilo
