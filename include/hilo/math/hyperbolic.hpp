// Hyperbolic functions and their inverses: computed on 128 bits, then rounded. All errors are relative, near zeros and
// poles too, and below 0.501u², u = 2^-53.
#pragma once

#include <hilo/detail/wide_exponential.hpp>

namespace hilo {

namespace detail {

// f(x) = x (1 + c x²…) is x where |x| is below this, to 2^-114.
inline constexpr double linear_below = 0x1p-57;

// ±to_dd_real(size), with the sign of x.
constexpr dd_real with_sign(Wide size, dd_real x) {
  size.is_negative = signbit(x);
  return to_dd_real(size);
}

}  // namespace detail

/// The hyperbolic sine. Zeros and infinities keep their sign.
constexpr dd_real sinh(dd_real x) {
  using detail::Wide;
  if (__builtin_fabs(x.hi) < detail::linear_below || !isfinite(x)) return x;
  if (__builtin_fabs(x.hi) > 1000.0) return copysign(std::numeric_limits<dd_real>::infinity(), x);
  Wide e = detail::wide_expm1(abs(Wide(x)));
  // From e^x > 2^64 on e^−x does not count.
  Wide twice = e.exponent > 64 ? e + Wide(1) : e + e / (e + Wide(1));
  return detail::with_sign(ldexp(twice, -1), x);
}

/// The hyperbolic cosine. +Inf for ±Inf.
constexpr dd_real cosh(dd_real x) {
  using detail::Wide;
  if (!isfinite(x)) return abs(x);
  if (__builtin_fabs(x.hi) > 1000.0) return std::numeric_limits<dd_real>::infinity();
  Wide e = detail::wide_exp(abs(Wide(x)));
  Wide twice = e.exponent > 64 ? e : e + Wide(1) / e;
  return to_dd_real(ldexp(twice, -1));
}

/// The hyperbolic tangent. ±1 for ±Inf, and the sign of a zero.
constexpr dd_real tanh(dd_real x) {
  using detail::Wide;
  if (__builtin_fabs(x.hi) < detail::linear_below || isnan(x)) return x;
  // 2 e^−2x does not count.
  if (__builtin_fabs(x.hi) > 45.0) return copysign(dd_real(1), x);
  Wide e = detail::wide_expm1(ldexp(abs(Wide(x)), 1));
  return detail::with_sign(e / (e + Wide(2)), x);
}

/// The inverse of sinh. Zeros and infinities keep their sign.
constexpr dd_real asinh(dd_real x) {
  using detail::Wide;
  if (__builtin_fabs(x.hi) < detail::linear_below || !isfinite(x)) return x;
  Wide size = abs(Wide(x)), square = size * size;
  // ln(x + sqrt(x² + 1)) = ln(1 + x + (sqrt(x² + 1) − 1)).
  Wide rise = size + square / (Wide(1) + sqrt(Wide(1) + square));
  return detail::with_sign(detail::wide_log1p(rise), x);
}

/// The inverse of cosh, from 0 on. NaN below 1.
constexpr dd_real acosh(dd_real x) {
  using detail::Wide;
  if (!(x >= 1)) return std::numeric_limits<dd_real>::quiet_NaN();
  if (isinf(x)) return x;
  // x − 1 is exact near 1. ln(x + sqrt(x² − 1)) = ln(1 + d + sqrt(d (d + 2))).
  Wide d = Wide(x.hi) - Wide(1) + Wide(x.lo);
  return to_dd_real(detail::wide_log1p(d + sqrt(d * (d + Wide(2)))));
}

/// The inverse of tanh. ±Inf for ±1, NaN beyond, and the sign of a zero.
constexpr dd_real atanh(dd_real x) {
  using detail::Wide;
  dd_real size = abs(x);
  if (size.hi < detail::linear_below) return x;
  if (!(size < 1))
    return size == 1 ? copysign(std::numeric_limits<dd_real>::infinity(), x)
                     : std::numeric_limits<dd_real>::quiet_NaN();
  // 1 − |x| is exact near 1. ln((1 + x) / (1 − x)) / 2 = ln(1 + 2x / (1 − x)) / 2.
  Wide complement = Wide(1) - Wide(size.hi) - Wide(size.lo);
  return detail::with_sign(ldexp(detail::wide_log1p(ldexp(Wide(size), 1) / complement), -1), x);
}

}  // namespace hilo
