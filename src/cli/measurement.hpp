// Measurements that take minutes: what they find is told as it comes, and kept where an interrupt ends the program.
#pragma once

#include <functional>
#include <mutex>

#include "cli/interrupt.hpp"
#include "cli/progress.hpp"

namespace hilo::cli {

/// To be made before other threads begin, as Interrupt is.
class Measurement {
 public:
  /// Calls `measure` and then finish(false). An interrupt (Ctrl-C) ends the program at once with the line of `progress`
  /// taken away, finish(true) called and exit code 130, or 4 where that throws.
  void run(Progress& progress, const std::function<void()>& measure,
           const std::function<void(bool is_interrupted)>& finish);

  /// For `measure`: calls what changes or prints the findings, not while `finish` does so.
  template <class Function>
  void tell(Function change) {
    const std::lock_guard lock(mutex_);
    change();
  }

 private:
  std::mutex mutex_;  // of all that is told, which an interrupt takes hold of
  bool is_finished_ = false;
  Interrupt interrupt_;
};

}  // namespace hilo::cli
