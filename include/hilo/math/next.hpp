// The neighbours of a number: nextafter, nexttoward, nextup, nextdown.
#pragma once

#include <hilo/math/basic.hpp>

namespace hilo {

namespace detail {

// The least double above a. Precondition: a is finite, or −Inf.
constexpr double next_above(double a) {
  if (a == 0.0) return 0x1p-1074;
  auto bits = std::bit_cast<std::uint64_t>(a);
  return std::bit_cast<double>(sign_bit(a) ? bits - 1 : bits + 1);
}

}  // namespace detail

/// The least number above x. Numbers are all hi + lo with hi = RN(hi + lo), lo as far below hi as may be: after 1 comes
/// 1 + 2^-1074, and after that 1 + 2^-1073. (A step of one in 106 bits is x + ldexp(x, -105).) nextup(±0) = 2^-1074,
/// nextup(−2^-1074) = −0, nextup(max) = nextup(Inf) = Inf.
constexpr dd_real nextup(dd_real x) {
  using detail::from_words, detail::next_above;
  if (isnan(x) || x.hi == std::numeric_limits<double>::infinity()) return x;
  if (x.hi == 0.0) return std::numeric_limits<dd_real>::denorm_min();
  if (isinf(x)) return std::numeric_limits<dd_real>::lowest();
  double lo = next_above(x.lo) + 0.0;
  if (detail::is_canonical(from_words({x.hi, lo}))) return from_words({x.hi, lo});
  // lo was the largest with this hi; a sum half way to the next hi belongs to the even one.
  double hi = next_above(x.hi);
  if (!detail::is_finite(hi) || hi == 0.0) return dd_real(hi);
  lo = detail::rounded_product(0.5, x.hi - hi);
  if (!detail::is_canonical(from_words({hi, lo}))) lo = next_above(lo);
  return from_words({hi, lo + 0.0});
}

/// The largest number below x.
constexpr dd_real nextdown(dd_real x) { return -nextup(-x); }

/// The neighbour of x on the side of y, y where they are equal.
constexpr dd_real nextafter(dd_real x, dd_real y) {
  if (isnan(x) || isnan(y)) return std::numeric_limits<dd_real>::quiet_NaN();
  if (x == y) return y;
  return x < y ? nextup(x) : nextdown(x);
}
constexpr dd_real nexttoward(dd_real x, dd_real y) { return nextafter(x, y); }

}  // namespace hilo
