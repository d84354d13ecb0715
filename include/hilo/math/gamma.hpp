// The gamma function and the logarithm of its absolute value.
#pragma once

#include <hilo/detail/fixed_point_polynomial.hpp>
#include <hilo/detail/gamma_tables.hpp>
#include <hilo/detail/gamma_zeros.hpp>
#include <hilo/detail/wide_exponential.hpp>

namespace hilo {

namespace detail {

/// x (x + 1) … (x + n − 1), four factors at a time: with y = x (x + 3) they are y (y + 2). Relative error below
/// (2n + n²/96)·2^-126. Preconditions: x > 0, n >= 0.
constexpr Wide rising_factorial(Wide x, int n) {
  Wide product(1);
  for (; n % 4 != 0; --n) {
    product *= x;
    x += Wide(1);
  }
  Wide y = x * (x + Wide(3)), step = ldexp(x, 3) + Wide(28);
  for (; n > 0; n -= 4) {
    product *= y * (y + Wide(2));
    y += step;
    step += Wide(32);
  }
  return product;
}

/// 1/Γ(1 + t), relative error below 2^-122. Precondition: |t| <= 1/2.
constexpr Wide reciprocal_gamma(Wide t) { return even_odd_polynomial(reciprocal_gamma_polynomial, t); }

/// log Γ(2 + t), relative error below 2^-121. Precondition: |t| <= 1/2.
constexpr Wide log_gamma_from_2(Wide t) { return t * even_odd_polynomial(log_gamma_polynomial, t); }

/// log Γ(x) − (x − 1/2) log x + x, relative error below 2^-118. Precondition: x >= stirling_from.
constexpr Wide stirling_remainder(Wide x) {
  const Wide half_log_2pi(make_uint128(0xeb3f8e4325f5a534u, 0x94bc900144192024u), -1, false);
  Wide ratio = Wide(stirling_from) / x;
  return half_log_2pi + ratio * even_odd_polynomial(stirling_polynomial, ratio * ratio - Wide(0.5));
}

/// log Γ(x), relative error below 2^-121. Precondition: x >= stirling_from.
constexpr Wide stirling_log_gamma(Wide x) { return (x - Wide(0.5)) * wide_log(x) - x + stirling_remainder(x); }

/// Γ(x), relative error below 2^-113. Precondition: stirling_from <= x < 2^9.
/// Of log Γ(x), up to 1500, the multiple of ln 2 nearest to (x − 1/2) e ln 2 is taken out, e the exponent of x.
constexpr Wide stirling_gamma(Wide x) {
  Wide power = x - Wide(0.5), twos = Wide(x.exponent) * power;
  auto n = static_cast<int>(twos.nearest_integer());
  Wide log = power * wide_log(Wide(x.mantissa, 0, false)) + (twos - Wide(n)) * wide_ln2 - x + stirling_remainder(x);
  return ldexp(wide_exp(log), n);
}

/// |sin(πt)| / π. Precondition: |t| <= 1/2.
constexpr Wide sine_over_pi(Wide t) { return abs(t) * reciprocal_gamma(t) * reciprocal_gamma(-t); }

/// x = whole + rest, exactly, with |rest| <= 1/2.
struct NearestInteger {
  dd_real whole, rest;

