#include <gtest/gtest.h>

#include <hilo/math/trigonometric.hpp>
#include <numbers>

#include "function_errors.hpp"
#include "multiples_of_half_pi.hpp"

namespace {

using hilo::dd_real;
using hilo::testing::between;
using hilo::testing::Exact;
using hilo::testing::function_error;
using hilo::testing::half_pi;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::near;
using hilo::testing::nearest;
using hilo::testing::nearest_to_multiple;
using hilo::testing::words;
using hilo::testing::Worst;

constexpr double infinity = std::numeric_limits<double>::infinity();
// Half a unit and what 128-bit arithmetic adds; see the functions' comments.
constexpr double bound = 0.5 + 0x1p-12;

bool same(dd_real x, double y) {
  if (y != y) return x.hi != x.hi && x.lo == 0.0;
  return x.hi == y && x.lo == 0.0 && std::signbit(x.hi) == std::signbit(y);
}

// x with a value just above a power of two, where half a unit is most: beside x0 where the value is that power.
dd_real beside(Inputs& in, double x0) {
  double step = std::ldexp(in.mantissa(), -14 - in.below(8));
  return in.with_low(in.below(2) == 0 ? x0 + x0 * step : x0 - x0 * step);
}

// Angles of any size: anywhere, in the table's range, near to multiples of π/4 and to the table's breakpoints.
dd_real angle(Inputs& in) {
  static Exact multiple(hilo::testing::angle_bits);
  switch (in.below(9)) {
    case 0:
      return in.number(true);
    case 8:
      return beside(in, std::atan(std::exp2(in.below(21) - 10)));
    case 1:
      return nearest_to_multiple(in.word(in.below(2) == 0));
    case 2:
      mpfr_mul_si(multiple, half_pi(), static_cast<long>(in.bits()) >> in.below(64), MPFR_RNDN);
      mpfr_div_2ui(multiple, multiple, static_cast<unsigned>(in.below(2)), MPFR_RNDN);
      return mpfr_zero_p(static_cast<mpfr_ptr>(multiple)) ? dd_real(0) : near(in, nearest(multiple));
    case 3:
      return near(in, dd_real((in.below(103) - 51) / 128.0));
    case 4:
      return between(in, -100.0, 100.0);
    case 5:
      return near(in, dd_real(0));
    case 6:
      return between(in, 0x1p-70, 0x1p-50);
    default:
      return between(in, -1.6, 1.6);
  }
}

// Arguments of functions of πx: besides, integers and quarters up to the largest, with a lo of any size.
dd_real turns(Inputs& in) {
  switch (in.below(9)) {
    case 0:
      return in.number(true);
    case 6:
      return beside(in, std::asin(std::exp2(-in.below(10))) / std::numbers::pi);
    case 7:
      return beside(in, std::acos(std::exp2(-1 - in.below(10))) / std::numbers::pi);
    case 8:
      return beside(in, std::atan(std::exp2(in.below(21) - 10)) / std::numbers::pi);
    case 1:
      return near(in, dd_real(0.25 * (in.below(41) - 20)));
    case 2:
      return in.with_low(0.25 * (1.0 + std::floor(std::ldexp(in.mantissa(), in.below(60)))));
    case 3:
      return between(in, -2.0, 2.0);
    case 4:
      return between(in, -1e6, 1e6);
    default:
      return in.word(true);
  }
}

struct Function {
  const char* name;
  dd_real (*function)(dd_real);
  hilo::testing::MpfrUnary exact;
  dd_real (*input)(Inputs&);
  // The worst of 1,000,000 inputs.
  dd_real worst;
};

void PrintTo(const Function& f, std::ostream* out) { *out << f.name; }

class Trigonometric : public ::testing::TestWithParam<Function> {};

TEST_P(Trigonometric, KeepsItsBound) {
  const Function& f = GetParam();
  Inputs in(1);
  Worst worst(f.name);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    dd_real x = f.input(in);
    double e = function_error(f.function, f.exact, x);
    ASSERT_LE(e, bound) << words(x);
    worst.add(e, x);
  }
  EXPECT_GT(worst.error(), 0.49);
  EXPECT_LE(function_error(f.function, f.exact, f.worst), bound);
  EXPECT_GT(function_error(f.function, f.exact, f.worst), 0.499);
}

