// Of the seconds that runs took.
#pragma once

#include <algorithm>
#include <vector>

namespace hilo::cli {

/// The least.
inline double best(const std::vector<double>& seconds) { return *std::min_element(seconds.begin(), seconds.end()); }

/// The one in the middle, or the mean of the two.
inline double median(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  std::size_t half = seconds.size() / 2;
  return seconds.size() % 2 ? seconds[half] : 0.5 * (seconds[half - 1] + seconds[half]);
}

}  // namespace hilo::cli
