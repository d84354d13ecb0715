// Uniform double-doubles: the bits of a draw from any engine, ranges, and samples against the distribution.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <hilo/interop/mpfr.hpp>
#include <hilo/math/basic.hpp>
#include <hilo/random.hpp>
#include <random>
#include <string>
#include <vector>

#include "dd_against_mpfr.hpp"
#include "distributions.hpp"

namespace {

using hilo::dd_real;
using hilo::normal_distribution;
using hilo::uniform_real_distribution;
using hilo::testing::deviation;
using hilo::testing::distance;
using hilo::testing::expect_error;
using hilo::testing::input_count;
using hilo::testing::is_canonical;
using hilo::testing::Script;
__extension__ using wide = unsigned __int128;

constexpr double infinity = std::numeric_limits<double>::infinity();

static_assert(hilo::detail::random_bit_generator<std::mt19937> && hilo::detail::random_bit_generator<std::ranlux48>);
static_assert(!hilo::detail::random_bit_generator<int> && !hilo::detail::random_bit_generator<std::random_device*>);

// An engine of the values least … largest, from a good one.
template <class Word, Word least, Word largest>
struct Engine {
  using result_type = Word;
  static constexpr Word min() { return least; }
  static constexpr Word max() { return largest; }
  Word operator()() { return static_cast<Word>(std::uniform_int_distribution<std::uint64_t>(least, largest)(random)); }
  std::mt19937_64 random{7};
};

// The same numbers in constant expressions.
constexpr dd_real constant_draw() {
  struct Golden {
    static constexpr std::uint64_t min() { return 0; }
    static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }
    constexpr std::uint64_t operator()() { return state += 0x9e3779b97f4a7c15u; }
    std::uint64_t state = 0;
  } random;
  return uniform_real_distribution(1, 2)(random) + normal_distribution()(random);
}
static_assert(constant_draw() == constant_draw());

// The k of k · 2^-106.
wide significand(dd_real x) {
  __extension__ using integer = __int128;
  return static_cast<wide>(static_cast<integer>(x.hi * 0x1p106) + static_cast<integer>(x.lo * 0x1p106));
}

TEST(UniformRealDistribution, TakesTheUpperBitsOfEachValue) {
  std::mt19937_64 random, copy;
  std::mt19937 random32, copy32;
  uniform_real_distribution uniform;
  for (int i = 0; i < 10'000; ++i) {
    std::uint64_t upper = copy() >> 11, lower = copy() >> 11;
    dd_real x = uniform(random);
    ASSERT_TRUE(significand(x) == (static_cast<wide>(upper) << 53 | lower));
    ASSERT_TRUE(is_canonical(x));
    ASSERT_TRUE(x >= 0 && x < 1);
    upper = std::uint64_t{copy32()} << 21;
    upper |= copy32() >> 11;
    lower = std::uint64_t{copy32()} << 21;
    lower |= copy32() >> 11;
    ASSERT_TRUE(significand(uniform(random32)) == (static_cast<wide>(upper) << 53 | lower));
  }
  // The first of the default engine, whose values the standard fixes.
  std::mt19937_64 fixed;
  dd_real first = uniform(fixed);
  EXPECT_EQ(first.hi, 0x1.92da3239eded5p-1);
  EXPECT_EQ(first.lo, 0x1.007deb1e2f202p-55);
}

TEST(UniformRealDistribution, ReachesBothEndsOfItsRange) {
  Script none{{0, 0}}, all{{~std::uint64_t{0}, ~std::uint64_t{0}}};
  uniform_real_distribution uniform;
  EXPECT_EQ(uniform(none), dd_real(0));
  dd_real last = uniform(all);
  EXPECT_EQ(last, dd_real(1, -0x1p-106));
  EXPECT_LT(last, dd_real(1));
}

// Each bit, each pair of neighbours, and the lowest eight bits together.
template <class Generator>
void expect_random_bits(Generator random, const char* name) {
  uniform_real_distribution uniform;
  constexpr int n = 60'000;
  std::array<int, 106> ones{}, equal{};
  std::vector<int> low(256);
  std::vector<double> values, expected(256, n / 256.0);
  for (int i = 0; i < n; ++i) {
    dd_real x = uniform(random);
    wide k = significand(x);
    for (std::size_t bit = 0; bit < 106; ++bit) {
      ones[bit] += static_cast<int>(k >> bit & 1);
      equal[bit] += static_cast<int>((k >> bit ^ k >> ((bit + 1) % 106)) & 1);
    }
    ++low[static_cast<std::size_t>(k & 255)];
    values.push_back(x.hi);
  }
  // 212 counts within 4.5 standard deviations: fails once in 700 seeds.
  double allowed = 4.5 * 0.5 * std::sqrt(n);
  for (std::size_t bit = 0; bit < 106; ++bit) {
    EXPECT_LT(std::fabs(ones[bit] - 0.5 * n), allowed) << name << ", bit " << bit;
    EXPECT_LT(std::fabs(equal[bit] - 0.5 * n), allowed) << name << ", bits from " << bit;
  }
  EXPECT_LT(std::fabs(deviation(low, expected)), 4.0) << name;
  EXPECT_LT(distance(values, [](double x) { return x; }), 1.95) << name;
}

