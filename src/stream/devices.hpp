// The devices of a group as products take them.
#pragma once

#include <cstddef>
#include <hilo/device_group.hpp>
#include <vector>

#include "opencl/call.hpp"

namespace hilo::stream {

class PeerRings;

/// Devices that compute together, at least one; the first one plans.
struct Devices {
  std::vector<opencl::QueueState*> all;
  PeerRings* rings = nullptr;  ///< of a group of several

  std::size_t size() const { return all.size(); }
  opencl::QueueState* front() const { return all.front(); }
  auto begin() const { return all.begin(); }
  auto end() const { return all.end(); }
};

inline Devices devices_of(const DeviceGroup& group) {
  Devices devices;
  for (int i = 0; i < group.size(); ++i) devices.all.push_back(group.queue(i).state().get());
  devices.rings = group.rings().get();
  return devices;
}

}  // namespace hilo::stream
