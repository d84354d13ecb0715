#include <gtest/gtest.h>

#include <hilo/interop/mpfr.hpp>
#include <hilo/interop/quadmath.hpp>

#include "dd_against_mpfr.hpp"
#include "rounding_modes.hpp"

namespace {

using hilo::dd_real;
using hilo::from_float128;
using hilo::to_float128;
using hilo::testing::Exact;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::same;
using quad = hilo::detail::float128;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least = std::numeric_limits<double>::denorm_min();

// 2^e as a quad.
quad power(int e) {
  quad r = 1;
  for (; e > 0; --e) r *= 2;
  for (; e < 0; ++e) r /= 2;
  return r;
}

// The value in three doubles: 53, 53 and 7 bits. Precondition: none of them is subnormal.
void set_exactly(mpfr_ptr r, quad x) {
  double high = static_cast<double>(x), middle = static_cast<double>(x - high);
  double low = static_cast<double>(x - high - middle);
  mpfr_set_d(r, high, MPFR_RNDN);
  mpfr_add_d(r, r, middle, MPFR_RNDN);
  mpfr_add_d(r, r, low, MPFR_RNDN);
}

TEST(InteropQuadmath, RoundsOnceTo113Bits) {
  Inputs in(1);
  Exact exact(2300), got(2300), want(113);
  for (int i = 0, n = input_count(50'000); i < n; ++i) {
    dd_real x = in.number(in.below(2) == 0);
    exact = x;
    mpfr_set(want, exact, MPFR_RNDN);
    // Scaled away from the subnormal doubles, exactly.
    int up = x.hi != 0.0 && std::fabs(x.hi) < 0x1p-500 ? 900 : 0;
    set_exactly(got, to_float128(x) * power(up));
    mpfr_mul_2si(got, got, -up, MPFR_RNDN);
    ASSERT_TRUE(mpfr_equal_p(got, want)) << std::hexfloat << x.hi << " " << x.lo;
    ASSERT_TRUE(hilo::mpfr_precision_of(x) > 113 || same(from_float128(to_float128(x)), x));
  }
}

TEST(InteropQuadmath, RoundsToTheNearest) {
  Inputs in(2);
  Exact exact(200);
  for (int i = 0, n = input_count(50'000); i < n; ++i) {
    // All kinds of ties: of hi by the bits from 53 on, of lo by the last seven.
    quad x = in.mantissa();
    if (in.below(2) == 0) x += in.below(2) == 0 ? quad(0x1p-53) : -quad(0x1p-53);
    x += quad(in.mantissa()) * quad(in.below(2) == 0 ? 0x1p-54 : 0x1p-58);
    x += quad(in.below(256) - 128) * quad(0x1p-112);
    if (in.below(2) == 0) x = -x;
    set_exactly(exact, x);
    // Binades from overflow to below the least subnormal.
    int binade = in.below(2) == 0 ? in.below(2200) - 1100 : in.below(2) == 0 ? -1074 + in.below(110) : 1023;
    mpfr_mul_2si(exact, exact, binade, MPFR_RNDN);
    dd_real want = hilo::from_mpfr(exact), got = from_float128(x * power(binade));
    ASSERT_TRUE(same(got, want)) << std::hexfloat << got.hi << " " << got.lo << " is not " << want.hi << " " << want.lo;
    ASSERT_TRUE(hilo::testing::is_canonical(got));
  }
}

TEST(InteropQuadmath, KeepsInfinitiesNaNsAndSignsOfZero) {
  for (double a : {0.0, -0.0, infinity, -infinity, std::numeric_limits<double>::quiet_NaN(), least, -least}) {
    EXPECT_TRUE(same(from_float128(a), dd_real(a))) << a;
    EXPECT_TRUE(same(dd_real(static_cast<double>(to_float128(dd_real(a)))), dd_real(a))) << a;
  }
  EXPECT_EQ(from_float128(power(1024)), dd_real(infinity));
  EXPECT_EQ(from_float128(-power(16000)), dd_real(-infinity));
  EXPECT_TRUE(same(from_float128(-power(-16000)), -dd_real(0)));
  EXPECT_TRUE(same(from_float128(power(-1075)), dd_real(0)));
  EXPECT_EQ(from_float128(power(-1075) + power(-1100)), dd_real(least));
  EXPECT_EQ(from_float128(power(1024) - power(970)), dd_real(infinity));
  // hi is the largest double, and lo comes to half its unit.
  EXPECT_EQ(from_float128(power(1024) - power(970) - power(915)), dd_real(infinity));
  dd_real max = std::numeric_limits<dd_real>::max();
  EXPECT_EQ(from_float128(power(1024) - power(970) - power(917)), max);
  EXPECT_EQ(from_float128(to_float128(max)), max);
}

TEST(InteropQuadmath, ConvertsInConstantExpressions) {
  static_assert(from_float128(quad(1) / 3) == dd_real(0x1.5555555555555p-2, 0x1.5555555555555p-56));
  static_assert(to_float128(dd_real(1, 0x1p-60)) == quad(1) + quad(0x1p-60));
}

TEST(InteropQuadmath, RoundsToTheNearestInEveryRoundingMode) {
  Inputs in(4);
  for (int i = 0, n = input_count(10'000); i < n; ++i) {
    quad x = in.mantissa();
    x += in.mantissa() * power(-53 - in.below(3));
    x += in.mantissa() * power(-106 - in.below(3));
    x *= power(in.below(8) == 0 ? in.below(2300) - 1200 : in.below(100)) * (in.below(2) == 0 ? 1 : -1);
    const dd_real want = from_float128(x);
    for (auto mode : hilo::testing::rounding_modes) {
      dd_real got = hilo::testing::rounded_by(mode, [&x] { return from_float128(x); });
      ASSERT_TRUE(same(got, want)) << mode.name << std::hexfloat << " " << got.hi << " " << got.lo << ", not "
                                   << want.hi << " " << want.lo;
    }
  }
}

}  // namespace
