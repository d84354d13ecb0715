// A call on the host: its threads, and the memory that it borrows. The verbs are those of opencl::Call.
#pragma once

#include <cstdint>
#include <list>

#include "host/team.hpp"
#include "host/workspace.hpp"

namespace hilo::host {

class Call {
 public:
  /// 0 is OpenMP's number of threads.
  explicit Call(int threads) : threads_(threads > 0 ? threads : default_threads()) {}

  int threads() const { return threads_; }

  /// At least so many bytes, aligned for any vector, until the end of the call. Throws std::bad_alloc.
  double* borrow(std::int64_t bytes) { return memory_.emplace_back(bytes).data(); }

  /// The same for who gives it back earlier, by its end.
  Workspace lend(std::int64_t bytes) { return Workspace(bytes); }

 private:
  int threads_;
  std::list<Workspace> memory_;
};

}  // namespace hilo::host
