#include <gtest/gtest.h>

#include <hilo/detail/exact_sum.hpp>
#include <hilo/math/interpolation.hpp>
#include <vector>

#include "function_errors.hpp"

namespace {

using hilo::dd_real;
using hilo::detail::ExactSum;
using hilo::detail::Wide;
using hilo::testing::error_u2;
using hilo::testing::Exact;
using hilo::testing::input_count;
using hilo::testing::Inputs;

// Words and products of every exponent; a third of them taken back in part or in whole by what follows.
struct Term {
  double a, b;
};
std::vector<Term> terms(Inputs& in) {
  std::vector<Term> r;
  bool wide = in.below(2) == 0;
  for (int i = 0, n = 1 + in.below(12); i < n; ++i) {
    Term t{in.word(wide), in.below(2) == 0 ? 1.0 : in.word(wide)};
    if (!r.empty() && in.below(3) == 0) {
      t = r[static_cast<std::size_t>(in.below(static_cast<int>(r.size())))];
      t.a = in.below(2) == 0 ? -t.a : std::nextafter(-t.a, 0.0);
    }
    r.push_back(t);
  }
  return r;
}

TEST(ExactSum, RoundsTheExactSumWhateverCancels) {
  Inputs in(1);
  Exact exact(4400), product(106), wide(128), difference(4400);
  for (int i = 0, n = input_count(50'000); i < n; ++i) {
    ExactSum sum, same;
    mpfr_set_zero(exact, 1);
    for (auto [a, b] : terms(in)) {
      mpfr_set_d(product, a, MPFR_RNDN);
      mpfr_mul_d(product, product, b, MPFR_RNDN);
      mpfr_add(exact, exact, product, MPFR_RNDN);
      // In between, so that a sum already resolved takes more.
      if (in.below(4) == 0) sum.leading_bits();
      b == 1.0 ? sum.add(a) : sum.add_product(a, b);
      same.add_product(a, b);
    }
    Wide w = sum.leading_bits();
    if (mpfr_zero_p(static_cast<mpfr_ptr>(exact))) {
      ASSERT_TRUE(w.is_zero());
      ASSERT_TRUE(sum.rounded().hi == 0.0 && !signbit(sum.rounded()));
      continue;
    }
    ASSERT_TRUE(w.mantissa >> 127 != 0);
    mpfr_set_ui_2exp(wide, hilo::detail::high_word(w.mantissa), 64, MPFR_RNDN);
    mpfr_add_ui(wide, wide, hilo::detail::low_word(w.mantissa), MPFR_RNDN);
    mpfr_mul_2si(wide, wide, w.exponent - 127, MPFR_RNDN);
    if (w.is_negative) mpfr_neg(wide, wide, MPFR_RNDN);
    mpfr_sub(difference, wide, exact, MPFR_RNDN);
    bool is_exact = mpfr_zero_p(static_cast<mpfr_ptr>(difference));
    mpfr_div(difference, difference, exact, MPFR_RNDN);
    ASSERT_LE(std::fabs(mpfr_get_d(difference, MPFR_RNDN)), 0x1p-127);
    ASSERT_TRUE(is_exact || w.mantissa % 2 == 1);
    dd_real r = sum.rounded();
    ASSERT_LE(error_u2(r, exact, 0.5), 0.5) << std::hexfloat << r.hi << " " << r.lo;
    if (std::isfinite(r.hi) && r.hi != 0.0 && std::fabs(r.lo) != 0.0) {
      // hi is the nearest double and lo the nearest to what is left, or both are the same sum in its canonical form.
      double hi = mpfr_get_d(exact, MPFR_RNDN);
      mpfr_sub_d(difference, exact, hi, MPFR_RNDN);
      EXPECT_EQ(r, dd_real::sum(hi, mpfr_get_d(difference, MPFR_RNDN)));
    }
    ASSERT_EQ(same.rounded(), r);
  }
}

TEST(ExactSum, OverflowsToInfinity) {
  for (double below : {0.0, 0x1p800, 0x1p-1000}) {
    ExactSum sum;
    for (double word : {0x1.fffffffffffffp1023, 0x1p970, -below}) sum.add(word);
    dd_real r = sum.rounded();
    EXPECT_TRUE(r == std::numeric_limits<dd_real>::infinity() && r.lo == 0.0);
  }
}

TEST(ExactSum, IsConstant) {
  constexpr dd_real r = [] {
    ExactSum sum;
    sum.add(1.0);
    sum.add_product(dd_real(0x1p600, -0x1p500), dd_real(0x1p400));
    sum.add(-0x1p1000);
    return sum.rounded();
  }();
  static_assert(r == dd_real(-0x1p900, 1.0));
}

TEST(Lerp, RoundsTheExactValue) {
  Inputs in(2);
  Exact a(2200), b(2200), t(2200), exact(4700);
  double worst = 0.0;
  for (int i = 0, n = input_count(50'000); i < n; ++i) {
    bool wide = in.below(3) == 0;
    dd_real x = in.number(wide), y = in.below(2) == 0 ? in.opposite(-x) : in.number(wide), s = in.number(wide);
    if (in.below(3) == 0) s = abs(s) / 4;
    if (in.below(4) == 0 && abs(x) < 0x1p500 && abs(y) < 0x1p500 && x != y) s = x / (x - y);
    a = x, b = y, t = s;
    mpfr_sub(b, b, a, MPFR_RNDN);
    mpfr_fma(exact, b, t, a, MPFR_RNDN);
    if (!isfinite(s)) continue;
    double e = error_u2(lerp(x, y, s), exact, 0.5);
    ASSERT_LE(e, 0.5) << hilo::testing::words(x) << hilo::testing::words(y) << hilo::testing::words(s);
    worst = std::max(worst, e);
    ASSERT_EQ(lerp(x, y, 0), x);
    ASSERT_EQ(lerp(x, y, 1), y);
    ASSERT_EQ(lerp(x, x, s), x);
    dd_real next = s + ldexp(s, -104);
    if (isfinite(next)) {
      ASSERT_TRUE((x <= y) == (s <= next) ? lerp(x, y, s) <= lerp(x, y, next) : lerp(x, y, s) >= lerp(x, y, next));
    }
  }
  EXPECT_GT(worst, 0.49);
}

TEST(Lerp, TakesInfinitiesAndNaNs) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(lerp(dd_real(1), dd_real(infinity), dd_real(0)), 1);
  EXPECT_EQ(lerp(dd_real(1), dd_real(infinity), dd_real(0.5)), infinity);
  EXPECT_EQ(lerp(dd_real(-infinity), dd_real(3), dd_real(0.5)), -infinity);
  EXPECT_EQ(lerp(dd_real(-infinity), dd_real(3), dd_real(1)), 3);
  EXPECT_TRUE(isnan(lerp(dd_real(-infinity), dd_real(infinity), dd_real(0.5))));
  EXPECT_EQ(lerp(dd_real(1), dd_real(2), dd_real(infinity)), infinity);
  EXPECT_EQ(lerp(dd_real(1), dd_real(2), dd_real(-infinity)), -infinity);
  EXPECT_EQ(lerp(dd_real(1), dd_real(1), dd_real(infinity)), 1);
  EXPECT_TRUE(isnan(lerp(dd_real(1), dd_real(1), dd_real(nan))));
  EXPECT_TRUE(isnan(lerp(dd_real(1), dd_real(nan), dd_real(0.5))));
  EXPECT_EQ(lerp(1, 2, dd_real(0.5)), 1.5);
}

// An infinite operand decides alone, also where the other's term overflows.
TEST(Lerp, OfAnInfiniteOperandIsTheLimit) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::max();
  const double values[] = {0.0, 0.5, 1.0, 577.0, 0x1p-1074, 0x1p1000, 0x1p1023, largest};
  for (double b : values) {
    for (double t : {0x1p-1074, 0.5, 2.0, 577.0, 0x1p100, largest}) {
      for (double finite : {b, -b}) {
        EXPECT_EQ(lerp(dd_real(finite), dd_real(infinity), dd_real(t)), infinity) << finite << " " << t;
        EXPECT_EQ(lerp(dd_real(finite), dd_real(infinity), dd_real(-t)), -infinity) << finite << " " << t;
        EXPECT_EQ(lerp(dd_real(infinity), dd_real(finite), dd_real(t)), t < 1 ? infinity : -infinity) << finite << t;
        EXPECT_EQ(lerp(dd_real(-infinity), dd_real(finite), dd_real(-t)), -infinity) << finite << " " << t;
      }
    }
  }
  EXPECT_EQ(lerp(dd_real(-infinity), dd_real(infinity), dd_real(2)), infinity);
  EXPECT_EQ(lerp(dd_real(-largest), dd_real(largest), dd_real(infinity)), infinity);
  EXPECT_EQ(lerp(dd_real(largest), dd_real(-largest), dd_real(infinity)), -infinity);
}

TEST(Midpoint, RoundsTheExactValue) {
  Inputs in(3);
  Exact a(2200), b(2200), exact(2300);
  using limits = std::numeric_limits<dd_real>;
  for (int i = 0, n = input_count(50'000); i < n; ++i) {
    dd_real x = in.number(in.below(2) == 0), y = in.below(3) == 0 ? in.opposite(x) : in.number(in.below(2) == 0);
    a = x, b = y;
    mpfr_add(exact, a, b, MPFR_RNDN);
    mpfr_div_2ui(exact, exact, 1, MPFR_RNDN);
    ASSERT_LE(error_u2(midpoint(x, y), exact, 0.5), 0.5);
  }
  EXPECT_EQ(midpoint(limits::max(), limits::max()), limits::max());
  EXPECT_EQ(midpoint(limits::max(), limits::lowest()), 0);
  EXPECT_TRUE(signbit(midpoint(dd_real(-0.0), dd_real(-0.0))));
  EXPECT_TRUE(isnan(midpoint(limits::infinity(), -limits::infinity())));
  EXPECT_EQ(midpoint(dd_real(1), 2), 1.5);
  static_assert(midpoint(dd_real(1), dd_real(4)) == 2.5);
}

}  // namespace
