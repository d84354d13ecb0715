// Device memory.
#include "opencl/native.hpp"

namespace hilo::detail {
namespace {

std::size_t range_start(const char* doing, std::int64_t bytes, std::int64_t element_bytes, std::int64_t first,
                        std::int64_t count, const void* host, const Queue& queue, const cl::Buffer& buffer) {
  std::int64_t size = bytes / element_bytes;
  if (first < 0 || count < 0 || first > size || count > size - first) {
    throw error(errc::invalid_argument, std::string("Buffer::") + doing + ": first = " + std::to_string(first) +
                                            ", count = " + std::to_string(count) + " is not within its " +
                                            std::to_string(size) + " elements");
  }
  if (count && !host) {
    throw error(errc::invalid_argument, std::string("Buffer::") + doing + ": the host pointer is null");
  }
  if (opencl::guarded("asking a buffer's context", [&] { return opencl::context_of(buffer()); }) !=
      queue.context().native()) {
    throw error(errc::invalid_argument, std::string("Buffer::") + doing + ": buffer and queue have different contexts");
  }
  return static_cast<std::size_t>(first * element_bytes);
}

}  // namespace

Memory::Memory(const Context& context, std::int64_t count, std::int64_t element_bytes) {
  opencl::guarded("making a buffer", [&] {
    if (count < 0) throw error(errc::invalid_argument, "Buffer: count = " + std::to_string(count) + " is negative");
    std::int64_t bytes;
    if (__builtin_mul_overflow(count, element_bytes, &bytes)) {
      throw error(errc::overflow, "Buffer: " + std::to_string(count) + " elements of " + std::to_string(element_bytes) +
                                      " bytes do not fit 64 bits");
    }
    const DeviceInfo& device = context.device();
    std::string sizes = "Buffer: " + std::to_string(bytes) + " bytes wanted, device " + device.name + " has " +
                        std::to_string(device.global_memory) + " and gives at most " +
                        std::to_string(device.max_allocation) + " at a time";
    if (bytes > device.max_allocation) throw error(errc::out_of_memory, sizes);
    opencl::ContextState& state = *context.state();
    // NVIDIA's driver gives memory when it is first used, where what is kept for the next product would be in the way.
    state.workspaces.let_go_beyond(opencl::usable_bytes(state) - bytes);
    try {
      // OpenCL has no empty buffers.
      cl::Buffer buffer(state.context, CL_MEM_READ_WRITE, static_cast<std::size_t>(bytes ? bytes : 1));
      state_ = std::make_shared<opencl::BufferState>();
      state_->buffer = std::move(buffer);
      state_->bytes = bytes;
      state_->counted = state.buffer_bytes;
      *state.buffer_bytes += bytes;
    } catch (const cl::Error& failure) {
      if (!opencl::is_want_of_memory(failure.err())) throw;
      throw error(errc::out_of_memory, sizes + "; clCreateBuffer returned " + opencl::status_name(failure.err()));
    }
  });
}

Memory::Memory(_cl_mem* memory) {
  if (!memory) throw error(errc::invalid_argument, "Buffer: the memory object is null");
  state_ = opencl::guarded("taking over a buffer", [&] {
    cl::Buffer buffer(memory, true);
    auto bytes = static_cast<std::int64_t>(buffer.getInfo<CL_MEM_SIZE>());
    auto state = std::make_shared<opencl::BufferState>();
    state->buffer = std::move(buffer);
    state->bytes = bytes;
    return state;
  });
}

std::int64_t Memory::bytes() const { return state_->bytes; }
_cl_mem* Memory::native() const { return state_->buffer(); }

void Memory::read(const Queue& queue, std::int64_t element_bytes, std::int64_t first, std::int64_t count, void* to,
                  const std::vector<Event>& wait_list) const {
  opencl::guarded("reading a buffer", [&] {
    std::size_t start = range_start("read", bytes(), element_bytes, first, count, to, queue, state_->buffer);
    if (count == 0) return;
    auto events = opencl::native_events(wait_list, queue);
    queue.state()->queue.enqueueReadBuffer(state_->buffer, CL_TRUE, start,
                                           static_cast<std::size_t>(count * element_bytes), to, &events);
  });
}

void Memory::write(const Queue& queue, std::int64_t element_bytes, std::int64_t first, std::int64_t count,
                   const void* from, const std::vector<Event>& wait_list) const {
  opencl::guarded("writing a buffer", [&] {
    std::size_t start = range_start("write", bytes(), element_bytes, first, count, from, queue, state_->buffer);
    if (count == 0) return;
    auto events = opencl::native_events(wait_list, queue);
    queue.state()->queue.enqueueWriteBuffer(state_->buffer, CL_TRUE, start,
                                            static_cast<std::size_t>(count * element_bytes), from, &events);
  });
}

}  // namespace hilo::detail
