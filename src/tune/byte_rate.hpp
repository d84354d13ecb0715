// How many products of bytes a second a device computes: the ceiling of its modular products.
#pragma once

#include <hilo/device.hpp>

namespace hilo::tune {

/// Products of bytes with their additions a second, by the kernel that multiplies residues of large modular products
/// there, on matrices as large as take a millisecond: the best of some 0.2 s. The queue has profiling. Throws as
/// modular::byte_unit does, and hilo::error as a kernel does.
double byte_rate(Queue& queue);

}  // namespace hilo::tune
