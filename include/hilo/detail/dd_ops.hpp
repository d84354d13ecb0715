// dd_ops<double>: the double-double algorithms of eft.clh and core.clh on plain doubles,
// right under every compiler flag short of fast-math, and constexpr.
#pragma once

#if __cplusplus < 202002L
#error "hilo needs C++20; compile with -std=c++20"
#endif

#include <bit>
#include <cstdint>
#include <type_traits>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error \
    "hilo: double-double arithmetic needs IEEE semantics; compile without -ffast-math, -fassociative-math, \
-freciprocal-math, -ffinite-math-only and -Ofast"
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "hilo: double-double arithmetic needs doubles evaluated as doubles; compile with -msse2 -mfpmath=sse"
#endif

// 1 where this unit's compiler may emit fused multiply-adds, and so contract a·b + c.
#if defined(__FMA__) || defined(__FMA4__) || defined(__ARM_FEATURE_FMA) || defined(__FP_FAST_FMA)
#define HILO_HAS_FMA 1
#else
#define HILO_HAS_FMA 0
#endif

// Clang says nothing of -fassociative-math and -freciprocal-math: undo them here, and only here where it can.
#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__))
#pragma float_control(precise, on, push)
#elif defined(__clang__)
#pragma clang fp reassociate(off)
#endif

namespace hilo {

namespace detail {

// −0.0 whose value the compiler may not assume: fma(a, b, −0.0) is a·b rounded, it cannot be folded to a·b
// and then contracted, and it still vectorises. No pragma or attribute does all three.
[[gnu::used]] inline std::uint64_t minus_zero_bits = 0x8000000000000000u;

inline double opaque_minus_zero() { return std::bit_cast<double>(minus_zero_bits); }

// a·b, rounded: never contracted into a following addition.
constexpr double rounded_product(double a, double b) {
#if HILO_HAS_FMA
  if (!std::is_constant_evaluated()) return __builtin_fma(a, b, opaque_minus_zero());
#endif
  return a * b;
}

// a, rounded: where a is a caller's product, keeps it from being contracted into the arithmetic that follows.
constexpr double rounded(double a) {
#if HILO_HAS_FMA
  if (!std::is_constant_evaluated() && !__builtin_constant_p(a)) return a + opaque_minus_zero();
#endif
  return a;
}

// The correctly rounded square root in constant expressions, where compilers do not evaluate theirs.
constexpr double constant_square_root(double a) {
  if (!(a > 0.0) || a > 0x1.fffffffffffffp1023) {
    // Clang does not evaluate 0.0 / 0.0 in constants.
    return a == 0.0 || a > 0.0 ? a : std::bit_cast<double>(std::uint64_t{0x7ff8000000000000u});
  }
  double scale = 1.0;
  while (a < 0x1p-900) a *= 0x1p200, scale *= 0x1p-100;
  // a = m · 2^e with e even and 2^106 <= m < 2^108, so that the root of m has 54 bits and is never between two ties.
  auto bits = std::bit_cast<std::uint64_t>(a);
  int e = static_cast<int>(bits >> 52) - 1075 - 54;
  __extension__ using wide = unsigned __int128;
  wide m = static_cast<wide>((bits & 0xfffffffffffffu) | 0x10000000000000u) << 54;
  if (e % 2 != 0) m <<= 1, --e;
  std::uint64_t root = 0;
  for (int bit = 53; bit >= 0; --bit) {
    std::uint64_t next = root | std::uint64_t{1} << bit;
    if (static_cast<wide>(next) * next <= m) root = next;
  }
  double power = std::bit_cast<double>(static_cast<std::uint64_t>(e / 2 + 1 + 1023) << 52);
  return static_cast<double>((root + 1) / 2) * power * scale;
}

}  // namespace detail

template <class Lane, bool HasFma>
struct dd_ops;

// Two-word arithmetic on doubles; HasFma chooses the two_prod and nothing else, and does not change a bit.
template <bool HasFma>
struct dd_ops<double, HasFma> {
  using real = double;
  using mask = bool;

#define HILO_FN static constexpr
  HILO_FN real literal(double c) { return c; }
  HILO_FN real mul(real a, real b) { return detail::rounded_product(a, b); }
  // A product that is exact may be contracted.
  HILO_FN real scaled(real a, real b) { return a * b; }
  HILO_FN real fma(real a, real b, real c) { return __builtin_fma(a, b, c); }
  HILO_FN real fms(real a, real b, real c) { return __builtin_fma(a, b, -c); }
  HILO_FN real magnitude(real a) { return __builtin_fabs(a); }
  HILO_FN real leading_half(real a) {
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(a) + 0x4000000u) & ~std::uint64_t{0x7ffffff});
  }
  HILO_FN real nearest_integer(real a) {
    real n = (a + 0x1.8p52) - 0x1.8p52, rest = a - n;
    // The other neighbour, by a sum that was not rounded to nearest.
    if (__builtin_expect(magnitude(rest) > 0.5, 0)) n += rest > 0.0 ? 1.0 : -1.0;
    return n;
  }
  // Exact for integers below 2^51, which stand in the last bits of this sum; no conversion, whose latency is longer.
  HILO_FN real low_bits(real n, int k) {
    std::uint64_t kept = 0xfff0000000000000u | ((std::uint64_t{1} << k) - 1);
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(n + 0x1.8p52) & kept) - 0x1p52;
  }
  HILO_FN real choose(mask m, real a, real b) { return m ? a : b; }
  HILO_FN real usually(mask m, real a, real b) {
#if defined(__clang__)
    // A predicted branch shortens chains; clang still makes selects of it in loops. G++ would stop vectorising.
    return __builtin_expect(m, 1) ? a : b;
#else
    return choose(m, a, b);
#endif
  }
  HILO_FN real square_root(real a) {
    return std::is_constant_evaluated() ? detail::constant_square_root(a) : __builtin_sqrt(a);
  }
