// The OpenCL entry points that hilo uses, each of which may be made to fail before it passes a call on. There is no
// other OpenCL library where this is linked: what hilo calls and this lacks does not link.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "faults.hpp"

// Of OpenCL 3.0.
extern "C" cl_mem clCreateBufferWithProperties(cl_context, const std::uint64_t*, cl_mem_flags, size_t, void*, cl_int*);

namespace {

using namespace hilo::test::faults;

void* library() {
  static void* const loaded = [] {
    void* found = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!found) std::fprintf(stderr, "%s\n", dlerror()), std::abort();
    return found;
  }();
  return loaded;
}

template <class Function>
Function* installed(const char* name) {
  void* found = dlsym(library(), name);
  if (!found) std::fprintf(stderr, "%s\n", dlerror()), std::abort();
  return reinterpret_cast<Function*>(found);
}

#define INSTALLED(name)                                        \
  ([] {                                                        \
    static auto* const f = installed<decltype(::name)>(#name); \
    return f;                                                  \
  }())

template <class Object>
Object made(Kind kind, Object object) {
  if (object) note_created(kind, object);
  return object;
}

template <class Call>
cl_int enqueue(const char* name, cl_event* event, Call call) {
  if (cl_int status = next_call(name)) return status;
  const cl_int status = call();
  if (status == CL_SUCCESS && event) note_created(Kind::event, *event);
  return status;
}

template <class Object>
Object refuse(cl_int status, cl_int* out) {
  if (out) *out = status;
  return nullptr;
}

}  // namespace

