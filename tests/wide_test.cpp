#include <gtest/gtest.h>

#include <hilo/math/wide.hpp>

#include "dd_against_mpfr.hpp"

namespace {

using hilo::dd_real;
using hilo::detail::make_uint128;
using hilo::detail::Wide;
using hilo::testing::error_u2;
using hilo::testing::Exact;
using hilo::testing::input_count;
using hilo::testing::Inputs;

void set(mpfr_ptr r, Wide x) {
  mpfr_set_ui_2exp(r, hilo::detail::high_word(x.mantissa), 64, MPFR_RNDN);
  mpfr_add_ui(r, r, hilo::detail::low_word(x.mantissa), MPFR_RNDN);
  mpfr_mul_2si(r, r, x.exponent - 127, MPFR_RNDN);
  if (x.is_negative) mpfr_neg(r, r, MPFR_RNDN);
}

// |x − exact| / |exact| in units of 2^-128.
double error(Wide x, mpfr_ptr exact) {
  static Exact value(512), difference(512);
  if (x.mantissa != 0 && x.mantissa >> 127 == 0) return 1e300;
  set(value, x);
  mpfr_sub(difference, value, exact, MPFR_RNDN);
  if (mpfr_zero_p(static_cast<mpfr_ptr>(difference))) return 0.0;
  mpfr_div(difference, difference, exact, MPFR_RNDN);
  mpfr_mul_2si(difference, difference, 128, MPFR_RNDN);
  return std::fabs(mpfr_get_d(difference, MPFR_RNDN));
}

std::uint64_t word(Inputs& in) {
  switch (in.below(5)) {
    case 0:
      return 0;
    case 1:
      return ~std::uint64_t{0};
    case 2:
      return std::uint64_t{1} << in.below(64);
    default:
      return in.bits();
  }
}

Wide wide(Inputs& in, int exponents) {
  return {make_uint128(word(in) | std::uint64_t{1} << 63, word(in)), in.below(2 * exponents + 1) - exponents,
          in.below(2) == 0};
}

TEST(Wide, OperationsKeepTheirBounds) {
  Inputs in(1);
  Exact x(256), y(256), exact(1024);
  for (int i = 0, n = input_count(100'000); i < n; ++i) {
    // Neighbours of one another in a third of the cases, so that sums cancel.
    Wide a = wide(in, 140), b = in.below(3) > 0
                                    ? wide(in, 140)
                                    : Wide(a.mantissa + static_cast<unsigned>(in.below(5)), a.exponent, !a.is_negative);
    if (b.mantissa >> 127 == 0) b.mantissa |= make_uint128(std::uint64_t{1} << 63, 0);
    if (in.below(4) == 0) b.exponent = a.exponent + in.below(5) - 2;
    set(x, a);
    set(y, b);
    mpfr_add(exact, x, y, MPFR_RNDN);
    ASSERT_LE(error(a + b, exact), 4.0);
    mpfr_sub(exact, x, y, MPFR_RNDN);
    ASSERT_LE(error(a - b, exact), 4.0);
    mpfr_mul(exact, x, y, MPFR_RNDN);
    ASSERT_LE(error(a * b, exact), 2.0);
    mpfr_div(exact, x, y, MPFR_RNDN);
    ASSERT_LE(error(a / b, exact), 16.0);
    ASSERT_EQ(a < b, mpfr_less_p(static_cast<mpfr_ptr>(x), static_cast<mpfr_ptr>(y)) != 0);
    mpfr_abs(x, x, MPFR_RNDN);
    mpfr_sqrt(exact, x, MPFR_RNDN);
    ASSERT_LE(error(sqrt(abs(a)), exact), 16.0);
  }
}

TEST(Wide, RoundsToTheNearestNumber) {
  Inputs in(2);
  Exact x(256);
  double worst = 0.0;
  for (int i = 0, n = input_count(200'000); i < n; ++i) {
    Wide a = wide(in, 1070);
    set(x, a);
    double e = error_u2(to_dd_real(a), x, 0.5);
    ASSERT_LE(e, 0.5 + 0x1p-50);
    worst = std::max(worst, e);
  }
  EXPECT_GT(worst, 0.49);
  EXPECT_EQ(to_dd_real(Wide()), dd_real(0));
  EXPECT_EQ(to_dd_real(ldexp(Wide(-3), 5000)), -std::numeric_limits<dd_real>::infinity());
  EXPECT_EQ(to_dd_real(ldexp(Wide(3), -5000)), dd_real(0));
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
}

}  // namespace
