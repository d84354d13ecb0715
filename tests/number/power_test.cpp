#include <gtest/gtest.h>

#include <hilo/math/power.hpp>
#include <vector>

#include "function_errors.hpp"

namespace {

using hilo::dd_real;
using hilo::testing::between;
using hilo::testing::error_u2;
using hilo::testing::Exact;
using hilo::testing::ExactInput;
using hilo::testing::function_error;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::is_canonical;
using hilo::testing::near;
using hilo::testing::words;
using hilo::testing::Worst;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Powers from below the least number to above the largest: y is chosen for the logarithm of the result.
TEST(Power, PowKeepsItsBound) {
  Inputs in(1);
  Worst worst("pow");
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    dd_real x = abs(in.number(true));
    if (in.below(3) == 0) x = near(in, dd_real(1));
    if (in.below(4) == 0) x = between(in, 0.4, 2.5);
    double log = x.hi == 1.0 ? x.lo : std::abs(x.hi - 1.0) < 0.5 ? std::log1p(x.hi - 1.0) : std::log(x.hi);
    if (log == 0.0) continue;
    double target = in.below(4) == 0 ? 0.7 * in.word(false) : static_cast<double>(in.below(1460) - 748);
    double quotient = target / log;
    if (!(std::abs(quotient) < 1e307) || quotient == 0.0) continue;
    dd_real y = in.with_low(quotient);
    double eighths = std::nearbyint(std::ldexp(quotient, 3));
    if (in.below(4) == 0 && eighths != 0.0) y = in.with_low(std::ldexp(eighths, -3));
    if (in.below(8) == 0) y = dd_real(in.below(2200) - 1100);
    bool is_integer = y.lo == std::floor(y.lo) && y.hi == std::floor(y.hi);
    if (is_integer && in.below(2) == 0) x = -x;
    worst.add(function_error(hilo::pow, mpfr_pow, x, y, 1.0), x, y);
  }
  EXPECT_LE(worst.error(), 0.502) << worst.where();
  // The worst input of the long form.
  dd_real x(0x1.ffffffffffff8p+880, 0x1.fffffffffffffp+826), y(1.0, 0x1p-53);
  EXPECT_GT(function_error(hilo::pow, mpfr_pow, x, y, 1.0), 0.5001);
}

// Any two numbers, whose power is mostly 0, 1 or infinite; y integral in both words, odd or even.
TEST(Power, PowOfAnyNumbers) {
  Inputs in(2);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    dd_real x = in.number(true), y = in.number(true);
    if (in.below(3) == 0) {
      y = dd_real::sum(std::ldexp(1.0 + in.below(8), in.below(60)), static_cast<double>(in.below(5) - 2));
      x = -near(in, dd_real(1));
    }
    if (in.below(3) == 0) y = -y;
    ASSERT_LE(function_error(hilo::pow, mpfr_pow, x, y, 1.0), 0.502) << words(x) << words(y);
  }
}

// The largest and the least numbers as powers of neighbours of roots of theirs.
TEST(Power, PowNearItsThresholds) {
  Inputs in(3);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    double threshold[] = {1024.0, -1022.0, -969.0, -1074.0, -1075.0};
    double t = threshold[in.below(5)];
    dd_real y = between(in, 0.01, 2000.0);
    if (in.below(2) == 0) y = -y;
    if (std::abs(t / y.hi) > 900.0) continue;
    dd_real x = near(in, in.with_low(std::exp2(t / y.hi)));
    ASSERT_LE(function_error(hilo::pow, mpfr_pow, x, y, 1.0), 0.502) << words(x) << words(y);
  }
}

