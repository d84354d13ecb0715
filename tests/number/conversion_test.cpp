#include <gtest/gtest.h>

#include <hilo/complex.hpp>
#include <hilo/math.hpp>
#include <hilo/pack.hpp>

#include "dd_against_mpfr.hpp"
#include "rounding_modes.hpp"

namespace {

using hilo::dd_complex;
using hilo::dd_real;
using hilo::detail::int128;
using hilo::detail::uint128;
using hilo::testing::Exact;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::is_canonical;
using hilo::testing::rounded_by;
using hilo::testing::rounding_modes;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr uint128 largest_unsigned = ~uint128{0};
constexpr auto largest = static_cast<int128>(largest_unsigned >> 1);
constexpr int128 smallest = -largest - 1;

// hi and lo, bit for bit; zeros of lo are alike.
bool same_words(dd_real x, dd_real y) {
  bool is_nan = x.hi != x.hi && y.hi != y.hi;
  return is_nan || (std::bit_cast<std::uint64_t>(x.hi) == std::bit_cast<std::uint64_t>(y.hi) && x.lo == y.lo);
}

void set(mpfr_ptr r, uint128 x) {
  mpfr_set_uj(r, static_cast<std::uint64_t>(x >> 64), MPFR_RNDN);
  mpfr_mul_2ui(r, r, 64, MPFR_RNDN);
  Exact low(64);
  mpfr_set_uj(low, static_cast<std::uint64_t>(x), MPFR_RNDN);
  mpfr_add(r, r, low, MPFR_RNDN);
}
void set(mpfr_ptr r, int128 x) {
  set(r, x < 0 ? -static_cast<uint128>(x) : static_cast<uint128>(x));
  if (x < 0) mpfr_neg(r, r, MPFR_RNDN);
}

// hi = RN(x), lo = RN(x − hi), and the even neighbour as hi where lo is half a unit of an odd one.
dd_real nearest(mpfr_ptr x) {
  double hi = mpfr_get_d(x, MPFR_RNDN);
  Exact rest(2300);
  mpfr_sub_d(rest, x, hi, MPFR_RNDN);
  return dd_real::sum(hi, mpfr_get_d(rest, MPFR_RNDN));
}

// Of every length; few bits, long runs of ones and zeros, and ties of hi and of lo with a bit that breaks them.
template <class T>
T integer(Inputs& in) {
  auto random = static_cast<uint128>(in.bits()) << 64 | in.bits();
  uint128 x = random >> in.below(128);
  switch (in.below(5)) {
    case 0:
      x = (uint128{1} << in.below(128)) + (uint128{1} << in.below(128)) - (uint128{1} << in.below(128));
      break;
    case 1: {
      int top = 54 + in.below(74), tie = top - 53 - (in.below(2) == 0 ? in.below(10) : 53);
      x = (x >> 1 | uint128{1} << 127) >> (127 - top);
      if (tie >= 0) x = (x >> tie | 1) << tie;
      x += static_cast<uint128>(in.below(3)) - 1;
      break;
    }
    case 2:
      x = ~uint128{0} >> in.below(128);
      x -= x > 4 ? static_cast<uint128>(in.below(4)) : 0;
      break;
    default:
      break;
  }
  return static_cast<T>(in.below(2) == 0 ? x : -x);
}

template <class T>
class Integers128 : public ::testing::Test {};
using Types = ::testing::Types<int128, uint128>;
TYPED_TEST_SUITE(Integers128, Types);

TYPED_TEST(Integers128, AreRoundedCorrectly) {
  using T = TypeParam;
  Inputs in(1);
  Exact exact(128);
  auto check = [&](T i) {
    dd_real x = i;
    set(exact, i);
    ASSERT_TRUE(is_canonical(x));
    ASSERT_TRUE(same_words(x, nearest(exact))) << std::hexfloat << x.hi << " " << x.lo;
    ASSERT_EQ(x == i, true);
    ASSERT_EQ(i < x || i > x, false);
  };
  for (int i = 0, n = input_count(50'000); i < n; ++i) check(integer<T>(in));
  for (uint128 i : {uint128{0}, uint128{1}, largest_unsigned, largest_unsigned - 1, largest_unsigned >> 1,
                    (largest_unsigned >> 1) + 1, (largest_unsigned >> 1) + 2}) {
    check(static_cast<T>(i));
  }
}

// Whatever fits: up to lo's last bit before the limits of T.
TYPED_TEST(Integers128, AreTruncatedFromNumbers) {
  using T = TypeParam;
  Inputs in(2);
  Exact exact(2300), got(128), least(128), most(128);
  set(least, std::same_as<T, int128> ? smallest : int128{0});
  set(most, std::same_as<T, int128> ? static_cast<uint128>(largest) : largest_unsigned);
  int checked = 0;
  for (int i = 0, n = input_count(100'000); i < n; ++i) {
    dd_real x = in.number(in.below(4) == 0);
    if (in.below(4) != 0) x = in.with_low(std::ldexp(x.hi, in.below(130)));
    if (in.below(4) == 0) x = rint(x) + (in.below(2) == 0 ? 0.0 : in.word(true) * 0x1p-100);
    if (in.below(8) == 0) {
      double top = std::same_as<T, int128> ? 0x1p127 : 0x1p128;
      x = (in.below(2) == 0 ? 1 : -1) * dd_real(top, -std::ldexp(std::fabs(in.word(false)), -in.below(4)));
    }
    exact = x;
    mpfr_rint_trunc(exact, exact, MPFR_RNDN);
    if (mpfr_cmp(exact, least) < 0 || mpfr_cmp(exact, most) > 0) continue;
    ++checked;
    set(got, static_cast<T>(x));
    ASSERT_EQ(mpfr_cmp(got, exact), 0) << std::hexfloat << x.hi << " " << x.lo;
  }
  EXPECT_GT(checked, input_count(100'000) / 4);
}

TYPED_TEST(Integers128, OfAtMost107BitsAreExactBothWays) {
  using T = TypeParam;
  Inputs in(3);
  for (int i = 0, n = input_count(50'000); i < n; ++i) {
    T x = integer<T>(in);
    if (std::same_as<T, uint128> || x > 0) {
      x = static_cast<T>(static_cast<uint128>(x) >> (21 - (x == 0)));
    } else {
      x = -static_cast<T>(-static_cast<uint128>(x) >> 21);
    }
    ASSERT_TRUE(static_cast<T>(dd_real(x)) == x);
  }
}

TYPED_TEST(Integers128, TakePartInArithmeticAsNumbers) {
  using T = TypeParam;
  Inputs in(4);
  for (int i = 0; i < 1000; ++i) {
    T j = integer<T>(in);
    dd_real x = in.number(false), y = j;
    ASSERT_TRUE(same_words(x + j, x + y) && same_words(j + x, y + x) && same_words(x - j, x - y));
    ASSERT_TRUE(same_words(j - x, y - x) && same_words(x * j, x * y) && same_words(j * x, y * x));
    ASSERT_TRUE(same_words(x / j, x / y) && same_words(j / x, y / x) && same_words(fma(x, j, x), fma(x, y, x)));
    ASSERT_TRUE((x < j) == (x < y) && (j <= x) == (y <= x) && (x <=> j) == (x <=> y) && (y == j) && !(y != j));
    dd_real sum = x;
    sum += j;
    sum *= j;
    ASSERT_TRUE(same_words(sum, (x + y) * y));
    ASSERT_EQ(dd_complex(x, x) * j, dd_complex(x, x) * y);
    ASSERT_EQ((hilo::dd_pack<4>(j))[3], y);
  }
}

// In constants.
static_assert(dd_real(largest).hi == 0x1p127 && dd_real(largest_unsigned).hi == 0x1p128 &&
              dd_real(smallest) == -0x1p127);
static_assert(static_cast<int128>(dd_real(0x1p127, -1.0)) == largest &&
              static_cast<int128>(-dd_real(0x1p127)) == smallest);
static_assert(static_cast<uint128>(dd_real(0x1p128, -1.0)) == largest_unsigned);
static_assert(static_cast<int128>(dd_real(0x1p120, 0x1p65)) == (int128{1} << 120) + (int128{1} << 65));
static_assert(static_cast<int128>(dd_real(0x1p80, -0x1p-30)) == (int128{1} << 80) - 1);
static_assert(static_cast<int128>(dd_real(-0x1p80, 0x1p-30)) == 1 - (int128{1} << 80));
static_assert(static_cast<int128>(dd_real(-1.0, 0x1p-60)) == 0 && static_cast<uint128>(dd_real(0.75)) == 0);
static_assert(dd_real(7) / int128{2} == 3.5 && uint128{7} - dd_real(2) == 5 && int128{2} < dd_real(3));
static_assert(std::is_convertible_v<int128, dd_real> && !std::is_convertible_v<dd_real, int128>);

TEST(Conversion, IsTheSameInEveryRoundingMode) {
  Inputs in(5);
  for (int i = 0, n = input_count(10'000); i < n; ++i) {
    auto wide = integer<int128>(in);
    auto wide_unsigned = integer<uint128>(in);
    auto narrow = static_cast<int>(wide);
    dd_real x = in.number(in.below(2) == 0);
    dd_real fitting = in.with_low(std::ldexp(in.word(false), in.below(58)));
    auto floating = static_cast<long double>(x) * static_cast<long double>(in.word(in.below(2) == 0));
    dd_real want[] = {wide, wide_unsigned, narrow, dd_real(floating)};
    for (auto mode : rounding_modes) {
      auto of = [&](auto& y) { return rounded_by(mode, [&y] { return dd_real(y); }); };
      dd_real got[] = {of(wide), of(wide_unsigned), of(narrow), of(floating)};
      for (int k = 0; k < 4; ++k)
        ASSERT_TRUE(same_words(got[k], want[k])) << mode.name << ", " << k << std::hexfloat << " " << got[k].hi << " "
                                                 << got[k].lo << ", not " << want[k].hi << " " << want[k].lo;
      ASSERT_EQ(rounded_by(mode, [&] { return static_cast<long long>(fitting); }), static_cast<long long>(fitting));
      ASSERT_TRUE(rounded_by(mode, [&] { return static_cast<int128>(fitting); }) == static_cast<int128>(fitting));
    }
  }
}

// hi may be the neighbour of the nearest double.
TEST(Conversion, KeepsIntegersOf64BitsInEveryRoundingMode) {
  Inputs in(6);
  for (int i = 0; i < 10'000; ++i) {
    auto integer = static_cast<std::int64_t>(in.bits()) >> in.below(64);
    for (auto mode : rounding_modes) {
      dd_real x = rounded_by(mode, [&integer] { return dd_real(integer); });
      auto back = static_cast<int128>(x.hi) + static_cast<int128>(x.lo);
      ASSERT_TRUE(back == integer) << mode.name << ", " << integer;
      ASSERT_LE(std::fabs(x.lo), std::fabs(x.hi) * 0x1p-52);
    }
  }
}

TEST(Conversion, ToFloatAndLongDoubleRoundsOnceByTheMode) {
  constexpr mpfr_rnd_t mpfr_modes[] = {MPFR_RNDN, MPFR_RNDD, MPFR_RNDU, MPFR_RNDZ};
  Inputs in(7);
  Exact exact(2300);
  for (int i = 0, n = input_count(10'000); i < n; ++i) {
    dd_real x = in.with_low(std::ldexp(in.word(false), in.below(200) - 100));
    exact = x;
    for (int k = 0; k < 4; ++k) {
      auto mode = rounding_modes[k];
      ASSERT_EQ(rounded_by(mode, [&x] { return static_cast<float>(x); }), mpfr_get_flt(exact, mpfr_modes[k]))
          << mode.name;
      ASSERT_EQ(rounded_by(mode, [&x] { return static_cast<long double>(x); }), mpfr_get_ld(exact, mpfr_modes[k]))
          << mode.name;
    }
  }
}

TEST(Conversion, OfLongDoublesEndsWhereDoublesEnd) {
  if (std::numeric_limits<long double>::max_exponent <= 1024) GTEST_SKIP() << "long double is not wider";
  long double past = 0x1p1024L, half = 0x1p970L, small = 0x1p-1075L;
  dd_real top = std::numeric_limits<dd_real>::max();
  for (auto mode : rounding_modes) {
    auto of = [&](long double y) { return rounded_by(mode, [&y] { return dd_real(y); }); };
    EXPECT_TRUE(same_words(of(past), infinity)) << mode.name;
    EXPECT_TRUE(same_words(of(-past * 0x1p9000L), -infinity)) << mode.name;
    EXPECT_TRUE(same_words(of(past - half), infinity)) << mode.name;
    EXPECT_TRUE(same_words(of(static_cast<long double>(top.hi)), top.hi)) << mode.name;
    EXPECT_TRUE(same_words(of(small), 0.0)) << mode.name;
    EXPECT_TRUE(same_words(of(-small), -0.0)) << mode.name;
    EXPECT_TRUE(same_words(of(small * 0x1.8p0L), 0x1p-1074)) << mode.name;
    EXPECT_TRUE(same_words(of(small * 0x3p0L), 0x1p-1073)) << mode.name;
    EXPECT_TRUE(same_words(of(-0.0L), -0.0)) << mode.name;
  }
}

}  // namespace
