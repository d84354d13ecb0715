// Exact sums of doubles and of products of doubles, whatever their exponents, in fixed point: what results that cancel
// are rounded from. Kulisch, Computer Arithmetic and Validity (2013), with the carries put off to the end.
#pragma once

#include <hilo/detail/wide.hpp>

namespace hilo::detail {

/// |a| = mantissa · 2^exponent with an odd mantissa, or mantissa = 0.
struct OddMantissa {
  std::uint64_t mantissa = 0;
  int exponent = 0;

  /// Precondition: a is finite.
  constexpr explicit OddMantissa(double a) {
    if (a == 0.0) return;
    auto bits = std::bit_cast<std::uint64_t>(a);
    int field = static_cast<int>(bits >> 52 & 0x7ff);
    mantissa = (bits & 0xfffffffffffffu) | (field != 0 ? std::uint64_t{1} << 52 : 0);
    int zeros = std::countr_zero(mantissa);
    mantissa >>= zeros;
    exponent = (field != 0 ? field : 1) - 1075 + zeros;
  }
};

/// A sum of less than 2^30 finite doubles and products of two finite doubles, exact.
class ExactSum {
 public:
  constexpr void add(double a) {
    OddMantissa x(a);
    if (x.mantissa != 0) add(x.mantissa, x.exponent, sign_bit(a));
  }
  constexpr void add(dd_real x) { add(x.hi), add(x.lo); }

  constexpr void add_product(double a, double b) {
    OddMantissa x(a), y(b);
    uint128 m = static_cast<uint128>(x.mantissa) * y.mantissa;
    if (m != 0) add(m, x.exponent + y.exponent, sign_bit(a) != sign_bit(b));
  }
  constexpr void add_product(dd_real x, dd_real y) {
    add_product(x.hi, y.hi), add_product(x.hi, y.lo), add_product(x.lo, y.hi), add_product(x.lo, y.lo);
  }

  /// ±m · 2^exponent. Precondition: −2148 <= exponent, m · 2^exponent < 2^2100.
  constexpr void add(uint128 m, int exponent, bool is_negative) {
    int first = (exponent + least_bit) / 32, shift = (exponent + least_bit) % 32;
    uint128 above = shift != 0 ? m >> (128 - shift) : 0, below = m << shift;
    bool subtracts = is_negative != is_negated_;
    for (int i = first; above != 0 || below != 0; ++i) {
      auto part = static_cast<std::int64_t>(static_cast<std::uint32_t>(below));
      limb_[i] += subtracts ? -part : part;
      below = below >> 32 | above << 96;
      above = 0;
      last_ = i > last_ ? i : last_;
    }
    first_ = first < first_ ? first : first_;
  }

  /// The 128 leading bits, the last of them set where any that follow are: rounds on as the exact value does, and errs
  /// by less than 2^-127 as it is.
  constexpr Wide leading_bits() {
    resolve();
    int top = last_;
    while (top >= first_ && limb_[top] == 0) --top;
    if (top < first_) return {};
    uint128 m = 0;
    for (int i = top; i > top - 4; --i) m = m << 32 | static_cast<std::uint32_t>(i >= first_ ? limb_[i] : 0);
    Wide r = Wide::normalized(m, 32 * (top - 3) - least_bit + 127, is_negated_);
    bool is_inexact = false;
    if (int missing = leading_zeros(m); missing != 0 && top - 4 >= first_) {
      auto next = static_cast<std::uint32_t>(limb_[top - 4]);
      r.mantissa |= next >> (32 - missing);
      is_inexact = static_cast<std::uint32_t>(next << missing) != 0;
    } else {
      is_inexact = top - 4 >= first_ && limb_[top - 4] != 0;
    }
    for (int i = top - 5; i >= first_ && !is_inexact; --i) is_inexact = limb_[i] != 0;
    r.mantissa |= is_inexact;
    return r;
  }

  /// The sum rounded, with an error of at most u²/2 of it, or 2^-1075: hi is the nearest double, and lo the nearest to
  /// what is left. An exact zero is +0. The sum is spent.
  constexpr dd_real rounded() {
    Wide w = leading_bits();
    double hi = round_to_double(w.mantissa, w.exponent, w.is_negative);
    if (!is_finite(hi) || hi == 0.0) return dd_real(hi);
    add(-hi);
    Wide rest = leading_bits();
    double lo = round_to_double(rest.mantissa, rest.exponent, rest.is_negative) + 0.0;
    return from_words(canonical_sum(hi, lo));
  }

 private:
  static constexpr int least_bit = 2148, limbs = 138;

  // Carries, and a change of all signs where the sum is negative, leave 32 bits in each limb.
  constexpr void resolve() {
    if (last_ < first_) return;
    std::int64_t carry = 0;
    for (int i = first_; i <= last_; ++i) {
      limb_[i] += carry;
      carry = limb_[i] >> 32;
      limb_[i] &= 0xffffffff;
    }
    if (carry < 0) {
      std::int64_t borrow = 0;
      for (int i = first_; i <= last_; ++i) {
        limb_[i] = borrow - limb_[i];
        borrow = limb_[i] >> 32;
        limb_[i] &= 0xffffffff;
      }
      carry = -carry + borrow;
      is_negated_ = !is_negated_;
    }
    for (; carry != 0; carry >>= 32) limb_[++last_] = carry & 0xffffffff;
  }

  // limb_[i] counts 2^(32 i − least_bit), with a sign and far more than 32 bits until the carries are resolved.
  std::int64_t limb_[limbs] = {};
  int first_ = limbs, last_ = -1;
  bool is_negated_ = false;
};

}  // namespace hilo::detail
