// Memory of a device that its driver lets OpenCL contexts of other devices map, which OpenCL itself cannot make: of
// NVIDIA's driver, whose library is loaded when it is first asked for, and where it is absent there is none.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace hilo::opencl {

/// A device's UUID.
using DeviceId = std::array<unsigned char, 16>;

/// Stays as long as somebody has it mapped.
class ExportedMemory {
 public:
  /// At least so many bytes of the device `owner`. None where a reader's device does not reach it, nor where there is
  /// too little.
  static std::optional<ExportedMemory> make(const DeviceId& owner, const std::vector<DeviceId>& readers,
                                            std::size_t bytes);
  ExportedMemory(ExportedMemory&& other) noexcept;
  ExportedMemory& operator=(ExportedMemory&&) = delete;
  ~ExportedMemory();

  std::size_t bytes() const { return bytes_; }
  /// A file descriptor of it, which the caller has to close, or to give away; -1 where there is none to be had.
  int descriptor() const;

 private:
  ExportedMemory(unsigned long long handle, std::size_t bytes) : handle_(handle), bytes_(bytes) {}

  unsigned long long handle_;  // 0: moved from
  std::size_t bytes_;
};

}  // namespace hilo::opencl
