// Where a matrix lies in device memory.
#pragma once

#include "matrix/arguments.hpp"
#include "opencl/native.hpp"

namespace hilo {

/// Bytes of a memory object, or of the one that it is a part of.
struct Extent {
  cl_mem memory;
  Footprint bytes;
};

inline Extent extent_of(_cl_mem* memory, Footprint bytes) {
  cl::Buffer buffer(memory, true);
  const auto parent =
      opencl::asked<cl_mem>(clGetMemObjectInfo, "clGetMemObjectInfo", memory, CL_MEM_ASSOCIATED_MEMOBJECT);
  bytes.begin += static_cast<std::int64_t>(parent ? buffer.getInfo<CL_MEM_OFFSET>() : 0);
  return {parent ? parent : memory, bytes};
}

}  // namespace hilo