TEST(UniformRealDistribution, FillsAllBitsFromAnyEngine) {
  expect_random_bits(std::mt19937_64(1), "mt19937_64");
  expect_random_bits(std::mt19937(1), "mt19937");
  expect_random_bits(std::minstd_rand0(1), "minstd_rand0");
  expect_random_bits(std::minstd_rand(1), "minstd_rand");
  expect_random_bits(std::ranlux24(1), "ranlux24");
  expect_random_bits(std::ranlux48(1), "ranlux48");
  expect_random_bits(std::knuth_b(1), "knuth_b");
  expect_random_bits(Engine<std::uint8_t, 0, 255>(), "8 bits");
  expect_random_bits(Engine<std::uint8_t, 100, 101>(), "a coin");
  expect_random_bits(Engine<std::uint16_t, 1, 6>(), "a die");
  expect_random_bits(Engine<unsigned, 0, 2>(), "three values");
  expect_random_bits(Engine<std::uint64_t, 5, ~std::uint64_t{0}>(), "nearly 64 bits");
  expect_random_bits(Engine<std::uint64_t, 0, (std::uint64_t{1} << 63)>(), "one more than 63 bits");
}

template <class Generator>
std::uint64_t hash_of(Generator random) {
  std::uint64_t hash = 0;
  for (int i = 0; i < 1000; ++i) {
    dd_real x = uniform_real_distribution()(random), y = normal_distribution()(random);
    for (double word : {x.hi, x.lo, y.hi, y.lo})
      hash = (hash ^ std::bit_cast<std::uint64_t>(word)) * 0x9e3779b97f4a7c15u;
  }
  return hash;
}

TEST(UniformRealDistribution, FixesTheBitsOfEachEngine) {
  EXPECT_EQ(hash_of(std::mt19937_64()), 10776660295060207798u);
  EXPECT_EQ(hash_of(std::mt19937()), 5144260454671084913u);
  EXPECT_EQ(hash_of(std::minstd_rand()), 15180763790853504094u);
  EXPECT_EQ(hash_of(std::ranlux24()), 6588889639103900360u);
  EXPECT_EQ(hash_of(std::ranlux48()), 14563254921463306648u);
  EXPECT_EQ(hash_of(std::knuth_b()), 10220930248637274232u);
}

TEST(UniformRealDistribution, StaysBelowTheUpperEnd) {
  dd_real max = std::numeric_limits<dd_real>::max();
  double least = std::numeric_limits<double>::denorm_min();
  const std::pair<dd_real, dd_real> ranges[] = {{-3, 5},
                                                {1, dd_real(1, 0x1p-105)},
                                                {1, dd_real(1, 0x1p-107)},
                                                {1, dd_real(1, least)},
                                                {dd_real(1, -0x1p-54), dd_real(1, 0x1p-53)},
                                                {-1, dd_real(-1, 0x1p-106)},
                                                {dd_real(-1, -0x1p-60), -1},
                                                {0, least},
                                                {-least, least},
                                                {-0x1p-1000, 0x1p-1040},
                                                {0, max},
                                                {-max / 2, max / 2},
                                                {dd_real(1) / 3, dd_real(2) / 3},
                                                {1e300, 1e300 * (1 + 0x1p-50)}};
  std::mt19937_64 random(2);
  for (auto [a, b] : ranges) {
    uniform_real_distribution uniform(a, b);
    for (int i = 0, n = input_count(2'000); i < n; ++i) {
      dd_real x = uniform(random);
      ASSERT_TRUE(a <= x && x < b) << std::hexfloat << a.hi << " " << b.hi << " " << x.hi;
      ASSERT_TRUE(is_canonical(x));
    }
    // The draws nearest to the ends; what rounds to b is drawn again.
    Script ends{{~std::uint64_t{0}, ~std::uint64_t{0}, 0, 0}};
    dd_real x = uniform(ends);
    ASSERT_TRUE(a <= x && x < b);
  }
}

TEST(UniformRealDistribution, CoversItsRangeEvenly) {
  std::mt19937_64 random(3);
  uniform_real_distribution uniform(-3, 5);
  std::vector<double> sample;
  for (int i = 0, n = input_count(100'000); i < n; ++i) sample.push_back(uniform(random).hi);
  EXPECT_LT(distance(sample, [](double x) { return (x + 3.0) / 8.0; }), 1.95);
}

TEST(UniformRealDistribution, RefusesEmptyAndInfiniteRanges) {
  double nan = std::numeric_limits<double>::quiet_NaN(), largest = std::numeric_limits<double>::max();
  expect_error<uniform_real_distribution>(1, 1, "a = 1 and b = 1,");
  expect_error<uniform_real_distribution>(2, 1.5, "b = 1.5");
  expect_error<uniform_real_distribution>(0, infinity, "b = inf");
  expect_error<uniform_real_distribution>(nan, 1, "a = nan");
  expect_error<uniform_real_distribution>(-largest, largest, "finite");
}

TEST(UniformRealDistribution, IsADistributionOfTheStandard) {
  uniform_real_distribution d, e(2, 3);
  EXPECT_EQ(d.a(), dd_real(0));
  EXPECT_EQ(d.max(), dd_real(1));
  EXPECT_EQ(d, uniform_real_distribution(0));
  EXPECT_NE(d, e);
  d.param(e.param());
  EXPECT_EQ(d, e);
  EXPECT_EQ(uniform_real_distribution(e.param()), e);
  EXPECT_EQ(e.min(), dd_real(2));
  std::mt19937 random(5), copy(5);
  d.reset();
  EXPECT_EQ(d(random), uniform_real_distribution()(copy, uniform_real_distribution::param_type(2, 3)));
  std::independent_bits_engine<std::mt19937, 17, std::uint32_t> adapted;
  EXPECT_LT(d(adapted), dd_real(3));
}

}  // namespace
