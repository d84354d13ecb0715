// lerp and midpoint, rounded from the exact value: monotone, exact at the ends, and between them without further cases.
#pragma once

#include <hilo/detail/exact_sum.hpp>

namespace hilo {

/// a + t·(b − a), rounded once from the exact value: an error of at most u²/2 of the result, or 2^-1075. It follows
/// that lerp(a, b, 0) = a, lerp(a, b, 1) = b, lerp(a, a, t) = a, and that lerp does not decrease in t where a <= b.
/// Infinite operands give the limit: ±Inf by the signs of 1 − t and t, NaN where those terms are opposite.
constexpr dd_real lerp(dd_real a, dd_real b, dd_real t) {
  if (isnan(t)) return t;
  if (t.hi == 0.0 || a == b) return a;
  if (t == 1) return b;
  if (!isfinite(a) || !isfinite(b)) {
    // The signs of the terms (1 − t) · a and t · b: a finite one does not count.
    dd_real first = t < 1 ? a : -a, second = t > 0 ? b : -b;
    return isfinite(a) ? second : isfinite(b) ? first : first + second;
  }
  if (!isfinite(t)) return a < b ? t : -t;
  detail::ExactSum sum;
  sum.add(a);
  sum.add_product(-a, t);
  sum.add_product(b, t);
  return sum.rounded();
}

/// (a + b) / 2, rounded once from the exact value, without overflow on the way: an error of at most u²/2, or 2^-1075.
constexpr dd_real midpoint(dd_real a, dd_real b) {
  if (!isfinite(a) || !isfinite(b)) return a + b;
  if (a.hi == 0.0 && b.hi == 0.0) return a + b;
  detail::ExactSum sum;
  sum.add_product(a, 0.5);
  sum.add_product(b, 0.5);
  return sum.rounded();
}

}  // namespace hilo
