// Something timed again and again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "cli/gemm/request.hpp"
#include "cli/stopwatch.hpp"

namespace hilo::cli {

/// Told before each run, those to warm up too, how many are done and how many there will be at least.
using RunWatch = std::function<void(std::int64_t done, std::int64_t all)>;

/// How many a request has at least, those to warm up too.
inline std::int64_t runs_of(const GemmRequest& request) { return std::int64_t{request.warmup} + request.repeat; }

/// Counts runs for their watcher.
struct Runs {
  const RunWatch& watch;
  std::int64_t all;
  std::int64_t done = 0;

  void begin() {
    watch(done, std::max(all, done + 1));
    ++done;
  }
};

/// What `timed` returns, as often as the request wants, after runs that do not count.
template <class Function>
auto repeated(const GemmRequest& request, Runs& runs, Function timed) {
  auto run = [&] {
    runs.begin();
    return timed();
  };
  for (int i = 0; i < request.warmup; ++i) run();
  std::vector<decltype(run())> found;
  Stopwatch watch;
  while (std::ssize(found) < request.repeat || watch.seconds() < request.least_seconds) found.push_back(run());
  return found;
}

}  // namespace hilo::cli
