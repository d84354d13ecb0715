#include <gtest/gtest.h>

#include <hilo/math/exponential.hpp>
#include <vector>

#include "function_errors.hpp"

namespace {

using hilo::dd_real;
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

// One unit of 2^-1074 is left to the subnormal numbers. `sharp` is the worst input of the long form.
void expect_bound(const char* name, dd_real (*f)(dd_real), MpfrUnary g, dd_real (*input)(Inputs&), double bound,
                  dd_real sharp) {
  Inputs in(static_cast<std::uint64_t>(name[0] + 256 * name[3]));
  Worst worst(name);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    dd_real x = input(in);
    worst.add(function_error(f, g, x, 1.0), x);
  }
  EXPECT_LE(worst.error(), bound) << name << " at " << worst.where();
  EXPECT_LE(function_error(f, g, sharp, 1.0), bound);
  EXPECT_GT(function_error(f, g, sharp, 1.0), 0.498);
}

// Near multiples of 1/1024, where the reduction's table changes.
dd_real near_step(Inputs& in, int range) {
  int n = in.below(2 * range * 2048 + 1) - range * 2048;
  return near(in, dd_real(std::ldexp(n, -11)));
}

// Finite and of any sign and exponent.
dd_real any(Inputs& in) { return in.number(true); }
dd_real positive(Inputs& in) { return abs(any(in)); }

dd_real input_of_exp2(Inputs& in) {
  switch (in.below(6)) {
    case 0:
      return any(in);
    case 1:
      return near(in, {0.0, 1.0, -1.0, 1024.0, 1023.0, -969.0, -1022.0, -1074.0, -1075.0, 0.5});
    case 2:
      return near_step(in, 1100);
    case 3:
      return between(in, -1.0, 1.0);
    case 4:
      return between(in, -1080.0, -960.0);
    default:
      return between(in, -1080.0, 1025.0);
  }
}

dd_real input_of_exp10(Inputs& in) {
  switch (in.below(6)) {
    case 0:
      return any(in);
    case 1:
      return near(in,
                  {0.0, 1.0, -1.0, 308.25471555991674, -307.6526555685888, -291.698, -323.3062153431158, 46.0, 45.0});
    case 2:
      return near_step(in, 310) * dd_real(0.30102999566398120, -2.8037281277851704e-18);
    case 3:
      return between(in, -1.0, 1.0);
    default:
      return between(in, -325.0, 309.0);
  }
}

dd_real input_of_expm1(Inputs& in) {
  switch (in.below(6)) {
    case 0:
      return any(in);
    case 1:
      return near(in, {0.0, 0.25, -0.25, 0.125, -0.125, 0.6931471805599453, -0.6931471805599453, 709.782712893384,
                       -73.5, -36.7, -88.0});
    case 2:
      return near_step(in, 1024) * dd_real(0.69314718055994530942, 2.3190468138462996e-17);
    case 3:
      return between(in, -1.0, 1.0);
    case 4:
      return copysign(between(in, 0x1p-130, 1.0), in.below(2) == 0 ? 1 : -1);
    default:
      return between(in, -100.0, 711.0);
  }
}

// Near 1 and near the nodes of the logarithm's table in any binade.
dd_real input_of_log(Inputs& in) {
  switch (in.below(6)) {
    case 0:
      return positive(in);
    case 1:
      return abs(near(in, {1.0, 1.0, 0.75, 1.5, 0.5, 2.0, 10.0, 1e22, 0x1p-900, 0x1.fffffffffffffp1023}));
    case 2:
      return near(in, dd_real(std::ldexp(256 + in.below(257), -8 - in.below(3))));
    case 3:
      return between(in, 0.5, 2.0);
    case 4:
      return ldexp(near(in, dd_real(1)), in.below(40) - 20);
    default:
      return between(in, 0x1p-60, 0x1p60);
  }
}

dd_real input_of_log1p(Inputs& in) {
  switch (in.below(6)) {
    case 0:
      return positive(in);
    case 1: {
      dd_real x = near(in, {0.0, -1.0, -0.5, 0x1p-8, -0x1p-8, 1.0, -0.25, 0.5, 0x1.fffffffffffffp1023, 0x1p-120});
      return x > -1 ? x : -2 - x;
    }
    case 2:
      return near(in, dd_real(std::ldexp(256 + in.below(257), -8 - in.below(3)) - 1.0));
    case 3:
      return between(in, -1.0 + 0x1p-53, 1.0);
    case 4:
      return copysign(between(in, 0x1p-130, 0.9), in.below(2) == 0 ? 1 : -1);
    default:
      return between(in, 0.0, 0x1p70);
  }
}

TEST(Exponential, Exp2KeepsItsBound) {
  expect_bound("exp2", hilo::exp2, mpfr_exp2, input_of_exp2, 0.501, {0x1.ff8p+9, 0x1.39e8eea27279dp-51});
}
TEST(Exponential, Exp10KeepsItsBound) {
  expect_bound("exp10", hilo::exp10, mpfr_exp10, input_of_exp10, 0.501, {-0x1.5ac6f328cc802p+2, 0x1.509f9d114ad3cp-52});
}
TEST(Exponential, Expm1KeepsItsBound) {
  expect_bound("expm1", hilo::expm1, mpfr_expm1, input_of_expm1, 0.501,
               {-0x1.0000000000002p-106, 0x1.fffffffffffffp-160});
}
TEST(Exponential, Log2KeepsItsBound) {
  expect_bound("log2", hilo::log2, mpfr_log2, input_of_log, 0.501, {0x1.fffffffffffffp-2, -0x1.d2de7e1441146p-62});
}
TEST(Exponential, Log10KeepsItsBound) {
  expect_bound("log10", hilo::log10, mpfr_log10, input_of_log, 0.501, {0x1.4000000000001p+3, -0x1.1d349343642cdp-51});
}
TEST(Exponential, Log1pKeepsItsBound) {
  expect_bound("log1p", hilo::log1p, mpfr_log1p, input_of_log1p, 0.501,
               {-0x1.0000000000202p-106, -0x1.0000000000002p-160});
}

