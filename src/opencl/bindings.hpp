// The OpenCL C++ bindings, as hilo uses them: OpenCL 1.2, failures as cl::Error.
#pragma once

#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

namespace hilo::opencl {

/// To assign from: x = copied(y). The bindings' own assignment of y keeps a reference that it has failed to take, and
/// gives it back.
template <class Object>
Object copied(const Object& x) {
  return x;
}

/// What OpenCL says of an object, as it is: asked<cl_context>(clGetMemObjectInfo, "clGetMemObjectInfo", …). Where that
/// is another object, the bindings' own question takes a reference, and gives it back even where it got none.
template <class Value, class Ask, class Object>
Value asked(Ask ask, const char* name, Object object, cl_uint what) {
  Value value{};
  if (const cl_int status = ask(object, what, sizeof value, &value, nullptr)) throw cl::Error(status, name);
  return value;
}

inline cl_context context_of(cl_mem memory) {
  return asked<cl_context>(clGetMemObjectInfo, "clGetMemObjectInfo", memory, CL_MEM_CONTEXT);
}

}  // namespace hilo::opencl
