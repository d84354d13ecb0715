#include "tile/run.hpp"

#include <algorithm>

namespace hilo::tile {

std::int64_t default_workspace(const DeviceInfo& device) {
  // A CPU's memory is everybody's.
  const std::int64_t least = std::int64_t{1} << 30;
  const std::int64_t share = device.type == DeviceType::cpu ? least : std::max(least, device.global_memory / 16);
  return std::min({share, device.global_memory / 4, device.max_allocation});
}

}  // namespace hilo::tile
