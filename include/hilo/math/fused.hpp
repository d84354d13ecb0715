// a · b + c of dd_reals, rounded once.
#pragma once

#include <hilo/detail/exact_sum.hpp>

#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__))
#pragma float_control(precise, on, push)
#elif defined(__clang__)
#pragma clang fp reassociate(off)
#endif

namespace hilo {

namespace detail {

// Far below the unit of 1, which the compiler may not assume.
[[gnu::used]] inline double below_unit = 0x1p-60;

constexpr bool rounds_to_nearest() {
  return std::is_constant_evaluated() || (1.0 + below_unit == 1.0 && 1.0 - below_unit == 1.0);
}

// two_sum of each term and what is left of the one below, from the first up; whether that changes a term.
constexpr bool distillation_pass(double (&term)[10]) {
  bool changed = false;
  for (int i = 1; i < 10; ++i) {
    auto s = scalar_ops::two_sum(term[i], term[i - 1]);
    changed = changed || s.hi != term[i] || s.lo != term[i - 1];
    term[i] = s.hi;
    term[i - 1] = s.lo;
  }
  return changed;
}

// The exact sum of ten doubles, as two words with lo rounded once: error-free passes until one changes nothing; the
// words then neither overlap nor hold a zero above another word. docs/number.md shows that the passes end.
// Preconditions: rounding to nearest, and no sum overflows.
constexpr dd_real distill(double (&term)[10]) {
  while (distillation_pass(term)) continue;
  // Where the second word is half a unit of the first and the third points on, the first moves: else the second word's
  // unit is too coarse for the third.
  double hi = term[9], lo = term[8], moved = hi + (lo + lo);
  if (moved - hi == lo + lo && term[7] != 0.0 && (lo > 0.0) == (term[7] > 0.0)) {
    hi = moved;
    lo = -lo;
  }
  return from_words(scalar_ops::fast_two_sum(hi, lo + term[7]));
}

}  // namespace detail

/// a · b + c, rounded from the exact value under any cancellation: the error is at most u²/2 + u³ of the result, and
/// 2^-1071 more where a part of the product lies below 2^-969 (2^-1055 where |a · b| or |c| exceeds 2^1020).
/// Inf and NaN as in std::fma. About 200 flops.
constexpr dd_real fma(dd_real a, dd_real b, dd_real c) {
  using ops = detail::scalar_ops;
  double p = ops::mul(a.hi, b.hi);
  if (a.hi == 0.0 || b.hi == 0.0 || !detail::is_finite(a.hi) || !detail::is_finite(b.hi) || !detail::is_finite(c.hi)) {
    bool is_product_finite = detail::is_finite(a.hi) && detail::is_finite(b.hi);
    return is_product_finite && !(c.hi == 0.0) ? c : dd_real(p + c.hi);
  }
  if (!detail::rounds_to_nearest()) {
    // Sums of doubles leave errors then, which distilling would not end with.
    detail::ExactSum sum;
    sum.add(c);
    sum.add_product(a, b);
    return sum.rounded();
  }
  // Room for a sum that is finite though its terms are not. The scaling of hi words is exact, and so is that of the
  // other products down to 2^-1066.
  double down = 1.0, up = 1.0;
  if (!(__builtin_fabs(p) <= 0x1p1020) || __builtin_fabs(c.hi) > 0x1p1020) {
    down = 0x1p-8;
    up = 0x1p8;
  }
  bool is_larger = __builtin_fabs(a.hi) > __builtin_fabs(b.hi);
  double a_hi = ops::mul(a.hi, is_larger ? down : 1.0), b_hi = ops::mul(b.hi, is_larger ? 1.0 : down);
  p = ops::mul(a_hi, b_hi);
  if (!(__builtin_fabs(p) <= 0x1p1020)) return copysign(std::numeric_limits<dd_real>::infinity(), dd_real(p));
  auto scaled = [down](ops::dd w) { return ops::dd{ops::mul(w.hi, down), ops::mul(w.lo, down)}; };
  auto hh = ops::two_prod(a_hi, b_hi), hl = scaled(ops::two_prod(a.hi, b.lo));
  auto lh = scaled(ops::two_prod(a.lo, b.hi)), ll = scaled(ops::two_prod(a.lo, b.lo));
  double terms[10] = {ll.lo, ll.hi, lh.lo, hl.lo, lh.hi, hl.hi, hh.lo, ops::mul(c.lo, down), ops::mul(c.hi, down),
                      hh.hi};
  dd_real r = detail::distill(terms);
  // Exact cancellation is +0, and so is a sum that underflows; a product that underflows keeps its sign.
  return detail::from_words(ops::repair({ops::mul(r.hi, up), ops::mul(r.lo, up)},
                                        r.hi == 0.0 ? (c.hi == 0.0 ? p : 0.0) : ops::mul(r.hi, up)));
}

}  // namespace hilo

#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__))
#pragma float_control(pop)
#endif
