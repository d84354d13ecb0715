// What the four operations and one square root give: sqrt, fma, rounding to integers, scaling, classification, minimum
// and maximum.
#pragma once

#include <climits>
#include <cmath>
#include <hilo/dd_real.hpp>

#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__))
#pragma float_control(precise, on, push)
#elif defined(__clang__)
#pragma clang fp reassociate(off)
#endif

namespace hilo {

namespace detail {

constexpr bool is_finite(double a) { return __builtin_fabs(a) <= 0x1.fffffffffffffp1023; }
constexpr bool sign_bit(double a) { return std::bit_cast<std::uint64_t>(a) >> 63 != 0; }

constexpr double floor_double(double a) {
  if (!std::is_constant_evaluated()) return __builtin_floor(a);
  if (!(__builtin_fabs(a) < 0x1p52) || a == 0.0) return a;
  double whole = static_cast<double>(static_cast<std::int64_t>(a));
  return whole > a ? whole - 1.0 : whole;
}

constexpr bool is_odd(double whole) { return floor_double(0.5 * whole) != 0.5 * whole; }

// a · 2^n, rounded once, for any n: the first steps leave at least 53 bits between the value and the subnormals.
constexpr double scale_double(double a, int n) {
  for (int i = 0; i < 2 && n > 1023; ++i) a = rounded_product(a, 0x1p1023), n -= 1023;
  for (int i = 0; i < 2 && n < -1022; ++i) a = rounded_product(a, 0x1p-969), n += 969;
  n = n > 1023 ? 1023 : n < -1022 ? -1022 : n;
  return rounded_product(a, std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52));
}

// The exponent e with 2^e <= |a| < 2^(e+1). Precondition: a is finite and not 0.
constexpr int exponent(double a) {
  auto field = [](double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff); };
  return field(a) > 0 ? field(a) - 1023 : field(rounded_product(a, 0x1p54)) - 1077;
}

// The same of hi + lo, which lies below hi's binade where hi is a power of two and lo pulls towards zero.
constexpr int exponent(dd_real x) {
  bool is_power = (std::bit_cast<std::uint64_t>(x.hi) & 0xfffffffffffffu) == 0;
  return exponent(x.hi) - (is_power && x.lo != 0.0 && sign_bit(x.lo) != sign_bit(x.hi));
}

// floor(x) as two integral words, and where in [floor(x), floor(x) + 1) x lies: before, at or after the middle.
struct IntegerPart {
  double hi, lo;
  bool hi_is_integral;
  int side;

  constexpr bool odd() const { return is_odd(hi) != is_odd(lo); }
  // floor(x) or floor(x) + 1, with the sign of x where it is zero. Infinite and NaN x stay.
  constexpr dd_real value(bool up, dd_real x) const {
    if (!is_finite(x.hi)) return x;
    double one = up ? 1.0 : 0.0;
    auto sum = scalar_ops::fast_two_sum(hi_is_integral ? hi : hi + one, hi_is_integral ? lo + one : lo);
    return sum.hi == 0.0 ? dd_real(sign_bit(x.hi) ? -0.0 : 0.0) : from_words(sum);
  }
};

