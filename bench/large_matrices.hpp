// What benchmarks of matrices of many gigabytes have in common: filling, comparing and timing them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include "random.hpp"

namespace hilo::bench {

inline constexpr int rounds = 3;

/// Seconds of run(), the median of rounds after one that counts for nothing. prepare() comes before each.
template <class Run, class Prepare>
double median(Run run, Prepare prepare) {
  std::vector<double> times;
  for (int round = 0; round <= rounds; ++round) {
    prepare();
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (round > 0) times.push_back(time.count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

template <class Run>
double median(Run run) {
  return median(run, [] {});
}

// work(part, first, last) of so many elements, by threads: of large matrices one takes longer than all products.
template <class Work>
void by_parts(std::int64_t count, Work work) {
  std::vector<std::thread> threads;
  constexpr int parts = 16;
  for (int part = 0; part < parts; ++part) {
    threads.emplace_back([=] { work(part, count * part / parts, count * (part + 1) / parts); });
  }
  for (std::thread& t : threads) t.join();
}

template <class T>
void fill(T* x, std::int64_t count, int seed) {
  by_parts(count, [=](int part, std::int64_t first, std::int64_t last) {
    constexpr std::int64_t at_once = 1 << 20;
    for (std::int64_t i = first; i < last; i += at_once) {
      const std::int64_t some = std::min(at_once, last - i);
      const std::vector<T> drawn = random<T>(some, static_cast<std::uint64_t>(seed * 16 + part + i));
      std::copy(drawn.begin(), drawn.end(), x + i);
    }
  });
}

// Of all bytes, for who wants to know whether they are the same.
template <class T>
std::uint64_t checksum(const T* x, std::int64_t count) {
  std::vector<std::uint64_t> sums(16);
  by_parts(count, [x, &sums](int part, std::int64_t first, std::int64_t last) {
    const auto* words = reinterpret_cast<const std::uint64_t*>(x + first);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < sizeof(T) / 8 * static_cast<std::size_t>(last - first); ++i) {
      sum = (sum ^ words[i]) * 0x9e3779b97f4a7c15u;
    }
    sums[static_cast<std::size_t>(part)] = sum;
  });
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}, [](auto all, auto s) { return all * 31 + s; });
}

}  // namespace hilo::bench
