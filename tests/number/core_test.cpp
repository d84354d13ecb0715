#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <hilo/detail/dd_ops.hpp>

#include "dd_against_mpfr.hpp"

namespace {

using hilo::dd_real;
using hilo::testing::Inputs;
using fused = hilo::dd_ops<double, true>;
using plain = hilo::dd_ops<double, false>;

constexpr double largest = std::numeric_limits<double>::max();

bool is_finite(double a) { return a - a == 0.0; }
std::uint64_t bits(double a) { return std::bit_cast<std::uint64_t>(a == a ? a : std::nan("")); }

// Any finite bit pattern, and pairs whose product lies near the least exponents or the largest.
struct Pair {
  double a, b;
};
Pair any_pair(Inputs& in) {
  double a = in.word(true);
  if (in.below(2) == 0) return {a, in.word(true)};
  int e = (in.below(2) == 0 ? in.below(160) - 1080 : 1023 - in.below(4)) - std::ilogb(a);
  double b = std::ldexp(in.mantissa(), std::clamp(e, -1074, 1023));
  return {a, in.below(2) == 0 ? b : -b};
}

TEST(Transforms, TwoProductBySplittingHasTheBitsOfFma) {
  Inputs in(1);
  int tiny = 0, huge = 0;
  for (int i = 0, n = 3 * hilo::testing::input_count(100'000); i < n; ++i) {
    auto [a, b] = any_pair(in);
    auto want = fused::two_prod_fma(a, b);
    auto got = plain::two_prod_split(a, b);
    ASSERT_EQ(bits(want.hi), bits(got.hi)) << std::hexfloat << a << " " << b;
    if (!is_finite(want.hi)) continue;
    ASSERT_EQ(bits(want.lo), bits(got.lo)) << std::hexfloat << a << " " << b;
    tiny += std::fabs(want.hi) < 0x1p-969;
    huge += std::fabs(want.hi) > 0x1p1022 && std::fabs(a) < 0x1p995 && std::fabs(b) < 0x1p995;
  }
  EXPECT_GT(tiny, 1000);
  EXPECT_GT(huge, 1000);
}

TEST(Transforms, TwoProductBySplittingSurvivesZeroTimesHuge) {
  EXPECT_EQ(plain::two_prod_split(largest, 0.0).lo, 0.0);
  EXPECT_EQ(plain::two_prod_split(-0.0, largest).lo, 0.0);
}

TEST(Transforms, DekkersProductIsExactInItsRange) {
  Inputs in(2);
  for (int i = 0; i < 20'000; ++i) {
    double a = std::ldexp(in.word(false), in.below(900) - 450), b = std::ldexp(in.word(false), in.below(900) - 450);
    auto want = fused::two_prod_fma(a, b);
    auto got = plain::two_prod_dekker(a, b);
    ASSERT_EQ(want.hi, got.hi);
    ASSERT_EQ(want.lo, got.lo);
  }
}

TEST(Transforms, SplitPartsHaveAtMost26Bits) {
  Inputs in(3);
  for (int i = 0; i < 20'000; ++i) {
    double a = in.word(false);
    auto s = plain::split(a);
    ASSERT_EQ(s.hi + s.lo, a);
    for (double part : {s.hi, s.lo})
      ASSERT_EQ(std::ldexp(part, 25 - std::ilogb(part == 0.0 ? 1.0 : part)),
                std::trunc(std::ldexp(part, 25 - std::ilogb(part == 0.0 ? 1.0 : part))));
  }
}

TEST(Transforms, SumsAreExact) {
  Inputs in(4);
  hilo::testing::Exact want(2300), got(2300), term(2300);
  for (int i = 0, n = hilo::testing::input_count(30'000); i < n; ++i) {
    double a = in.word(true), b = in.below(2) == 0 ? in.word(true) : in.opposite(dd_real(a)).hi;
    if (!is_finite(a + b)) continue;
    mpfr_set_d(want, a, MPFR_RNDN);
    mpfr_add_d(want, want, b, MPFR_RNDN);
    auto s = plain::two_sum_full(a, b);
    mpfr_set_d(got, s.hi, MPFR_RNDN);
    mpfr_add_d(got, got, s.lo, MPFR_RNDN);
    ASSERT_EQ(mpfr_cmp(want, got), 0) << std::hexfloat << a << " " << b;
    if (std::fabs(a) < std::fabs(b)) std::swap(a, b);
    auto f = plain::fast_two_sum(a, b);
    ASSERT_EQ(f.hi, s.hi);
    ASSERT_EQ(f.lo, s.lo);
  }
}

// Boldo, Graillat and Muller's case: the plain two_sum overflows on the way with the largest double second.
TEST(Transforms, FullSumHasNoSpuriousOverflow) {
  double a = -0x1.43fffffffffffp+1022;
  EXPECT_FALSE(is_finite(plain::two_sum(a, largest).lo));
  auto s = plain::two_sum_full(a, largest);
  EXPECT_EQ(s.hi, a + largest);
  EXPECT_EQ(s.lo, -0x1p+970);
}

// The number type's operations: the same bits from both two_prods, over the full range.
TEST(Operations, FusedAndPlainHaveTheSameBits) {
  Inputs in(5);
  auto same = [](auto x, auto y) { return bits(x.hi) == bits(y.hi) && bits(x.lo) == bits(y.lo); };
  for (int i = 0, n = hilo::testing::input_count(30'000); i < n; ++i) {
    dd_real x = in.number(true), y = in.number(true);
    fused::dd fx{x.hi, x.lo}, fy{y.hi, y.lo};
    plain::dd px{x.hi, x.lo}, py{y.hi, y.lo};
    ASSERT_TRUE(same(fused::multiply(fx, fy), plain::multiply(px, py))) << std::hexfloat << x.hi << " " << y.hi;
    ASSERT_TRUE(same(fused::multiply_word(fx, y.hi), plain::multiply_word(px, y.hi)));
    ASSERT_TRUE(same(fused::divide(fx, fy), plain::divide(px, py)));
    ASSERT_TRUE(same(fused::divide_word(fx, y.hi), plain::divide_word(px, y.hi)));
    ASSERT_TRUE(same(fused::root(fx), plain::root(px)));
  }
}

TEST(Operations, AddFiniteHasTheBitsOfAdd) {
  Inputs in(6);
  for (int i = 0; i < 30'000; ++i) {
    dd_real x = in.number(true), y = in.below(2) == 0 ? in.number(true) : in.opposite(x);
    if (std::fabs(x.hi) > 0x1p1020 || std::fabs(y.hi) > 0x1p1020) continue;
    auto full = plain::add({x.hi, x.lo}, {y.hi, y.lo}), finite = plain::add_finite({x.hi, x.lo}, {y.hi, y.lo});
    ASSERT_EQ(full.hi, finite.hi);
    ASSERT_EQ(full.lo, finite.lo);
  }
}

TEST(Operations, SqrtInConstantsHasTheBitsOfHardware) {
  Inputs in(7);
  for (int i = 0; i < 30'000; ++i) {
    double a = std::fabs(in.word(true));
    ASSERT_EQ(bits(hilo::detail::constant_square_root(a)), bits(std::sqrt(a))) << std::hexfloat << a;
  }
  for (double a : {0.0, -0.0, largest, std::numeric_limits<double>::infinity(), -1.0, 0x1p-1074})
    ASSERT_EQ(bits(hilo::detail::constant_square_root(a)), bits(std::sqrt(a))) << a;
}

}  // namespace
