// Values and types of dd_real: Inf, NaN, zero and overflow, conversions, constants, comparisons.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <climits>
#include <cstring>
#include <hilo/complex.hpp>
#include <hilo/dd_real.hpp>
#include <hilo/math.hpp>
#include <new>
#include <unordered_set>

#include "dd_against_mpfr.hpp"
#include "same_bits.hpp"

namespace {

using hilo::dd_real;
using hilo::test::same_bits;
using hilo::testing::Exact;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using limits = std::numeric_limits<dd_real>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();

// ---- Inf, NaN, zero, overflow ---------------------------------------------------------------------------------------

// hi is what double arithmetic gives, and lo is 0.
::testing::AssertionResult is_plain(dd_real x, double want) {
  if (same_bits(x.hi, want) && x.lo == 0.0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << std::hexfloat << x.hi << " + " << x.lo << ", not " << want;
}

TEST(DdReal, SpecialOperandsActAsDoublesDo) {
  const double special[] = {0.0,     -0.0,     1.0,       -1.0,       3.0,       infinity, -infinity, std::nan(""),
                            largest, -largest, 0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1p1000, 0x1p-1000};
  for (double a : special) {
    for (double b : special) {
      SCOPED_TRACE(::testing::Message() << a << ", " << b);
      dd_real x(a), y(b);
      for (dd_real r : {x + y, x + b, a + y, dd_real::sum(a, b), dd_real::add_sloppy(x, y)}) {
        EXPECT_TRUE(same_bits(r.hi, a + b));
        EXPECT_TRUE(hilo::testing::is_canonical(r));
      }
      EXPECT_TRUE(same_bits((x - y).hi, a - b));
      EXPECT_TRUE(same_bits((x - b).hi, a - b));
      EXPECT_TRUE(same_bits((a - y).hi, a - b));
      EXPECT_TRUE(same_bits((x * y).hi, a * b));
      EXPECT_TRUE(same_bits((x * b).hi, a * b));
      EXPECT_TRUE(same_bits((x / y).hi, a / b));
      EXPECT_TRUE(same_bits((x / b).hi, a / b));
      EXPECT_TRUE(same_bits(dd_real::product(a, b).hi, a * b));
      for (dd_real r : {x - y, x - b, x * y, x * b, x / y, x / b, dd_real::product(a, b)})
        EXPECT_TRUE(hilo::testing::is_canonical(r));
    }
    // The root of the largest double lies within u² of the middle of two doubles.
    if (a != largest) {
      EXPECT_TRUE(same_bits(sqrt(dd_real(a)).hi, std::sqrt(a)));
    }
    EXPECT_TRUE(same_bits((-dd_real(a)).hi, -a));
  }
}

TEST(DdReal, AProductThatOverflowsByItsLoIsInfinite) {
  EXPECT_EQ(dd_real(1.0, 0x1p-53) * largest, limits::infinity());
  EXPECT_EQ(-largest * dd_real(1.0, 0x1p-53), -limits::infinity());
  EXPECT_EQ(dd_real(1.0, 0x1p-53) * dd_real(largest), limits::infinity());
}

TEST(DdReal, OverflowGivesInfinityAndNotNaN) {
  dd_real big = limits::max();
  EXPECT_TRUE(is_plain(big + big, infinity));
  EXPECT_TRUE(is_plain(-big - big, -infinity));
  EXPECT_TRUE(is_plain(big * big, infinity));
  EXPECT_TRUE(is_plain(big * -2.0, -infinity));
  EXPECT_TRUE(is_plain(big / 0x1p-1, infinity));
  EXPECT_TRUE(is_plain(big / dd_real(0x1p-1074), infinity));
  EXPECT_TRUE(is_plain(dd_real(1) / limits::infinity(), 0.0));
  EXPECT_EQ(big / big, dd_real(1));
  EXPECT_EQ(big - big, dd_real(0));
  EXPECT_EQ(big / 2 * 2, big);
  EXPECT_EQ(sqrt(dd_real(0x1p1022)), dd_real(0x1p511));
  EXPECT_EQ(sqrt(dd_real(0x1p-1074)), dd_real(0x1p-537));
}

// The plain two_sum overflows on the way here.
TEST(DdReal, SumsWithTheLargestDoubleAreExact) {
  double a = -0x1.43fffffffffffp+1022;
  dd_real want(a + largest, -0x1p+970);
  EXPECT_EQ(dd_real(a) + dd_real(largest), want);
  EXPECT_EQ(dd_real(largest) + dd_real(a), want);
  EXPECT_EQ(dd_real(a) + largest, want);
  EXPECT_EQ(dd_real::sum(a, largest), want);
  EXPECT_EQ(dd_real::add_sloppy(a, largest), want);
}

// ---- Types ----------------------------------------------------------------------------------------------------------

static_assert(std::is_trivially_copyable_v<dd_real> && std::is_standard_layout_v<dd_real> &&
              std::is_nothrow_default_constructible_v<dd_real> && sizeof(dd_real) == 2 * sizeof(double));
TEST(DdReal, IsZeroUnlessSaidOtherwise) {
  constexpr dd_real constant;
  static_assert(constant == 0);
  alignas(dd_real) unsigned char memory[4 * sizeof(dd_real)];
  std::memset(memory, 0xff, sizeof memory);
  const dd_real* x = new (memory) dd_real[4];
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(x[i].hi == 0.0 && x[i].lo == 0.0);
}
static_assert(dd_real() == 0 && dd_real{} == 0 && dd_real().lo == 0.0);
static_assert(dd_real{1.0, 0x1p-60}.lo == 0x1p-60);
static_assert(dd_real::sum(0x1p-60, 1.0).lo == 0x1p-60);
static_assert(std::is_convertible_v<double, dd_real> && std::is_convertible_v<unsigned long long, dd_real>);
static_assert(!std::is_convertible_v<dd_real, double> && !std::is_convertible_v<dd_real, int>);

constexpr dd_real third = dd_real(1) / 3;
static_assert(third * 3 == 1 && third > 0.333 && third < 0.334);
static_assert(abs(1 - 2 * third - third) < limits::epsilon());
static_assert(third + third == 2 * third && third - third == 0 && -third < 0 && +third == third);
static_assert(sqrt(dd_real(9)) == 3 && sqrt(dd_real(0)) == 0 && abs(-third) == third);
static_assert(1 / third == 3);
static_assert(dd_real(1.5f) + 1.5f == 3 && 1.5f * dd_real(2) == 3 && 'a' - dd_real(1) == 96 && true + dd_real(1) == 2);
static_assert(dd_real(1) / 4u == 0.25 && 1 / dd_real(4) == 0.25L && 3ULL * dd_real(2) == 6 && 7 <= dd_real(7));
static_assert((dd_real(7) <=> 7) == 0 && limits::max() / 2 * 2 == limits::max() && dd_real(0x1p-1074) / 3 == 0);
constexpr dd_real counted() {
  dd_real x = 1;
  ++x;
  x++;
  --x;
  x += 3LL;
  x -= 1u;
  x *= third;
  x /= 2.0f;
  return x;
}
static_assert(counted() * 1.5 == 1 || abs(counted() * 1.5 - 1) < limits::epsilon());

static_assert(limits::digits == 106 && limits::epsilon() == dd_real(0x1p-105) && limits::min() == dd_real(0x1p-969));
static_assert(limits::max() > dd_real(largest) && limits::lowest() == -limits::max());
static_assert(dd_real(1) + limits::epsilon() > 1 && limits::infinity() > limits::max());

TEST(DdReal, ComputesAsInConstants) {
  // The same expression without constant evaluation.
  volatile double three = 3.0;
  dd_real x = dd_real(1) / dd_real(three);
  constexpr dd_real want = dd_real(1) / dd_real(3.0);
  EXPECT_EQ(x, want);
  constexpr dd_real root = sqrt(dd_real(2.0) + third);
  EXPECT_EQ(sqrt(dd_real(three - 1.0) + third), root);
}

template <class T>
class Integers : public ::testing::Test {};
using IntegerTypes = ::testing::Types<char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
                                      unsigned long, long long, unsigned long long, wchar_t, char32_t>;
TYPED_TEST_SUITE(Integers, IntegerTypes);

TYPED_TEST(Integers, AreExactBothWays) {
  using T = TypeParam;
  using L = std::numeric_limits<T>;
  Inputs in(14);
  Exact want(200), got(200);
  auto check = [&](T i) {
    dd_real x = i;
    EXPECT_TRUE(hilo::testing::is_canonical(x));
    got = x;
    if constexpr (L::is_signed)
      mpfr_set_sj(want, static_cast<std::intmax_t>(i), MPFR_RNDN);
    else
      mpfr_set_uj(want, static_cast<std::uintmax_t>(i), MPFR_RNDN);
    EXPECT_EQ(mpfr_cmp(want, got), 0) << +static_cast<long long>(i);
    EXPECT_EQ(static_cast<T>(x), i);
    EXPECT_TRUE(x == i && i == x && !(x < i) && x <= i);
    EXPECT_EQ(dd_real(0.5) + i - i, dd_real(0.5));
    // Truncation towards zero, also where hi rounds past the integer.
    dd_real tiny(abs(x) < 0x1p40 ? 0x1p-60 : 0x1p-40);
    if (i > 0) {
      EXPECT_EQ(static_cast<T>(x - tiny), static_cast<T>(i - 1));
      EXPECT_EQ(static_cast<T>(x + tiny), i);
    }
    if constexpr (L::is_signed) {
      if (i < 0) {
        EXPECT_EQ(static_cast<T>(x + tiny), static_cast<T>(i + 1));
        EXPECT_EQ(static_cast<T>(x - tiny), i);
      }
    }
  };
  for (int i = 0; i < 2000; ++i) check(static_cast<T>(in.bits() >> in.below(64)));
  for (T i : {L::min(), L::max(), T(0), T(1), static_cast<T>(L::max() - 1)}) check(i);
}

TEST(DdReal, WideIntegersAreNotRoundedToADouble) {
  dd_real x(1);
  EXPECT_EQ(x * 9007199254740993LL - 9007199254740992LL, x);
  EXPECT_EQ(x * ULLONG_MAX + 1, dd_real(0x1p64));
  EXPECT_EQ(ULLONG_MAX - x, dd_real(ULLONG_MAX - 1));
  EXPECT_EQ(LLONG_MIN / x, dd_real(-0x1p63));
  EXPECT_EQ(static_cast<long long>(dd_real(0x1p60) - 0.25), (1LL << 60) - 1);
  EXPECT_EQ(static_cast<long long>(dd_real(0x1p60) - 1.5), (1LL << 60) - 2);
  EXPECT_EQ(static_cast<long long>(dd_real(-0x1p60) + 1.5), -(1LL << 60) + 2);
}

TEST(DdReal, LongDoublesAreExact) {
  if (std::numeric_limits<long double>::digits > 64) GTEST_SKIP() << "long double has more than 64 bits";
  Inputs in(15);
  for (int i = 0; i < 10'000; ++i) {
    long double x = static_cast<long double>(in.bits()) * static_cast<long double>(in.word(false));
    dd_real y = x;
    ASSERT_TRUE(hilo::testing::is_canonical(y));
    ASSERT_EQ(static_cast<long double>(y.hi) + static_cast<long double>(y.lo), x);
    ASSERT_EQ(y - x, dd_real(0));
  }
  EXPECT_TRUE(is_plain(dd_real(std::numeric_limits<long double>::infinity()), infinity));
}

TEST(DdReal, FloatsAreRoundedOnce) {
  Inputs in(16);
  Exact exact(2300);
  mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  auto check = [&](dd_real x) {
    exact = x;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(static_cast<float>(x)),
              std::bit_cast<std::uint32_t>(mpfr_get_flt(exact, MPFR_RNDN)))
        << std::hexfloat << x.hi << " " << x.lo;
  };
  for (int i = 0, n = input_count(50'000); i < n; ++i) {
    // Near the midpoint of two floats, down to the subnormal ones.
    auto f = std::bit_cast<float>(static_cast<std::uint32_t>(in.bits()));
    if (!(f - f == 0.0f)) continue;
    double middle = 0.5 * (static_cast<double>(f) + static_cast<double>(std::nextafter(f, HUGE_VALF)));
    if (!(middle - middle == 0.0) || middle == 0.0) continue;
    check(in.with_low(middle));
    check(in.with_low(std::nextafter(middle, 0.0)));
    check(in.number(true));
  }
  double top = 0x1.ffffffp127;  // half a unit above the largest float
  EXPECT_EQ(static_cast<float>(dd_real(top, -0x1p50)), std::numeric_limits<float>::max());
  EXPECT_EQ(static_cast<float>(dd_real(top)), HUGE_VALF);
  EXPECT_EQ(static_cast<float>(-limits::infinity()), -HUGE_VALF);
  EXPECT_NE(static_cast<float>(limits::quiet_NaN()), static_cast<float>(limits::quiet_NaN()));
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
}

TEST(DdReal, ComparesByValue) {
  Inputs in(17);
  Exact a(2300), b(2300);
  for (int i = 0; i < 20'000; ++i) {
    dd_real x = in.number(in.below(2) == 0), y = in.below(3) == 0   ? x
                                                 : in.below(2) == 0 ? -in.opposite(x)
                                                                    : in.number(false);
    a = x;
    b = y;
    int order = mpfr_cmp(a, b);
    ASSERT_EQ(x == y, order == 0);
    ASSERT_EQ(x != y, order != 0);
    ASSERT_EQ(x < y, order < 0);
    ASSERT_EQ(x <= y, order <= 0);
    ASSERT_EQ(x > y, order > 0);
    ASSERT_EQ(x >= y, order >= 0);
    ASSERT_EQ(x <=> y, order <=> 0);
  }
}

TEST(DdReal, NaNIsUnordered) {
  dd_real nan = limits::quiet_NaN();
  for (dd_real x : {nan, dd_real(0), limits::infinity()}) {
    EXPECT_FALSE(x == nan || x < nan || x <= nan || x > nan || x >= nan);
    EXPECT_TRUE(x != nan);
    EXPECT_EQ(x <=> nan, std::partial_ordering::unordered);
  }
  EXPECT_FALSE(nan == 1.0 || nan < 1 || 1 < nan);
  EXPECT_TRUE(static_cast<bool>(nan) && !static_cast<bool>(dd_real(-0.0)));
}

TEST(DdReal, EqualNumbersHashAlike) {
  std::hash<dd_real> hash;
  EXPECT_EQ(hash(dd_real(0.0)), hash(dd_real(-0.0)));
  EXPECT_EQ(hash(-dd_real(1)), hash(dd_real(-1)));
  for (const int mode : {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    const bool is_same = hash(-dd_real(1)) == hash(dd_real(-1));
    std::fesetround(FE_TONEAREST);
    EXPECT_TRUE(is_same) << mode;
  }
  std::unordered_set<std::size_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(hash(dd_real(i) + dd_real(0x1p-60) * i));
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(DdReal, StandardMinMaxAndSwapWork) {
  dd_real a = 1, b = dd_real(1) + limits::epsilon();
  EXPECT_EQ(std::min(a, b), a);
  EXPECT_EQ(std::max(a, b), b);
  std::swap(a, b);
  EXPECT_GT(a, b);
}

TEST(DdComplex, MultipliesAndAdds) {
  hilo::dd_complex z(third, dd_real(2)), w(dd_real(-1), third);
  EXPECT_EQ(z * w, hilo::dd_complex(-third - 2 * third, third * third - 2));
  z += w;
  EXPECT_EQ(z, hilo::dd_complex(third - 1, third + 2));
  EXPECT_EQ(conj(w).im, -third);
}

}  // namespace
