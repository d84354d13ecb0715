// Reduction of an angle to [−π/4, π/4]: each word times the bits of 2/π that matter, in fixed point (Payne, Hanek, ACM
// SIGNUM Newsletter 18 (1983)).
#pragma once

#include <hilo/detail/reduction_tables.hpp>
#include <hilo/detail/wide_pi.hpp>

namespace hilo::detail {

/// An angle modulo 4 right angles: 384 bits, the first two before the binary point.
struct RightAngles {
  static constexpr int words = 6;
  std::uint64_t word[words] = {};

  /// |a| · 2/π modulo 4, truncated: within 2^-329. Precondition: a is finite.
  static constexpr RightAngles of(double a) {
    RightAngles r;
    auto bits = std::bit_cast<std::uint64_t>(a);
    int field = static_cast<int>(bits >> 52 & 0x7ff);
    // |a| is an integer of 53 bits times 2^(field − 1075); bits of 2/π from 2^(1077 − field) on make multiples of 4.
    int first = 64 * words + field - 1077;
    if (field == 0 || first < 0) return r;
    std::uint64_t mantissa = (bits & 0xfffffffffffffu) | std::uint64_t{1} << 52, carry = 0;
    for (int i = words - 1; i >= 0; --i) {
      int j = first / 64 + i, shift = first % 64;
      auto window = static_cast<std::uint64_t>(make_uint128(two_over_pi[j], two_over_pi[j + 1]) >> (64 - shift));
      uint128 product = static_cast<uint128>(mantissa) * window + carry;
      r.word[i] = low_word(product);
      carry = high_word(product);
    }
    return r;
  }

  constexpr void add(const RightAngles& y) {
    std::uint64_t carry = 0;
    for (int i = words - 1; i >= 0; --i) {
      uint128 sum = static_cast<uint128>(word[i]) + y.word[i] + carry;
      word[i] = low_word(sum);
      carry = high_word(sum);
    }
  }

  /// The rest of a turn.
  constexpr void negate() {
    std::uint64_t carry = 1;
    for (int i = words - 1; i >= 0; --i) {
      word[i] = ~word[i] + carry;
      carry = carry != 0 && word[i] == 0 ? 1 : 0;
    }
  }

  /// The leading 128 bits. Precondition: not zero.
  constexpr Wide leading() const {
    int i = 0;
    while (word[i] == 0 && i < words - 3) ++i;
    int shift = std::countl_zero(word[i]);
    uint128 mantissa = make_uint128(word[i], word[i + 1]) << shift;
    mantissa |= make_uint128(0, word[i + 2]) >> (64 - shift);
    return Wide::normalized(mantissa, 1 - 64 * i - shift, false);
  }
};

/// x = quadrant · π/2 + remainder modulo 2π.
struct QuadrantRemainder {
  int quadrant;
  Wide remainder;
};

/// The quadrant, 0 to 3, of the multiple of π/2 nearest to x, and the remainder of a magnitude up to π/4: its relative
/// error is below 2^-124, also where x is the number nearest to a multiple of π/2, at a distance of 2^-130 or so: the
/// fixed point has 2^-329. Precondition: x is finite.
constexpr QuadrantRemainder reduce_to_quadrant(dd_real x) {
  if (__builtin_fabs(x.hi) < 0x1.921fb54442d18p-1) return {0, Wide(x)};
  RightAngles angle = RightAngles::of(x.hi), low = RightAngles::of(x.lo);
  if (sign_bit(x.hi) != sign_bit(x.lo)) low.negate();
  angle.add(low);
  // Half a right angle more makes the quadrant that of the nearest multiple.
  auto quadrant = static_cast<int>(((angle.word[0] >> 61) + 1) >> 1);
  angle.word[0] -= static_cast<std::uint64_t>(quadrant) << 62;
  bool is_below = angle.word[0] >> 63 != 0;
  if (is_below) angle.negate();
  bool is_negative = sign_bit(x.hi);
  Wide remainder = angle.leading() * wide_half_pi();
  remainder.is_negative = is_below != is_negative;
  return {(is_negative ? -quadrant : quadrant) & 3, remainder};
}

}  // namespace hilo::detail
