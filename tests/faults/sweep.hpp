// A scenario again and again, with another call failing each time, in a process of its own.
#pragma once

#include <cstdint>
#include <string>

#include "faults.hpp"

namespace hilo::test::faults {

struct Sweep {
  std::string scenario;
  When when = When::once;
  std::int64_t first = 1;   ///< 0: the one in the middle of a stride
  std::int64_t stride = 1;  ///< 0: for about `samples` of a run's calls
  std::int64_t samples = 0;
  cl_int status = 0;  ///< 0: usual_statuses in turn
};

/// "stride STRIDE" and a line for each fault, "begin CALL" and then "end CALL NAME STATUS VERDICT": answered (an error
/// that names the call), absorbed (no error, and all is right), or what is wrong. Until a run has no such call; then
/// "done CALLS", how many it has.
void run(const Sweep& sweep);

/// One run from the first call of the process on, with one call failing (0: none), then another without. Lines as
/// above, and "ran TEXT" of the second.
void run_cold(const std::string& scenario, std::int64_t call, cl_int status);

/// Threads with queues of one context, in which calls fail at random. "end" for each thread.
void run_threads(int threads, int rounds, std::uint64_t seed);

}  // namespace hilo::test::faults
