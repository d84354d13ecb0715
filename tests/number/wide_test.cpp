#include <gtest/gtest.h>

#include <hilo/detail/wide.hpp>

#include "wide_against_mpfr.hpp"

namespace {

using hilo::dd_real;
using hilo::detail::make_uint128;
using hilo::detail::uint128;
using hilo::detail::Wide;
using hilo::testing::error_u2;
using hilo::testing::Exact;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::set;
using hilo::testing::wide;
using hilo::testing::wide_error;

TEST(Wide, OperationsKeepTheirBounds) {
  Inputs in(1);
  Exact x(256), y(256), exact(1024);
  for (int i = 0, n = input_count(100'000); i < n; ++i) {
    // Neighbours of one another in a third of the cases, so that sums cancel.
    Wide a = wide(in, -140, 140),
         b = in.below(3) > 0 ? wide(in, -140, 140)
                             : Wide(a.mantissa + static_cast<unsigned>(in.below(5)), a.exponent, !a.is_negative);
    if (b.mantissa >> 127 == 0) b.mantissa |= make_uint128(std::uint64_t{1} << 63, 0);
    if (in.below(4) == 0) b.exponent = a.exponent + in.below(5) - 2;
    set(x, a);
    set(y, b);
    mpfr_add(exact, x, y, MPFR_RNDN);
    ASSERT_LE(wide_error(a + b, exact), 4.0);
    mpfr_sub(exact, x, y, MPFR_RNDN);
    ASSERT_LE(wide_error(a - b, exact), 4.0);
    mpfr_mul(exact, x, y, MPFR_RNDN);
    ASSERT_LE(wide_error(a * b, exact), 2.0);
    mpfr_div(exact, x, y, MPFR_RNDN);
    ASSERT_LE(wide_error(a / b, exact), 2.0);
    ASSERT_EQ(a < b, mpfr_less_p(static_cast<mpfr_ptr>(x), static_cast<mpfr_ptr>(y)) != 0);
    mpfr_abs(x, x, MPFR_RNDN);
    mpfr_sqrt(exact, x, MPFR_RNDN);
    ASSERT_LE(wide_error(sqrt(abs(a)), exact), 2.0);
  }
}

// Quotients and roots are those of MPFR rounded towards zero, also where they are just above or just below a number.
TEST(Wide, QuotientsAndRootsAreTruncated) {
  Inputs in(4);
  Exact x(256), y(128), exact(128);
  for (int i = 0, n = input_count(100'000); i < n; ++i) {
    Wide a = wide(in, -140, 140), b = wide(in, -140, 140), q = wide(in, -140, 140);
    if (in.below(2) == 0) q.mantissa &= ~uint128{0} << 64;
    if (in.below(2) == 0) a = q * b;
    if (in.below(3) == 0) a.mantissa = (a.mantissa + static_cast<unsigned>(in.below(3)) - 1) | uint128{1} << 127;
    set(x, a);
    set(y, b);
    mpfr_div(exact, x, y, MPFR_RNDZ);
    ASSERT_EQ(wide_error(a / b, exact), 0.0);
    if (in.below(2) == 0) a = q * q;
    if (in.below(3) == 0) a.mantissa = (a.mantissa + static_cast<unsigned>(in.below(3)) - 1) | uint128{1} << 127;
    set(x, abs(a));
    mpfr_sqrt(exact, x, MPFR_RNDZ);
    ASSERT_EQ(wide_error(sqrt(abs(a)), exact), 0.0);
  }
  EXPECT_EQ(Wide(21) / Wide(-7), Wide(-3));
  EXPECT_EQ(sqrt(Wide(25)), Wide(5));
  static_assert(sqrt(Wide(2) / Wide(8)) == Wide(0.5));
}

TEST(Wide, RoundsToTheNearestNumber) {
  Inputs in(2);
  Exact x(256);
  double worst = 0.0;
  for (int i = 0, n = input_count(200'000); i < n; ++i) {
    Wide a = wide(in, -1070, 1070);
    set(x, a);
    double e = error_u2(to_dd_real(a), x, 0.5);
    ASSERT_LE(e, 0.5 + 0x1p-50);
    worst = std::max(worst, e);
  }
  EXPECT_GT(worst, 0.49);
  EXPECT_EQ(to_dd_real(Wide()), dd_real(0));
  EXPECT_EQ(to_dd_real(ldexp(Wide(-3), 5000)), -std::numeric_limits<dd_real>::infinity());
  EXPECT_EQ(to_dd_real(ldexp(Wide(3), -5000)), dd_real(0));
  // Between the largest number and 2^1024.
  dd_real r = to_dd_real(Wide(0x1.fffffffffffffp1023) + Wide(0x1p970) - Wide(0x1p897));
  EXPECT_TRUE(r == std::numeric_limits<dd_real>::infinity() && r.lo == 0.0);
}

TEST(Wide, TakesNumbersExactlyAndGivesThemBack) {
  Inputs in(3);
  for (int i = 0, n = input_count(200'000); i < n; ++i) {
    dd_real x = in.number(true);
    if (x.lo != 0.0 && ilogb(x.hi) - ilogb(x.lo) > 127 - 53) x = dd_real(x.hi);
    dd_real y = to_dd_real(Wide(x));
    ASSERT_TRUE(y.hi == x.hi && y.lo == x.lo) << std::hexfloat << x.hi << " " << x.lo;
  }
}

TEST(Wide, ConvertsToIntegersAndFractions) {
  EXPECT_EQ(Wide(0.5).nearest_integer(), 1);
  EXPECT_EQ(Wide(-0.5).nearest_integer(), -1);
  EXPECT_EQ(Wide(0.25).nearest_integer(), 0);
  EXPECT_EQ(Wide(-1234567.75).nearest_integer(), -1234568);
  EXPECT_EQ(Wide(0x1.fffffffffp60).nearest_integer(), 0x1fffffffff000000);
  EXPECT_EQ(Wide(0.75).fraction(), make_uint128(std::uint64_t{3} << 62, 0));
  EXPECT_EQ(Wide(0x1p-128).fraction(), make_uint128(0, 1));
  EXPECT_EQ(Wide(0x1p-129).fraction(), make_uint128(0, 0));
  EXPECT_EQ(Wide().fraction(), make_uint128(0, 0));
}

TEST(Wide, LosesNoiseNextToShortNumbers) {
  Inputs in(4);
  for (int i = 0, n = input_count(100'000); i < n; ++i) {
    Wide a = wide(in, -100, 100);
    a.mantissa &= ~uint128{0} << 21;
    Wide noise = ldexp(Wide(in.below(2 * 8192 + 1) - 8192), a.exponent - 127);
    // Below a power of two the units are half as large.
    Wide moved = a + (a.mantissa << 1 == 0 && noise.is_negative != a.is_negative ? ldexp(noise, -1) : noise);
    Wide same = without_noise(moved);
    ASSERT_TRUE(same.mantissa == a.mantissa && same.exponent == a.exponent && same.is_negative == a.is_negative);
    Wide far(a.mantissa + 8193 + static_cast<unsigned>(in.below(2'080'000)), a.exponent, a.is_negative);
    ASSERT_EQ(without_noise(far), far);
  }
  EXPECT_TRUE(without_noise(Wide()).is_zero());
}

}  // namespace
