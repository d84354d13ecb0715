#include <gtest/gtest.h>

#include <hilo/interop/mpfr.hpp>
#include <hilo/math/basic.hpp>

#include "dd_against_mpfr.hpp"
#include "rounding_modes.hpp"

namespace {

using hilo::dd_real;
using hilo::from_mpfr;
using hilo::mpfr_precision_of;
using hilo::to_mpfr;
using hilo::testing::Exact;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::same;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double least = std::numeric_limits<double>::denorm_min();
constexpr mpfr_rnd_t roundings[] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDU, MPFR_RNDD, MPFR_RNDA};

int sign(int ternary) { return (ternary > 0) - (ternary < 0); }

// The least and largest exponent until the end of a block.
class ExponentRange {
 public:
  ExponentRange(mpfr_exp_t smallest, mpfr_exp_t highest) : smallest_(mpfr_get_emin()), highest_(mpfr_get_emax()) {
    mpfr_set_emin(smallest);
    mpfr_set_emax(highest);
  }
  ExponentRange(const ExponentRange&) = delete;
  ExponentRange& operator=(const ExponentRange&) = delete;
  ~ExponentRange() {
    mpfr_set_emin(smallest_);
    mpfr_set_emax(highest_);
  }

 private:
  mpfr_exp_t smallest_, highest_;
};

// The definition, with every difference exact.
dd_real nearest(mpfr_srcptr x) {
  ExponentRange range(-100'000, 200'000);
  double hi = mpfr_get_d(x, MPFR_RNDN);
  if (!(hi - hi == 0.0) || hi == 0.0) return dd_real(hi);
  Exact rest(8000);
  EXPECT_EQ(mpfr_sub_d(rest, x, hi, MPFR_RNDN), 0);
  double lo = mpfr_get_d(rest, MPFR_RNDN);
  return hi + lo == hi ? dd_real(hi, lo) : dd_real::sum(hi, lo);
}

TEST(InteropMpfr, IsExactBothWaysFromThePrecisionOfTheNumberOn) {
  Inputs in(1);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    dd_real x = in.number(in.below(2) == 0);
    mpfr_prec_t bits = mpfr_precision_of(x);
    ASSERT_LE(bits, hilo::mpfr_precision_of_all);
    Exact r(bits);
    ASSERT_EQ(to_mpfr(r, x), 0);
    ASSERT_TRUE(same(from_mpfr(r), x)) << std::hexfloat << x.hi << " " << x.lo;
    // One bit less does not do.
    if (bits > MPFR_PREC_MIN) {
      Exact narrow(bits - 1);
      ASSERT_NE(to_mpfr(narrow, x), 0) << std::hexfloat << x.hi << " " << x.lo;
    }
  }
}

TEST(InteropMpfr, KnowsThePrecisionOfANumber) {
  static_assert(mpfr_precision_of(dd_real(0)) == MPFR_PREC_MIN);
  static_assert(mpfr_precision_of(dd_real(-4)) == 1);
  static_assert(mpfr_precision_of(dd_real(3)) == 2);
  static_assert(mpfr_precision_of(dd_real(1, 0x1p-300)) == 301);
  static_assert(mpfr_precision_of(dd_real(1, -0x1p-300)) == 300);
  static_assert(mpfr_precision_of(dd_real(least)) == 1);
  static_assert(mpfr_precision_of(dd_real(0x1p1023, least)) == hilo::mpfr_precision_of_all);
  static_assert(mpfr_precision_of(std::numeric_limits<dd_real>::max()) == 107);
  EXPECT_EQ(mpfr_precision_of(dd_real(infinity)), MPFR_PREC_MIN);
  EXPECT_EQ(mpfr_precision_of(dd_real(-std::numeric_limits<double>::quiet_NaN())), MPFR_PREC_MIN);
}

TEST(InteropMpfr, RoundsOnceToEveryPrecision) {
  Inputs in(2);
  Exact exact(2300);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    dd_real x = in.number(in.below(2) == 0);
    exact = x;
    Exact r(1 + in.below(150)), want(mpfr_get_prec(static_cast<mpfr_ptr>(r)));
    for (mpfr_rnd_t rounding : roundings) {
      mpfr_clear_flags();
      int ternary = to_mpfr(r, x, rounding);
      mpfr_flags_t flags = mpfr_flags_save();
      mpfr_clear_flags();
      int want_ternary = mpfr_set(want, exact, rounding);
      ASSERT_TRUE(mpfr_equal_p(r, want)) << std::hexfloat << x.hi << " " << x.lo;
      ASSERT_EQ(sign(ternary), sign(want_ternary));
      ASSERT_EQ(flags, mpfr_flags_save());
    }
  }
}

