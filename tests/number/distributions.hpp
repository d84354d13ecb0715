// Samples of distributions against what they are samples of, and an engine that returns what it is told.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <hilo/dd_real.hpp>
#include <hilo/error.hpp>
#include <string>
#include <vector>

namespace hilo::testing {

// An engine that returns what it is told.
struct Script {
  using result_type = std::uint64_t;
  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }
  std::uint64_t operator()() { return values.at(next++); }
  std::vector<std::uint64_t> values;
  std::size_t next = 0;
};

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
inline double deviation(const std::vector<int>& counts, const std::vector<double>& expected) {
  double sum = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    sum += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
  double freedom = static_cast<double>(counts.size() - 1);
  return (sum - freedom) / std::sqrt(2.0 * freedom);
}

// The constructor refuses them, in words that have this part.
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

}  // namespace hilo::testing
