// Devices of one kind: what was measured on one of them serves the others.
#pragma once

#include <hilo/device.hpp>
#include <string>

namespace hilo::tile {

/// "sm_90" for NVIDIA's of compute capability 9.0, "pocl-x86_64-512" for PoCL's CPUs of that instruction set with
/// vectors of 512 bits; empty for others.
std::string architecture_of(const DeviceInfo& device);

}  // namespace hilo::tile
