// Of the seconds that runs took.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace hilo::cli {

/// The least.
inline double best(const std::vector<double>& seconds) { return *std::min_element(seconds.begin(), seconds.end()); }

/// What lies below so large a part of them, between two of them by interpolation.
inline double quantile(std::vector<double> seconds, double part) {
  std::sort(seconds.begin(), seconds.end());
  const double place = part * static_cast<double>(seconds.size() - 1);
  const auto below = static_cast<std::size_t>(place), above = std::min(below + 1, seconds.size() - 1);
  return std::lerp(seconds[below], seconds[above], place - static_cast<double>(below));
}

/// The one in the middle, or the mean of the two.
inline double median(const std::vector<double>& seconds) { return quantile(seconds, 0.5); }

/// Half of the runs lie between the quartiles.
struct Times {
  std::int64_t runs;
  double least, first_quartile, median, third_quartile, most;
};

inline Times times(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {std::ssize(seconds),    seconds.front(),         quantile(seconds, 0.25),
          quantile(seconds, 0.5), quantile(seconds, 0.75), seconds.back()};
}

}  // namespace hilo::cli
