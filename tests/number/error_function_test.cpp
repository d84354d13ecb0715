#include <gtest/gtest.h>

#include <hilo/math/error_function.hpp>
#include <vector>

#include "function_errors.hpp"
#include "wide_against_mpfr.hpp"

namespace {

using hilo::dd_real;
using hilo::detail::Wide;
using hilo::testing::between;
using hilo::testing::Exact;
using hilo::testing::function_error;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::is_canonical;
using hilo::testing::MpfrUnary;
using hilo::testing::near;
using hilo::testing::words;
using hilo::testing::Worst;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

dd_real with_sign(Inputs& in, dd_real x) { return in.below(2) == 0 ? x : -x; }

dd_real input_of_erf(Inputs& in) {
  switch (in.below(6)) {
    case 0:
      return in.number(true);
    case 1:
      return with_sign(in, near(in, {0.0, 1.0, 1.0, 2.0, 4.0, 5.9, 0.70710678118654752, 0.5}));
    case 2:
      return with_sign(in, between(in, 0x1p-130, 1.0));
    case 3:
      return with_sign(in, between(in, 1.0, 7.0));
    default:
      return with_sign(in, between(in, 0.0, 1.0));
  }
}

// MPFR takes the longer, the larger x.
dd_real input_of_erfc(Inputs& in) {
  switch (in.below(64)) {
    case 0:
      return between(in, 16.0, 26.0);
    case 1:
      return between(in, 8.0, 16.0);
    case 2:
      return near(in, {8.0, 9.5, -9.5, 12.0, 16.0, 25.99, 26.5432});
    case 3:
    case 4:
    case 5:
      return between(in, 4.0, 8.0);
    default:
      break;
  }
  switch (in.below(6)) {
    case 0:
      return with_sign(in, between(in, 0x1p-1074, 1.0));
    case 1:
      return with_sign(in, near(in, {0.0, 1.0, 1.0, 2.0, 4.0, 6.0, 0.70710678118654752, 0.5}));
    case 2:
      return between(in, 2.0, 4.0);
    case 3:
      return between(in, 1.0, 2.0);
    default:
      return between(in, -6.0, 1.0);
  }
}

// From erfc(25) = 2^-907 to where it underflows.
dd_real input_of_underflow(Inputs& in) {
  return in.below(4) == 0 ? near(in, {26.5432, 26.6287, 27.2260, 27.2265, 27.25}) : between(in, 25.0, 27.75);
}

void expect_bound(const char* name, dd_real (*f)(dd_real), MpfrUnary g, dd_real (*input)(Inputs&), int count,
                  double bound, double reached = 0.48) {
  Inputs in(static_cast<std::uint64_t>(count));
  Worst worst(name);
  for (int i = 0; i < count; ++i) {
    dd_real x = input(in);
    worst.add(function_error(f, g, x, 0.5), x);
  }
  EXPECT_LE(worst.error(), bound) << name << " at " << worst.where();
  EXPECT_GE(worst.error(), reached);
}

TEST(ErrorFunction, ErfKeepsItsBound) {
  expect_bound("erf", hilo::erf, mpfr_erf, input_of_erf, input_count(20'000), 0.501);
}

TEST(ErrorFunction, ErfcKeepsItsBound) {
  expect_bound("erfc", hilo::erfc, mpfr_erfc, input_of_erfc, input_count(10'000), 0.502);
}

TEST(ErrorFunction, ErfcUnderflowsGradually) {
  expect_bound("underflow", hilo::erfc, mpfr_erfc, input_of_underflow, input_count(2'500) / 25, 0.502, 0.0);
  EXPECT_EQ(erfc(dd_real(27.226)), dd_real(0x1p-1074));
  EXPECT_EQ(erfc(dd_real(27.227)), dd_real(0));
}

// The worst of 1,000,000 inputs each. An error of u²/2 is the least bound there is for a rounded result.
TEST(ErrorFunction, WorstErrorsKnown) {
  dd_real x(0x1.e8656256d64acp-2);
  EXPECT_NEAR(function_error(hilo::erf, mpfr_erf, x, 0.5), 0.4995, 0.0008);
  x = dd_real(-0x1.78197d50fa4p-11, -0x1.fffffffffffffp-65);
  EXPECT_NEAR(function_error(hilo::erfc, mpfr_erfc, x, 0.5), 0.4995, 0.0008);
  x = dd_real(0x1.95079de4ef179p+4, -0x1.ffffffffffffap-825);
  EXPECT_NEAR(function_error(hilo::erfc, mpfr_erfc, x, 0.5), 0.4955, 0.0008);
}

// Errors of what is rounded in the end, in units of 2^-128.
TEST(ErrorFunction, PartsKeepTheirBounds) {
  Inputs in(3);
  Exact exact(256), x(256);
  double near_zero = 0.0, complement = 0.0;
  for (int i = 0, n = input_count(100'000) / 50; i < n; ++i) {
    Wide a = abs(hilo::testing::wide(in, in.below(2) == 0 ? -1 : -140, -1));
    hilo::testing::set(x, a);
    mpfr_erf(exact, x, MPFR_RNDN);
    near_zero = std::max(near_zero, hilo::testing::wide_error(hilo::detail::error_function(a), exact));
    a = abs(hilo::testing::wide(in, 0, in.below(8) == 0 ? 4 : 2));
    if (!(a < Wide(28))) a -= Wide(8);
    hilo::testing::set(x, a);
    mpfr_erfc(exact, x, MPFR_RNDN);
    double error = hilo::testing::wide_error(hilo::detail::complementary_error_function(a), exact);
    complement = std::max(complement, error / (64.0 + 8.0 * a.leading_double() * a.leading_double()));
  }
  EXPECT_LE(near_zero, 64.0);
  EXPECT_LE(complement, 1.0);
  if (input_count(0) > 0) std::printf("parts      %.2f, %.3f of the bound\n", near_zero, complement);
}

TEST(ErrorFunction, TakesBothWords) {
  for (int k = 54; k <= 1074; k += 1 + k / 60) {
    for (double sign : {1.0, -1.0}) {
      for (double hi : {1.0, 2.0, 9.5}) {
        dd_real x(hi, sign * std::ldexp(1.0, -k - 1));
        if (x.hi + x.lo != x.hi) continue;
        ASSERT_LE(function_error(hilo::erf, mpfr_erf, x, 1.0), 0.501) << words(x);
        ASSERT_LE(function_error(hilo::erfc, mpfr_erfc, x, 1.0), 0.502) << words(x);
      }
    }
  }
}

TEST(ErrorFunction, ErfIsOdd) {
  Inputs in(4);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    dd_real x = input_of_erf(in);
    ASSERT_EQ(erf(-x), -erf(x)) << words(x);
  }
}

struct Special {
  dd_real (*f)(dd_real);
  double (*of_double)(double);
  double x;
};

TEST(ErrorFunction, SpecialValuesAreThoseOfC) {
  double (*std_erf)(double) = std::erf;
  double (*std_erfc)(double) = std::erfc;
  std::vector<Special> cases;
  for (double x : {0.0, 0x1p-1074, 10.0, 28.0, 1e300, 0x1.fffffffffffffp1023, infinity, nan}) {
    cases.insert(cases.end(), {{hilo::erf, std_erf, x}, {hilo::erf, std_erf, -x}});
    cases.insert(cases.end(), {{hilo::erfc, std_erfc, x}, {hilo::erfc, std_erfc, -x}});
  }
  for (const Special& c : cases) {
    double value = c.of_double(c.x);
    dd_real r = c.f(c.x);
    EXPECT_TRUE(is_canonical(r));
    EXPECT_TRUE(std::isnan(value) ? isnan(r) : r.hi == value && signbit(r) == std::signbit(value))
        << &c - cases.data() << ": f(" << c.x << ") = " << r.hi;
    // The sign of a zero in lo carries no meaning.
    dd_real same = c.f(dd_real(c.x, -0.0));
    EXPECT_TRUE(isnan(r) ? isnan(same) : same == r);
  }
  EXPECT_EQ(erf(dd_real(infinity)), dd_real(1));
  EXPECT_EQ(erfc(dd_real(-infinity)), dd_real(2));
  EXPECT_FALSE(signbit(erfc(dd_real(infinity))));
  EXPECT_EQ(words(erf(dd_real(0x1p-1074))), words(dd_real(0x1p-1074)));
}

static_assert(erf(dd_real(0)) == 0 && erfc(dd_real(0)) == 1 && erfc(dd_real(40)) == 0 && erf(dd_real(-12)) == -1);
static_assert(abs(erf(dd_real(0.75)) + erfc(dd_real(0.75)) - dd_real(1)) < 1e-31);
static_assert(abs(erf(dd_real(2)) + erfc(dd_real(2)) - dd_real(1)) < 1e-31);

}  // namespace
