// How much memory there is for matrices.
#pragma once

#include <cstdint>

namespace hilo::data {

/// What is left for this process beside what it holds already, of the machine's memory, or of its control group's or
/// RLIMIT_AS's share of it; 0 where nothing is.
std::int64_t free_bytes();

}  // namespace hilo::data
