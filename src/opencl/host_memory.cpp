#include "opencl/host_memory.hpp"

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "opencl/native.hpp"

namespace hilo {
namespace opencl {
namespace {

// The ranges of a process, by their ends. The memory of one context serves the devices of all.
class Ranges {
 public:
  void add(const void* first, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    ranges_.emplace(end_of(first, bytes), begin_of(first));
  }
  void remove(const void* first, std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    auto [at, end] = ranges_.equal_range(end_of(first, bytes));
    while (at != end && at->second != begin_of(first)) ++at;
    if (at != end) ranges_.erase(at);
  }
  bool has(const void* first, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    for (auto at = ranges_.lower_bound(end_of(first, bytes)); at != ranges_.end(); ++at) {
      if (at->second <= begin_of(first)) return true;
    }
    return false;
  }

 private:
  static std::uintptr_t begin_of(const void* first) { return reinterpret_cast<std::uintptr_t>(first); }
  static std::uintptr_t end_of(const void* first, std::size_t bytes) { return begin_of(first) + bytes; }

  std::mutex mutex_;
  std::multimap<std::uintptr_t, std::uintptr_t> ranges_;
};

Ranges& ranges() {
  // Never destroyed: buffers of static objects may end later.
  static Ranges& all = *new Ranges;
  return all;
}

}  // namespace

// Pinned as long as it lives, by a buffer that has it for its memory. Nothing else is done with the buffer: NVIDIA's
// driver pins memory when the buffer is made, and gives it as much device memory only when it is used or mapped.
struct HostState {
  std::shared_ptr<ContextState> context;
  std::unique_ptr<std::byte, decltype(&std::free)> owned{nullptr, &std::free};
  cl::Buffer buffer;
  void* memory = nullptr;
  std::int64_t bytes = 0;

  HostState() = default;
  HostState(const HostState&) = delete;
  HostState& operator=(const HostState&) = delete;
  ~HostState() {
    if (bytes > 0) ranges().remove(memory, static_cast<std::size_t>(bytes));
  }
};

bool is_pinned(const void* first, std::size_t bytes) { return ranges().has(first, bytes); }

}  // namespace opencl

namespace detail {
namespace {

constexpr std::size_t page = 4096;

}  // namespace

HostMemory::HostMemory(const Context& context, void* memory, std::int64_t count, std::int64_t element_bytes,
                       bool is_callers) {
  opencl::guarded("pinning host memory", [&] {
    if (count < 0) throw error(errc::invalid_argument, "HostBuffer: count = " + std::to_string(count) + " is negative");
    if (is_callers && !memory && count > 0) {
      throw error(errc::invalid_argument,
                  "HostBuffer: the memory to pin, of " + std::to_string(count) + " elements, is null");
    }
    std::int64_t bytes;
    if (__builtin_mul_overflow(count, element_bytes, &bytes)) {
      throw error(errc::overflow, "HostBuffer: " + std::to_string(count) + " elements of " +
                                      std::to_string(element_bytes) + " bytes do not fit 64 bits");
    }
    if (reinterpret_cast<std::uintptr_t>(memory) % alignof(double) != 0) {
      throw error(errc::invalid_argument,
                  "HostBuffer: the memory to pin is not aligned to " + std::to_string(alignof(double)) + " bytes");
    }
    auto state = std::make_shared<opencl::HostState>();
    state->context = context.state();
    state_ = state;
    if (bytes == 0) return;
    const auto size = static_cast<std::size_t>(bytes);
    const std::string sizes = "HostBuffer: " + std::to_string(bytes) + " bytes of host memory cannot be ";
    if (!memory) {
      state->owned.reset(static_cast<std::byte*>(std::aligned_alloc(page, (size + page - 1) / page * page)));
      memory = state->owned.get();
      if (!memory) throw error(errc::out_of_memory, sizes + "had");
    }
    try {
      state->buffer = cl::Buffer(state->context->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, memory);
    } catch (const cl::Error& failure) {
      if (!opencl::is_want_of_memory(failure.err())) throw;
      throw error(errc::out_of_memory, sizes + "pinned for " + state->context->info.name +
                                           ": clCreateBuffer returned " + opencl::status_name(failure.err()));
    }
    state->memory = memory;
    state->bytes = bytes;
    opencl::ranges().add(state->memory, size);
  });
}

std::int64_t HostMemory::bytes() const { return state_->bytes; }
void* HostMemory::data() const { return state_->memory; }

}  // namespace detail
}  // namespace hilo
