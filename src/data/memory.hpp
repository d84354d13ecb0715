// How much memory there is for matrices.
#pragma once

#include <cstdint>

namespace hilo::data {

/// What this process may have at most: the machine's memory, or its control group's or RLIMIT_AS's share of it.
std::int64_t memory_bytes();

/// What is left of it beside what the process holds already; 0 where nothing is.
std::int64_t free_bytes();

}  // namespace hilo::data
