#include <gtest/gtest.h>

#include <hilo/math/hyperbolic.hpp>
#include <vector>

#include "function_errors.hpp"

namespace {

using hilo::dd_real;
using hilo::testing::between;
using hilo::testing::function_error;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::is_canonical;
using hilo::testing::MpfrUnary;
using hilo::testing::near;
using hilo::testing::Worst;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// One unit of 2^-1074 is left to the subnormal numbers. `sharp` is the worst input of the long form.
void expect_bound(const char* name, dd_real (*f)(dd_real), MpfrUnary g, dd_real (*input)(Inputs&), dd_real sharp) {
  Inputs in(static_cast<std::uint64_t>(name[0] + 256 * name[1]));
  Worst worst(name);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    dd_real x = input(in);
    worst.add(function_error(f, g, x, 1.0), x);
  }
  EXPECT_LE(worst.error(), 0.501) << name << " at " << worst.where();
  EXPECT_LE(function_error(f, g, sharp, 1.0), 0.501);
  EXPECT_GT(function_error(f, g, sharp, 1.0), 0.497);
}

dd_real with_any_sign(Inputs& in, dd_real x) { return in.below(2) == 0 ? x : -x; }

// Near the places where the formulas change, and the overflow of sinh and cosh.
dd_real input_of_sinh(Inputs& in) {
  switch (in.below(6)) {
    case 0:
      return in.number(true);
    case 1:
      return with_any_sign(in, near(in, {0.0, 710.4758600739439, 0.25, 0.125, 0x1p-57, 44.36, 45.0, 22.18, 1.0}));
    case 2:
      return with_any_sign(in, between(in, 0x1p-60, 1.0));
    case 3:
      return with_any_sign(in, between(in, 20.0, 50.0));
    default:
      return with_any_sign(in, between(in, 0.0, 711.0));
  }
}

dd_real input_of_asinh(Inputs& in) {
  switch (in.below(5)) {
    case 0:
      return in.number(true);
    case 1:
      return with_any_sign(in, near(in, {0.0, 0.5, 1.0, 0.0078125, 0x1p-57, 0x1p500, 0x1.fffffffffffffp1023}));
    case 2:
      return with_any_sign(in, between(in, 0x1p-60, 1.0));
    default:
      return with_any_sign(in, between(in, 0.0, 0x1p80));
  }
}

dd_real input_of_acosh(Inputs& in) {
  dd_real x = 1;
  switch (in.below(5)) {
    case 0:
      x = in.number(true);
      break;
    case 1:
      x = near(in, {1.0, 1.0, 1.0078125, 1.5, 2.0, 0x1.fffffffffffffp1023});
      break;
    case 2:
      x = between(in, 1.0, 2.0);
      break;
    case 3:
      x = 1 + abs(in.number(true));
      break;
    default:
      x = between(in, 1.0, 0x1p80);
      break;
  }
  return abs(x) >= 1 ? abs(x) : 2 - abs(x);
}

dd_real input_of_atanh(Inputs& in) {
  dd_real x = 0;
  switch (in.below(5)) {
    case 0:
      x = in.number(true);
      break;
    case 1:
      x = near(in, {0.0, 1.0, 1.0, 0.5, 0.0078125, 0.00390625, 0x1p-57});
      break;
    case 2:
      x = between(in, 0x1p-60, 1.0);
      break;
    case 3:
      x = 1 - abs(in.number(true));
      break;
    default:
      x = between(in, 0.0, 1.0 - 0x1p-53);
      break;
  }
  return with_any_sign(in, abs(x) <= 1 ? x : 1 / x);
}