// hi and lo near the limits of the caller's range: the value between them may be inside while a word is not.
TEST(InteropMpfr, HeedsTheRangeOfExponentsOfTheCaller) {
  Inputs in(3);
  Exact exact(2300);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    dd_real x = in.number(false);
    exact = x;
    Exact r(1 + in.below(150)), want(mpfr_get_prec(static_cast<mpfr_ptr>(r)));
    mpfr_rnd_t rounding = roundings[in.below(5)];
    int want_ternary = mpfr_set(want, exact, rounding);
    mpfr_exp_t smallest = in.below(4) - 2, highest = smallest + in.below(3);
    ExponentRange range(smallest, highest);
    mpfr_clear_flags();
    int ternary = to_mpfr(r, x, rounding);
    mpfr_flags_t flags = mpfr_flags_save();
    mpfr_clear_flags();
    if (want_ternary != 0) mpfr_set_inexflag();
    want_ternary = mpfr_check_range(want, want_ternary, rounding);
    ASSERT_EQ(flags, mpfr_flags_save());
    ASSERT_TRUE(mpfr_equal_p(r, want));
    ASSERT_EQ(sign(ternary), sign(want_ternary));
    ASSERT_EQ(mpfr_get_emin(), smallest);
    ASSERT_EQ(mpfr_get_emax(), highest);
    ASSERT_TRUE(same(from_mpfr(r), nearest(r)));
    ASSERT_EQ(mpfr_get_emin(), smallest);
    ASSERT_EQ(mpfr_get_emax(), highest);
  }
  // A lo below the caller's range: 1 + 2^-60 with no exponent below 0.
  Exact one(100);
  mpfr_set_ui_2exp(one, 1, -60, MPFR_RNDN);
  mpfr_add_ui(one, one, 1, MPFR_RNDN);
  ExponentRange range(1, 1);
  EXPECT_EQ(from_mpfr(one), dd_real(1, 0x1p-60));
  Exact r(100);
  EXPECT_EQ(to_mpfr(r, dd_real(1, 0x1p-60)), 0);
  EXPECT_TRUE(mpfr_equal_p(r, one));
}

// Bits that make ties: of hi, of lo, of a subnormal lo, and a last bit far behind that breaks them.
void set_difficult(mpfr_ptr x, Inputs& in) {
  auto add = [&](long n, long exponent) {
    Exact term(64);
    mpfr_set_si_2exp(term, in.below(2) == 0 ? n : -n, exponent, MPFR_RNDN);
    mpfr_add(x, x, term, MPFR_RNDN);
  };
  int binade = in.below(3) == 0 ? -1074 + in.below(170) : in.below(3) == 0 ? 1023 - in.below(3) : in.below(2100) - 1074;
  mpfr_set_d(x, in.mantissa(), MPFR_RNDN);
  if (in.below(3) == 0) mpfr_set_d(x, 2.0 - 0x1p-52, MPFR_RNDN);
  mpfr_mul_2si(x, x, binade, MPFR_RNDN);
  if (in.below(2) == 0) add(1, binade - 53);
  if (in.below(2) == 0) add(static_cast<long>(in.bits() >> 11), binade - 106 - in.below(3));
  if (in.below(2) == 0) add(1 + in.below(3), binade - 106 - in.below(4));
  if (in.below(3) == 0) add(1 + in.below(3), -1076 + in.below(3));
  if (in.below(3) == 0) add(1, binade - 110 - in.below(900));
  if (in.below(4) == 0) add(1, -1100 - in.below(900));
}

