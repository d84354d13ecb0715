#include <gtest/gtest.h>

#include "exact_complex.hpp"

namespace {

using hilo::dd_complex;
using hilo::dd_real;
using hilo::testing::complex_number;
using hilo::testing::Exact;
using hilo::testing::ExactComplex;
using hilo::testing::function_error;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::words;
using hilo::testing::Worst;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// |r − x^y| / |x^y| in u², and |y ln x|.
struct PowerError {
  double error, exponent;
};
PowerError power_error(dd_complex r, dd_complex x, dd_complex y) {
  ExactComplex exact(mpfr_prec_t{240}), base(x), exponent(y), value(r), log(mpfr_prec_t{240});
  mpc_pow(exact, base, exponent, MPC_RNDNN);
  mpc_log(log, base, MPC_RNDNN);
  mpc_mul(log, log, exponent, MPC_RNDNN);
  Exact size(100), difference(100);
  mpc_abs(size, log, MPFR_RNDN);
  double condition = mpfr_get_d(size, MPFR_RNDN);
  mpc_abs(size, exact, MPFR_RNDN);
  // Parts near the ends of the range are rounded or overflow for themselves.
  if (mpfr_zero_p(static_cast<mpfr_ptr>(size)) || mpfr_get_exp(size) < -960) {
    return {abs(r) < 0x1p-950 ? 0.0 : HUGE_VAL, condition};
  }
  if (mpfr_get_exp(size) > 1022) return {isfinite(abs(r)) && abs(r) < 0x1p1000 ? HUGE_VAL : 0.0, condition};
  if (!isfinite(r.re) || !isfinite(r.im)) return {HUGE_VAL, condition};
  ExactComplex rest(mpfr_prec_t{240});
  mpc_sub(rest, value, exact, MPC_RNDNN);
  mpc_abs(difference, rest, MPFR_RNDN);
  mpfr_div(difference, difference, size, MPFR_RNDN);
  return {mpfr_get_d(difference, MPFR_RNDN) * 0x1p106, condition};
}

double bound(double exponent) { return 0.51 * std::sqrt(2.0) + exponent * 0x1p-14; }

TEST(ComplexPower, KeepsItsBoundForComplexExponents) {
  Inputs in(2);
  Worst worst("pow");
  for (int i = 0, n = input_count(15000) / 10; i < n; ++i) {
    dd_complex x = complex_number(in), y(in.number(false), in.number(false));
    if (in.below(3) == 0) y = {ldexp(y.re, in.below(20) - 6), ldexp(y.im, in.below(20) - 6)};
    if (in.below(8) == 0) y.im = 0;
    if (x == 0 || y == 0) continue;
    PowerError e = power_error(pow(x, y), x, y);
    ASSERT_LE(e.error, bound(e.exponent)) << words(x) << words(y) << e.exponent;
    worst.add(e.error, x.re, x.im);
  }
  EXPECT_GT(worst.error(), 0.4);
}

TEST(ComplexPower, KeepsItsBoundForRealExponentsAndBases) {
  Inputs in(3);
  for (int i = 0, n = input_count(10000) / 10; i < n; ++i) {
    dd_complex x = complex_number(in);
    dd_real y = ldexp(in.number(false), in.below(16) - 6);
    if (in.below(3) == 0) y = in.below(2049) - 1024;
    if (x == 0 || y == 0) continue;
    PowerError e = power_error(pow(x, y), x, y);
    ASSERT_LE(e.error, bound(e.exponent + 64.0)) << words(x) << words(y) << e.exponent;
    if (x.re > 0) {
      e = power_error(pow(x.re, dd_complex(y, x.im)), x.re, dd_complex(y, x.im));
      ASSERT_TRUE(e.exponent > 0x1p60 || e.error <= bound(e.exponent)) << words(x) << words(y) << e.error;
    }
  }
}

// Of numbers on the axes every part is accurate, because angles are exact multiples of π/2.
TEST(ComplexPower, IsAccurateInEveryPartOnTheAxes) {
  Inputs in(4);
  ExactComplex exact(mpfr_prec_t{240});
  for (int i = 0, n = input_count(15000) / 10; i < n; ++i) {
    dd_real size = ldexp(in.number(false), in.below(8) - 4), y = ldexp(in.number(false), in.below(8) - 2);
    dd_complex x = in.below(2) == 0 ? dd_complex(size) : dd_complex(0, size);
    if (in.below(4) == 0) y = dd_real(in.below(64) + 1025) / (in.below(2) == 0 ? 2 : 1);
    if (y == floor(y) && abs(y) <= 1024) continue;
    ExactComplex base(x), exponent{dd_complex(y)};
    mpc_pow(exact, base, exponent, MPC_RNDNN);
    dd_complex r = pow(x, y);
    for (auto [part, value] : {std::pair(r.re, exact.re()), std::pair(r.im, exact.im())}) {
      if (mpfr_zero_p(value)) {
        ASSERT_EQ(part, 0) << words(size) << words(y);
      } else {
        ASSERT_LE(function_error(part, value, 1.0), 0.505) << words(x) << words(y);
      }
    }
  }
}

TEST(ComplexPower, IsExactForSmallPowers) {
  EXPECT_EQ(pow(dd_complex(1, 1), 2), dd_complex(0, 2));
  EXPECT_EQ(pow(dd_complex(3, 4), dd_complex(2)), dd_complex(-7, 24));
  EXPECT_EQ(pow(dd_complex(3, 4), -2L), dd_complex(1) / dd_complex(-7, 24));
  EXPECT_EQ(pow(dd_complex(0, 1), 1001), dd_complex(0, 1));
  EXPECT_EQ(pow(dd_complex(0, 1), 1000001), dd_complex(0, 1));
  EXPECT_EQ(pow(dd_complex(-4), 0.5), dd_complex(0, 2));
  EXPECT_EQ(pow(dd_complex(2, 1), 1.0f), dd_complex(2, 1));
  EXPECT_EQ(pow(2, dd_complex(10)), 1024);
  EXPECT_EQ(pow(dd_complex(0x1p-600, 0x1p-600), -1), dd_complex(0x1p599, -0x1p599));
}

TEST(ComplexPower, TakesZeroAndNotFiniteNumbers) {
  EXPECT_EQ(pow(dd_complex(not_a_number), 0), 1);
  EXPECT_EQ(pow(dd_complex(0), dd_complex(0)), 1);
  EXPECT_EQ(pow(dd_complex(0), dd_complex(2, 5)), 0);
  EXPECT_EQ(pow(0, dd_complex(0.5)), 0);
  EXPECT_TRUE(isinf(pow(dd_complex(0), -1).re));
  EXPECT_TRUE(isnan(pow(dd_complex(0), dd_complex(0, 1)).re));
  EXPECT_EQ(pow(dd_complex(infinity), 2), infinity);
  EXPECT_EQ(pow(dd_complex(infinity), -2), 0);
  EXPECT_TRUE(isnan(pow(dd_complex(1, not_a_number), 2).re));
}

}  // namespace
