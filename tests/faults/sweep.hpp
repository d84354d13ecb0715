// A scenario again and again, with another call failing each time, in a process of its own.
#pragma once

#include <cstdint>
#include <string>

#include "faults.hpp"

namespace hilo::test::faults {

struct Sweep {
  std::string scenario;
  When when = When::once;
  std::int64_t first = 1, last = 0, stride = 1;  ///< calls; last = 0: until a run has no such call
  cl_int status = 0;                             ///< 0: usual_statuses in turn
};

/// A line for each fault, "begin CALL" and then "end CALL NAME STATUS VERDICT": answered (an error that names the
/// call), absorbed (no error, and all is right), or what is wrong. At the end "done CALLS", how many a run has.
void run(const Sweep& sweep);

/// One run from the first call of the process on, with one call failing (0: none), then another without. Lines as
/// above, and "ran TEXT" of the second.
void run_cold(const std::string& scenario, std::int64_t call, cl_int status);

/// Threads with queues of one context, in which calls fail at random. "end" for each thread.
void run_threads(int threads, int rounds, std::uint64_t seed);

}  // namespace hilo::test::faults
