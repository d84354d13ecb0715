// What relates a complex number to its magnitude and angle: abs, arg, norm, proj, polar, sqrt. Computed on 128 bits,
// then rounded: every part errs by less than 0.505u² of itself.
#pragma once

#include <hilo/complex.hpp>
#include <hilo/detail/reduction.hpp>
#include <hilo/math/inverse_trigonometric.hpp>
#include <hilo/math/power.hpp>

namespace hilo {

namespace detail {

// Functions take a dd_complex and nothing that converts to one, so that hilo::sqrt(2.0) remains a real number.
template <class T>
concept complex_argument = std::same_as<T, dd_complex>;

struct WideComplex {
  Wide re, im;
};

constexpr dd_complex to_dd_complex(WideComplex z) {
  return {to_dd_real(without_noise(z.re)), to_dd_real(without_noise(z.im))};
}

/// sin(x) and cos(x), relative errors below 2^-119; a zero has the sign of x. Precondition: x is finite.
constexpr WideSinCos wide_sincos_of(dd_real x) {
  auto [quadrant, remainder] = reduce_to_quadrant(x);
  WideSinCos r = turn(wide_sincos(remainder), quadrant);
  if (r.sine.is_zero()) r.sine.is_negative = signbit(x);
  return r;
}

constexpr dd_complex not_a_number() {
  return {std::numeric_limits<dd_real>::quiet_NaN(), std::numeric_limits<dd_real>::quiet_NaN()};
}

// ±size in the directions of cos(angle) and sin(angle): size is 0 or Inf, angle finite.
constexpr dd_complex along(dd_real size, dd_real angle) {
  auto [sine, cosine] = wide_sincos_of(angle);
  return {cosine.is_negative ? -size : size, sine.is_negative ? -size : size};
}

// x y with the components swapped: i times the conjugate, by which the circular functions become the hyperbolic ones.
constexpr dd_complex swap_parts(dd_complex z) { return {z.im, z.re}; }

// The square root of x + i·y with re >= 0, 2^-122 of each part. Precondition: y >= 0.
constexpr WideComplex wide_complex_sqrt(Wide x, Wide y) {
  Wide larger = sqrt(ldexp(sqrt(x * x + y * y) + abs(x), -1));
  if (larger.is_zero()) return {};
  Wide smaller = y / ldexp(larger, 1);
  return x.is_negative ? WideComplex{smaller, larger} : WideComplex{larger, smaller};
}

}  // namespace detail

/// sqrt(re² + im²), as hypot: Inf where a part is.
template <detail::complex_argument Z>
constexpr dd_real abs(Z z) {
  return hypot(z.re, z.im);
}

/// The angle in [−π, π]: atan2(im, re).
template <detail::complex_argument Z>
constexpr dd_real arg(Z z) {
  return atan2(z.im, z.re);
}

/// |z|² = re² + im²; Inf where a part is.
template <detail::complex_argument Z>
constexpr dd_real norm(Z z) {
  if (detail::is_infinite(z)) return std::numeric_limits<dd_real>::infinity();
  if (!detail::is_finite(z)) return std::numeric_limits<dd_real>::quiet_NaN();
  detail::Wide x(z.re), y(z.im);
  return to_dd_real(without_noise(x * x + y * y));
}

/// z, or Inf ± 0i where a part is infinite.
template <detail::complex_argument Z>
constexpr dd_complex proj(Z z) {
  return detail::is_infinite(z) ? dd_complex(std::numeric_limits<dd_real>::infinity(), copysign(dd_real(0), z.im)) : z;
}

// Of a real number, as in <complex>.
template <detail::real_operand T>
constexpr dd_real arg(T x) {
  return atan2(dd_real(0), dd_real(x));
}
template <detail::real_operand T>
constexpr dd_real norm(T x) {
  return norm(dd_complex(x));
}
template <detail::real_operand T>
constexpr dd_complex proj(T x) {
  return proj(dd_complex(x));
}

/// magnitude · (cos(angle) + i sin(angle)); a negative magnitude turns it round.
constexpr dd_complex polar(dd_real magnitude, dd_real angle = dd_real(0)) {
  if (angle.hi == 0.0) return {magnitude, signbit(magnitude) ? -angle : angle};
  if (!isfinite(angle) || isnan(magnitude)) return detail::not_a_number();
  if (isinf(magnitude)) return detail::along(magnitude, angle);
  auto [sine, cosine] = detail::wide_sincos_of(angle);
  detail::Wide size(magnitude);
  if (size.is_zero()) return detail::along(magnitude, angle);
  return detail::to_dd_complex({size * cosine, size * sine});
}

/// The square root with re >= 0, the cut along the negative real axis; im has the sign of z.im.
template <detail::complex_argument Z>
constexpr dd_complex sqrt(Z z) {
  constexpr dd_real infinity = std::numeric_limits<dd_real>::infinity(), zero = 0;
  if (isinf(z.im)) return {infinity, z.im};
  if (isinf(z.re)) {
    if (isnan(z.im)) return signbit(z.re) ? dd_complex(z.im, infinity) : dd_complex(infinity, z.im);
    return signbit(z.re) ? dd_complex(zero, copysign(infinity, z.im)) : dd_complex(infinity, copysign(zero, z.im));
  }
  if (!detail::is_finite(z)) return detail::not_a_number();
  dd_complex r = detail::to_dd_complex(detail::wide_complex_sqrt(detail::Wide(z.re), abs(detail::Wide(z.im))));
  return {r.re, copysign(r.im, z.im)};
}

}  // namespace hilo
