#include <gtest/gtest.h>

#include <hilo/math/next.hpp>

#include "function_errors.hpp"

namespace {

using hilo::dd_real;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::is_canonical;
using hilo::testing::words;
using limits = std::numeric_limits<dd_real>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();

bool same(dd_real x, dd_real y) {
  return std::bit_cast<std::uint64_t>(x.hi) == std::bit_cast<std::uint64_t>(y.hi) && x.lo == y.lo;
}

// No pair of words lies between: with the same hi the neighbouring lo does not, with the next hi the farthest lo.
void expect_neighbours(dd_real x) {
  dd_real up = nextup(x), down = nextdown(x);
  ASSERT_TRUE(is_canonical(up) && is_canonical(down)) << words(x);
  ASSERT_TRUE(up > x && down < x) << words(x) << words(up) << words(down);
  ASSERT_TRUE(!isfinite(up) || same(nextdown(up), x.hi == 0.0 ? dd_real(0) : x)) << words(x) << words(up);
  ASSERT_TRUE(!isfinite(down) || same(nextup(down), x.hi == 0.0 ? dd_real(-0.0) : x)) << words(x) << words(down);
  if (up.hi == x.hi) {
    ASSERT_EQ(up.lo, std::nextafter(x.lo, infinity));
  } else {
    ASSERT_EQ(up.hi, std::nextafter(x.hi, infinity));
    // One lo further on the side of x, and one further on the side of up, belongs to the other hi.
    double beyond = std::nextafter(x.lo, infinity), before = std::nextafter(up.lo, -infinity);
    ASSERT_NE(x.hi + beyond, x.hi);
    ASSERT_TRUE(!isfinite(up) || up.hi + before != up.hi);
  }
}

TEST(Next, IsTheNeighbour) {
  Inputs in(1);
  for (int i = 0, n = input_count(200'000); i < n; ++i) expect_neighbours(in.number(in.below(2) == 0));
}

TEST(Next, CrossesHalvesOfUnits) {
  Inputs in(2);
  for (int i = 0, n = input_count(200'000); i < n; ++i) {
    double hi = in.below(4) == 0 ? std::ldexp(1.0, in.below(2098) - 1074) : in.word(true);
    if (in.below(4) == 0) hi = std::ldexp(in.mantissa(), -1022 + in.below(4));
    if (in.below(4) == 0) hi = std::nextafter(hi, 0.0);
    if (in.below(2) == 0) hi = -hi;
    if (hi == 0.0) continue;
    // The largest lo on either side, or the one before it.
    double side = in.below(2) == 0 ? infinity : -infinity;
    double lo = 0.5 * (std::nextafter(hi, side) - hi);
    if (!std::isfinite(lo)) lo = 0x1p970;
    if (hi + lo != hi) lo = std::nextafter(lo, 0.0);
    if (in.below(2) == 0) lo = std::nextafter(lo, 0.0);
    if (hi + lo == hi && hi == std::nextafter(hi, 0.0) + (hi - std::nextafter(hi, 0.0))) expect_neighbours({hi, lo});
  }
}

TEST(Next, HasTheseValues) {
  static_assert(nextup(dd_real(1)) == dd_real(1, 0x1p-1074));
  static_assert(nextdown(dd_real(1)) == dd_real(1, -0x1p-1074));
  static_assert(nextup(dd_real(1, 0x1p-53)) == dd_real(0x1.0000000000001p0, -0x1.fffffffffffffp-54));
  static_assert(nextdown(dd_real(1, -0x1p-54)) == dd_real(0x1.fffffffffffffp-1, 0x1.fffffffffffffp-55));
  EXPECT_TRUE(same(nextup(dd_real(-0.0)), 0x1p-1074));
  EXPECT_TRUE(same(nextdown(dd_real(0.0)), -0x1p-1074));
  EXPECT_TRUE(same(nextup(dd_real(-0x1p-1074)), -0.0));
  EXPECT_TRUE(same(nextdown(dd_real(0x1p-1074)), 0.0));
  // Below 2^-1021 there is no lo; there an even hi has ±2^-1074.
  EXPECT_TRUE(same(nextup(dd_real(0x1p-1022)), 0x1.0000000000001p-1022));
  EXPECT_TRUE(same(nextup(dd_real(0x1p-1021)), dd_real(0x1p-1021, 0x1p-1074)));
  EXPECT_TRUE(same(nextup(dd_real(0x1.0000000000001p-1021)), dd_real(0x1.0000000000002p-1021, -0x1p-1074)));
  EXPECT_TRUE(same(nextup(limits::max()), infinity));
  EXPECT_TRUE(same(nextdown(limits::infinity()), limits::max()));
  EXPECT_TRUE(same(nextup(-limits::infinity()), limits::lowest()));
  EXPECT_TRUE(same(nextdown(limits::lowest()), -infinity));
  EXPECT_TRUE(same(nextup(limits::infinity()), infinity));
  EXPECT_TRUE(same(nextdown(-limits::infinity()), -infinity));
  EXPECT_TRUE(same(nextup(dd_real(largest, -0x1p970)), dd_real(largest, -0x1.fffffffffffffp969)) ||
              !is_canonical(dd_real(largest, -0x1p970)));
  EXPECT_TRUE(isnan(nextup(limits::quiet_NaN())) && isnan(nextdown(limits::quiet_NaN())));
}

TEST(Next, GoesTowardTheOther) {
  static_assert(nextafter(dd_real(1), 2) == nextup(dd_real(1)));
  static_assert(nextafter(dd_real(1), dd_real(1, -0x1p-200)) == nextdown(dd_real(1)));
  static_assert(nexttoward(dd_real(1), 0.5) == nextdown(dd_real(1)));
  EXPECT_TRUE(same(nextafter(dd_real(0.0), dd_real(-0.0)), -0.0));
  EXPECT_TRUE(same(nextafter(dd_real(-0.0), dd_real(0.0)), 0.0));
  EXPECT_TRUE(same(nextafter(dd_real(0.0), -1), -0x1p-1074));
  EXPECT_TRUE(same(nextafter(dd_real(infinity), 0), limits::max()));
  EXPECT_TRUE(same(nextafter(dd_real(infinity), infinity), infinity));
  EXPECT_TRUE(isnan(nextafter(limits::quiet_NaN(), dd_real(1))) && isnan(nextafter(dd_real(1), limits::quiet_NaN())));
}

}  // namespace