  constexpr explicit NearestInteger(dd_real x) : whole(round(x)), rest(fraction_beside(x, whole)) {}
};

/// All zeros of log |Γ| lie above: the last within 2^-1071 of −177.
inline constexpr double below_zeros_of_log_gamma = -180.0;

constexpr bool is_pole_of_gamma(dd_real x) { return signbit(x) && floor(x) == x; }

/// Γ(x) < 0; of the poles −0 alone, as the limit of 1/x.
constexpr bool is_gamma_negative(dd_real x) {
  return x.hi == 0.0 ? signbit(x) : x.hi < 0.0 && !is_pole_of_gamma(x) && integer_part(x).odd();
}

/// log |Γ(x)|: relative error below 2^-118 where x > 0; where x < 0 below 2^-115 from |log |Γ(x)|| = 2^-5 on, from 4 on
/// where x <= −stirling_from, and below that 2^-113 in absolute terms. Preconditions: x is finite, below stirling_from,
/// and neither a pole nor 1 nor 2.
constexpr Wide log_abs_gamma_away_from_zeros(dd_real x, NearestInteger nearest) {
  Wide t(nearest.rest);
  if (x.hi <= -stirling_from) {
    // |Γ(x)| = 1 / (sine_over_pi(t) Γ(1 − x)). Below the last zeros the terms do not cancel.
    Wide mirrored = Wide(1) - Wide(x);
    if (x.hi < below_zeros_of_log_gamma) return -(stirling_log_gamma(mirrored) + wide_log(sine_over_pi(t)));
    return -wide_log(sine_over_pi(t) * stirling_gamma(mirrored));
  }
  auto n = static_cast<int>(nearest.whole.hi);
  Wide base = log_gamma_from_2(t);
  if (n == 1) return base - wide_log1p(t);
  if (n == 2) return base;
  if (n > 2) return base + wide_log(rising_factorial(Wide(2) + t, n - 2));
  return base - wide_log(abs(t) * (Wide(1) + t) * rising_factorial(Wide(1) - t, -n));
}

/// log |Γ(x)|, relative error below 2^-118 where x > 0, 2^-115 where x < 0.
/// Preconditions: x is finite, and neither a pole nor 1 nor 2.
constexpr Wide log_abs_gamma(dd_real x) {
  if (x.hi >= stirling_from) return stirling_log_gamma(Wide(x));
  NearestInteger nearest(x);
  Wide log = log_abs_gamma_away_from_zeros(x, nearest);
  // Γ(x) is above 1 all the way from −2 to 0.
  if (x.hi >= -2.0 || x.hi < below_zeros_of_log_gamma) return log;
  if (!log.is_zero() && log.exponent >= (x.hi > -stirling_from ? -5 : 2)) return log;
  return log_abs_gamma_near_zero(nearest.rest, static_cast<int>(-nearest.whole.hi));
}

}  // namespace detail

/// The gamma function, below 0.505u², and 2^-1075 where the result is subnormal; exact at 1, 2, …, 37, the last integer
/// whose gamma function a dd_real holds. ±Inf at ±0, Inf above 171.62, NaN at negative integers and −Inf.
constexpr dd_real tgamma(dd_real x) {
  using detail::Wide;
  const dd_real infinity = std::numeric_limits<dd_real>::infinity();
  if (isnan(x)) return x;
  if (x.hi == 0.0) return copysign(infinity, x);
  if (x.hi > 172.0) return infinity;
  if (isinf(x) || detail::is_pole_of_gamma(x)) return std::numeric_limits<dd_real>::quiet_NaN();
  // 1 / (315! · 2^-1074) underflows.
  if (x.hi < -315.0) return dd_real(detail::is_gamma_negative(x) ? -0.0 : 0.0);
  detail::NearestInteger nearest(x);
  Wide t(nearest.rest);
  auto n = static_cast<int>(nearest.whole.hi);
  bool is_even = n % 2 == 0;
  if (x.hi <= -detail::stirling_from) {
    Wide product = sine_over_pi(t) * detail::stirling_gamma(Wide(1) - Wide(x));
    return to_dd_real(Wide(is_even == t.is_negative ? -1 : 1) / product);
  }
  if (n <= 0) {
    // t (t − 1) … (t + n).
    Wide product = t * detail::rising_factorial(Wide(1) - t, -n);
    return to_dd_real(Wide(is_even ? 1 : -1) / (product * detail::reciprocal_gamma(t)));
  }
  if (x.hi >= detail::stirling_from && !(t.is_zero() && n <= 37)) return to_dd_real(detail::stirling_gamma(Wide(x)));
  Wide product = detail::rising_factorial(Wide(1) + t, n - 1);
  return to_dd_real(t.is_zero() ? product : product / detail::reciprocal_gamma(t));
}

/// log |Γ(x)|, and in *sign the sign of Γ(x), 1 or −1. For x > 0 below 0.501u², for x < 0 below 0.502u², relative also
/// near its zeros: 1, 2, and those between negative integers. Inf at ±Inf, ±0 and negative integers, where *sign is 1,
/// but −1 at −0.
constexpr dd_real lgamma_r(dd_real x, int* sign) {
  const dd_real infinity = std::numeric_limits<dd_real>::infinity();
  *sign = !isnan(x) && !isinf(x) && detail::is_gamma_negative(x) ? -1 : 1;
  if (isnan(x)) return x;
  if (isinf(x) || x.hi == 0.0 || detail::is_pole_of_gamma(x)) return infinity;
  if (x == dd_real(1) || x == dd_real(2)) return dd_real(0);
  return to_dd_real(detail::log_abs_gamma(x));
}
/// The same without the sign.
constexpr dd_real lgamma(dd_real x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

}  // namespace hilo