// Odd and even functions: the same words with or without a sign; and what MPFR says of signs of zeros and poles.
TEST_P(Trigonometric, HasItsSymmetryAndSigns) {
  const Function& f = GetParam();
  bool is_even = f.function(dd_real(0)).hi == 1.0;
  Inputs in(2);
  for (int i = 0, n = input_count(10'000); i < n; ++i) {
    dd_real x = f.input(in), y = f.function(x), z = f.function(-x);
    if (!is_even) z = -z;
    ASSERT_TRUE(y.lo == z.lo && same(dd_real(y.hi), z.hi)) << words(x);
  }
  for (int i = -40; i <= 40; ++i) {
    dd_real x(0.25 * i);
    Exact exact(53), argument(53);
    argument = x;
    f.exact(exact, argument, MPFR_RNDN);
    double y = mpfr_get_d(exact, MPFR_RNDN);
    ASSERT_EQ(f.function(x).hi, y) << words(x);
    ASSERT_EQ(std::signbit(f.function(x).hi), std::signbit(y)) << words(x);
  }
}

TEST_P(Trigonometric, SpecialValues) {
  const Function& f = GetParam();
  for (double x : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(same(f.function(dd_real(x)), std::numeric_limits<double>::quiet_NaN()));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Functions, Trigonometric,
    ::testing::Values(Function{"tan", hilo::tan, mpfr_tan, angle, {-0x1.20c84d4bad03p+20, 0x1.ffffffffffffdp-38}},
                      Function{"sinpi", hilo::sinpi, mpfr_sinpi, turns, {0x1.462a159e1f2fdp-6, 0x1.a0eadebb9cda5p-60}},
                      Function{"cospi", hilo::cospi, mpfr_cospi, turns, {0x1.55552bca3bec7p-2, 0x1.5b45b2bd91508p-559}},
                      Function{"tanpi", hilo::tanpi, mpfr_tanpi, turns, {0x1.f5d150a3c2df8p-2, 0x1.f310dff104b31p-61}}),
    [](const auto& parameter) { return parameter.param.name; });

TEST(Tangent, OfTheWorstArguments) {
  // As near to odd multiples of π/2 as 1 : 2^117, so that the tangent is huge, and to even ones.
  for (dd_real x : {dd_real(0x1.6c6cbc45dc8dep+5, -0x1.6d61b58c99c43p-61),
                    dd_real(0x1.75318b57f4bc6p+78, -0x1.1390ae8b24222p+23)}) {
    EXPECT_LE(function_error(hilo::tan, mpfr_tan, x), bound);
  }
  int step = input_count(0) > 0 ? 1 : 32;
  for (int e = -53; e <= 971; e += step) {
    hilo::testing::for_convergents(e, 53, [e](mpz_srcptr q) {
      if (mpz_sizeinbase(q, 2) < 50) return;
      dd_real x = nearest_to_multiple(std::ldexp(mpz_get_d(q), e));
      ASSERT_LE(function_error(hilo::tan, mpfr_tan, x), bound) << words(x);
    });
  }
}

TEST(TangentOfPi, IsExactAtQuarters) {
  using hilo::tanpi;
  EXPECT_TRUE(same(tanpi(dd_real(0.25)), 1.0));
  EXPECT_TRUE(same(tanpi(dd_real(0.75)), -1.0));
  EXPECT_TRUE(same(tanpi(dd_real(-0.25)), -1.0));
  EXPECT_TRUE(same(tanpi(dd_real(0x1p60, 0.25)), 1.0));
  EXPECT_TRUE(same(tanpi(dd_real(0x1p60, -0.25)), -1.0));
  EXPECT_TRUE(same(tanpi(dd_real(1.0)), -0.0));
  EXPECT_TRUE(same(tanpi(dd_real(2.0)), 0.0));
  EXPECT_TRUE(same(tanpi(dd_real(0.5)), infinity));
  EXPECT_TRUE(same(tanpi(dd_real(-0.5)), -infinity));
  EXPECT_TRUE(same(tanpi(dd_real(0x1p60, 1.5)), -infinity));
}

TEST(TrigonometricConstants, AreConstexpr) {
  static_assert(hilo::sinpi(dd_real(0.5)) == 1.0);
  static_assert(hilo::cospi(dd_real(1)) == -1.0);
  static_assert(hilo::tanpi(dd_real(0.25)) == 1.0);
  static_assert(hilo::tan(dd_real(1)) > 1.55 && hilo::tan(dd_real(1)) < 1.56);
}

}  // namespace
