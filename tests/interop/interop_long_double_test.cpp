#include <gtest/gtest.h>

#include <hilo/interop/mpfr.hpp>

#include "dd_against_mpfr.hpp"

namespace {

using hilo::dd_real;
using hilo::testing::Exact;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::same;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int digits = std::numeric_limits<long double>::digits;

TEST(InteropLongDouble, RoundsOnce) {
  Inputs in(1);
  Exact exact(2300);
  for (int i = 0, n = input_count(100'000); i < n; ++i) {
    dd_real x = in.number(in.below(2) == 0);
    // Ties of 64 bits, and a last bit that breaks them.
    if (in.below(2) == 0) {
      double hi = in.word(false), tie = std::ldexp(1.0 + in.below(8), std::ilogb(hi) - 64 - in.below(3));
      x = dd_real::sum(hi, in.below(2) == 0 ? tie : std::nextafter(tie, in.below(2) == 0 ? 0.0 : 1.0));
    }
    exact = x;
    ASSERT_EQ(static_cast<long double>(x), mpfr_get_ld(exact, MPFR_RNDN)) << std::hexfloat << x.hi << " " << x.lo;
  }
}

TEST(InteropLongDouble, ConvertsBack) {
  Inputs in(2);
  Exact exact(digits);
  for (int i = 0, n = input_count(100'000); i < n; ++i) {
    dd_real x = in.number(false);
    // No more bits than a long double has.
    auto y = static_cast<long double>(x);
    mpfr_set_ld(exact, y, MPFR_RNDN);
    ASSERT_TRUE(same(dd_real(y), hilo::from_mpfr(exact)));
    ASSERT_EQ(static_cast<long double>(dd_real(y)), y);
  }
}

TEST(InteropLongDouble, KeepsInfinitiesNaNsAndSignsOfZero) {
  for (double a : {0.0, -0.0, infinity, -infinity, std::numeric_limits<double>::quiet_NaN(), 0x1p-1074, 0x1p1023}) {
    EXPECT_TRUE(same(dd_real(static_cast<long double>(dd_real(a))), dd_real(a))) << a;
    EXPECT_TRUE(same(dd_real(static_cast<long double>(-dd_real(a))), -dd_real(a))) << a;
  }
  constexpr long double x = static_cast<long double>(dd_real(1, 0x1p-63));
  static_assert(digits < 64 || x == 1 + 0x1p-63L);
}

}  // namespace
