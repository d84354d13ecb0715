// Pinned host memory that callers hold, and who lies in it.
#pragma once

#include <cstddef>

namespace hilo::opencl {

/// Whether all of these bytes are a caller's pinned memory (HostBuffer) now.
bool is_pinned(const void* first, std::size_t bytes);

}  // namespace hilo::opencl