#include <hilo/detail/eft.clh>
  HILO_FN dd two_prod(real a, real b) {
    if (HasFma && !std::is_constant_evaluated()) return two_prod_fma(a, b);
    // A branch, since the scaling of two_prod_split doubles the time of a product, and SSE2 has two lanes to lose.
    real m = magnitude(a * b);
    bool is_inner = m >= 0x1p-500 && magnitude(a) <= 0x1p500 && magnitude(b) <= 0x1p500;
    return is_inner ? two_prod_of_halves(a, b) : two_prod_split(a, b);
  }
#include <hilo/detail/core.clh>
#undef HILO_FN

  // The canonical words of x.hi + x.lo, by their bits: the same in every rounding mode. Precondition: |x.lo| is at most
  // the distance from x.hi to the next double on its side, as it is behind a sum in any mode.
  static constexpr dd nearest_words(dd x) {
    constexpr double largest = 0x1.fffffffffffffp1023;
    auto bits = std::bit_cast<std::uint64_t>(x.hi), differs = (bits ^ std::bit_cast<std::uint64_t>(x.lo)) >> 63;
    double next = std::bit_cast<double>(bits + 1 - 2 * differs), gap = next - x.hi, moved = x.lo - gap;
    double size = choose(magnitude(next) <= largest, magnitude(gap), 0x1p971),
           twice = magnitude(x.lo) + magnitude(x.lo);
    // One unit more of 2·lo where hi is odd: a tie goes to the even neighbour.
    bool moves = std::bit_cast<std::uint64_t>(twice) + bits % 2 > std::bit_cast<std::uint64_t>(size);
    double hi = choose(moves, next, x.hi), lo = choose(moves, moved, x.lo);
    lo = choose(magnitude(lo) > 0.0, lo, 0.0);
    return {hi, choose(magnitude(hi) <= largest, lo, 0.0)};
  }
};

namespace detail {

using scalar_ops = dd_ops<double, HILO_HAS_FMA>;

}  // namespace detail

}  // namespace hilo

#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__))
#pragma float_control(pop)
#endif
