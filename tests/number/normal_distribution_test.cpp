// Normal double-doubles: the bits of a draw, what the algorithm rejects, and samples against the distribution.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <hilo/interop/mpfr.hpp>
#include <hilo/math/basic.hpp>
#include <hilo/random.hpp>
#include <limits>
#include <random>
#include <vector>

#include "dd_against_mpfr.hpp"
#include "distributions.hpp"

namespace {

using hilo::dd_real;
using hilo::normal_distribution;
using hilo::testing::deviation;
using hilo::testing::distance;
using hilo::testing::Exact;
using hilo::testing::expect_error;
using hilo::testing::input_count;
using hilo::testing::is_canonical;
using hilo::testing::Script;

constexpr double infinity = std::numeric_limits<double>::infinity();

double normal_cumulative(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

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
