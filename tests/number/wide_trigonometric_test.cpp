#include <gtest/gtest.h>

#include <algorithm>
#include <hilo/detail/wide_trigonometric.hpp>

#include "function_errors.hpp"
#include "wide_against_mpfr.hpp"

namespace {

using hilo::dd_real;
using hilo::detail::Wide;
using hilo::detail::wide_atan;
using hilo::detail::wide_atan2;
using hilo::detail::wide_sincos;
using hilo::detail::wide_sincospi;
using hilo::detail::WideSinCos;
using hilo::testing::Exact;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::set;
using hilo::testing::wide;
using hilo::testing::wide_error;

// Breakpoints j/128 of the tables, and some units or more beside them.
Wide near_breakpoint(Inputs& in, int last) {
  Wide x = ldexp(Wide(1 + in.below(last)), -7);
  if (in.below(3) > 0) x = x + ldexp(wide(in, 0, 0), x.exponent - 127 + in.below(80));
  return in.below(2) == 0 ? x : -x;
}

TEST(WideTrigonometric, ConstantsAreRounded) {
  Exact exact(256);
  mpfr_const_pi(exact, MPFR_RNDN);
  EXPECT_LE(wide_error(hilo::detail::wide_pi(), exact), 1.0);
  mpfr_ui_div(exact, 1, exact, MPFR_RNDN);
  EXPECT_LE(wide_error(hilo::detail::wide_inverse_pi(), exact), 1.0);
  mpfr_const_pi(exact, MPFR_RNDN);
  mpfr_div_2ui(exact, exact, 1, MPFR_RNDN);
  EXPECT_LE(wide_error(hilo::detail::wide_half_pi(), exact), 1.0);
}

// The worst of 1,000,000 inputs in units of 2^-128: 205 for wide_sincos, 164 for wide_sincospi, 22 for wide_atan2.
TEST(WideTrigonometric, SineAndCosine) {
  Inputs in(1);
  Exact x(256), sine(256), cosine(256);
  double worst = 0.0;
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    Wide a = in.below(2) == 0 ? near_breakpoint(in, 102) : wide(in, in.below(3) == 0 ? -2000 : -10, -1);
    if (abs(a) > Wide(0.8)) a.exponent -= 1;
    set(x, a);
    mpfr_sin_cos(sine, cosine, x, MPFR_RNDN);
    WideSinCos r = wide_sincos(a);
    double e = std::max(wide_error(r.sine, sine), wide_error(r.cosine, cosine));
    worst = std::max(worst, e);
    ASSERT_LE(e, 256.0) << i << " " << a.exponent;
  }
  EXPECT_GT(worst, 64.0);
  if (input_count(0) > 0) std::printf("sincos %.2f\n", worst);
}

TEST(WideTrigonometric, SineAndCosineOfMultiplesOfPi) {
  Inputs in(2);
  Exact x(2300), sine(256), cosine(256);
  double worst = 0.0;
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    dd_real a = in.below(3) == 0 ? in.number(true) : in.number(false);
    if (in.below(3) == 0) a = hilo::testing::near(in, dd_real(0.25 * in.below(40)));
    if (in.below(4) == 0) a = a + dd_real(std::ldexp(1.0, in.below(108)));
    x = a;
    mpfr_sinpi(sine, x, MPFR_RNDN);
    mpfr_cospi(cosine, x, MPFR_RNDN);
    WideSinCos r = wide_sincospi(a);
    ASSERT_EQ(r.sine.is_zero(), mpfr_zero_p(static_cast<mpfr_ptr>(sine)) != 0) << hilo::testing::words(a);
    ASSERT_EQ(r.cosine.is_zero(), mpfr_zero_p(static_cast<mpfr_ptr>(cosine)) != 0) << hilo::testing::words(a);
    double e = std::max(wide_error(r.sine, sine), wide_error(r.cosine, cosine));
    worst = std::max(worst, e);
    ASSERT_LE(e, 256.0) << hilo::testing::words(a);
  }
  if (input_count(0) > 0) std::printf("sincospi %.2f\n", worst);
  // Exact though the gap is wider than 128 bits.
  EXPECT_EQ(wide_sincospi(dd_real(1.0, 0x1p-300)).sine, ldexp(-hilo::detail::wide_pi(), -300));
  EXPECT_EQ(wide_sincospi(dd_real(1.5, 0x1p-300)).cosine, ldexp(hilo::detail::wide_pi(), -300));
  EXPECT_EQ(wide_sincospi(dd_real(1.5)).sine, Wide(-1));
}

TEST(WideTrigonometric, Arctangent) {
  Inputs in(3);
  Exact x(256), y(256), exact(256);
  double worst = 0.0;
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    Wide a = wide(in, -5, 5), b = in.below(3) == 0 ? Wide(1) : wide(in, -5, 5);
    if (in.below(3) == 0) a = b * near_breakpoint(in, 128);
    if (in.below(5) == 0) a.exponent = in.below(4000) - 2000;
    if (in.below(5) == 0) a.exponent = b.exponent;
    if (in.below(2) == 0) std::swap(a, b);
    set(y, a);
    set(x, b);
    mpfr_atan2(exact, y, x, MPFR_RNDN);
    double e = wide_error(wide_atan2(a, b), exact);
    worst = std::max(worst, e);
    ASSERT_LE(e, 64.0) << i << " " << a.exponent << " " << b.exponent;
    mpfr_atan(exact, y, MPFR_RNDN);
    e = wide_error(wide_atan(a), exact);
    worst = std::max(worst, e);
    ASSERT_LE(e, 64.0) << i << " " << a.exponent;
  }
  if (input_count(0) > 0) std::printf("atan %.2f\n", worst);
  EXPECT_GT(worst, 4.0);
}

TEST(WideTrigonometric, ArctangentOnTheAxes) {
  Wide pi = hilo::detail::wide_pi();
  EXPECT_TRUE(wide_atan(Wide()).is_zero());
  EXPECT_TRUE(wide_atan2(Wide(), Wide(3)).is_zero());
  EXPECT_FALSE(wide_atan2(Wide(), Wide(3)).is_negative);
  EXPECT_TRUE(wide_atan2(-Wide(), Wide(3)).is_negative);
  EXPECT_EQ(wide_atan2(Wide(), Wide(-3)), pi);
  EXPECT_EQ(wide_atan2(-Wide(), Wide(-3)), -pi);
  EXPECT_EQ(wide_atan2(Wide(3), Wide()), ldexp(pi, -1));
  EXPECT_EQ(wide_atan2(Wide(-3), Wide()), ldexp(-pi, -1));
}

TEST(WideTrigonometric, IsConstexpr) {
  static_assert(wide_sincospi(dd_real(0.5)).sine == Wide(1));
  static_assert(abs(wide_atan2(Wide(2), Wide(2)) - ldexp(hilo::detail::wide_pi(), -2)) < ldexp(Wide(1), -125));
}

}  // namespace
