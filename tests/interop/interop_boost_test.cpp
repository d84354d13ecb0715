#include <gtest/gtest.h>

#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/zeta.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_dec_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <boost/multiprecision/gmp.hpp>
#include <boost/multiprecision/mpfr.hpp>
#include <hilo/interop/boost.hpp>
#include <hilo/interop/mpfr.hpp>
#include <hilo/math.hpp>
#include <hilo/text.hpp>

#include "dd_against_mpfr.hpp"

#if defined(__SIZEOF_FLOAT128__) && __has_include(<quadmath.h>)
#define HILO_TEST_QUADMATH 1
#include <boost/multiprecision/float128.hpp>
#include <hilo/interop/quadmath.hpp>
#else
#define HILO_TEST_QUADMATH 0
#endif

namespace {

namespace mp = boost::multiprecision;
using hilo::dd_real;
using hilo::from_boost;
using hilo::to_boost;
using hilo::testing::Exact;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::same;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double least = std::numeric_limits<double>::denorm_min();

// Binary numbers of a given precision, of one that holds every dd_real, and with expression templates.
template <unsigned bits>
using binary = mp::number<mp::cpp_bin_float<bits, mp::digit_base_2>, mp::et_off>;
using wide_binary = mp::number<mp::cpp_bin_float<2200, mp::digit_base_2>, mp::et_on>;
using wide_mpfr = mp::number<mp::mpfr_float_backend<700>, mp::et_on>;
using wide_decimal = mp::number<mp::cpp_dec_float<1200>, mp::et_off>;

template <class Number>
void expect_exact_both_ways(int count) {
  Inputs in(1);
  for (int i = 0, n = input_count(count); i < n; ++i) {
    dd_real x = in.number(in.below(2) == 0);
    ASSERT_TRUE(same(from_boost(to_boost<Number>(x)), x)) << std::hexfloat << x.hi << " " << x.lo;
  }
}

template <class Number>
void expect_special_values(bool has_negative_zero) {
  using limits = std::numeric_limits<Number>;
  for (double a : {0.0, infinity, -infinity, nan, least, -least, 1e300, -2.0})
    EXPECT_TRUE(same(from_boost(to_boost<Number>(dd_real(a))), dd_real(a))) << a;
  EXPECT_EQ(signbit(from_boost(to_boost<Number>(-dd_real(0)))), has_negative_zero);
  EXPECT_TRUE(isnan(to_boost<Number>(dd_real(nan))));
  EXPECT_EQ(to_boost<Number>(dd_real(-infinity)), -limits::infinity());
  // Out of range, above and below.
  Number huge = ldexp(Number(1), 1024), tiny = ldexp(Number(1), -1076);
  EXPECT_EQ(from_boost(huge), dd_real(infinity));
  EXPECT_EQ(from_boost(Number(-huge)), dd_real(-infinity));
  EXPECT_TRUE(same(from_boost(tiny), dd_real(0)));
  EXPECT_TRUE(same(from_boost(Number(-tiny)), -dd_real(0)));
  EXPECT_TRUE(same(from_boost(Number(3 * tiny)), dd_real(least)));
}

TEST(InteropBoost, IsExactBothWaysWhereThePrecisionSuffices) {
  expect_exact_both_ways<wide_binary>(5'000);
  expect_exact_both_ways<wide_mpfr>(5'000);
  expect_exact_both_ways<mp::number<mp::gmp_float<700>>>(5'000);
  expect_exact_both_ways<wide_decimal>(500);
  expect_exact_both_ways<mp::cpp_rational>(300);
  expect_exact_both_ways<mp::mpq_rational>(300);
}

TEST(InteropBoost, KeepsSpecialValues) {
  expect_special_values<mp::cpp_bin_float_50>(true);
  expect_special_values<mp::cpp_bin_float_quad>(true);
  expect_special_values<mp::mpfr_float_100>(true);
  expect_special_values<wide_decimal>(false);
#if HILO_TEST_QUADMATH
  expect_special_values<mp::float128>(true);
#endif
}

// Against MPFR at the same precision.
template <unsigned bits>
void expect_rounded_once(Inputs& in) {
  Exact want(bits), got(bits);
  for (int i = 0, n = input_count(5'000); i < n; ++i) {
    dd_real x = in.number(in.below(2) == 0);
    if (in.below(2) == 0) x = in.with_low(static_cast<double>(static_cast<float>(in.word(false))));
    hilo::to_mpfr(want, x);
    auto y = to_boost<binary<bits>>(x);
    mpfr_set_str(got, y.str(0, std::ios_base::scientific).c_str(), 10, MPFR_RNDN);
    ASSERT_TRUE(mpfr_equal_p(got, want)) << bits << std::hexfloat << " " << x.hi << " " << x.lo;
  }
}

TEST(InteropBoost, RoundsOnceToEveryBinaryPrecision) {
  Inputs in(2);
  expect_rounded_once<24>(in);
  expect_rounded_once<51>(in);
  expect_rounded_once<52>(in);
  expect_rounded_once<53>(in);
  expect_rounded_once<54>(in);
  expect_rounded_once<64>(in);
  expect_rounded_once<106>(in);
  expect_rounded_once<107>(in);
  expect_rounded_once<113>(in);
  expect_rounded_once<300>(in);
  // Boost 1.74 moves an odd number by one unit for an addend just below half of it, and cuts doubles to 24 bits.
  EXPECT_EQ(to_boost<binary<53>>(dd_real(-0x1.0000000800003p+1, 0x1.ffffffffffffcp-53)),
            binary<53>(-0x1.0000000800003p+1));
  EXPECT_EQ(to_boost<binary<24>>(dd_real(0x1.cp+1, -0x1.56cc64459515ep-428)), binary<24>(3.5));
  EXPECT_EQ(to_boost<binary<24>>(-std::numeric_limits<dd_real>::max()), ldexp(binary<24>(-1), 1024));
  EXPECT_EQ(to_boost<binary<106>>(std::numeric_limits<dd_real>::max()), ldexp(binary<106>(1), 1024));
}

// Its numeric_limits have no digits.
TEST(InteropBoost, MpfFloatTakesAllBitsOfThoseItHasRoomFor) {
  for (const dd_real& x :
       {dd_real(3), dd_real(1) / dd_real(3), -dd_real(2) / dd_real(7), dd_real(0x1p-60), dd_real(0)}) {
    const mp::mpf_float y = to_boost<mp::mpf_float>(x);
    EXPECT_TRUE(same(from_boost(y), x)) << x;
  }
  EXPECT_THROW(to_boost<mp::mpf_float>(std::numeric_limits<dd_real>::infinity()), hilo::error);
  EXPECT_THROW(to_boost<mp::mpf_float>(std::numeric_limits<dd_real>::quiet_NaN()), hilo::error);
}

TEST(InteropBoost, RoundsOnceAtPrecisionsChosenAtRunTime) {
  Inputs in(3);
  unsigned old = mp::mpfr_float::default_precision();
  for (unsigned digits : {7u, 15u, 16u, 31u, 50u}) {
    mp::mpfr_float::default_precision(digits);
    for (int i = 0, n = input_count(2'000); i < n; ++i) {
      dd_real x = in.number(false);
      auto y = to_boost<mp::mpfr_float>(x);
      Exact want(mpfr_get_prec(y.backend().data()));
      hilo::to_mpfr(want, x);
      ASSERT_TRUE(mpfr_equal_p(y.backend().data(), want));
    }
    // A number of another precision than the default.
    mp::mpfr_float third(1, 100);
    third.precision(100);
    third = mp::mpfr_float("0.333333333333333333333333333333333333333333333333333333333333333333333333", 100);
    ASSERT_TRUE(same(from_boost(third), hilo::from_mpfr(third.backend().data()))) << digits;
  }
  mp::mpfr_float::default_precision(old);
}

// Ties of hi and of lo, of normal and subnormal words, and bits far behind that break them.
TEST(InteropBoost, RoundsToTheNearest) {
  Inputs in(4);
  Exact exact(2200);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    int binade = in.below(3) == 0 ? -1074 + in.below(170) : in.below(3) == 0 ? 1023 : in.below(2000) - 970;
    wide_binary x = ldexp(wide_binary(in.mantissa()), binade);
    auto add = [&](int exponent) { x += ldexp(wide_binary(in.below(2) == 0 ? 1 : -1), exponent); };
    if (in.below(2) == 0) add(binade - 53);
    if (in.below(2) == 0) x += ldexp(wide_binary(in.mantissa()), binade - 54);
    if (in.below(2) == 0) add(binade - 107);
    if (in.below(2) == 0) add(-1075);
    if (in.below(3) == 0) add(binade - 200 - in.below(700));
    if (in.below(3) == 0) x = -x;
    mpfr_set_str(exact, x.str(0, std::ios_base::scientific).c_str(), 10, MPFR_RNDN);
    dd_real got = from_boost(x), want = hilo::from_mpfr(exact);
    ASSERT_TRUE(same(got, want)) << std::hexfloat << got.hi << " " << got.lo << " is not " << want.hi << " " << want.lo;
  }
}

TEST(InteropBoost, ReadsDecimalNumbersCorrectlyRounded) {
  using hilo::literals::operator""_dd;
  EXPECT_EQ(from_boost(mp::cpp_dec_float_50("0.1")), 0.1_dd);
  EXPECT_EQ(from_boost(mp::cpp_dec_float_50("-1234567.89e-200")), -1234567.89e-200_dd);
  // 50 digits and those that guard them.
  auto third = to_boost<mp::cpp_dec_float_50>(dd_real(1) / 3);
  EXPECT_EQ(from_boost(third), dd_real(1) / 3);
  EXPECT_EQ(from_boost(mp::cpp_dec_float_50(1) / 3), dd_real(0x1.5555555555555p-2, 0x1.5555555555555p-56));
}

TEST(InteropBoost, ConvertsIntegers) {
  mp::cpp_int big = (mp::cpp_int(1) << 200) + 1;
  EXPECT_EQ(from_boost(big), dd_real(0x1p200, 1.0));
  EXPECT_EQ(from_boost(mp::cpp_int(-big)), dd_real(-0x1p200, -1.0));
  EXPECT_EQ(from_boost(mp::cpp_int(mp::cpp_int(1) << 1024)), dd_real(infinity));
  EXPECT_EQ(to_boost<mp::cpp_int>(dd_real(0x1p200, 1.0)), big);
  EXPECT_EQ(to_boost<mp::cpp_int>(dd_real(0x1p200, -0x1p-200)), (mp::cpp_int(1) << 200) - 1);
  EXPECT_EQ(to_boost<mp::cpp_int>(dd_real(-3, 0x1p-60)), -2);
  EXPECT_EQ(to_boost<mp::checked_uint128_t>(dd_real(-0.25)), 0);
  // hi is 2^127, past the largest number of the type; the value is it.
  EXPECT_EQ(to_boost<mp::int128_t>(dd_real(0x1p127, -1.0)), (std::numeric_limits<mp::int128_t>::max)() / 2);
  EXPECT_EQ(to_boost<mp::mpz_int>(dd_real(-0x1p100, -7.0)), -(mp::mpz_int(1) << 100) - 7);
  EXPECT_THROW(to_boost<mp::cpp_int>(dd_real(infinity)), hilo::error);
  EXPECT_THROW(to_boost<mp::cpp_rational>(dd_real(nan)), hilo::error);
}

TEST(InteropBoost, RoundsRationalNumbers) {
  EXPECT_EQ(from_boost(mp::cpp_rational(1, 3)), dd_real(0x1.5555555555555p-2, 0x1.5555555555555p-56));
  EXPECT_EQ(from_boost(mp::cpp_rational(-1, 3)), -from_boost(mp::cpp_rational(1, 3)));
  // Half the least number and a little more.
  mp::cpp_int half = mp::cpp_int(1) << 1075;
  EXPECT_EQ(from_boost(mp::cpp_rational(1, half)), dd_real(0));
  EXPECT_EQ(from_boost(mp::cpp_rational(1, half - 1)), dd_real(least));
  EXPECT_EQ(from_boost(mp::mpq_rational(22, 7)), from_boost(mp::cpp_rational(22, 7)));
}

TEST(InteropBoost, TakesExpressions) {
  wide_binary a = 3, b = 5;
  EXPECT_EQ(from_boost(a * b + 1), dd_real(16));
}

// The functions of Boost.Math take dd_real as any number type, and their series know its digits.
TEST(InteropBoost, MathFunctionsReachAFewUnits) {
  using namespace hilo::literals;
  auto expect_close = [](dd_real x, dd_real expected) {
    EXPECT_LE(std::abs(((x - expected) / expected).hi) * 0x1p106, 3.0) << x << ", expected " << expected;
  };
  expect_close(boost::math::zeta(dd_real(3)), 1.2020569031595942853997381615114499907649862923405_dd);
  expect_close(boost::math::cyl_bessel_k(1, dd_real(1)), 0.60190723019723457473754000153561733926158688996811_dd);
  expect_close(boost::math::gamma_p(dd_real(2.5), dd_real(1.1)),
               0.17916403078550384683189721160024122834561682359599_dd);
  expect_close(boost::math::ellint_1(0.5_dd), 1.6857503548125960428712036577990769895008008941411_dd);
  boost::math::quadrature::tanh_sinh<dd_real> integrator;
  expect_close(integrator.integrate([](dd_real x) { return exp(x); }, dd_real(0), dd_real(1)),
               1.7182818284590452353602874713526624977572470937_dd);
}

#if HILO_TEST_QUADMATH
TEST(InteropBoost, AgreesWithQuadmath) {
  Inputs in(5);
  for (int i = 0, n = input_count(5'000); i < n; ++i) {
    dd_real x = in.number(in.below(2) == 0);
    mp::float128 y = to_boost<mp::float128>(x);
    ASSERT_TRUE(y.backend().value() == hilo::to_float128(x));
    ASSERT_TRUE(same(from_boost(y), hilo::from_float128(y.backend().value())));
  }
}
#endif

}  // namespace
