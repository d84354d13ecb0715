// The spelling of DeviceType, with OpenCL or without.
#include <hilo/device.hpp>

namespace hilo {

std::string_view name(DeviceType type) {
  switch (type) {
    case DeviceType::cpu:
      return "cpu";
    case DeviceType::gpu:
      return "gpu";
    case DeviceType::accelerator:
      return "accelerator";
    case DeviceType::other:
      break;
  }
  return "other";
}

}  // namespace hilo
