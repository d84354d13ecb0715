// What hilo throws.
#pragma once

#include <stdexcept>
#include <string>

namespace hilo {

/// The kind of failure; the message says which argument, its value and what was expected.
enum class errc {
  invalid_argument,   ///< a size, leading dimension, pointer or option that cannot be right
  overflow,           ///< a product of sizes past 2^63 − 1 bytes, or past what a library takes
  out_of_memory,      ///< host or device memory; but strings, as those of text.hpp, throw std::bad_alloc
  unsupported,        ///< right, but not by this build or device
  no_device,          ///< no such platform or device
  build_failure,      ///< a kernel that does not compile
  self_test_failure,  ///< a device whose arithmetic is not IEEE
  device_failure,     ///< an OpenCL call that failed
  io,                 ///< a file that cannot be opened, read or written
  parse               ///< text or a file that is not what it should be
};

/// Every failure of hilo. Outputs are as they were before the call that threw, but for what a device was writing when
/// it failed: a message then says that C is undefined, and of C in a device buffer each does that begins with "OpenCL
/// failed" (gemm.hpp, device.hpp).
class error : public std::runtime_error {
 public:
  error(errc code, const std::string& message) : std::runtime_error(message), code_(code) {}
  errc code() const noexcept { return code_; }

 private:
  errc code_;
};

}  // namespace hilo
