// What a block without products computes, one entry at a time: the definition of its bits, and the oracle of the
// kernels.
//
// x + Σ a_k · b_k by the steps of the direct engine (docs/error-bounds.md), in increasing k from x on, renormalised
// after each and closed by two_sum. A complex term is two real steps in each part. Where that is not finite, it is the
// plain sum of the hi parts in double.
#pragma once

#include <cstdint>
#include <hilo/complex.hpp>
#include <hilo/precision.hpp>

#include "dd/canonical_order.hpp"

namespace hilo::blas {

/// left(s), right(s): the factors of real step s = 0 … steps − 1.
template <class Left, class Right>
dd_real with_steps(dd_real x, std::int64_t steps, Left left, Right right, bool fma) {
  using ops = canonical::ScalarStep;
  if (steps == 0) return x;
  ops::dd sum = {x.hi, x.lo};
  // What is not finite stays so.
  for (std::int64_t s = 0; s < steps && sum.hi - sum.hi == 0.0; ++s) {
    const dd_real l = left(s), r = right(s);
    const ops::dd a = {l.hi, l.lo}, b = {r.hi, r.lo};
    sum = fma ? ops::step_fma(sum, a, b) : ops::step_split_scaled(sum, a, b);
    sum = ops::fast_two_sum(sum.hi, sum.lo);
  }
  sum = ops::two_sum(sum.hi, sum.lo);
  dd_real y;
  y.hi = sum.hi;
  y.lo = sum.lo;
  if (y.hi - y.hi == 0.0) return y;
  double plain = x.hi;
  for (std::int64_t s = 0; s < steps && plain == plain; ++s) plain += detail::rounded_product(left(s).hi, right(s).hi);
  return dd_real(plain);
}

/// a(k), b(k): the factors of term k = 0 … count − 1.
template <class A, class B>
dd_real with_products(dd_real x, std::int64_t count, A a, B b, bool fma) {
  return with_steps(x, count, a, b, fma);
}
template <class A, class B>
dd_complex with_products(dd_complex x, std::int64_t count, A a, B b, bool fma) {
  const auto a_part = [&](std::int64_t s) { return s % 2 ? a(s / 2).im : a(s / 2).re; };
  const auto minus_a_part = [&](std::int64_t s) { return s % 2 ? -a(s / 2).im : a(s / 2).re; };
  const auto b_part = [&](std::int64_t s) { return s % 2 ? b(s / 2).im : b(s / 2).re; };
  const auto b_other = [&](std::int64_t s) { return s % 2 ? b(s / 2).re : b(s / 2).im; };
  return {with_steps(x.re, 2 * count, minus_a_part, b_part, fma), with_steps(x.im, 2 * count, a_part, b_other, fma)};
}
template <class T, class A, class B>
T with_products(T x, std::int64_t count, A a, B b, bool) {
  for (std::int64_t k = 0; k < count; ++k) x += a(k) * b(k);
  return x;
}

/// The divisor d of a block's quotients. x / d of complex numbers: with c = s · d, s the power of two for which the
/// larger part of c lies between 1 and 2, x · conj(c), each part of which is divided by |c|² and multiplied by s.
template <class T>
struct Divisor {
  T value;
  explicit Divisor(const T& d) : value(d) {}
};
template <>
struct Divisor<dd_complex> {
  dd_complex value;    // conj(c)
  dd_real norm;        // |c|²
  double scale = 1.0;  // s

  explicit Divisor(const dd_complex& d) {
    const double larger = std::fmax(std::fabs(d.re.hi), std::fabs(d.im.hi));
    // 0, Inf and NaN as they are; 2^1023 is the largest scale, and leaves subnormal numbers what they are.
    if (larger > 0.0 && larger <= 0x1.fffffffffffffp1023) scale = std::ldexp(1.0, std::min(-std::ilogb(larger), 1023));
    const dd_complex c = {ldexp(d.re, std::ilogb(scale)), ldexp(d.im, std::ilogb(scale))};
    value = conj(c);
    norm = c.re * c.re + c.im * c.im;
  }
};

template <class T>
T quotient(const T& x, const Divisor<T>& d) {
  if constexpr (std::same_as<T, dd_complex>) {
    const dd_complex y = dd_complex::multiply_finite(x, d.value);
    const auto part = [&](dd_real z) {
      const dd_real q = z / d.norm;
      dd_real r;
      r.hi = q.hi * d.scale;
      r.lo = std::fabs(r.hi) <= 0x1.fffffffffffffp1023 ? q.lo * d.scale : 0.0;
      return r;
    };
    return {part(y.re), part(y.im)};
  } else {
    return x / d.value;
  }
}

}  // namespace hilo::blas
