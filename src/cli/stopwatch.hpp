// Time that passes.
#pragma once

#include <chrono>

namespace hilo::cli {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point start_ = clock::now();
};

}  // namespace hilo::cli
