// What the four operations and one square root give: sqrt, rounding to integers, scaling, classification, minimum
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

// hi + lo = a + b exactly and hi nearest to it, in every rounding mode; hi infinite and lo 0 where that overflows.
// Precondition: |a| >= |b| or a = 0, both finite.
constexpr scalar_ops::dd canonical_sum(double a, double b) {
  // Elsewhere b has no bits below half a unit of the sum that the other direction would lose.
  if (a != 0.0 && is_canonical(from_words({a, b}))) return {a, b};
  scalar_ops::dd r = scalar_ops::fast_two_sum(a, b);
  if (!is_finite(r.hi)) return {r.hi, 0.0};
  return r.hi == 0.0 ? r : scalar_ops::nearest_words(r);
}

// x - whole exactly, where `whole` is x rounded to an integer, to nearest or towards zero.
constexpr dd_real fraction_beside(dd_real x, dd_real whole) {
  double a = (x.hi - whole.hi) - whole.lo, b = x.lo;
  bool is_ordered = __builtin_fabs(a) >= __builtin_fabs(b);
  return from_words(canonical_sum(is_ordered ? a : b, is_ordered ? b : a));
}

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
    auto sum = canonical_sum(hi_is_integral ? hi : hi + one, hi_is_integral ? lo + one : lo);
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

}  // namespace detail

constexpr bool signbit(dd_real x) { return detail::sign_bit(x.hi); }
/// x with the sign of y.
constexpr dd_real copysign(dd_real x, dd_real y) { return signbit(x) == signbit(y) ? x : -x; }

/// The square root, 25/8 u², over the full range; sqrt(−0) = −0, NaN below zero. Lefèvre et al., TOMS 49 (2023).
constexpr dd_real sqrt(dd_real x) {
  if (std::is_constant_evaluated() && x.hi == 0.0) return x;
  return detail::from_words(detail::scalar_ops::root(detail::to_words(x)));
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

/// x · 2^n: exact, or within 2^-1074 where it reaches below the normal doubles; Inf where hi overflows.
constexpr dd_real ldexp(dd_real x, int n) {
  double hi = detail::scale_double(x.hi, n), lo = detail::scale_double(x.lo, n);
  // A rounding mode may have made the largest number of either word.
  if (__builtin_fabs(hi) >= 0x1.fffffffffffffp1023 && detail::is_finite(x.hi) && n > 1023 - detail::exponent(x.hi))
    return detail::from_words({__builtin_copysign(std::numeric_limits<double>::infinity(), x.hi), 0.0});
  // Below 2^-1021 lo is less than any double.
  if (!detail::is_finite(hi) || __builtin_fabs(hi) < 0x1p-1021) return detail::from_words({hi, 0.0});
  return detail::from_words(detail::canonical_sum(hi, lo));
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
  return isinf(x) ? copysign(dd_real(0), x) : copysign(detail::fraction_beside(x, *whole), x);
}

}  // namespace hilo

#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__))
#pragma float_control(pop)
#endif
