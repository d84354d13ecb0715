// Times of candidates that take turns: a noisy machine slows them alike, and ratios within a round are what to quote.
// What one thread does is timed by the processor time it takes, of which other programs on the machine take none.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <functional>
#include <vector>

namespace hilo::bench {

inline double seconds(int threads, const std::function<void()>& run) {
  auto wall = std::chrono::steady_clock::now();
  std::clock_t processor = std::clock();
  run();
  if (threads == 1) return static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
}

inline double median(std::vector<double> x) {
  auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  return *middle;
}

class Rounds {
 public:
  /// A candidate that takes less than `least` seconds is repeated, so that each of its turns takes so long.
  Rounds(const std::vector<std::function<void()>>& candidates, int threads, int rounds, double least = 0.0) {
    std::vector<int> repeats;
    for (const auto& run : candidates) {
      double t = seconds(threads, run);
      if (t < least) t = seconds(threads, run);  // the first run also makes kernels and touches memory
      repeats.push_back(static_cast<int>(std::min(least / std::max(t, 1e-6), 1e6)) + 1);
    }
    times_.assign(static_cast<std::size_t>(rounds), std::vector<double>(candidates.size()));
    for (auto& round : times_) {
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        double t = seconds(threads, [&] {
          for (int s = 0; s < repeats[i]; ++s) candidates[i]();
        });
        round[i] = t / repeats[i];
      }
    }
  }

  /// Median over the rounds of a function of the candidates' seconds.
  template <class F>
  double over_rounds(F f) const {
    std::vector<double> x;
    for (const auto& round : times_) x.push_back(f(round));
    return median(x);
  }
  double time(std::size_t i) const {
    return over_rounds([i](const std::vector<double>& t) { return t[i]; });
  }
  double ratio(std::size_t i, std::size_t j) const {
    return over_rounds([i, j](const std::vector<double>& t) { return t[i] / t[j]; });
  }

 private:
  std::vector<std::vector<double>> times_;
};

}  // namespace hilo::bench
