#include <gtest/gtest.h>

#include <algorithm>
#include <hilo/math.hpp>

#include "dd_against_mpfr.hpp"
#include "same_bits.hpp"

namespace {

using hilo::dd_real;
using hilo::test::same_bits;
using hilo::testing::error_u2;
using hilo::testing::Exact;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using limits = std::numeric_limits<dd_real>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();

// ---- fma ------------------------------------------------------------------------------------------------------------

// c near −a·b: down to complete cancellation of the product's leading words.
dd_real against_product(Inputs& in, dd_real a, dd_real b) {
  switch (in.below(5)) {
    case 0:
      return -(a * b);
    case 1:
      return -dd_real(dd_real::product(a.hi, b.hi));
    case 2:
      return in.with_low(-(a.hi * b.hi));
    case 3:
      return in.opposite(a * b);
    default:
      return in.number(false);
  }
}

double fma_error(dd_real a, dd_real b, dd_real c, double slack) {
  static Exact x(2300), y(2300), z(2300), exact(4700);
  x = a;
  y = b;
  z = c;
  mpfr_fma(exact, x, y, z, MPFR_RNDN);
  return error_u2(fma(a, b, c), exact, slack);
}

TEST(Fma, RoundsTheExactValueUnderCancellation) {
  Inputs in(21);
  double worst = 0.0;
  int cancelled = 0;
  for (int i = 0, n = input_count(40'000); i < n; ++i) {
    dd_real a = in.number(false), b = in.number(false), c = against_product(in, a, b);
    double e = fma_error(a, b, c, 0.0);
    // A lo far below hi makes products below 2^-969, where 2^-1071 comes on top.
    if (e > 0.5 + 0x1p-53) e = fma_error(a, b, c, 8.0);
    ASSERT_LE(e, 0.5 + 0x1p-53) << std::hexfloat << a.hi << " " << a.lo << " " << b.hi << " " << b.lo << " " << c.hi
                                << " " << c.lo;
    worst = std::max(worst, e);
    dd_real r = fma(a, b, c);
    cancelled += r.hi != 0.0 && abs(r) < 0x1p-100 * abs(c);
  }
  EXPECT_GT(worst, 0.49);
  EXPECT_GT(cancelled, 1000);
}

TEST(Fma, HoldsAtAllExponents) {
  Inputs in(22);
  for (int i = 0, n = input_count(40'000); i < n; ++i) {
    dd_real a = in.number(true), b = in.number(true);
    if (in.below(2) == 0) b = ldexp(in.number(false), in.below(1900) - 950 - ilogb(a));
    if (b.hi == 0.0 || !isfinite(b)) continue;
    double p = a.hi * b.hi;
    dd_real c = in.below(3) == 0 || !(p - p == 0.0) || p == 0.0 ? in.number(true) : against_product(in, a, b);
    if (!isfinite(c)) continue;
    bool is_huge = !(std::fabs(p) <= 0x1p1020) || std::fabs(c.hi) > 0x1p1020;
    ASSERT_LE(fma_error(a, b, c, is_huge ? 0x1p19 : 8.0), 0.5 + 0x1p-53)
        << std::hexfloat << a.hi << " " << a.lo << " " << b.hi << " " << b.lo << " " << c.hi << " " << c.lo;
  }
}

int distillation_passes(const double (&terms)[10]) {
  double term[10];
  std::copy(std::begin(terms), std::end(terms), term);
  int passes = 1;
  while (hilo::detail::distillation_pass(term)) ++passes;
  return passes;
}

// Terms as far apart as they may be, of few bits, or a tie above the next one.
void set_terms(Inputs& in, double (&term)[10]) {
  const int kind = in.below(4), range = 1 + in.below(900);
  for (int i = 0; i < 10; ++i) {
    double x = std::ldexp(in.word(false), in.below(range) - range / 2);
    if (kind == 1 && i > 0) x = -term[i - 1] * (1.0 + (in.below(3) - 1) * 0x1p-52);
    if (kind == 2 && i > 0) x = std::ldexp(term[in.below(i)], in.below(108) - 54);
    if (kind == 3 && i > 0) x = std::ldexp(1.0 + in.below(4) * 0x1p-52, std::ilogb(term[i - 1]) + 53);
    term[i] = x == 0.0 || std::fabs(x) > 0x1p1000 ? 1.0 : in.below(2) == 0 ? x : -x;
  }
  if (in.below(2) == 0) std::reverse(std::begin(term), std::end(term));
}

// That they end is proved (docs/number.md). The first terms are the worst of 32 million by hill climbing.
TEST(Fma, DistillsInFewPasses) {
  EXPECT_EQ(distillation_passes({0x1.fffffffffffffp-319, 0x1.ffffffffffffbp-478, -0x1p-212, -0x1.0000000000001p-265,
                                 0x1.7400000000004p+25, -0x1p-159, -0x1.0000000020001p-74, -0x1.5ffffffffffffp+42,
                                 -0x1.da411420bfffcp-106, -0x1.ffffffffffffbp-424}),
            15);
  // A tie moves to the even neighbour, and stays there.
  EXPECT_EQ(distillation_passes({0x1p-53, 1.0 + 0x1p-52, 0x1p60, 0, 0, 0, 0, 0, 0, 0}), 4);
  Inputs in(7);
  int most = 0;
  for (int i = 0, n = input_count(50'000); i < n; ++i) {
    double term[10];
    set_terms(in, term);
    most = std::max(most, distillation_passes(term));
  }
  EXPECT_LE(most, 15);
  if (input_count(0) > 0) std::printf("fma: at most %d passes\n", most);
}

TEST(Fma, SurvivesAProductThatOverflowsAlone) {
  dd_real r = fma(dd_real(0x1p1000), dd_real(0x1.8p24), dd_real(-largest));
  EXPECT_EQ(r, dd_real(0x1p1023) + dd_real(0x1p970) * 2);
  EXPECT_EQ(fma(dd_real(largest), dd_real(2.0), dd_real(-largest)), dd_real(largest));
  EXPECT_EQ(fma(dd_real(largest), dd_real(largest), dd_real(-largest)), limits::infinity());
  EXPECT_EQ(fma(dd_real(largest), dd_real(-1e9), dd_real(largest)), -limits::infinity());
  EXPECT_EQ(fma(dd_real(largest), dd_real(1), dd_real(largest)), limits::infinity());
}

TEST(Fma, KeepsLosFarBelowHugeOperands) {
  EXPECT_EQ(fma(dd_real(0x1p343), dd_real(0x1p678, -0x1p-1074), dd_real(-0x1p1021)), dd_real(-0x1p-731));
  EXPECT_EQ(fma(dd_real(-0x1.dap792, -0x1p-1074), dd_real(0x1p228), dd_real(0x1.dap1020, 0x1p-846)), dd_real(0));
}

TEST(Fma, SpecialOperandsActAsDoublesDo) {
  const double special[] = {0.0,          -0.0,    1.0,      -2.0,      infinity,  -infinity,
                            std::nan(""), largest, -largest, 0x1p-1074, -0x1p-1074};
  for (double a : special) {
    for (double b : special) {
      for (double c : special) {
        dd_real r = fma(dd_real(a), dd_real(b), dd_real(c));
        ASSERT_TRUE(same_bits(r.hi, std::fma(a, b, c))) << a << " " << b << " " << c << ": " << r.hi;
        ASSERT_TRUE(hilo::testing::is_canonical(r));
      }
    }
  }
}

// ---- Rounding to integers -------------------------------------------------------------------------------------------

struct Rounding {
  const char* name;
  dd_real (*compute)(dd_real);
  int (*exact)(mpfr_ptr, mpfr_srcptr);
};

const Rounding roundings[] = {
    {"floor", hilo::floor, [](mpfr_ptr r, mpfr_srcptr x) { return mpfr_rint_floor(r, x, MPFR_RNDN); }},
    {"ceil", hilo::ceil, [](mpfr_ptr r, mpfr_srcptr x) { return mpfr_rint_ceil(r, x, MPFR_RNDN); }},
    {"trunc", hilo::trunc, [](mpfr_ptr r, mpfr_srcptr x) { return mpfr_rint_trunc(r, x, MPFR_RNDN); }},
    {"round", hilo::round, [](mpfr_ptr r, mpfr_srcptr x) { return mpfr_rint_round(r, x, MPFR_RNDN); }},
    {"rint", hilo::rint, [](mpfr_ptr r, mpfr_srcptr x) { return mpfr_rint_roundeven(r, x, MPFR_RNDN); }},
    {"nearbyint", hilo::nearbyint, [](mpfr_ptr r, mpfr_srcptr x) { return mpfr_rint_roundeven(r, x, MPFR_RNDN); }},
};

class ToInteger : public ::testing::TestWithParam<Rounding> {};
INSTANTIATE_TEST_SUITE_P(Math, ToInteger, ::testing::ValuesIn(roundings),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(ToInteger, IsExact) {
  Inputs in(23);
  Exact value(2300), exact(2300), got(2300);
  auto check = [&](dd_real x) {
    value = x;
    GetParam().exact(exact, value);
    dd_real r = GetParam().compute(x);
    got = r;
    ASSERT_EQ(mpfr_cmp(got, exact), 0) << std::hexfloat << x.hi << " " << x.lo;
    ASSERT_TRUE(hilo::testing::is_canonical(r));
    ASSERT_TRUE(r.hi != 0.0 || signbit(r) == signbit(x)) << std::hexfloat << x.hi << " " << x.lo;
  };
  for (int i = 0, n = input_count(30'000); i < n; ++i) {
    // Near integers and halves, of all sizes in which a fraction fits.
    double half = std::trunc(std::ldexp(in.word(false), in.below(110))) / 2;
    check(half == 0.0 ? dd_real(half) : in.with_low(half));
    dd_real x = in.with_low(std::ldexp(in.word(false), in.below(110)));
    check(x);
    check(dd_real(x.hi) + std::trunc(x.lo) + 0.5);
    check(in.number(true));
  }
  for (double x : {0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0x1p-1074, -0x1p-1074, largest}) check(dd_real(x));
  check(dd_real(1.0, -0x1p-1074));
  check(dd_real(-1.0, 0x1p-1074));
  check(dd_real(0.5, -0x1p-1074));
  EXPECT_TRUE(isinf(GetParam().compute(-limits::infinity())) && signbit(GetParam().compute(-limits::infinity())));
  EXPECT_TRUE(isnan(GetParam().compute(limits::quiet_NaN())));
}

TEST(Math, RoundsToLong) {
  dd_real big = dd_real(0x1p60) + 0.5;
  EXPECT_EQ(llround(big), (1LL << 60) + 1);
  EXPECT_EQ(llrint(big), 1LL << 60);
  EXPECT_EQ(lround(dd_real(-2.5)), -3);
  EXPECT_EQ(lrint(dd_real(-2.5)), -2);
}

TEST(Math, SplitsIntoWholeAndFraction) {
  Inputs in(24);
  for (int i = 0; i < 20'000; ++i) {
    dd_real x = in.with_low(std::ldexp(in.word(false), in.below(110))), whole;
    dd_real fraction = modf(x, &whole);
    ASSERT_EQ(whole, trunc(x));
    ASSERT_LT(abs(fraction), 1);
    ASSERT_EQ(signbit(fraction), signbit(x));
    ASSERT_EQ(fma(whole, dd_real(1), fraction), x);
  }
  dd_real whole;
  EXPECT_TRUE(same_bits(modf(-limits::infinity(), &whole).hi, -0.0));
  EXPECT_EQ(whole, -limits::infinity());
}

// ---- Scaling --------------------------------------------------------------------------------------------------------

TEST(Math, ScalesByPowersOfTwo) {
  Inputs in(25);
  Exact exact(2300);
  for (int i = 0, n = input_count(40'000); i < n; ++i) {
    dd_real x = in.number(true);
    int e = in.below(4400) - 2200;
    exact = x;
    mpfr_mul_2si(exact, exact, e, MPFR_RNDN);
    dd_real r = ldexp(x, e);
    ASSERT_EQ(error_u2(r, exact, 1.0), 0.0) << std::hexfloat << x.hi << " " << x.lo << " " << e;
    ASSERT_TRUE(same_bits(hilo::detail::scale_double(x.hi, e), std::ldexp(x.hi, e)))
        << std::hexfloat << x.hi << " " << e;
    ASSERT_EQ(scalbn(x, e), r);
    ASSERT_EQ(scalbln(x, e), r);
  }
  for (int e : {INT_MIN, INT_MAX, 0}) {
    EXPECT_TRUE(same_bits(ldexp(dd_real(-0.0), e).hi, -0.0));
    EXPECT_TRUE(isinf(ldexp(limits::infinity(), e)));
    EXPECT_TRUE(isnan(ldexp(limits::quiet_NaN(), e)));
  }
  EXPECT_EQ(scalbln(dd_real(1), LONG_MIN), dd_real(0));
}

TEST(Math, TakesFractionAndExponentApart) {
  Inputs in(26);
  Exact value(2300);
  for (int i = 0, n = input_count(40'000); i < n; ++i) {
    dd_real x = in.number(true);
    value = x;
    int e = -1;
    dd_real f = frexp(x, &e);
    ASSERT_EQ(e, mpfr_get_exp(static_cast<mpfr_ptr>(value))) << std::hexfloat << x.hi << " " << x.lo;
    ASSERT_TRUE(abs(f) >= 0.5 && abs(f) < 1);
    if (x.lo == 0.0 || std::ilogb(x.lo) - 52 - e >= -1074) {
      ASSERT_EQ(ldexp(f, e), x);
    }
    ASSERT_EQ(ilogb(x), e - 1);
    ASSERT_EQ(logb(x), dd_real(e - 1));
  }
  EXPECT_EQ(ilogb(dd_real(1.0, -0x1p-60)), -1);
  int e = 7;
  EXPECT_TRUE(same_bits(frexp(dd_real(-0.0), &e).hi, -0.0) && e == 0);
  EXPECT_TRUE(isinf(frexp(limits::infinity(), &e)) && e == 0);
  EXPECT_EQ(ilogb(dd_real(0)), FP_ILOGB0);
  EXPECT_EQ(ilogb(limits::quiet_NaN()), FP_ILOGBNAN);
  EXPECT_EQ(ilogb(limits::infinity()), INT_MAX);
  EXPECT_EQ(logb(dd_real(0)), -limits::infinity());
  EXPECT_EQ(logb(-limits::infinity()), limits::infinity());
}

// ---- Classification, sign, extremes ---------------------------------------------------------------------------------

TEST(Math, ClassifiesAsDoublesAre) {
  for (double a : {0.0, -0.0, 1.0, -largest, 0x1p-1022, 0x1p-1023, -0x1p-1074, infinity, -infinity, std::nan("")}) {
    dd_real x(a);
    EXPECT_EQ(fpclassify(x), std::fpclassify(a));
    EXPECT_EQ(isnan(x), std::isnan(a));
    EXPECT_EQ(isinf(x), std::isinf(a));
    EXPECT_EQ(isfinite(x), std::isfinite(a));
    EXPECT_EQ(isnormal(x), std::isnormal(a));
    EXPECT_EQ(signbit(x), std::signbit(a));
    EXPECT_TRUE(same_bits(abs(x).hi, std::fabs(a)));
    for (double b : {0.0, -0.0, 3.0, -infinity, std::nan("")}) {
      EXPECT_TRUE(same_bits(copysign(x, dd_real(b)).hi, std::copysign(a, b)));
      EXPECT_EQ(fmin(x, dd_real(b)).hi == std::fmin(a, b), !std::isnan(std::fmin(a, b)));
      EXPECT_EQ(fmax(x, dd_real(b)).hi == std::fmax(a, b), !std::isnan(std::fmax(a, b)));
    }
  }
  EXPECT_EQ(abs(dd_real(-1.0, 0x1p-60)), dd_real(1.0, -0x1p-60));
  EXPECT_EQ(fmax(dd_real(1.0, 0x1p-60), dd_real(1)), dd_real(1.0, 0x1p-60));
  EXPECT_EQ(fmin(1.0, dd_real(1.0, 0x1p-60)), dd_real(1));
}

// ---- Constants ------------------------------------------------------------------------------------------------------

constexpr dd_real two_thirds = dd_real(2) / 3;
static_assert(abs(sqrt(dd_real(2)) * sqrt(dd_real(2)) - 2) < 4 * limits::epsilon());
static_assert(fma(two_thirds, dd_real(3), dd_real(-2)) == dd_real(0) ||
              abs(fma(two_thirds, dd_real(3), -dd_real(2))) < limits::epsilon());
static_assert(floor(-two_thirds) == -1 && ceil(two_thirds) == 1 && trunc(-two_thirds) == 0 && round(two_thirds) == 1);
static_assert(rint(dd_real(2.5)) == 2 && nearbyint(dd_real(3.5)) == 4 &&
              floor(dd_real(0x1p60, -0.5)) == dd_real(0x1p60) - 1);
static_assert(ldexp(two_thirds, 1) == 2 * two_thirds && ilogb(two_thirds) == -1 && scalbn(dd_real(1), -1100) == 0);
static_assert(signbit(-two_thirds) && copysign(two_thirds, dd_real(-1)) == -two_thirds &&
              fabs(-two_thirds) == two_thirds);
static_assert(isnan(limits::quiet_NaN()) && isinf(limits::infinity()) && isfinite(two_thirds) && isnormal(two_thirds));
static_assert(fmin(two_thirds, dd_real(1)) == two_thirds && fmax(two_thirds, dd_real(1)) == 1);
static_assert([] {
  int e = 0;
  return frexp(two_thirds, &e) == two_thirds && e == 0;
}());
static_assert([] {
  dd_real whole;
  return modf(dd_real(2.25), &whole) == 0.25 && whole == 2;
}());

}  // namespace
