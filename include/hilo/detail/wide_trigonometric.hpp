// Sine, cosine and arctangent in 128 bits, for the functions of dd_real that are made of them: the nearest 64th from a
// table, the rest by a short series in fixed point.
#pragma once

#include <hilo/detail/trigonometric_tables.hpp>
#include <hilo/detail/wide_pi.hpp>

namespace hilo::detail {

struct WideSinCos {
  Wide sine, cosine;
};

// c[0] − z (c[1] − z (c[2] − …)). Precondition: every difference is positive.
template <int N>
constexpr uint128 alternating_series(const uint128 (&c)[N], uint128 z) {
  uint128 sum = c[N - 1];
  for (int k = N - 2; k >= 0; --k) sum = c[k] - multiply_fractions(z, sum);
  return sum;
}

/// sin(x) and cos(x), relative errors below 2^-120. Precondition: |x| <= 0.8.
constexpr WideSinCos wide_sincos(Wide x) {
  if (x.is_zero() || x.exponent < -64) return {x, Wide(1)};
  uint128 whole = x.fraction();
  auto j = static_cast<int>(((whole >> 121) + 1) >> 1);
  uint128 center = static_cast<uint128>(j) << 122;
  bool is_below = whole < center;
  // |x| = j/64 ± rest, and 64 rest <= 1/2: sine and versine (1 − cos) of the rest, 64 and 4096 fold.
  uint128 rest = (is_below ? center - whole : whole - center) << 6;
  uint128 square = multiply_fractions(rest, rest);
  uint128 defect = multiply_fractions(square, alternating_series(sine_coefficients, square));
  uint128 versine = multiply_fractions(square, alternating_series(cosine_coefficients, square));
  if (j == 0) {
    return {x - x * Wide::normalized(defect, -1, false), Wide(1) - Wide::normalized(versine, -13, false)};
  }
  uint128 sine = rest - multiply_fractions(rest, defect);
  uint128 s = sine_of_64ths[j], c = cosine_of_64ths[j];
  uint128 s_turn = multiply_fractions(c, sine) >> 6, c_turn = multiply_fractions(s, sine) >> 6;
  s -= multiply_fractions(s, versine) >> 12;
  c -= multiply_fractions(c, versine) >> 12;
  return {Wide::normalized(is_below ? s - s_turn : s + s_turn, -1, x.is_negative),
          Wide::normalized(is_below ? c + c_turn : c - c_turn, -1, false)};
}

/// Sine and cosine of an angle `quadrant` · π/2 larger.
constexpr WideSinCos turn(WideSinCos a, int quadrant) {
  switch (quadrant & 3) {
    case 0:
      return a;
    case 1:
      return {a.cosine, -a.sine};
    case 2:
      return {-a.sine, -a.cosine};
    default:
      return {-a.cosine, a.sine};
  }
}

/// x = quadrant/2 + remainder modulo 2, exactly, with |remainder| <= 1/4 (1 + 2^-53).
struct HalfTurns {
  int quadrant;
  dd_real remainder;
};

/// Precondition: x is finite.
constexpr HalfTurns reduce_half_turns(double x) {
  // From 2^53 on doubles are even.
  if (!(__builtin_fabs(x) < 0x1p53)) return {0, dd_real(0)};
  auto quarters = static_cast<std::int64_t>(4.0 * x);
  quarters -= static_cast<double>(quarters) > 4.0 * x;
  std::int64_t halves = (quarters + 1) >> 1;
  return {static_cast<int>(halves & 3), dd_real(x - 0.5 * static_cast<double>(halves))};
}

/// Precondition: x is finite.
constexpr HalfTurns reduce_half_turns(dd_real x) {
  // Quarters round upwards, so the sign is split off to keep the symmetry.
  if (signbit(x)) {
    HalfTurns opposite = reduce_half_turns(-x);
    return {-opposite.quadrant & 3, -opposite.remainder};
  }
  HalfTurns high = reduce_half_turns(x.hi), low = reduce_half_turns(x.lo);
  // |first word| >= |second word| wherever it is not 0, in both sums.
  auto sum = canonical_sum(high.remainder.hi, low.remainder.hi);
  HalfTurns again = reduce_half_turns(sum.hi);
  return {(high.quadrant + low.quadrant + again.quadrant) & 3, from_words(canonical_sum(again.remainder.hi, sum.lo))};
}

/// sin(πx) and cos(πx), relative errors below 2^-120; zeros and ones are exact. Precondition: x is finite.
constexpr WideSinCos wide_sincospi(dd_real x) {
  HalfTurns reduced = reduce_half_turns(x);
  return turn(wide_sincos(wide_pi() * Wide(reduced.remainder)), reduced.quadrant);
}

/// atan(opposite / adjacent), relative error below 2^-122. Precondition: 0 < opposite <= adjacent.
constexpr Wide wide_flat_angle(Wide opposite, Wide adjacent) {
  // atan(y/x) = atan(j/64) + atan((y − x j/64) / (x + y j/64)) with j/64 nearest to y/x.
  int j = 0, scale = adjacent.exponent - opposite.exponent;
  if (scale <= 8) {
    std::uint64_t numerator = high_word(opposite.mantissa) >> 32 << 7 >> scale;
    j = static_cast<int>((numerator / (high_word(adjacent.mantissa) >> 32) + 1) >> 1);
  }
  Wide center = ldexp(Wide(j), -6);
  Wide t = (opposite - center * adjacent) / (adjacent + center * opposite);
  uint128 scaled = ldexp(t, 6).fraction(), square = multiply_fractions(scaled, scaled);
  uint128 defect = multiply_fractions(square, alternating_series(arctangent_coefficients, square));
  return Wide::normalized(arctangent_of_64ths[j], -1, false) + (t - t * Wide::normalized(defect, -1, false));
}

/// The angle of the point (x, y) in [−π, π], relative error below 2^-122; 0 or π, with the sign stored in y, where y is
/// zero. Precondition: not both are zero.
constexpr Wide wide_atan2(Wide y, Wide x) {
  Wide opposite = abs(y), adjacent = abs(x), angle;
  bool is_left = x.is_negative && !x.is_zero();
  if (opposite.is_zero()) {
    if (is_left) angle = wide_pi();
  } else if (adjacent.is_zero()) {
    angle = wide_half_pi();
  } else {
    int scale = adjacent.exponent - opposite.exponent;
    bool is_steep = scale < 0 || (scale == 0 && adjacent.mantissa < opposite.mantissa);
    angle = is_steep ? wide_half_pi() - wide_flat_angle(adjacent, opposite) : wide_flat_angle(opposite, adjacent);
    if (is_left) angle = wide_pi() - angle;
  }
  angle.is_negative = y.is_negative;
  return angle;
}

/// The arctangent, relative error below 2^-122.
constexpr Wide wide_atan(Wide x) { return wide_atan2(x, Wide(1)); }

}  // namespace hilo::detail