TEST(Hyperbolic, SinhKeepsItsBound) {
  expect_bound("sinh", hilo::sinh, mpfr_sinh, input_of_sinh, {0x1p-8, -0x1.28bde0c451e6bp-63});
}
TEST(Hyperbolic, CoshKeepsItsBound) {
  expect_bound("cosh", hilo::cosh, mpfr_cosh, input_of_sinh, {-0x1.2000000000003p-23, 0.0});
}
TEST(Hyperbolic, TanhKeepsItsBound) {
  expect_bound("tanh", hilo::tanh, mpfr_tanh, input_of_sinh, {-0x1.0000000000003p-29, 0x1.54af5cf3b10bap-83});
}
TEST(Hyperbolic, AsinhKeepsItsBound) {
  expect_bound("asinh", hilo::asinh, mpfr_asinh, input_of_asinh, {-0x1.00348493108p-7, 0x1p-71});
}
TEST(Hyperbolic, AcoshKeepsItsBound) {
  expect_bound("acosh", hilo::acosh, mpfr_acosh, input_of_acosh, {1.0, 0x1.0000000000001p-129});
}
TEST(Hyperbolic, AtanhKeepsItsBound) {
  expect_bound("atanh", hilo::atanh, mpfr_atanh, input_of_atanh, {-0x1.0000000000001p-7, 0x1.eaacc5befedp-61});
}

// The distance from 1 may be anything down to 2^-1074.
TEST(Hyperbolic, InversesTakeBothWordsNearOne) {
  for (int k = 54; k <= 1074; ++k) {
    dd_real d(std::ldexp(1.0, -k));
    ASSERT_LE(function_error(hilo::acosh, mpfr_acosh, dd_real(1.0, d.hi), 1.0), 0.501) << k;
    ASSERT_LE(function_error(hilo::atanh, mpfr_atanh, dd_real(1.0, -d.hi), 1.0), 0.501) << k;
    ASSERT_LE(function_error(hilo::atanh, mpfr_atanh, dd_real(-1.0, d.hi), 1.0), 0.501) << k;
  }
  EXPECT_TRUE(isnan(acosh(dd_real(1.0, -0x1p-1074))));
  EXPECT_TRUE(isnan(atanh(dd_real(1.0, 0x1p-1074))));
  EXPECT_TRUE(isnan(atanh(dd_real(-1.0, -0x1p-1074))));
}

struct Special {
  dd_real (*f)(dd_real);
  double x, value;
};

TEST(Hyperbolic, SpecialValuesAreThoseOfC) {
  const std::vector<Special> cases = {
      {hilo::sinh, infinity, infinity}, {hilo::sinh, 1e300, infinity},
      {hilo::sinh, 711.0, infinity},    {hilo::asinh, infinity, infinity},
      {hilo::tanh, infinity, 1.0},      {hilo::tanh, 1e300, 1.0},
      {hilo::atanh, 1.0, infinity},     {hilo::atanh, 1.5, nan},
      {hilo::atanh, infinity, nan},     {hilo::cosh, infinity, infinity},
      {hilo::cosh, 0.0, 1.0},           {hilo::cosh, 711.0, infinity},
      {hilo::acosh, 1.0, 0.0},          {hilo::acosh, infinity, infinity},
      {hilo::acosh, 0.5, nan},          {hilo::acosh, 0.0, nan},
  };
  auto check = [](dd_real (*f)(dd_real), double x, double value) {
    dd_real r = f(x);
    EXPECT_TRUE(is_canonical(r));
    EXPECT_TRUE(std::isnan(value) ? isnan(r) : r == value && signbit(r) == std::signbit(value))
        << "f(" << x << ") = " << r.hi << ", not " << value;
  };
  for (const Special& c : cases) {
    check(c.f, c.x, c.value);
    if (c.f == hilo::acosh) {
      check(c.f, -c.x, nan);
    } else {
      check(c.f, -c.x, c.f == hilo::cosh ? c.value : -c.value);
    }
  }
  for (auto f : {hilo::sinh, hilo::tanh, hilo::asinh, hilo::atanh}) {
    for (double x : {0.0, 0x1p-1074, 0x1p-1022}) {
      check(f, x, x);
      check(f, -x, -x);
    }
  }
  for (auto f : {hilo::sinh, hilo::cosh, hilo::tanh, hilo::asinh, hilo::acosh, hilo::atanh}) check(f, nan, nan);
}

static_assert(abs(asinh(sinh(dd_real(2))) - 2) < 1e-30 && abs(acosh(cosh(dd_real(2))) - 2) < 1e-30);
static_assert(abs(atanh(tanh(dd_real(0.5))) - 0.5) < 1e-30);

}  // namespace
