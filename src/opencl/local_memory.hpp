// Local memory of a device.
#pragma once

#include <hilo/device.hpp>

namespace hilo::opencl {

/// Bytes of local memory that a work-group may have. NVIDIA's driver reports 48 KiB, whatever a device has; source:
/// CUDA C++ Programming Guide, technical specifications per compute capability.
inline std::int64_t local_memory(const DeviceInfo& device) {
  switch (device.compute_capability) {
    case 70:
      return 96 << 10;
    case 75:
      return 64 << 10;
    case 80:
    case 87:
      return 163 << 10;
    case 90:
    case 100:
    case 103:
      return 227 << 10;
    default:
      return device.compute_capability > 80 ? 99 << 10 : device.local_memory;
  }
}

}  // namespace hilo::opencl
