// exp, log, sin, cos and sincos of dd_real.
#pragma once

#include <hilo/detail/elementary_tables.hpp>
#include <hilo/detail/reduction.hpp>

#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__))
#pragma float_control(precise, on, push)
#elif defined(__clang__)
#pragma clang fp reassociate(off)
#endif

namespace hilo {

namespace detail {

/// The text of elementary.clh on plain doubles.
struct elementary_ops : scalar_ops, elementary_tables {
#if defined(__clang__)
// Clang passes structs of several words through memory, and waits for it.
#define HILO_FN [[gnu::always_inline]] static constexpr
#else
#define HILO_FN static constexpr
#endif
  HILO_FN real power_of_two(real k) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(k + 0x1.00000000003ffp52) << 52);
  }
  HILO_FN real exponent_of(real a) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) >> 52 | 0x4330000000000000u) - 0x1.00000000003ffp52;
  }
  HILO_FN real lookup(const double* table, real i) { return table[static_cast<std::int64_t>(i)]; }
  HILO_FN bool any(mask m) { return __builtin_expect(m, 0); }
#include <hilo/detail/elementary.clh>
  // x = index · π/2 + hi + lo + rest modulo 2π, in [−π/4, π/4], relative error below 2^-120.
  HILO_FN angle reduce_large(dd x, mask is_wanted) {
    if (!is_wanted) return {0.0, 0.0, 0.0, 0.0};
    QuadrantRemainder r = reduce_to_quadrant(from_words(x));
    dd_real nearest = to_dd_real(r.remainder);
    double rest = (r.remainder - Wide(nearest)).leading_double();
    return {static_cast<double>(r.quadrant), nearest.hi, nearest.lo, rest};
  }
#undef HILO_FN
};

/// reduce_large of N lanes, for SIMD types, whose scalars it takes because it is rare. `words` holds hi, lo and what is
/// wanted (not 0) before, index, hi, lo and rest after.
template <std::size_t N>
constexpr void reduce_lanes(double (&words)[4][N]) {
  for (std::size_t i = 0; i < N; ++i) {
    auto r = elementary_ops::reduce_large({words[0][i], words[1][i]}, words[2][i] != 0.0);
    words[0][i] = r.index, words[1][i] = r.hi, words[2][i] = r.lo, words[3][i] = r.rest;
  }
}

}  // namespace detail

// In other rounding modes than to nearest errors are below 6u² (sin, cos: 8u²), and hi is next to the value.

/// e^x, 0.51u², and 2^-1074 more where lo is subnormal or hi is. exp(±0) = 1, exp(−Inf) = +0.
constexpr dd_real exp(dd_real x) {
  return detail::from_words(detail::elementary_ops::exponential(detail::to_words(x)));
}

/// log x, 0.51u², also near 1. log(±0) = −Inf, log(x < 0) = NaN, log(1) = +0.
constexpr dd_real log(dd_real x) { return detail::from_words(detail::elementary_ops::logarithm(detail::to_words(x))); }

/// sin x, 0.51u² for every finite x, however large, also near multiples of π. sin(±0) = ±0, sin(±Inf) = NaN.
constexpr dd_real sin(dd_real x) { return detail::from_words(detail::elementary_ops::sine(detail::to_words(x))); }

/// cos x, 0.51u² for every finite x, however large, also near odd multiples of π/2. cos(±Inf) = NaN.
constexpr dd_real cos(dd_real x) { return detail::from_words(detail::elementary_ops::cosine(detail::to_words(x))); }

/// sin x and cos x at once, the same numbers as from sin and cos.
constexpr void sincos(dd_real x, dd_real* sine, dd_real* cosine) {
  auto r = detail::elementary_ops::sine_cosine(detail::to_words(x));
  *sine = detail::from_words(r.sine);
  *cosine = detail::from_words(r.cosine);
}

}  // namespace hilo

#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__))
#pragma float_control(pop)
#endif
