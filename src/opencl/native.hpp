// What device.hpp's handles hold, on the OpenCL C++ bindings, and how their failures become hilo's.
#pragma once

#include <atomic>
#include <cstdint>
#include <hilo/device.hpp>
#include <hilo/error.hpp>
#include <memory>
#include <string>
#include <vector>

#include "host/floating_point.hpp"
#include "opencl/bindings.hpp"
#include "opencl/kernel_pool.hpp"
#include "opencl/memo.hpp"
#include "opencl/notes.hpp"
#include "opencl/pinned.hpp"
#include "opencl/program.hpp"
#include "opencl/staging.hpp"
#include "opencl/workspace.hpp"

namespace hilo::opencl {

struct ContextState {
  cl::Context context;
  cl::Device device;
  DeviceInfo info;
  ProgramStore programs;
  KernelPool kernels;
  Memo<cl::Buffer> tables;  ///< small ones, in device memory
  Memo<int> findings;       ///< what the device has
  WorkspacePool workspaces;
  WorkspacePool counters;  ///< 0 between calls
  StagingPool staging;
  StagingPool returning;  ///< for who copies back while another thread sends
  PinnedPool pinned;
  Notes notes;
  /// A product that names no bound of its workspace takes half of it where memory is short, and so on, but no less.
  std::int64_t least_workspace = std::int64_t{1} << 30;
  /// Of the buffers that callers have, which may outlive the context's handles.
  std::shared_ptr<std::atomic<std::int64_t>> buffer_bytes = std::make_shared<std::atomic<std::int64_t>>(0);

  ContextState(cl::Context c, cl::Device d);
};

/// Kernels in the order of their launch, for who measures a call's steps.
struct Trace {
  struct Launch {
    std::string kernel;
    cl::Event event;
  };
  std::vector<Launch> launches;
};

struct QueueState {
  std::shared_ptr<ContextState> context;
  cl::CommandQueue queue;
  bool in_order;
  bool is_profiled;
  Trace* trace = nullptr;  ///< filled by the calls on this queue where it is set
  /// Its commands wait for none of a caller's: for memory that other queues are busy with the host waits.
  bool stands_apart = false;
};

struct BufferState {
  cl::Buffer buffer;
  std::int64_t bytes;
  std::shared_ptr<std::atomic<std::int64_t>> counted = nullptr;  ///< where the bytes are counted; null: nowhere

  BufferState() = default;
  BufferState(const BufferState&) = delete;
  ~BufferState() {
    if (counted) *counted -= bytes;
  }
};

struct EventState {
  cl::Event first;  ///< null where nothing is timed
  cl::Event last;
};

DeviceInfo describe(const cl::Device& device);

/// Whether kernels may use what NVIDIA's warps of 32 work-items have (kernels/blas/warp.cl): from compute
/// capability 7.0 on.
inline bool has_warps(const DeviceInfo& device) { return device.compute_capability >= 70; }
/// A GPU with memory of its own, which is for nothing else.
inline bool has_own_memory(const DeviceInfo& device) { return device.type == DeviceType::gpu && !device.shares_memory; }

/// The native events of a wait list, without those that never were commands. Throws invalid_argument for one of another
/// context than the queue's, device_failure for one that has failed.
std::vector<cl::Event> native_events(const std::vector<Event>& wait_list, const Queue& queue);

/// "CL_OUT_OF_RESOURCES (-5)".
std::string status_name(cl_int status);

/// Whether a buffer that could not be made with this status may be for want of memory.
bool is_want_of_memory(cl_int status);

/// Throws hilo::error: out_of_memory for a status that says so, else device_failure.
[[noreturn]] void fail(const std::string& doing, const cl::Error& failure);

/// Within a handler: throws what is being handled as hilo's error, the bindings' and the standard library's alike.
[[noreturn]] void fail_as_error(const char* doing);

/// function() in IEEE arithmetic, with all that is not hilo's error turned into one; `doing` completes "OpenCL failed
/// while …". Every public call is within one.
template <class Function>
auto guarded(const char* doing, Function function) {
  host::IeeeArithmetic arithmetic;
  try {
    return function();
  } catch (...) {
    fail_as_error(doing);
  }
}

}  // namespace hilo::opencl
