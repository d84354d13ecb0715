// How much of a device's memory a product may take, and is reckoned to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <hilo/device.hpp>
#include <hilo/gemm.hpp>

namespace hilo::stream {

/// Device memory that a product may take.
inline std::int64_t device_bytes(const DeviceInfo& device, const GemmOptions& options) {
  // Others have some of it.
  const std::int64_t most = device.global_memory - device.global_memory / 8;
  return options.device_bytes > 0 ? std::min(options.device_bytes, most) : most;
}

/// What a product's workspace is reckoned with beside matrices: one that names no bound makes do with a quarter of the
/// device's memory.
inline std::int64_t needed_workspace(const GemmPlan& told, const DeviceInfo& device, const GemmOptions& options) {
  return options.workspace_bytes ? told.workspace_bytes : std::min(told.workspace_bytes, device.global_memory / 4);
}

}  // namespace hilo::stream