TEST(Exponential, ExactResultsAreExact) {
  for (int n = -1074; n <= 1023; ++n) {
    dd_real power(std::ldexp(1.0, n));
    ASSERT_EQ(exp2(dd_real(n)), power) << n;
    ASSERT_EQ(log2(power), dd_real(n)) << n;
  }
  // 10^46 is the last that two words hold.
  Exact power(300);
  for (int n = 0; n <= 46; ++n) {
    mpfr_ui_pow_ui(power, 10, static_cast<unsigned long>(n), MPFR_RNDN);
    dd_real x = exp10(dd_real(n));
    ASSERT_EQ(hilo::testing::error_u2(x, power), 0.0) << n;
    ASSERT_EQ(log10(x), dd_real(n)) << n;
  }
}

// Results of a number next to 1 whose lo is far away.
TEST(Exponential, TakesBothWords) {
  for (int k = 60; k <= 1074; ++k) {
    for (double sign : {1.0, -1.0}) {
      dd_real x(1.0, sign * std::ldexp(1.0, -k));
      ASSERT_LE(function_error(hilo::log2, mpfr_log2, x, 1.0), 0.501) << k;
      ASSERT_LE(function_error(hilo::log10, mpfr_log10, x, 1.0), 0.501) << k;
      ASSERT_LE(function_error(hilo::log1p, mpfr_log1p, -x, 1.0), 0.501) << k;
    }
  }
  EXPECT_TRUE(isnan(log1p(dd_real(-1.0, -0x1p-1074))));
}

struct Special {
  dd_real (*f)(dd_real);
  double x, value;
};

TEST(Exponential, SpecialValuesAreThoseOfC) {
  const std::vector<Special> cases = {
      {hilo::exp2, 0.0, 1.0},
      {hilo::exp2, -0.0, 1.0},
      {hilo::exp2, infinity, infinity},
      {hilo::exp2, -infinity, 0.0},
      {hilo::exp2, nan, nan},
      {hilo::exp2, 1e300, infinity},
      {hilo::exp2, -1e300, 0.0},
      {hilo::exp2, 1024.0, infinity},
      {hilo::exp2, -1076.0, 0.0},
      {hilo::exp10, 0.0, 1.0},
      {hilo::exp10, -0.0, 1.0},
      {hilo::exp10, infinity, infinity},
      {hilo::exp10, -infinity, 0.0},
      {hilo::exp10, nan, nan},
      {hilo::exp10, 1e300, infinity},
      {hilo::exp10, -1e300, 0.0},
      {hilo::exp10, 309.0, infinity},
      {hilo::exp10, -324.0, 0.0},
      {hilo::expm1, 0.0, 0.0},
      {hilo::expm1, -0.0, -0.0},
      {hilo::expm1, infinity, infinity},
      {hilo::expm1, -infinity, -1.0},
      {hilo::expm1, nan, nan},
      {hilo::expm1, 1e300, infinity},
      {hilo::expm1, -1e300, -1.0},
      {hilo::expm1, 710.0, infinity},
      {hilo::expm1, 0x1p-1074, 0x1p-1074},
      {hilo::log2, 0.0, -infinity},
      {hilo::log2, -0.0, -infinity},
      {hilo::log2, 1.0, 0.0},
      {hilo::log2, -1.0, nan},
      {hilo::log2, infinity, infinity},
      {hilo::log2, -infinity, nan},
      {hilo::log2, nan, nan},
      {hilo::log2, -0x1p-1074, nan},
      {hilo::log10, 0.0, -infinity},
      {hilo::log10, -0.0, -infinity},
      {hilo::log10, 1.0, 0.0},
      {hilo::log10, -1.0, nan},
      {hilo::log10, infinity, infinity},
      {hilo::log10, -infinity, nan},
      {hilo::log10, nan, nan},
      {hilo::log10, -0x1p-1074, nan},
      {hilo::log1p, 0.0, 0.0},
      {hilo::log1p, -0.0, -0.0},
      {hilo::log1p, -1.0, -infinity},
      {hilo::log1p, -2.0, nan},
      {hilo::log1p, infinity, infinity},
      {hilo::log1p, -infinity, nan},
      {hilo::log1p, nan, nan},
      {hilo::log1p, -0x1p-1074, -0x1p-1074},
  };
  for (const Special& c : cases) {
    dd_real r = c.f(c.x);
    EXPECT_TRUE(is_canonical(r));
    EXPECT_TRUE(std::isnan(c.value) ? isnan(r) : r == c.value && signbit(r) == std::signbit(c.value))
        << &c - cases.data() << ": f(" << c.x << ") = " << r.hi;
    // The sign of a zero in lo carries no meaning.
    dd_real same = c.f(dd_real(c.x, -0.0));
    EXPECT_TRUE(isnan(r) ? isnan(same) : same == r);
  }
}

static_assert(exp2(dd_real(-3)) == 0.125 && exp10(dd_real(2)) == 100 && log2(dd_real(1024)) == 10);
static_assert(log10(dd_real(1000)) == 3 && expm1(dd_real(0)) == 0 && log1p(dd_real(0)) == 0);
static_assert(abs(log1p(expm1(dd_real(0.1))) - 0.1) < 1e-30);

}  // namespace
