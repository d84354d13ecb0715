// Kernels changed by a test: embedded_kernel gives a kernel's text, replaced changes it, and a TemporaryFolder named by
// HILO_KERNEL_PATH plants it. kernel_of_bad_tiles has tiles that do not build or cannot be launched, on any device.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "opencl/embedded.hpp"

namespace hilo::test {

/// The text as the library has it, of a name below kernels/.
inline std::string embedded_kernel(std::string_view name) {
  for (std::size_t i = 0; i < opencl::embedded_file_count; ++i) {
    const opencl::EmbeddedFile& file = opencl::embedded_files[i];
    if (name == file.name) return {reinterpret_cast<const char*>(file.bytes), file.size};
  }
  throw std::runtime_error(std::string(name) + " is not embedded");
}

/// The text with the first `from` as `to`; it must have one, or nothing would be planted.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == text.npos) throw std::runtime_error("the text to change has no " + std::string(from));
  return text.replace(at, from.size(), to);
}

/// product/multiply.cl, which does not build where RASTER_ROWS is 3, and where it is 5 asks for a work-group of another
/// size than its own.
inline std::string kernel_of_bad_tiles() {
  return "#if RASTER_ROWS == 3\n#error no such tile\n#endif\n" +
         replaced(embedded_kernel("product/multiply.cl"), "reqd_work_group_size(ITEMS, 1, 1)",
                  "reqd_work_group_size(ITEMS + (RASTER_ROWS == 5), 1, 1)");
}

}  // namespace hilo::test
