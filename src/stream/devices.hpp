// The devices of a group as products take them.
#pragma once

#include <hilo/device_group.hpp>

#include "stream/multiply.hpp"

namespace hilo::stream {

inline Devices devices_of(const DeviceGroup& group) {
  Devices devices;
  for (int i = 0; i < group.size(); ++i) devices.all.push_back(group.queue(i).state().get());
  devices.rings = group.rings().get();
  return devices;
}

}  // namespace hilo::stream
