// a·b + c·d of dd_reals with a small relative error, however much cancels: the parts of complex products and quotients.
#pragma once

#include <hilo/detail/exact_sum.hpp>

namespace hilo::detail {

/// Relative error below 2^-115. 20 ns, and 100 ns where eight bits and more cancel. Precondition: finite operands.
constexpr Wide sum_of_products(dd_real a, dd_real b, dd_real c, dd_real d) {
  Wide p = Wide(a) * Wide(b), q = Wide(c) * Wide(d), sum = p + q;
  if (p.is_zero() || q.is_zero()) return sum;
  // p and q err by 3 · 2^-126 of themselves.
  int largest = p.exponent > q.exponent ? p.exponent : q.exponent;
  if (!sum.is_zero() && sum.exponent > largest - 8) return sum;
  ExactSum exact;
  exact.add_product(a, b);
  exact.add_product(c, d);
  return exact.leading_bits();
}

/// The sign that a·b + c·d has where it is zero.
constexpr bool is_negative_zero(dd_real a, dd_real b, dd_real c, dd_real d) {
  if ((a.hi != 0.0 && b.hi != 0.0) || (c.hi != 0.0 && d.hi != 0.0)) return false;
  return signbit(a) != signbit(b) && signbit(c) != signbit(d);
}

}  // namespace hilo::detail
