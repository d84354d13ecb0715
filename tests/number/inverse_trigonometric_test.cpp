#include <gtest/gtest.h>

#include <hilo/math/inverse_trigonometric.hpp>
#include <numbers>

#include "function_errors.hpp"

namespace {

using hilo::dd_real;
using hilo::testing::between;
using hilo::testing::Exact;
using hilo::testing::function_error;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::near;
using hilo::testing::words;
using hilo::testing::Worst;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = std::numbers::pi;
// Half a unit and what 128-bit arithmetic adds; see the functions' comments.
constexpr double bound = 0.5 + 0x1p-14;

bool same(dd_real x, double y) {
  if (y != y) return x.hi != x.hi && x.lo == 0.0;
  return x.hi == y && x.lo == 0.0 && std::signbit(x.hi) == std::signbit(y);
}

// x with a value just above a power of two, where half a unit is most: beside x0 where the value is that power.
dd_real beside(Inputs& in, double x0) {
  double step = std::ldexp(in.mantissa(), -14 - in.below(8));
  return in.with_low(in.below(2) == 0 ? x0 + x0 * step : x0 - x0 * step);
}

// From −1 to 1: anywhere, tiny, near the ends by any distance.
dd_real ratio(Inputs& in) {
  dd_real x = between(in, -1.0, 1.0);
  switch (in.below(9)) {
    case 0:
      x = near(in, {-1.0, 1.0});
      break;
    case 1:
      x = in.number(true);
      break;
    case 2:
      x = near(in, {0.5, -0.5, std::numbers::sqrt2 / 2.0, -std::numbers::sqrt2 / 2.0, 0.0});
      break;
    case 3:
      x = beside(in, std::sin(std::exp2(-in.below(10))));
      break;
    case 4:
      x = beside(in, std::cos(std::exp2(-in.below(10))));
      break;
    case 5:
      x = beside(in, std::cos(pi * std::exp2(-2 - in.below(10))));
      break;
    case 6:
      x = beside(in, std::sin(pi * std::exp2(-2 - in.below(10))));
      break;
    default:
      break;
  }
  return abs(x) <= 1.0 ? x : dd_real(x.hi > 0.0 ? 1.0 : -1.0);
}

// Any number; more of them near the table's breakpoints and near 1.
dd_real slope(Inputs& in) {
  switch (in.below(7)) {
    case 0:
      return in.number(true);
    case 6:
      return beside(in, std::tan(pi * std::exp2(-2 - in.below(10))));
    case 1:
      return near(in, dd_real((1 + in.below(128)) / 128.0));
    case 2:
      return near(in, dd_real(128.0 / (1 + in.below(128))));
    case 3:
      return beside(in, std::tan(std::exp2(-in.below(10))));
    case 4:
      return between(in, 0x1p-70, 0x1p-50);
    default:
      return between(in, -20.0, 20.0);
  }
}

struct Function {
  const char* name;
  dd_real (*function)(dd_real);
  hilo::testing::MpfrUnary exact;
  double (*of_double)(double);
  dd_real (*input)(Inputs&);
  // The worst of 1,000,000 inputs.
  dd_real worst;
};

void PrintTo(const Function& f, std::ostream* out) { *out << f.name; }

class InverseTrigonometric : public ::testing::TestWithParam<Function> {};

TEST_P(InverseTrigonometric, KeepsItsBound) {
  const Function& f = GetParam();
  Inputs in(1);
  Worst worst(f.name);
  for (int i = 0, n = input_count(10'000); i < n; ++i) {
    dd_real x = f.input(in);
    double e = function_error(f.function, f.exact, x);
    ASSERT_LE(e, bound) << words(x);
    worst.add(e, x);
  }
  EXPECT_GT(worst.error(), 0.49);
  EXPECT_LE(function_error(f.function, f.exact, f.worst), bound);
  EXPECT_GT(function_error(f.function, f.exact, f.worst), 0.499);
}

TEST_P(InverseTrigonometric, IsOddOrReflected) {
  const Function& f = GetParam();
  if (f.function(dd_real(0)).hi != 0.0) return;
  Inputs in(2);
  for (int i = 0, n = input_count(10'000); i < n; ++i) {
    dd_real x = f.input(in), y = f.function(x), z = -f.function(-x);
    ASSERT_TRUE(y == z && std::signbit(y.hi) == std::signbit(z.hi)) << words(x);
  }
}

TEST_P(InverseTrigonometric, SpecialValues) {
  const Function& f = GetParam();
  for (double x : {0.0, 1.0, 2.0, infinity, nan, std::nextafter(1.0, 2.0)}) {
    for (double signed_x : {x, -x}) {
      dd_real y = f.function(dd_real(signed_x));
      double expected = f.of_double(signed_x);
      EXPECT_TRUE(same(dd_real(y.hi), expected)) << f.name << " " << signed_x << " " << words(y);
      EXPECT_TRUE(hilo::testing::is_canonical(y));
    }
  }
  // Outside the domain by less than a double tells.
  if (f.of_double(2.0) == f.of_double(2.0)) return;
  EXPECT_TRUE(same(f.function(dd_real(1.0, 0x1p-300)), nan));
  EXPECT_TRUE(same(f.function(dd_real(-1.0, -0x1p-300)), nan));
  EXPECT_FALSE(isnan(f.function(dd_real(1.0, -0x1p-1074))));
  EXPECT_FALSE(isnan(f.function(dd_real(-1.0, 0x1p-1074))));
}

double asin_over_pi(double x) { return std::asin(x) / pi; }
double acos_over_pi(double x) { return std::acos(x) / pi; }
double atan_over_pi(double x) { return std::atan(x) / pi; }

INSTANTIATE_TEST_SUITE_P(
    Functions, InverseTrigonometric,
    ::testing::Values(
        Function{"asin", hilo::asin, mpfr_asin, std::asin, ratio, {0x1.ffac9a0f3e453p-5, -0x1.fffffffffffffp-59}},
        Function{"acos", hilo::acos, mpfr_acos, std::acos, ratio, {0x1p+0, -0x1.0000008000002p-433}},
        Function{"atan", hilo::atan, mpfr_atan, std::atan, slope, {0x1.000165578cd06p-7, -0x1.2798a379b1de3p-61}},
        Function{
            "asinpi", hilo::asinpi, mpfr_asinpi, asin_over_pi, ratio, {0x1.6a09e667f3bd1p-1, -0x1.db9cfff07a9ecp-55}},
        Function{
            "acospi", hilo::acospi, mpfr_acospi, acos_over_pi, ratio, {0x1.d90622f8b7d02p-1, 0x1.ffffffffffffap-57}},
        Function{
            "atanpi", hilo::atanpi, mpfr_atanpi, atan_over_pi, slope, {0x1.0000000000001p+0, -0x1.81ea06a6dcf6ep-54}}),
    [](const auto& parameter) { return parameter.param.name; });

// Points anywhere, near the axes and the diagonals, with ratios of any size, that under- or overflow too.
void point(Inputs& in, dd_real& y, dd_real& x) {
  x = in.number(in.below(2) == 0);
  y = in.number(in.below(2) == 0);
  // What follows multiplies x by numbers from 2^-200 to 2^200.
  int kind = in.below(6);
  if (kind < 4 && !(std::fabs(x.hi) > 0x1p-800 && std::fabs(x.hi) < 0x1p800)) x = in.number(false);
  switch (kind) {
    case 0:
      y = in.opposite(x);
      break;
    case 1:
      y = x + x * (near(in, dd_real(1)) - 1);
      break;
    case 2:
      y = in.with_low(x.hi * beside(in, std::tan(std::exp2(-in.below(10)))).hi);
      break;
    case 3:
      y = in.with_low(x.hi * near(in, dd_real((1 + in.below(128)) / 128.0)).hi);
      break;
    default:
      break;
  }
  if (in.below(2) == 0) std::swap(x, y);
  if (in.below(2) == 0) x = -x;
}

struct Binary {
  const char* name;
  dd_real (*function)(dd_real, dd_real);
  hilo::testing::MpfrBinary exact;
  // The worst of 1,000,000 inputs.
  dd_real worst_y, worst_x;
};

void PrintTo(const Binary& f, std::ostream* out) { *out << f.name; }

class AngleOfPoint : public ::testing::TestWithParam<Binary> {};

TEST_P(AngleOfPoint, KeepsItsBound) {
  const Binary& f = GetParam();
  Inputs in(3);
  Worst worst(f.name);
  for (int i = 0, n = input_count(10'000); i < n; ++i) {
    dd_real x, y;
    point(in, y, x);
    double e = function_error(f.function, f.exact, y, x, 1.0);
    ASSERT_LE(e, bound) << words(y) << ", " << words(x);
    worst.add(e, y, x);
  }
  EXPECT_GT(worst.error(), 0.49);
  EXPECT_LE(function_error(f.function, f.exact, f.worst_y, f.worst_x), bound);
  EXPECT_GT(function_error(f.function, f.exact, f.worst_y, f.worst_x), 0.499);
}

TEST_P(AngleOfPoint, SpecialValues) {
  const Binary& f = GetParam();
  const double values[] = {0.0, 0x1p-1074, 1.0, 0x1.fffffffffffffp1023, infinity, nan};
  Exact y(53), x(53), exact(53);
  for (double a : values) {
    for (double b : values) {
      for (int signs = 0; signs < 4; ++signs) {
        double signed_a = signs % 2 == 0 ? a : -a, signed_b = signs < 2 ? b : -b;
        mpfr_set_d(y, signed_a, MPFR_RNDN);
        mpfr_set_d(x, signed_b, MPFR_RNDN);
        f.exact(exact, y, x, MPFR_RNDN);
        dd_real r = f.function(dd_real(signed_a), dd_real(signed_b));
        EXPECT_TRUE(same(dd_real(r.hi), mpfr_get_d(exact, MPFR_RNDN))) << f.name << " " << signed_a << " " << signed_b;
        EXPECT_TRUE(hilo::testing::is_canonical(r));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, AngleOfPoint,
                         ::testing::Values(Binary{"atan2",
                                                  hilo::atan2,
                                                  mpfr_atan2,
                                                  {0x1.fffffffffffffp-894, 0x1.fffffffffffffp-948},
                                                  {0x1.ffffffffffffdp-823, -0x1.fffffffffffffp-877}},
                                           Binary{"atan2pi",
                                                  hilo::atan2pi,
                                                  mpfr_atan2pi,
                                                  {0x1.40f2f9b0b9a73p+714, -0x1.f9a35355141e5p+658},
                                                  {0x1.40f2f9b0b9a72p+714, 0x1.0000000000002p+660}}),
                         [](const auto& parameter) { return parameter.param.name; });

TEST(AngleOfPointCalls, TakeWordsOnOneSide) {
  dd_real x(3);
  EXPECT_EQ(atan2(1, x), atan2(dd_real(1), x));
  EXPECT_EQ(atan2(x, 0.5), atan2(x, dd_real(0.5)));
  EXPECT_EQ(atan2pi(1.0f, x), atan2pi(dd_real(1), x));
  using std::atan2;
  EXPECT_EQ(atan2(1, x), hilo::atan2(dd_real(1), x));
}

TEST(InverseTrigonometricValues, AreExactWhereTheyCanBe) {
  EXPECT_TRUE(same(hilo::acos(dd_real(1)), 0.0));
  EXPECT_TRUE(same(hilo::asinpi(dd_real(-1)), -0.5));
  EXPECT_TRUE(same(hilo::acospi(dd_real(-1)), 1.0));
  EXPECT_TRUE(same(hilo::acospi(dd_real(-0.0)), 0.5));
  EXPECT_TRUE(same(hilo::atanpi(dd_real(-1)), -0.25));
  EXPECT_TRUE(same(hilo::atanpi(dd_real(infinity)), 0.5));
  EXPECT_TRUE(same(hilo::atan2pi(dd_real(3, 0x1p-80), dd_real(-3, -0x1p-80)), 0.75));
  EXPECT_EQ(hilo::asin(dd_real(0x1p-1074)), 0x1p-1074);
  EXPECT_EQ(hilo::atan(dd_real(0x1p-100, 0x1p-400)), dd_real(0x1p-100, 0x1p-400));
  // π as a dd_real.
  EXPECT_EQ(hilo::acos(dd_real(-1)), dd_real(0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53));
  static_assert(hilo::acospi(dd_real(-1)) == 1.0);
  static_assert(hilo::asin(dd_real(0.5)) < 0.53 && hilo::atan(dd_real(2)) > 1.1);
}

}  // namespace
