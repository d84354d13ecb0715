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

namespace {

using hilo::dd_real;
using hilo::normal_distribution;
using hilo::uniform_real_distribution;
using hilo::testing::Exact;
using hilo::testing::input_count;
using hilo::testing::is_canonical;
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

// An engine that returns what it is told.
struct Script {
  using result_type = std::uint64_t;
  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }
  std::uint64_t operator()() { return values.at(next++); }
  std::vector<std::uint64_t> values;
  std::size_t next = 0;
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

// Kolmogorov's and Smirnov's distance of a sample from a distribution, times √n: above 1.95 once in 1000 samples.
template <class Distribution>
double distance(std::vector<double> sample, Distribution&& cumulative) {
  std::sort(sample.begin(), sample.end());
  double worst = 0.0, n = static_cast<double>(sample.size());
  for (std::size_t i = 0; i < sample.size(); ++i) {
    double expected = cumulative(sample[i]);
    worst = std::max({worst, expected - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - expected});
  }
  return worst * std::sqrt(n);
}

// χ² less its degrees of freedom, in standard deviations: about normal for many bins.
double deviation(const std::vector<int>& counts, const std::vector<double>& expected) {
  double sum = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    sum += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
  double freedom = static_cast<double>(counts.size() - 1);
  return (sum - freedom) / std::sqrt(2.0 * freedom);
}

double normal_cumulative(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// The k of k · 2^-106.
wide significand(dd_real x) {
  __extension__ using integer = __int128;
  return static_cast<wide>(static_cast<integer>(x.hi * 0x1p106) + static_cast<integer>(x.lo * 0x1p106));
}

// ---- uniform --------------------------------------------------------------------------------------------------------

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

template <class Distribution>
void expect_error(dd_real first, dd_real second, const std::string& part) {
  try {
    Distribution d(first, second);
    FAIL() << part;
  } catch (const hilo::error& e) {
    EXPECT_EQ(e.code(), hilo::errc::invalid_argument);
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
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

// ---- normal ---------------------------------------------------------------------------------------------------------

constexpr std::uint64_t top = std::uint64_t{1} << 63;

// Draws that give the integer part k: k times true, then false; k(k − 1) times true.
std::vector<std::uint64_t> draws_of(unsigned k) {
  std::vector<std::uint64_t> draws(k, top);
  draws.insert(draws.end(), {top - 1, top - 1});
  draws.insert(draws.end(), k * (k - (k > 0)), top);
  return draws;
}

TEST(NormalDistribution, RoundsTheFractionAndTheBitsBehindIt) {
  std::mt19937_64 random(1);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    unsigned k = static_cast<unsigned>(i % 12);
    std::uint64_t first = random(), second = random(), more = random();
    // Fractions of many zeros or ones, and ties of hi.
    if (i % 5 == 1) first >>= random() % 64;
    if (i % 5 == 2) first |= ~std::uint64_t{0} << random() % 64;
    if (i % 7 == 3) first = first >> 11 << 11 | 1u << 10, second = random() % 2 == 0 ? 0 : ~std::uint64_t{0};
    if (i % 11 == 4) second = 0;
    if (i % 1000 == 5) first = 0;
    if (first == 0) second |= 1;
    Script script{draws_of(k)};
    script.values.push_back(first);
    // k + 1 comparisons that end at once.
    script.values.insert(script.values.end(), k + 1, ~std::uint64_t{0});
    script.values.insert(script.values.end(), {second, more});
    dd_real x = normal_distribution()(script);
    ASSERT_EQ(script.next, script.values.size());
    ASSERT_TRUE(is_canonical(x));
    ASSERT_EQ(signbit(x), more % 2 == 1);

    Exact want(300), term(64), error(300), value(2300);
    mpfr_set_ui(want, k, MPFR_RNDN);
    int shift = 0;
    for (std::uint64_t word : {first, second, more}) {
      mpfr_set_ui_2exp(term, word, shift -= 64, MPFR_RNDN);
      mpfr_add(want, want, term, MPFR_RNDN);
    }
    value = abs(x);
    mpfr_sub(error, value, want, MPFR_RNDN);
    mpfr_div(error, error, want, MPFR_RNDN);
    ASSERT_LE(std::fabs(mpfr_get_d(error, MPFR_RNDN)), 0x1p-106) << k << " " << first << " " << second << " " << more;
  }
}

TEST(NormalDistribution, RejectsWhatTheAlgorithmRejects) {
  std::uint64_t half = top, all = ~std::uint64_t{0};
  // k = 2: the second of its two further chances fails, and the next try is accepted with k = 0.
  Script script{{top, top, top - 1, top - 1, top, top - 1, top - 1}};
  auto then = [&](std::initializer_list<std::uint64_t> draws) { script.values.insert(script.values.end(), draws); };
  then({top - 1, top - 1, half});
  // A run of one: below the fraction, and below (2k + x)/(2k + 2) = 1/4; refused.
  then({half - 1, top / 2 - 1, all});
  // A run of two, accepted. The second comparison is with the number before.
  then({top - 1, top - 1, half});
  then({half - 1, top / 2 - 1, half - 2, top / 2 - 1, half - 2});
  then({0, 0});
  EXPECT_EQ(normal_distribution()(script), dd_real(0.5, 0x1p-129));
  EXPECT_EQ(script.next, script.values.size());
}

TEST(NormalDistribution, HasTheMomentsAndBinsOfTheNormalDistribution) {
  std::mt19937_64 random(2);
  normal_distribution normal;
  const int n = input_count(300'000);
  std::vector<double> sample;
  std::array<double, 5> moments{};
  // Bins of width 1/8 to ±4, and two beyond.
  std::vector<int> counts(66);
  std::vector<double> expected(66);
  for (int i = 0; i < 66; ++i) {
    double from = i == 0 ? -infinity : (i - 1) / 8.0 - 4.0, to = i == 65 ? infinity : i / 8.0 - 4.0;
    expected[static_cast<std::size_t>(i)] = n * (normal_cumulative(to) - normal_cumulative(from));
  }
  for (int i = 0; i < n; ++i) {
    dd_real x = normal(random);
    ASSERT_TRUE(is_canonical(x));
    sample.push_back(x.hi);
    for (int p = 1; p <= 4; ++p) moments[static_cast<std::size_t>(p)] += std::pow(x.hi, p) / n;
    ++counts[static_cast<std::size_t>(std::clamp(std::floor(8.0 * (x.hi + 4.0)), -1.0, 64.0) + 1)];
  }
  // The variances of x, x², x³ and x⁴ are 1, 2, 15 and 96.
  EXPECT_LT(std::fabs(moments[1]), 4.0 * std::sqrt(1.0 / n));
  EXPECT_LT(std::fabs(moments[2] - 1.0), 4.0 * std::sqrt(2.0 / n));
  EXPECT_LT(std::fabs(moments[3]), 4.0 * std::sqrt(15.0 / n));
  EXPECT_LT(std::fabs(moments[4] - 3.0), 4.0 * std::sqrt(96.0 / n));
  EXPECT_LT(std::fabs(deviation(counts, expected)), 4.0);
  EXPECT_LT(distance(sample, normal_cumulative), 1.95);
}

// 6.3e-5 of all lie beyond 4, and 5.7e-7 beyond 5.
TEST(NormalDistribution, HasTails) {
  std::mt19937_64 random(3);
  normal_distribution normal;
  const int n = input_count(1'000'000);
  std::array<int, 6> beyond{};
  for (int i = 0; i < n; ++i) {
    double x = std::fabs(normal(random).hi);
    for (std::size_t limit = 1; limit < 6; ++limit) beyond[limit] += x > static_cast<double>(limit);
  }
  for (std::size_t limit = 1; limit < 6; ++limit) {
    double expected = n * std::erfc(static_cast<double>(limit) / std::sqrt(2.0));
    EXPECT_LT(std::fabs(beyond[limit] - expected), 4.0 * std::sqrt(expected) + 2.0) << limit;
  }
}

// lo in units of half a unit of hi is uniform, whatever hi, and so are its own low bits.
TEST(NormalDistribution, FillsTheLowWord) {
  for (int engine = 0; engine < 2; ++engine) {
    std::mt19937_64 random(4);
    std::minstd_rand coarse(4);
    normal_distribution normal;
    const int n = input_count(100'000);
    std::vector<double> places;
    std::vector<int> low(256);
    std::vector<double> expected(256, n / 256.0);
    int of_one_sign = 0;
    for (int i = 0; i < n; ++i) {
      dd_real x = engine == 0 ? normal(random) : normal(coarse);
      double unit = std::ldexp(1.0, std::ilogb(x.hi) - 52);
      places.push_back(0.5 + x.lo / unit);
      of_one_sign += signbit(x) == (x.lo < 0);
      ++low[static_cast<std::size_t>(static_cast<std::int64_t>(std::ldexp(std::fabs(x.lo) / unit, 53)) & 255)];
    }
    EXPECT_LT(distance(places, [](double x) { return x; }), 1.95) << engine;
    EXPECT_LT(std::fabs(of_one_sign - 0.5 * n), 4.0 * 0.5 * std::sqrt(n)) << engine;
    EXPECT_LT(std::fabs(deviation(low, expected)), 4.0) << engine;
  }
}

TEST(NormalDistribution, ScalesAndShifts) {
  std::mt19937_64 random(5), copy(5);
  normal_distribution unit, scaled(-7, dd_real(1) / 3);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(scaled(random), dd_real(-7) + dd_real(1) / 3 * unit(copy));
}

TEST(NormalDistribution, RefusesWhatIsNoDistribution) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  expect_error<normal_distribution>(0, 0, "stddev = 0,");
  expect_error<normal_distribution>(0, -1, "stddev = -1,");
  expect_error<normal_distribution>(nan, 1, "mean = nan");
  expect_error<normal_distribution>(infinity, 1, "mean = inf");
  expect_error<normal_distribution>(1, infinity, "stddev = inf");
}

TEST(NormalDistribution, IsADistributionOfTheStandard) {
  normal_distribution d, e(2, 3);
  EXPECT_EQ(d.mean(), dd_real(0));
  EXPECT_EQ(d.stddev(), dd_real(1));
  EXPECT_NE(d, e);
  d.param(e.param());
  EXPECT_EQ(d, e);
  d.reset();
  EXPECT_EQ(d.min(), -d.max());
  std::mt19937 random(5), copy(5);
  EXPECT_EQ(d(random), normal_distribution()(copy, normal_distribution::param_type(2, 3)));
}

}  // namespace
