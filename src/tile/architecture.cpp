#include "tile/architecture.hpp"

namespace hilo::tile {

std::string architecture_of(const DeviceInfo& device) {
  if (device.compute_capability > 0) return "sm_" + std::to_string(device.compute_capability);
  // "OpenCL 3.0 PoCL HSTR: pthread-x86_64-pc-linux-gnu-skylake-avx512": the driver and the triple of the host.
  constexpr std::string_view mark = "HSTR: ";
  const std::size_t host = device.version.find(mark);
  if (device.type != DeviceType::cpu || device.vector_width == 0 || host == std::string::npos) return "";
  const std::size_t begin = device.version.find('-', host + mark.size());
  if (begin == std::string::npos) return "";
  const std::size_t end = device.version.find('-', begin + 1);
  if (end == std::string::npos) return "";
  return "pocl" + device.version.substr(begin, end - begin) + "-" + std::to_string(64 * device.vector_width);
}

}  // namespace hilo::tile