// Calls that only ask, wait or set.
#define PASS(name, parameters, ...)                      \
  cl_int name parameters {                               \
    if (cl_int status = next_call(#name)) return status; \
    return INSTALLED(name)(__VA_ARGS__);                 \
  }

// Commands: the last parameter is their event.
#define COMMAND(name, parameters, ...)                                                 \
  cl_int name parameters {                                                             \
    return enqueue(#name, event, [&] { return INSTALLED(name)(__VA_ARGS__, event); }); \
  }

// What makes an object: the last parameter is the status.
#define MAKE(type, kind, name, parameters, ...)                             \
  type name parameters {                                                    \
    if (cl_int status = next_call(#name)) return refuse<type>(status, out); \
    return made(Kind::kind, INSTALLED(name)(__VA_ARGS__, out));             \
  }

#define REFERENCES(type, kind, retain, release)                                          \
  cl_int retain(type x) {                                                                \
    if (cl_int status = next_call(#retain, true)) return status;                         \
    const cl_int status = INSTALLED(retain)(x);                                          \
    if (status == CL_SUCCESS) note_retained(Kind::kind, x);                              \
    return status;                                                                       \
  }                                                                                      \
  cl_int release(type x) {                                                               \
    if (cl_int status = next_call(#release, true)) {                                     \
      note_failed_release(x, [](void* p) { INSTALLED(release)(static_cast<type>(p)); }); \
      return status;                                                                     \
    }                                                                                    \
    return note_released(x) ? INSTALLED(release)(x) : CL_INVALID_VALUE;                  \
  }

// The header's names for parameters say less.
using Size = const size_t*;
using Events = const cl_event*;

PASS(clGetPlatformIDs, (cl_uint n, cl_platform_id* found, cl_uint* count), n, found, count)
PASS(clGetPlatformInfo, (cl_platform_id x, cl_platform_info what, size_t n, void* to, size_t* size), x, what, n, to,
     size)
PASS(clGetDeviceIDs, (cl_platform_id x, cl_device_type type, cl_uint n, cl_device_id* found, cl_uint* count), x, type,
     n, found, count)
PASS(clGetDeviceInfo, (cl_device_id x, cl_device_info what, size_t n, void* to, size_t* size), x, what, n, to, size)
PASS(clGetContextInfo, (cl_context x, cl_context_info what, size_t n, void* to, size_t* size), x, what, n, to, size)
PASS(clGetCommandQueueInfo, (cl_command_queue x, cl_command_queue_info what, size_t n, void* to, size_t* size), x, what,
     n, to, size)
PASS(clGetMemObjectInfo, (cl_mem x, cl_mem_info what, size_t n, void* to, size_t* size), x, what, n, to, size)
PASS(clGetProgramInfo, (cl_program x, cl_program_info what, size_t n, void* to, size_t* size), x, what, n, to, size)
PASS(clGetProgramBuildInfo,
     (cl_program x, cl_device_id d, cl_program_build_info what, size_t n, void* to, size_t* size), x, d, what, n, to,
     size)
PASS(clGetKernelInfo, (cl_kernel x, cl_kernel_info what, size_t n, void* to, size_t* size), x, what, n, to, size)
PASS(clGetEventInfo, (cl_event x, cl_event_info what, size_t n, void* to, size_t* size), x, what, n, to, size)
PASS(clGetEventProfilingInfo, (cl_event x, cl_profiling_info what, size_t n, void* to, size_t* size), x, what, n, to,
     size)
PASS(clSetKernelArg, (cl_kernel x, cl_uint i, size_t size, const void* value), x, i, size, value)
PASS(clBuildProgram,
     (cl_program x, cl_uint n, const cl_device_id* devices, const char* options,
      void(CL_CALLBACK* done)(cl_program, void*), void* data),
     x, n, devices, options, done, data)
PASS(clWaitForEvents, (cl_uint n, Events events), n, events)
PASS(clFlush, (cl_command_queue x), x)
PASS(clFinish, (cl_command_queue x), x)

COMMAND(clEnqueueReadBuffer,
        (cl_command_queue q, cl_mem x, cl_bool blocks, size_t first, size_t n, void* to, cl_uint count, Events wait,
         cl_event* event),
        q, x, blocks, first, n, to, count, wait)
COMMAND(clEnqueueWriteBuffer,
        (cl_command_queue q, cl_mem x, cl_bool blocks, size_t first, size_t n, const void* from, cl_uint count,
         Events wait, cl_event* event),
        q, x, blocks, first, n, from, count, wait)
COMMAND(clEnqueueReadBufferRect,
        (cl_command_queue q, cl_mem x, cl_bool blocks, Size origin, Size host_origin, Size region, size_t row,
         size_t slice, size_t host_row, size_t host_slice, void* to, cl_uint count, Events wait, cl_event* event),
        q, x, blocks, origin, host_origin, region, row, slice, host_row, host_slice, to, count, wait)
COMMAND(clEnqueueWriteBufferRect,
        (cl_command_queue q, cl_mem x, cl_bool blocks, Size origin, Size host_origin, Size region, size_t row,
         size_t slice, size_t host_row, size_t host_slice, const void* from, cl_uint count, Events wait,
         cl_event* event),
        q, x, blocks, origin, host_origin, region, row, slice, host_row, host_slice, from, count, wait)
COMMAND(clEnqueueCopyBuffer,
        (cl_command_queue q, cl_mem x, cl_mem y, size_t first_of_x, size_t first_of_y, size_t n, cl_uint count,
         Events wait, cl_event* event),
        q, x, y, first_of_x, first_of_y, n, count, wait)
COMMAND(clEnqueueCopyBufferRect,
        (cl_command_queue q, cl_mem x, cl_mem y, const size_t* origin_of_x, const size_t* origin_of_y,
         const size_t* region, size_t row_of_x, size_t slice_of_x, size_t row_of_y, size_t slice_of_y, cl_uint count,
         Events wait, cl_event* event),
        q, x, y, origin_of_x, origin_of_y, region, row_of_x, slice_of_x, row_of_y, slice_of_y, count, wait)
COMMAND(clEnqueueFillBuffer,
        (cl_command_queue q, cl_mem x, const void* pattern, size_t bytes, size_t first, size_t n, cl_uint count,
         Events wait, cl_event* event),
        q, x, pattern, bytes, first, n, count, wait)
COMMAND(clEnqueueNDRangeKernel,
        (cl_command_queue q, cl_kernel x, cl_uint n, Size offset, Size global, Size local, cl_uint count, Events wait,
         cl_event* event),
        q, x, n, offset, global, local, count, wait)
COMMAND(clEnqueueMarkerWithWaitList, (cl_command_queue q, cl_uint count, Events wait, cl_event* event), q, count, wait)

cl_int clEnqueueUnmapMemObject(cl_command_queue q, cl_mem x, void* memory, cl_uint count, Events wait,
                               cl_event* event) {
  return enqueue("clEnqueueUnmapMemObject", event, [&] {
    const cl_int status = INSTALLED(clEnqueueUnmapMemObject)(q, x, memory, count, wait, event);
    if (status == CL_SUCCESS) note_mapped(x, -1);
    return status;
  });
}

void* clGetExtensionFunctionAddressForPlatform(cl_platform_id x, const char* name) {
  if (next_call("clGetExtensionFunctionAddressForPlatform")) return nullptr;
  return INSTALLED(clGetExtensionFunctionAddressForPlatform)(x, name);
}

void* clEnqueueMapBuffer(cl_command_queue q, cl_mem x, cl_bool blocks, cl_map_flags flags, size_t first, size_t n,
                         cl_uint count, Events wait, cl_event* event, cl_int* out) {
  if (cl_int status = next_call("clEnqueueMapBuffer")) return refuse<void*>(status, out);
  void* memory = INSTALLED(clEnqueueMapBuffer)(q, x, blocks, flags, first, n, count, wait, event, out);
  if (memory) note_mapped(x, 1);
  if (memory && event) note_created(Kind::event, *event);
  return memory;
}

MAKE(cl_context, context, clCreateContext,
     (const cl_context_properties* properties, cl_uint n, const cl_device_id* devices,
      void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* data, cl_int* out),
     properties, n, devices, notify, data)
MAKE(cl_command_queue, queue, clCreateCommandQueue,
     (cl_context x, cl_device_id device, cl_command_queue_properties properties, cl_int* out), x, device, properties)
MAKE(cl_mem, buffer, clCreateBuffer, (cl_context x, cl_mem_flags flags, size_t n, void* from, cl_int* out), x, flags, n,
     from)
MAKE(cl_mem, buffer, clCreateBufferWithProperties,
     (cl_context x, const std::uint64_t* properties, cl_mem_flags flags, size_t n, void* from, cl_int* out), x,
     properties, flags, n, from)
MAKE(cl_program, program, clCreateProgramWithSource,
     (cl_context x, cl_uint n, const char** texts, const size_t* sizes, cl_int* out), x, n, texts, sizes)
MAKE(cl_program, program, clCreateProgramWithBinary,
     (cl_context x, cl_uint n, const cl_device_id* devices, const size_t* sizes, const unsigned char** binaries,
      cl_int* each, cl_int* out),
     x, n, devices, sizes, binaries, each)
MAKE(cl_kernel, kernel, clCreateKernel, (cl_program x, const char* name, cl_int* out), x, name)

REFERENCES(cl_context, context, clRetainContext, clReleaseContext)
REFERENCES(cl_device_id, device, clRetainDevice, clReleaseDevice)
REFERENCES(cl_command_queue, queue, clRetainCommandQueue, clReleaseCommandQueue)
REFERENCES(cl_mem, buffer, clRetainMemObject, clReleaseMemObject)
REFERENCES(cl_program, program, clRetainProgram, clReleaseProgram)
REFERENCES(cl_kernel, kernel, clRetainKernel, clReleaseKernel)
REFERENCES(cl_event, event, clRetainEvent, clReleaseEvent)
