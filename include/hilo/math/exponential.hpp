// Powers of 2 and 10, and logarithms: computed on 128 bits, then rounded. u = 2^-53.
#pragma once

#include <hilo/detail/wide_exponential.hpp>

namespace hilo {

/// 2^x, below 0.501u²; exact for integers. 0 for −Inf.
constexpr dd_real exp2(dd_real x) {
  if (isnan(x)) return x;
  if (x.hi > 2000.0) return std::numeric_limits<dd_real>::infinity();
  if (x.hi < -2000.0) return 0;
  auto n = static_cast<int>(detail::floor_double(x.hi + 0.5));
  detail::Wide rest = detail::Wide(x.hi) - detail::Wide(n) + detail::Wide(x.lo);
  return to_dd_real(ldexp(detail::wide_exp(rest * detail::wide_ln2), n));
}

/// 10^x, below 0.501u²; exact where 10^x is a dd_real of at most 107 bits, which includes x = 0, 1, …, 46. 0 for −Inf.
constexpr dd_real exp10(dd_real x) {
  if (isnan(x)) return x;
  if (x.hi > 600.0) return std::numeric_limits<dd_real>::infinity();
  if (x.hi < -600.0) return 0;
  return to_dd_real(without_noise(detail::wide_exp(detail::Wide(x) * detail::wide_ln10)));
}

/// e^x − 1, below 0.501u², relative also near 0. −1 for −Inf, and the sign of a zero.
constexpr dd_real expm1(dd_real x) {
  if (isnan(x) || __builtin_fabs(x.hi) < 0x1p-120) return x;
  if (x.hi > 1000.0) return std::numeric_limits<dd_real>::infinity();
  if (x.hi < -1000.0) return -1;
  return to_dd_real(detail::wide_expm1(detail::Wide(x)));
}

namespace detail {

// What a logarithm gives where x is not finite and positive.
constexpr dd_real log_outside_domain(dd_real x) {
  if (x.hi == 0.0) return -std::numeric_limits<dd_real>::infinity();
  return x.hi < 0.0 ? std::numeric_limits<dd_real>::quiet_NaN() : x;
}

}  // namespace detail

/// The logarithm to base 2, below 0.501u², relative also near 1; exact for powers of 2. −Inf for ±0, NaN below.
constexpr dd_real log2(dd_real x) {
  if (!(x.hi > 0.0 && isfinite(x))) return detail::log_outside_domain(x);
  return to_dd_real(without_noise(detail::wide_log_of_words(x) * detail::wide_inverse_ln2));
}

/// The logarithm to base 10, below 0.501u², relative also near 1; exact for powers of 10. −Inf for ±0, NaN below.
constexpr dd_real log10(dd_real x) {
  if (!(x.hi > 0.0 && isfinite(x))) return detail::log_outside_domain(x);
  return to_dd_real(without_noise(detail::wide_log_of_words(x) * detail::wide_inverse_ln10));
}

/// ln(1 + x), below 0.501u², relative also near 0. −Inf for −1, NaN below, and the sign of a zero.
constexpr dd_real log1p(dd_real x) {
  if (!(x > -1)) return isnan(x) ? x : detail::log_outside_domain(x == -1 ? 0 : x);
  if (__builtin_fabs(x.hi) < 0x1p-120 || isinf(x)) return x;
  return to_dd_real(detail::wide_log1p_of_words(x));
}

}  // namespace hilo
