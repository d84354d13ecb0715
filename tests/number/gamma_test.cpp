#include <gtest/gtest.h>

#include <hilo/math/gamma.hpp>
#include <hilo/math/next.hpp>
#include <vector>

#include "function_errors.hpp"
#include "wide_against_mpfr.hpp"

namespace {

using hilo::dd_real;
using hilo::detail::Wide;
using hilo::testing::between;
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

int mpfr_log_abs_gamma(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  int sign = 0;
  return mpfr_lgamma(result, &sign, x, rounding);
}

double tgamma_error(dd_real x) { return function_error(hilo::tgamma, mpfr_gamma, x, 1.0); }
double lgamma_error(dd_real x) { return function_error(hilo::lgamma, mpfr_log_abs_gamma, x, 1.0); }

// Everywhere, and where the formula changes: halves of integers, ±16, −180.
dd_real input_of_gamma(Inputs& in) {
  switch (in.below(8)) {
    case 0:
      return between(in, 0x1p-1074, 1.0);
    case 1:
      return near(in, dd_real(0.5 * (in.below(80) - 40)));
    case 2:
      return near(in, {0.0, 1.0, 2.0, 16.0, -16.0, 0.5, -0.5, 1.5, 2.5, 1.4616321449683623, 15.5, -15.5});
    case 3:
      return between(in, -16.0, -0x1p-9);
    case 4:
      return between(in, 0.0, 3.0);
    case 5:
      return between(in, 3.0, 20.0);
    case 6:
      return between(in, -180.0, -16.0);
    default:
      return between(in, 16.0, 172.0);
  }
}

dd_real input_of_tgamma(Inputs& in) {
  switch (in.below(16)) {
    case 0:
      return in.number(true);
    case 1:
      return near(in, {171.62437695630272, 171.0, 35.0, 36.0, 37.0});
    case 2: {
      dd_real x = between(in, 0x1p-1030, 0x1p-1018);
      return in.below(2) == 0 ? x : -x;
    }
    case 3:
      // Poles at which only a lo far away keeps Γ from underflowing.
      return dd_real(-150.0 - in.below(170)) + dd_real(std::ldexp(in.word(false), -in.below(1074)));
    default:
      return input_of_gamma(in);
  }
}

dd_real input_of_lgamma(Inputs& in) {
  switch (in.below(16)) {
    case 0: {
      dd_real x = in.number(true);
      return x.hi < 0.0 && x.hi > -1e15 ? x : abs(x);
    }
    case 1:
      return near(in, {1.0, 2.0, 2.5563481638716906e305, 1e15, -1e15, -180.0, -177.0, -200.0, -0x1p52, -0x1p53});
    case 2:
      return between(in, 172.0, 1e300);
    case 3:
      return between(in, -1e6, -180.0);
    default:
      return input_of_gamma(in);
  }
}

TEST(Gamma, TgammaKeepsItsBound) {
  Inputs in(1);
  Worst worst("tgamma");
  for (int i = 0, n = input_count(8'000); i < n; ++i) {
    dd_real x = input_of_tgamma(in);
    worst.add(tgamma_error(x), x);
  }
  EXPECT_LE(worst.error(), 0.505) << worst.where();
  EXPECT_GT(worst.error(), 0.48);
}

TEST(Gamma, LgammaKeepsItsBound) {
  Inputs in(2);
  Worst worst("lgamma");
  for (int i = 0, n = input_count(8'000); i < n; ++i) {
    dd_real x = input_of_lgamma(in);
    worst.add(lgamma_error(x), x);
  }
  EXPECT_LE(worst.error(), 0.502) << worst.where();
  EXPECT_GT(worst.error(), 0.48);
}

// The zero of log |Γ| next to −n, above it or below.
dd_real zero_of_lgamma(int n, bool is_above) {
  dd_real near_pole(0x1p-1073), far(0.49);
  for (int i = 0; i < 200; ++i) {
    // By exponent first, since it may be as small as 1/n!.
    int exponents = ilogb(far) - ilogb(near_pole);
    dd_real t = exponents > 2 ? ldexp(near_pole, exponents / 2) : (near_pole + far) / 2;
    dd_real x = dd_real(-n) + (is_above ? t : -t);
    (lgamma(x) > 0 ? near_pole : far) = t;
  }
  return dd_real(-n) + (is_above ? near_pole : -near_pole);
}

// Γ(x) is above 1 all the way from −2 to 0.
std::vector<dd_real> zeros_of_lgamma() {
  std::vector<dd_real> zeros = {zero_of_lgamma(2, false)};
  for (int n = 3; n <= 177; ++n) {
    zeros.push_back(zero_of_lgamma(n, true));
    zeros.push_back(zero_of_lgamma(n, false));
  }
  return zeros;
}

// 2^-1 to 2^-108 from each of the first 20, on both sides, and as near as two words get.
TEST(Gamma, LgammaIsRightNextToItsFirstNegativeZeros) {
  Inputs in(3);
  Worst worst("zeros");
  const std::vector<dd_real> zeros = zeros_of_lgamma();
  const int step = input_count(0) > 0 ? 1 : 6, random = input_count(0) > 0 ? 5'000 : 10;
  for (std::size_t i = 0; i < 20; ++i) {
    dd_real zero = zeros[i];
    for (double sign : {-1.0, 1.0}) {
      for (int k = 1 + static_cast<int>(i) % step; k <= 108; k += step) {
        dd_real x = zero + dd_real(sign * std::ldexp(1.0, -k));
        worst.add(lgamma_error(x), x);
      }
    }
    for (int k = 0; k < random; ++k) {
      dd_real x = zero + dd_real(std::ldexp(in.word(false), -40 - in.below(70)));
      worst.add(lgamma_error(x), x);
    }
    for (dd_real x : {zero, nextup(zero), nextdown(zero)}) worst.add(lgamma_error(x), x);
  }
  EXPECT_LE(worst.error(), 0.502) << worst.where();
  EXPECT_LT(abs(lgamma(zeros[0])), dd_real(0x1p-106));
}

TEST(Gamma, LgammaIsRightNextToAllNegativeZeros) {
  Inputs in(6);
  Worst worst("all zeros");
  const std::vector<dd_real> zeros = zeros_of_lgamma();
  for (int i = 0, n = input_count(2'000) / 20; i < n; ++i) {
    dd_real zero = zeros[static_cast<std::size_t>(in.below(static_cast<int>(zeros.size())))];
    dd_real pole = round(zero);
    dd_real moved = (zero - pole) * (dd_real(1) + std::ldexp(in.word(false), -4 - in.below(106)));
    dd_real x = in.below(2) == 0 ? near(in, zero) : pole + moved;
    worst.add(lgamma_error(x), x);
  }
  const std::size_t step = input_count(0) > 0 ? 1 : 7;
  for (std::size_t i = 0; i < zeros.size(); i += step) worst.add(lgamma_error(zeros[i]), zeros[i]);
  EXPECT_LE(worst.error(), 0.502) << worst.where();
}

// 1/|Γ| in 256 bits, in units of 2^-256.
TEST(Gamma, ReciprocalsNextToZerosKeepTheirBound) {
  Inputs in(7);
  Exact x(2300), exact(400), got(256);
  double worst = 0.0;
  for (int i = 0, n = input_count(20'000) / 100; i < n; ++i) {
    int pole = 2 + in.below(179);
    dd_real t = in.with_low(std::ldexp(in.mantissa(), -2 - in.below(in.below(2) == 0 ? 10 : 1000)));
    if (in.below(2) == 0) t = -t;
    auto value = hilo::detail::long_reciprocal_abs_gamma(t, pole);
    hilo::testing::set(got, Wide(value.mantissa.high, value.exponent, false));
    hilo::testing::set(x, Wide::normalized(value.mantissa.low, value.exponent - 128, false));
    mpfr_add(got, got, x, MPFR_RNDN);
    x = t;
    mpfr_sub_si(x, x, pole, MPFR_RNDN);
    mpfr_gamma(exact, x, MPFR_RNDN);
    mpfr_mul(exact, exact, got, MPFR_RNDN);
    mpfr_abs(exact, exact, MPFR_RNDN);
    mpfr_sub_ui(exact, exact, 1, MPFR_RNDN);
    mpfr_mul_2si(exact, exact, 256, MPFR_RNDN);
    worst = std::max(worst, std::fabs(mpfr_get_d(exact, MPFR_RNDN)));
  }
  EXPECT_LE(worst, 4096.0);
  if (input_count(0) > 0) std::printf("1/|gamma|  %.1f\n", worst);
}

// 36! is the last that two words hold.
TEST(Gamma, FactorialsAreExact) {
  Exact factorial(2000);
  for (unsigned long n = 0; n <= 170; ++n) {
    mpfr_fac_ui(factorial, n, MPFR_RNDN);
    double error = hilo::testing::error_u2(tgamma(dd_real(static_cast<int>(n) + 1)), factorial);
    ASSERT_LE(error, n <= 36 ? 0.0 : 0.501) << n;
  }
  EXPECT_TRUE(isinf(tgamma(dd_real(172))));
}

// Poles are right beside every number that lies between integers, up to lo's last bit.
TEST(Gamma, TakesBothWords) {
  for (int n = -178; n <= 172; n += 1 + std::abs(n) / 8) {
    for (int k = 54; k <= 1060; k += 1 + k / (input_count(0) > 0 ? 50 : 5)) {
      for (double sign : {1.0, -1.0}) {
        dd_real x(n, sign * std::ldexp(1.0, n == 0 ? -k : std::ilogb(n) - k));
        if (x.hi + x.lo != x.hi || x.hi == 0.0) continue;
        ASSERT_LE(tgamma_error(x), 0.505) << words(x);
        ASSERT_LE(lgamma_error(x), 0.505) << words(x);
      }
    }
  }
  // hi alone would be a pole.
  dd_real x(-0x1p60, 0.25);
  EXPECT_EQ(words(tgamma(x)), words(dd_real(0)));
  EXPECT_EQ(words(tgamma(-1 + x)), words(dd_real(-0.0)));
  EXPECT_LE(lgamma_error(x), 0.501);
  EXPECT_LE(lgamma_error(dd_real(-0x1p1010, 0x1p-1074)), 0.501);
}

TEST(Gamma, LgammaGivesTheSign) {
  Inputs in(4);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    dd_real x = in.below(2) == 0 ? input_of_tgamma(in) : -abs(in.number(true));
    int sign = 0, exact_sign = 0;
    dd_real value = lgamma_r(x, &sign);
    ASSERT_EQ(words(value), words(lgamma(x)));
    bool is_pole = x.hi <= 0.0 && floor(x) == x;
    dd_real gamma = tgamma(x);
    ASSERT_TRUE(is_pole || sign == (signbit(gamma) ? -1 : 1)) << words(x);
    if (i % 16 == 0 && !is_pole && abs(x) < 1e3) {
      Exact exact(64);
      mpfr_lgamma(exact, &exact_sign, ExactInput(x), MPFR_RNDN);
      ASSERT_EQ(sign, exact_sign) << words(x);
    }
  }
}

// The worst of 1,000,000 inputs each. An error of u²/2 is the least bound there is for a rounded result.
TEST(Gamma, WorstErrorsKnown) {
  EXPECT_NEAR(tgamma_error(dd_real(0x0.7ffc8f04c148ap-1022)), 0.4996, 0.0005);
  EXPECT_NEAR(lgamma_error(dd_real(0x1.df454c8b831fdp-740, -0x1.fffffffffffffp-794)), 0.4996, 0.0005);
  EXPECT_NEAR(lgamma_error(dd_real(-0x1.1400000000001p+7, 0x1.0800000000003p-56)), 0.495, 0.001);
}

// Errors of what is rounded in the end, in units of 2^-128.
TEST(Gamma, PartsKeepTheirBounds) {
  Inputs in(5);
  Exact x(512), exact(512);
  double reciprocal = 0.0, log_from_2 = 0.0, stirling = 0.0, stirling_log = 0.0, rising = 0.0;
  for (int i = 0, n = input_count(100'000) / 50; i < n; ++i) {
    Wide t = hilo::testing::wide(in, in.below(2) == 0 ? -2 : -60, -2);
    hilo::testing::set(x, t);
    mpfr_add_ui(x, x, 1, MPFR_RNDN);
    mpfr_gamma(exact, x, MPFR_RNDN);
    mpfr_ui_div(exact, 1, exact, MPFR_RNDN);
    reciprocal = std::max(reciprocal, hilo::testing::wide_error(hilo::detail::reciprocal_gamma(t), exact));
    mpfr_add_ui(x, x, 1, MPFR_RNDN);
    mpfr_lngamma(exact, x, MPFR_RNDN);
    log_from_2 = std::max(log_from_2, hilo::testing::wide_error(hilo::detail::log_gamma_from_2(t), exact));
    Wide a = abs(hilo::testing::wide(in, 4, 8));
    hilo::testing::set(x, a);
    mpfr_gamma(exact, x, MPFR_RNDN);
    stirling = std::max(stirling, hilo::testing::wide_error(hilo::detail::stirling_gamma(a), exact));
    a = abs(hilo::testing::wide(in, 4, in.below(2) == 0 ? 10 : 1023));
    hilo::testing::set(x, a);
    mpfr_lngamma(exact, x, MPFR_RNDN);
    stirling_log = std::max(stirling_log, hilo::testing::wide_error(hilo::detail::stirling_log_gamma(a), exact));
    a = abs(hilo::testing::wide(in, -1, 0));
    int factors = in.below(40);
    hilo::testing::set(x, a);
    mpfr_set_ui(exact, 1, MPFR_RNDN);
    for (int k = 0; k < factors; ++k) {
      mpfr_mul(exact, exact, x, MPFR_RNDN);
      mpfr_add_ui(x, x, 1, MPFR_RNDN);
    }
    double error = hilo::testing::wide_error(hilo::detail::rising_factorial(a, factors), exact);
    rising = std::max(rising, error / (1.0 + factors));
  }
  EXPECT_LE(reciprocal, 64.0);
  EXPECT_LE(log_from_2, 128.0);
  EXPECT_LE(stirling, 32768.0);
  EXPECT_LE(stirling_log, 128.0);
  EXPECT_LE(rising, 8.0);
  if (input_count(0) > 0) {
    std::printf("parts      %.2f %.2f %.2f %.2f %.2f\n", reciprocal, log_from_2, stirling, stirling_log, rising);
  }
}

struct Special {
  dd_real (*f)(dd_real);
  double (*of_double)(double);
  double x;
};

TEST(Gamma, SpecialValuesAreThoseOfC) {
  double (*std_tgamma)(double) = std::tgamma;
  double (*std_lgamma)(double) = std::lgamma;
  std::vector<Special> cases;
  for (double x : {0.0, 1.0, 2.0, 3.0, 200.0, 1e15, 0x1p53, 0x1p60, 1e300, 0x1p-1074, infinity, nan}) {
    cases.insert(cases.end(), {{hilo::tgamma, std_tgamma, x}, {hilo::tgamma, std_tgamma, -x}});
    if (x < 3.0 || x > 1e305 || x != x) cases.insert(cases.end(), {{hilo::lgamma, std_lgamma, x}});
    if (!(x > 0.0 && x < 1.0)) cases.insert(cases.end(), {{hilo::lgamma, std_lgamma, -x}});
  }
  for (double x : {1e306, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023}) {
    cases.insert(cases.end(), {{hilo::tgamma, std_tgamma, x}, {hilo::lgamma, std_lgamma, x}});
  }
  for (double x : {-190.5, -191.5, -0x1.0000000000001p50, 0x1p-1030, -0x1p-1030}) {
    cases.insert(cases.end(), {{hilo::tgamma, std_tgamma, x}});
  }
  for (const Special& c : cases) {
    double value = c.of_double(c.x);
    dd_real r = c.f(c.x);
    bool is_lgamma = c.f == hilo::lgamma;
    EXPECT_TRUE(is_canonical(r));
    if (is_lgamma && std::fabs(c.x) < 1e-300 && c.x != 0.0) continue;
    EXPECT_TRUE(std::isnan(value) ? isnan(r) : r.hi == value && signbit(r) == std::signbit(value))
        << (is_lgamma ? "lgamma(" : "tgamma(") << c.x << ") = " << r.hi;
    // The sign of a zero in lo carries no meaning.
    dd_real same = c.f(dd_real(c.x, -0.0));
    EXPECT_TRUE(isnan(r) ? isnan(same) : same == r);
  }
  int sign = 0;
  for (double x : {0.0, -1.0, -2.0, -0x1p53, infinity, -infinity, nan}) {
    lgamma_r(dd_real(x), &sign);
    EXPECT_EQ(sign, 1) << x;
  }
  lgamma_r(dd_real(-0.0), &sign);
  EXPECT_EQ(sign, -1);
  EXPECT_EQ(lgamma(dd_real(-0x1p1020, 0x1p-1074)), dd_real(-infinity));
}

static_assert(tgamma(dd_real(5)) == 24 && tgamma(dd_real(-200.5)) == 0 && lgamma(dd_real(2)) == 0);
static_assert(lgamma(dd_real(-2.4570247382208006)) < 1e-15 && lgamma(dd_real(-2.4570247382208006)) > -1e-15);
static_assert(abs(tgamma(dd_real(-0.5)) + tgamma(dd_real(0.5)) * dd_real(2)) < 1e-31);

}  // namespace