TEST(Power, ExactPowersAreExact) {
  EXPECT_EQ(pow(dd_real(3), 20), dd_real(3486784401.0));
  EXPECT_EQ(pow(dd_real(-3), 3), dd_real(-27));
  EXPECT_EQ(pow(dd_real(6.25), 0.5), dd_real(2.5));
  EXPECT_EQ(pow(dd_real(0.0625), -0.75), dd_real(8));
  EXPECT_EQ(pow(dd_real(2), -1074), dd_real(0x1p-1074));
  Inputs in(4);
  Exact power(2000);
  int exact = 0;
  for (int i = 0, n = input_count(50'000); i < n; ++i) {
    // base^4 has at most 106 bits often, and base^(k/4) is a root of it.
    dd_real base = dd_real(1 + in.below(in.below(2) == 0 ? 100 : 100'000'000)) * std::ldexp(1.0, in.below(21) - 10);
    int k = 1 + in.below(20);
    dd_real x = base, y = k;
    if (in.below(2) == 0) {
      ExactInput b(base);
      mpfr_pow_ui(power, b, 4, MPFR_RNDN);
      double hi = mpfr_get_d(power, MPFR_RNDN);
      mpfr_sub_d(power, power, hi, MPFR_RNDN);
      x = dd_real(hi, mpfr_get_d(power, MPFR_RNDN));
      if (mpfr_cmp_d(power, x.lo) != 0) continue;
      y = k / 4.0;
    }
    ExactInput b(base);
    mpfr_pow_ui(power, b, static_cast<unsigned long>(k), MPFR_RNDN);
    dd_real nearest(mpfr_get_d(power, MPFR_RNDN));
    mpfr_sub_d(power, power, nearest.hi, MPFR_RNDN);
    nearest = dd_real(nearest.hi, mpfr_get_d(power, MPFR_RNDN));
    if (mpfr_cmp_d(power, nearest.lo) != 0) continue;
    dd_real r = pow(x, y);
    ASSERT_TRUE(r.hi == nearest.hi && r.lo == nearest.lo) << words(x) << words(y) << words(r) << words(nearest);
    ++exact;
  }
  EXPECT_GT(exact, 1000);
}

// Squares of 107 to 110 bits, many of them halfway between two numbers.
TEST(Power, TiesGoToEven) {
  Inputs in(8);
  Exact square(200);
  int ties = 0;
  for (int i = 0, n = input_count(50'000); i < n; ++i) {
    dd_real m = dd_real::sum(std::ldexp(1.0, 53 + in.below(2)), static_cast<double>(in.bits() >> (11 + in.below(53))));
    ExactInput exact(m);
    mpfr_sqr(square, exact, MPFR_RNDN);
    double hi = mpfr_get_d(square, MPFR_RNDN);
    mpfr_sub_d(square, square, hi, MPFR_RNDN);
    double lo = mpfr_get_d(square, MPFR_RNDN);
    ASSERT_EQ(pow(m, 2), dd_real::sum(hi, lo)) << words(m);
    mpfr_sub_d(square, square, lo, MPFR_RNDN);
    ties += mpfr_get_d(square, MPFR_RNDN) == 0.5 * (std::nextafter(std::abs(lo), infinity) - std::abs(lo));
  }
  EXPECT_GT(ties, 100);
}

bool is_same(dd_real r, double value) {
  if (!is_canonical(r)) return false;
  return std::isnan(value) ? isnan(r) : r == value && signbit(r) == std::signbit(value);
}

TEST(Power, SpecialValuesOfPowAreThoseOfC) {
  const double values[] = {0.0, 0.25,         0.5,    1.0,      1.5,       2.0,   3.0,      4.0,
                           5.0, 0x1p53 - 1.0, 0x1p53, 0x1p1000, 0x1p-1074, 1e308, infinity, nan};
  for (double a : values) {
    for (double b : values) {
      for (int signs = 0; signs < 4; ++signs) {
        double x = signs % 2 == 0 ? a : -a, y = signs / 2 == 0 ? b : -b;
        double expected = std::pow(x, y);
        dd_real r = pow(dd_real(x), dd_real(y));
        bool is_special = expected == 0.0 || !std::isfinite(expected) || std::abs(expected) == 1.0;
        if (is_special) {
          EXPECT_TRUE(is_same(r, expected)) << x << " " << y << " " << r.hi << " " << expected;
        } else {
          EXPECT_NEAR(r.hi / expected, 1.0, 1e-15) << x << " " << y;
        }
      }
    }
  }
}

// lo alone tells whether y is an integer or odd, and on which side of 1 the base lies.
TEST(Power, BothWordsDecide) {
  const dd_real odd(0x1p60, 1.0), even(0x1p60, 2.0), fraction(0x1p60, 0.5), nearly(0x1p60, 0x1p-1074);
  const dd_real odd_below(0x1p60, -1.0), above(1.0, 0x1p-1074), below(1.0, -0x1p-1074), inf(infinity);
  EXPECT_TRUE(is_same(pow(dd_real(-1), odd), -1.0));
  EXPECT_TRUE(is_same(pow(dd_real(-1), odd_below), -1.0));
  EXPECT_TRUE(is_same(pow(dd_real(-1), -odd), -1.0));
  EXPECT_TRUE(is_same(pow(dd_real(-1), even), 1.0));
  EXPECT_TRUE(is_same(pow(dd_real(-1), fraction), nan));
  EXPECT_TRUE(is_same(pow(dd_real(-1), nearly), nan));
  EXPECT_TRUE(is_same(pow(dd_real(-2), odd), -infinity));
  EXPECT_TRUE(is_same(pow(dd_real(-2), -odd), -0.0));
  EXPECT_TRUE(is_same(pow(dd_real(-0.0), odd), -0.0));
  EXPECT_TRUE(is_same(pow(dd_real(-0.0), -odd), -infinity));
  EXPECT_TRUE(is_same(pow(dd_real(-0.0), even), 0.0));
  EXPECT_TRUE(is_same(pow(dd_real(-0.0), fraction), 0.0));
  EXPECT_TRUE(is_same(pow(-inf, odd), -infinity));
  EXPECT_TRUE(is_same(pow(-inf, -odd), -0.0));
  EXPECT_TRUE(is_same(pow(-inf, fraction), infinity));
  for (double sign : {1.0, -1.0}) {
    EXPECT_TRUE(is_same(pow(sign * above, inf), infinity));
    EXPECT_TRUE(is_same(pow(sign * above, -inf), 0.0));
    EXPECT_TRUE(is_same(pow(sign * below, inf), 0.0));
    EXPECT_TRUE(is_same(pow(sign * below, -inf), infinity));
  }
  // (1 + 2^-1000)^(2^1000) is e within 2^-1000.
  dd_real e = pow(dd_real(1.0, 0x1p-1000), dd_real(0x1p1000));
  EXPECT_LE(function_error(hilo::pow, mpfr_pow, dd_real(1.0, 0x1p-1000), dd_real(0x1p1000)), 0.502);
  EXPECT_NEAR(e.hi, 2.718281828459045, 1e-15);
  EXPECT_TRUE(pow(below, dd_real(1)) == below);
}

TEST(Power, CbrtKeepsItsBound) {
  Inputs in(5);
  Worst worst("cbrt");
  for (int i = 0, n = input_count(50'000); i < n; ++i) {
    dd_real x = in.number(true);
    if (in.below(3) == 0) x = between(in, 1.0, 8.0);
    if (in.below(4) == 0) x = near(in, {1.0, 2.0, 4.0, 8.0, -1.0, 27.0, 0x1p-900, 0x1.fffffffffffffp1023});
    worst.add(function_error(hilo::cbrt, mpfr_cbrt, x, 1.0), x);
  }
  EXPECT_LE(worst.error(), 0.501) << worst.where();
  // The worst input of the long form.
  EXPECT_GT(function_error(hilo::cbrt, mpfr_cbrt, dd_real(0x1.000000000008p+0, 0x1p-63), 1.0), 0.499);
}

TEST(Power, CubesHaveExactRoots) {
  Inputs in(6);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    dd_real root(std::ldexp(static_cast<double>(in.bits() >> (29 + in.below(30))), in.below(400) - 200));
    if (in.below(2) == 0) root = -root;
    ASSERT_EQ(cbrt(pow(root, 3)), root) << root.hi;
  }
  for (int n = -357; n <= 340; ++n) ASSERT_EQ(cbrt(dd_real(std::ldexp(1.0, 3 * n))), dd_real(std::ldexp(1.0, n)));
  for (double x : {0.0, -0.0, infinity, -infinity, nan}) EXPECT_TRUE(is_same(cbrt(dd_real(x)), x));
}

TEST(Power, HypotKeepsItsBound) {
  Inputs in(7);
  Worst worst("hypot"), worst_of_three("hypot(3)");
  Exact sum(600), square(600);
  for (int i = 0, n = input_count(50'000); i < n; ++i) {
    dd_real x = in.number(true), y = in.number(true), z = in.number(true);
    if (in.below(2) == 0) y = in.with_low(std::ldexp(in.mantissa(), std::max(-1070, ilogb(x.hi) - in.below(60))));
    if (in.below(2) == 0) z = in.with_low(std::ldexp(in.mantissa(), std::max(-1070, ilogb(y.hi) - in.below(60))));
    worst.add(function_error(hilo::hypot, mpfr_hypot, x, y, 1.0), x, y);
    mpfr_set_zero(sum, 1);
    for (dd_real a : {x, y, z}) {
      ExactInput b(a);
      mpfr_sqr(square, b, MPFR_RNDN);
      mpfr_add(sum, sum, square, MPFR_RNDN);
    }
    mpfr_sqrt(sum, sum, MPFR_RNDN);
    worst_of_three.add(function_error(hypot(x, y, z), sum, 1.0), x, y);
  }
  EXPECT_LE(worst.error(), 0.501) << worst.where();
  EXPECT_LE(worst_of_three.error(), 0.501) << worst_of_three.where();
  // The worst input of the long form.
  dd_real x(0x1.0000000000005p-893, -0x1.811d323f8a1a8p-947), y(0x1.00002p-937, 0x1.fffffffffffffp-991);
  EXPECT_GT(function_error(hilo::hypot, mpfr_hypot, x, y, 1.0), 0.499);
}

TEST(Power, HypotOfSpecialAndExactValues) {
  EXPECT_EQ(hypot(dd_real(3), dd_real(4)), dd_real(5));
  EXPECT_EQ(hypot(dd_real(0x3p1020), dd_real(-0x4p1020)), dd_real(0x5p1020));
  EXPECT_EQ(hypot(dd_real(0x3p-1074), dd_real(0x4p-1074)), dd_real(0x5p-1074));
  EXPECT_EQ(hypot(dd_real(1), dd_real(2), dd_real(2)), dd_real(3));
  Inputs in(9);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    // Five times the scale has at most 106 bits.
    dd_real scale = dd_real::sum(static_cast<double>(in.bits() >> 11) * 0x1p50, static_cast<double>(in.bits() >> 15));
    ASSERT_EQ(hypot(3 * scale, 4 * scale), 5 * scale);
    ASSERT_EQ(hypot(2 * scale, scale, 2 * scale), 3 * scale);
  }
  dd_real gap(1.0, 0x1p-1000);
  EXPECT_EQ(hypot(-gap, dd_real(-0.0)), gap);
  EXPECT_EQ(hypot(dd_real(0), gap, dd_real(0)), gap);
  EXPECT_TRUE(is_same(hypot(dd_real(-0.0), dd_real(-0.0)), 0.0));
  for (double x : {infinity, -infinity}) {
    for (double y : {nan, 1.0, 0.0, infinity}) {
      EXPECT_TRUE(is_same(hypot(dd_real(x), dd_real(y)), infinity));
      EXPECT_TRUE(is_same(hypot(dd_real(y), dd_real(x)), infinity));
      EXPECT_TRUE(is_same(hypot(dd_real(y), nan, x), infinity));
    }
  }
  EXPECT_TRUE(is_same(hypot(dd_real(nan), dd_real(1)), nan));
  EXPECT_TRUE(is_same(hypot(dd_real(1), dd_real(nan)), nan));
  EXPECT_TRUE(is_same(hypot(dd_real(0), dd_real(0), dd_real(nan)), nan));
  EXPECT_TRUE(is_same(hypot(dd_real(0x1.8p1023), dd_real(0x1.8p1023)), infinity));
}

TEST(Power, MixedArgumentsAreNotAmbiguous) {
  using std::cbrt, std::hypot, std::pow;
  dd_real x = 2;
  EXPECT_EQ(pow(x, 2), dd_real(4));
  EXPECT_EQ(pow(x, 2L), dd_real(4));
  EXPECT_EQ(pow(x, 2u), dd_real(4));
  EXPECT_EQ(pow(x, 2.0F), dd_real(4));
  EXPECT_EQ(pow(2.0, x), dd_real(4));
  EXPECT_EQ(pow(2, x), dd_real(4));
  EXPECT_EQ(pow(x, x), dd_real(4));
  EXPECT_EQ(pow(4 * x * x, 0.5), dd_real(4));
  EXPECT_EQ(hypot(3, 2 * x), dd_real(5));
  EXPECT_EQ(hypot(2 * x, 3.0), dd_real(5));
  EXPECT_EQ(hypot(x, 1, 2.0), dd_real(3));
  EXPECT_EQ(hypot(1, 2.0, x), dd_real(3));
  EXPECT_EQ(cbrt(4 * x), dd_real(2));
  EXPECT_EQ(pow(2.0, 3), 8.0);
}

static_assert(pow(dd_real(3), 20) == 3486784401.0 && pow(dd_real(4), 1.5) == 8 && pow(dd_real(-2), -3) == -0.125);
static_assert(cbrt(dd_real(-27)) == -3 && hypot(dd_real(3), 4) == 5 && hypot(dd_real(1), 2, 2) == 3);

}  // namespace
