// asinh, acosh, atanh, asin, acos and atan of complex numbers, with the branch cuts and special values of C23, Annex G.
// Kahan, Branch Cuts for Complex Elementary Functions (1987), on 128 bits, whose exponents do not overflow: no sum in
// it cancels, so that every part errs by less than 0.505u² of itself, for every z.
#pragma once

#include <hilo/math/complex_exponential.hpp>

namespace hilo {

namespace detail {

// sqrt(1 − z) = below.re ∓ i below.im and sqrt(1 + z) = above.re ± i above.im, ± being the sign of z.im.
struct KahanRoots {
  WideComplex below, above;

  // Precondition: finite.
  constexpr explicit KahanRoots(dd_complex z) {
    // Exact where they cancel.
    Wide hi(z.re.hi), lo(z.re.lo), y = abs(Wide(z.im));
    below = wide_complex_sqrt(Wide(1) - hi - lo, y);
    above = wide_complex_sqrt(Wide(1) + hi + lo, y);
  }

  /// |Im(acos(z))| = |Im(asin(z))| = asinh(Im(conj(sqrt(1 − z)) sqrt(1 + z))).
  constexpr Wide size_of_imaginary_part() const {
    Wide t = below.re * above.im + below.im * above.re, square = t * t;
    return wide_log1p(t + square / (Wide(1) + sqrt(Wide(1) + square)));
  }
  constexpr Wide real_part_of_acos() const { return ldexp(wide_atan2(below.re, above.re), 1); }
  constexpr Wide real_part_of_asin(Wide x) const {
    return x.is_zero() ? x : wide_atan2(x, below.re * above.re + below.im * above.im);
  }
};

}  // namespace detail

/// The arcsine; cuts along the real axis beyond ±1.
template <detail::complex_argument Z>
constexpr dd_complex asin(Z z) {
  if (!detail::is_finite(z)) {
    dd_real nan = detail::not_a_number().re;
    if (isinf(z.im)) return {isnan(z.re) ? nan : atan2(z.re, abs(z.im)), z.im};
    if (isinf(z.re))
      return isnan(z.im) ? dd_complex(nan, z.re) : dd_complex(atan2(z.re, abs(z.im)), copysign(abs(z.re), z.im));
    return {z.re.hi == 0.0 ? z.re : nan, nan};
  }
  detail::KahanRoots roots(z);
  dd_complex r = detail::to_dd_complex({roots.real_part_of_asin(detail::Wide(z.re)), roots.size_of_imaginary_part()});
  return {copysign(r.re, z.re), copysign(r.im, z.im)};
}

/// The arccosine, re in [0, π]; cuts along the real axis beyond ±1.
template <detail::complex_argument Z>
constexpr dd_complex acos(Z z) {
  if (!detail::is_finite(z)) {
    dd_real nan = detail::not_a_number().re;
    if (isinf(z.re) && isnan(z.im)) return {nan, z.re};
    if (isinf(z.re) || isinf(z.im)) {
      return {isnan(z.re) ? nan : atan2(abs(z.im), z.re), -copysign(std::numeric_limits<dd_real>::infinity(), z.im)};
    }
    return {z.re.hi == 0.0 ? to_dd_real(detail::wide_half_pi()) : nan, nan};
  }
  detail::KahanRoots roots(z);
  dd_complex r = detail::to_dd_complex({roots.real_part_of_acos(), roots.size_of_imaginary_part()});
  return {r.re, copysign(r.im, -z.im)};
}

/// The inverse of sinh; cuts along the imaginary axis beyond ±i.
template <detail::complex_argument Z>
constexpr dd_complex asinh(Z z) {
  return detail::swap_parts(asin(detail::swap_parts(z)));
}

/// The inverse of cosh with re >= 0; the cut along the real axis below 1.
template <detail::complex_argument Z>
constexpr dd_complex acosh(Z z) {
  dd_complex r = acos(z);
  return {abs(r.im), copysign(r.re, z.im)};
}

/// The inverse of tanh; cuts along the real axis beyond ±1. ±Inf for ±1.
template <detail::complex_argument Z>
constexpr dd_complex atanh(Z z) {
  using detail::Wide;
  constexpr dd_real zero = 0;
  dd_real right_angle = copysign(to_dd_real(detail::wide_half_pi()), z.im);
  if (isinf(z.im)) return {copysign(zero, z.re), right_angle};
  if (isinf(z.re)) return {copysign(zero, z.re), isnan(z.im) ? z.im : right_angle};
  if (!detail::is_finite(z)) {
    dd_real nan = detail::not_a_number().re;
    return {z.re.hi == 0.0 ? z.re : nan, nan};
  }
  dd_real size = abs(z.re);
  if (size == 1 && z.im.hi == 0.0) return {copysign(std::numeric_limits<dd_real>::infinity(), z.re), z.im};
  // log1p(4x / ((1 − x)² + y²)) / 4 and the angle of (1 − x² − y²) + 2iy, halved; 1 − x is exact where it cancels.
  Wide x(size), y = abs(Wide(z.im)), complement = Wide(1) - Wide(size.hi) - Wide(size.lo);
  Wide ratio = ldexp(x, 2) / (complement * complement + y * y);
  Wide angle = y.is_zero() && size < 1 ? Wide() : detail::wide_atan2(ldexp(y, 1), -detail::norm_minus_one(z));
  dd_complex r = detail::to_dd_complex({ldexp(detail::wide_log1p(ratio), -2), ldexp(angle, -1)});
  return {copysign(r.re, z.re), copysign(r.im, z.im)};
}

/// The arctangent; cuts along the imaginary axis beyond ±i. ±i·Inf for ±i.
template <detail::complex_argument Z>
constexpr dd_complex atan(Z z) {
  return detail::swap_parts(atanh(detail::swap_parts(z)));
}

}  // namespace hilo
