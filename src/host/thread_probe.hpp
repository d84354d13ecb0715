// What can be had of the system now, for libraries that end the process where they do not get it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hilo::host {

/// How many of `count` more threads can be started. All of them have ended on return.
int startable_threads(int count);

/// Whether there is room for the stacks of so many more.
bool has_stacks(int threads);

/// Whether malloc has so many bytes for the calling thread, in each of `blocks` blocks.
bool has_memory(std::size_t bytes, std::int64_t blocks = 1);

}  // namespace hilo::host