TEST(InteropMpfr, RoundsToTheNearestOfAllPrecisions) {
  Inputs in(4);
  for (int i = 0, n = input_count(200'000); i < n; ++i) {
    Exact x(in.below(2) == 0 ? 4000 : 1 + in.below(200));
    set_difficult(x, in);
    dd_real want = nearest(x);
    mpfr_clear_flags();
    dd_real got = from_mpfr(x);
    ASSERT_TRUE(same(got, want)) << std::hexfloat << got.hi << " " << got.lo << " is not " << want.hi << " " << want.lo;
    ASSERT_TRUE(hilo::testing::is_canonical(got));
    ASSERT_EQ(mpfr_flags_save(), 0u);
  }
}

TEST(InteropMpfr, KeepsInfinitiesNaNsAndSignsOfZero) {
  Exact x(200);
  for (double a : {0.0, -0.0, infinity, -infinity, std::numeric_limits<double>::quiet_NaN(), least, -least, largest}) {
    EXPECT_EQ(to_mpfr(x, dd_real(a)), 0);
    EXPECT_TRUE(same(from_mpfr(x), dd_real(a))) << a;
  }
  to_mpfr(x, -dd_real(0));
  EXPECT_TRUE(mpfr_zero_p(static_cast<mpfr_ptr>(x)) && mpfr_signbit(static_cast<mpfr_ptr>(x)));
}

TEST(InteropMpfr, OverflowsAndUnderflowsAsRoundingDoes) {
  Exact x(2300);
  auto at = [&](const char* binary) {
    mpfr_set_str(x, binary, 16, MPFR_RNDN);
    return from_mpfr(x);
  };
  dd_real max = std::numeric_limits<dd_real>::max();
  x = max;
  EXPECT_EQ(from_mpfr(x), max);
  // Half a unit of lo above max() is the first number that rounds to Inf; lo would be half a unit of the last hi.
  mpfr_nextbelow(x);
  EXPECT_EQ(from_mpfr(x), max);
  mpfr_set_ui_2exp(x, 1, 1024, MPFR_RNDN);
  Exact unit(10);
  mpfr_set_ui_2exp(unit, 1, 970, MPFR_RNDN);
  mpfr_sub(x, x, unit, MPFR_RNDN);
  EXPECT_EQ(from_mpfr(x), dd_real(infinity));
  mpfr_nextbelow(x);
  EXPECT_EQ(from_mpfr(x), dd_real(infinity));
  mpfr_set_ui_2exp(unit, 1, 916, MPFR_RNDN);
  mpfr_sub(x, x, unit, MPFR_RNDN);
  EXPECT_EQ(from_mpfr(x), max);
  mpfr_neg(x, x, MPFR_RNDN);
  EXPECT_EQ(from_mpfr(x), -max);
  mpfr_set_si_2exp(x, -1, 100'000, MPFR_RNDN);
  EXPECT_EQ(from_mpfr(x), dd_real(-infinity));

  EXPECT_TRUE(same(at("0x1p-1075"), dd_real(0)));
  EXPECT_TRUE(same(at("-0x1p-1075"), -dd_real(0)));
  EXPECT_EQ(at("0x1.00001p-1075"), dd_real(least));
  EXPECT_EQ(at("0x1.8p-1074"), dd_real(2 * least));
  EXPECT_TRUE(same(at("-0x1p-100000"), -dd_real(0)));
  // lo is a tie between 0 and the least number, and beyond it.
  mpfr_set_ui_2exp(x, 1, -1075, MPFR_RNDN);
  mpfr_add_ui(x, x, 1, MPFR_RNDN);
  EXPECT_EQ(from_mpfr(x), dd_real(1));
  mpfr_nextabove(x);
  EXPECT_EQ(from_mpfr(x), dd_real(1, least));
}

TEST(InteropMpfr, IsTheSameInEveryRoundingMode) {
  Inputs in(7);
  Exact wide(150), back(2100), want(120);
  for (int i = 0, n = input_count(10'000); i < n; ++i) {
    dd_real x = in.number(in.below(2) == 0);
    // Ties of lo, and bits beyond it.
    mpfr_set_d(wide, x.hi, MPFR_RNDN);
    mpfr_add_d(wide, wide, x.lo, MPFR_RNDN);
    mpfr_mul_d(wide, wide, 1.0 + in.below(3) * 0x1p-50, MPFR_RNDN);
    if (!mpfr_number_p(static_cast<mpfr_ptr>(wide))) continue;
    const dd_real nearest = from_mpfr(wide);
    int ternary = to_mpfr(want, x);
    for (auto mode : hilo::testing::rounding_modes) {
      ASSERT_TRUE(same(hilo::testing::rounded_by(mode, [&] { return from_mpfr(wide); }), nearest)) << mode.name;
      ASSERT_EQ(sign(hilo::testing::rounded_by(mode, [&] { return to_mpfr(back, x); })), 0) << mode.name;
      ASSERT_TRUE(same(from_mpfr(back), x)) << mode.name;
      mpfr_set_prec(back, 120);
      ASSERT_EQ(sign(hilo::testing::rounded_by(mode, [&] { return to_mpfr(back, x); })), sign(ternary)) << mode.name;
      ASSERT_TRUE(mpfr_equal_p(back, want)) << mode.name;
      mpfr_set_prec(back, 2100);
    }
  }
}

}  // namespace
