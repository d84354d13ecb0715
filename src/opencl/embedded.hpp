// The kernels' text, embedded when building (cmake/EmbedKernels.cmake).
#pragma once

#include <cstddef>

namespace hilo::opencl {

struct EmbeddedFile {
  const char* name;  ///< its path from kernels/ or include/
  const unsigned char* bytes;
  std::size_t size;
};
extern const EmbeddedFile embedded_files[];
extern const std::size_t embedded_file_count;

}  // namespace hilo::opencl