constexpr IntegerPart integer_part(dd_real x) {
  IntegerPart p{floor_double(x.hi), 0.0, false, 0};
  p.hi_is_integral = p.hi == x.hi;
  if (p.hi_is_integral) p.lo = floor_double(x.lo);
  // The middle is exact where there is a fraction, and a rounded difference keeps its sign.
  double tie = p.hi_is_integral ? x.lo - (p.lo + 0.5) : x.hi - (p.hi + 0.5);
  if (p.hi_is_integral && x.lo == p.lo) tie = -0.5;
  if (tie == 0.0 && !p.hi_is_integral) tie = x.lo;
  p.side = (tie > 0.0) - (tie < 0.0);
  return p;
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

constexpr bool signbit(dd_real x) { return detail::sign_bit(x.hi); }
/// x with the sign of y.
constexpr dd_real copysign(dd_real x, dd_real y) { return signbit(x) == signbit(y) ? x : -x; }

/// The square root, 25/8 u², over the full range; sqrt(−0) = −0, NaN below zero. Lefèvre et al., TOMS 49 (2023).
constexpr dd_real sqrt(dd_real x) {
  if (std::is_constant_evaluated() && x.hi == 0.0) return x;
  return detail::from_words(detail::scalar_ops::root(detail::to_words(x)));
}

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

constexpr bool isnan(dd_real x) { return x.hi != x.hi; }
constexpr bool isinf(dd_real x) { return __builtin_fabs(x.hi) > 0x1.fffffffffffffp1023; }
constexpr bool isfinite(dd_real x) { return detail::is_finite(x.hi); }
/// hi is normal; lo need not be.
constexpr bool isnormal(dd_real x) { return detail::is_finite(x.hi) && __builtin_fabs(x.hi) >= 0x1p-1022; }
constexpr int fpclassify(dd_real x) {
  if (isnan(x)) return FP_NAN;
  if (isinf(x)) return FP_INFINITE;
  if (isnormal(x)) return FP_NORMAL;
  return x.hi == 0.0 ? FP_ZERO : FP_SUBNORMAL;
}

/// |x|, exact; +0 for −0.
constexpr dd_real abs(dd_real x) { return detail::from_words({__builtin_fabs(x.hi), x.hi < 0.0 ? -x.lo : x.lo}); }
constexpr dd_real fabs(dd_real x) { return abs(x); }

/// The smaller and the larger; the other one where one is NaN.
constexpr dd_real fmin(dd_real x, dd_real y) { return y < x || isnan(x) ? y : x; }
constexpr dd_real fmax(dd_real x, dd_real y) { return x < y || isnan(x) ? y : x; }

// Rounding to an integer is exact, and a zero has the sign of x.

constexpr dd_real floor(dd_real x) { return detail::integer_part(x).value(false, x); }
constexpr dd_real ceil(dd_real x) { return -floor(-x); }
constexpr dd_real trunc(dd_real x) { return signbit(x) ? ceil(x) : floor(x); }
/// The nearest integer, halves away from zero.
constexpr dd_real round(dd_real x) {
  auto p = detail::integer_part(x);
  return p.value(p.side > 0 || (p.side == 0 && x.hi > 0.0), x);
}
/// The nearest integer, halves to even, whatever the rounding mode.
constexpr dd_real rint(dd_real x) {
  auto p = detail::integer_part(x);
  return p.value(p.side > 0 || (p.side == 0 && p.odd()), x);
}
constexpr dd_real nearbyint(dd_real x) { return rint(x); }

constexpr long lround(dd_real x) { return static_cast<long>(round(x)); }
constexpr long long llround(dd_real x) { return static_cast<long long>(round(x)); }
constexpr long lrint(dd_real x) { return static_cast<long>(rint(x)); }
constexpr long long llrint(dd_real x) { return static_cast<long long>(rint(x)); }

/// x · 2^n: exact, or within 2^-1074 where it reaches below the normal doubles.
constexpr dd_real ldexp(dd_real x, int n) {
  double hi = detail::scale_double(x.hi, n), lo = detail::scale_double(x.lo, n);
  if (!detail::is_finite(hi)) return detail::from_words({hi, 0.0});
  return hi == 0.0 ? dd_real(hi) : detail::from_words(detail::scalar_ops::fast_two_sum(hi, lo));
}
constexpr dd_real scalbn(dd_real x, int n) { return ldexp(x, n); }
constexpr dd_real scalbln(dd_real x, long n) {
  return ldexp(x, n > 4200 ? 4200 : n < -4200 ? -4200 : static_cast<int>(n));
}

/// The e with 2^e <= |x| < 2^(e+1), of hi and lo together; FP_ILOGB0, FP_ILOGBNAN, INT_MAX for 0, NaN, Inf.
constexpr int ilogb(dd_real x) {
  if (isnan(x)) return FP_ILOGBNAN;
  if (isinf(x)) return INT_MAX;
  return x.hi == 0.0 ? FP_ILOGB0 : detail::exponent(x);
}
/// The same as a number; −Inf for 0, +Inf for Inf.
constexpr dd_real logb(dd_real x) {
  if (!isfinite(x)) return abs(x);
  return x.hi == 0.0 ? -std::numeric_limits<dd_real>::infinity() : dd_real(detail::exponent(x));
}
/// x = f · 2^e with 1/2 <= |f| < 1, exactly unless lo lies so far below hi that it underflows in f; f = x and e = 0 for
/// 0, Inf and NaN.
constexpr dd_real frexp(dd_real x, int* e) {
  *e = x.hi == 0.0 || !isfinite(x) ? 0 : detail::exponent(x) + 1;
  return *e == 0 ? x : ldexp(x, -*e);
}
/// The integer part of x, toward zero, and what is left: exact, both with the sign of x.
constexpr dd_real modf(dd_real x, dd_real* whole) {
  *whole = trunc(x);
  return isinf(x) ? copysign(dd_real(0), x) : copysign(x - *whole, x);
}

}  // namespace hilo

#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__))
#pragma float_control(pop)
#endif
