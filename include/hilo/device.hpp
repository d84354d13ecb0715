// OpenCL devices: contexts, queues, buffers and events.
//
// All classes are handles: copies share the object, and the last one releases it; one that was moved from may only be
// destroyed or assigned to. Every function may be called from several threads at once. In a library built without
// OpenCL, platforms() is empty and constructors throw no_device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct _cl_context;
struct _cl_device_id;
struct _cl_command_queue;
struct _cl_mem;
struct _cl_event;

namespace hilo {

enum class DeviceType : std::uint8_t { cpu, gpu, accelerator, other };

std::string_view name(DeviceType);

struct DeviceInfo {
  std::string name, vendor;
  std::string version;  ///< OpenCL version string
  std::string driver;   ///< driver version
  DeviceType type;
  int compute_units;
  std::int64_t global_memory, local_memory, max_allocation;  ///< bytes
  bool fp64;                                                 ///< double precision
  bool fma;                                                  ///< double fused multiply-add in hardware, as reported
  int vector_width;                                          ///< doubles in a native vector; 0 without fp64
  int compute_capability;                                    ///< NVIDIA's, 90 for 9.0; 0 elsewhere
  bool shares_memory;                                        ///< with the host
};

struct PlatformInfo {
  std::string name, vendor, version;
  std::vector<DeviceInfo> devices;
};

/// What is there, in the order that Context's numbers count. Empty where there is no OpenCL at all.
std::vector<PlatformInfo> platforms();

namespace opencl {
struct ContextState;
struct QueueState;
struct BufferState;
struct EventState;
struct HostState;
}  // namespace opencl

/// A device and its memory; holds the programs built for it.
class Context {
 public:
  /// The first GPU of any platform, else the first device. Throws no_device where there is none.
  Context();
  /// Device `device` of platform `platform`, counted from 0. Throws no_device, naming what there is.
  Context(int platform, int device);
  /// The user's own context, retained; `device` is one of its devices.
  Context(_cl_context* context, _cl_device_id* device);

  const DeviceInfo& device() const;
  _cl_context* native() const;
  _cl_device_id* native_device() const;

  const std::shared_ptr<opencl::ContextState>& state() const { return state_; }
  explicit Context(std::shared_ptr<opencl::ContextState> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<opencl::ContextState> state_;
};

enum class EventStatus : std::uint8_t { queued, running, complete, failed };

/// Commands that were handed to a queue.
class Event {
 public:
  /// Complete from the beginning.
  Event() = default;
  /// The user's own event, retained.
  explicit Event(_cl_event* event);

  /// Returns when the commands are complete. Throws device_failure where one failed.
  void wait() const;
  EventStatus status() const;
  /// Waits; device time in seconds from the start of the first command to the end of the last. Throws unsupported
  /// where the queue was made without profiling.
  double seconds() const;
  /// The last command's event; null where there was nothing to do.
  _cl_event* native() const;

  const std::shared_ptr<opencl::EventState>& state() const { return state_; }
  explicit Event(std::shared_ptr<opencl::EventState> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<opencl::EventState> state_;
};

/// Whether events of a queue know their times, as Event::seconds() wants. On some drivers each call takes longer then:
/// on an H200 7 us.
enum class Profiling : bool { off, on };

/// An order of commands on a context's device.
class Queue {
 public:
  /// In order.
  explicit Queue(const Context& context, Profiling profiling = Profiling::off);
  /// The user's own queue, in order or not, retained; with its own context and device.
  explicit Queue(_cl_command_queue* queue);

  Context context() const;
  /// Waits for all commands.
  void finish() const;
  _cl_command_queue* native() const;

  const std::shared_ptr<opencl::QueueState>& state() const { return state_; }

 private:
  std::shared_ptr<opencl::QueueState> state_;
};

namespace detail {

/// Device memory in bytes; Buffer<T> counts it in elements.
class Memory {
 public:
  Memory(const Context& context, std::int64_t count, std::int64_t element_bytes);
  Memory(_cl_mem* memory);

  std::int64_t bytes() const;
  _cl_mem* native() const;
  void read(const Queue& queue, std::int64_t element_bytes, std::int64_t first, std::int64_t count, void* to,
            const std::vector<Event>& wait_list) const;
  void write(const Queue& queue, std::int64_t element_bytes, std::int64_t first, std::int64_t count, const void* from,
             const std::vector<Event>& wait_list) const;

 private:
  std::shared_ptr<opencl::BufferState> state_;
};

/// Pinned host memory in bytes; HostBuffer<T> counts it in elements.
class HostMemory {
 public:
  HostMemory(const Context& context, void* memory, std::int64_t count, std::int64_t element_bytes,
             bool is_callers = false);

  std::int64_t bytes() const;
  void* data() const;

 private:
  std::shared_ptr<opencl::HostState> state_;
};

}  // namespace detail

/// Device memory of size() elements.
template <class T>
class Buffer {
 public:
  /// `count` >= 0 elements, of no particular value. Throws out_of_memory, naming sizes.
  Buffer(const Context& context, std::int64_t count) : memory_(context, count, sizeof(T)) {}
  /// The user's own memory object, retained; as many elements as it holds.
  explicit Buffer(_cl_mem* memory) : memory_(memory) {}

  std::int64_t size() const { return memory_.bytes() / static_cast<std::int64_t>(sizeof(T)); }
  _cl_mem* native() const { return memory_.native(); }

  /// Copies elements first … first + count − 1 to the host, and returns when that is done. Throws invalid_argument
  /// where they are not all in the buffer.
  void read(const Queue& queue, T* to, std::int64_t first, std::int64_t count,
            const std::vector<Event>& wait_list = {}) const {
    memory_.read(queue, sizeof(T), first, count, to, wait_list);
  }
  /// Copies elements from the host, and returns when that is done.
  void write(const Queue& queue, const T* from, std::int64_t first, std::int64_t count,
             const std::vector<Event>& wait_list = {}) {
    memory_.write(queue, sizeof(T), first, count, from, wait_list);
  }

 private:
  detail::Memory memory_;
};

/// Pinned host memory of size() elements: calls on matrices that lie in it move them to and from a device without a
/// copy on the way, at the rate of the bus, while the device works. It serves the devices of all contexts. Pinning
/// takes about as long as moving the memory some ten times.
template <class T>
class HostBuffer {
 public:
  /// `count` >= 0 elements, of no particular value. Throws out_of_memory, naming sizes.
  HostBuffer(const Context& context, std::int64_t count) : memory_(context, nullptr, count, sizeof(T)) {}
  /// The caller's own memory, pinned where it lies until the last copy of this goes, which must be before the memory
  /// does. Throws invalid_argument where `memory` is null and `count` is not 0, or `memory` is no multiple of 8 bytes.
  HostBuffer(const Context& context, T* memory, std::int64_t count)
      : memory_(context, memory, count, sizeof(T), true) {}

  T* data() const { return static_cast<T*>(memory_.data()); }
  std::int64_t size() const { return memory_.bytes() / static_cast<std::int64_t>(sizeof(T)); }
  T* begin() const { return data(); }
  T* end() const { return data() + size(); }
  T& operator[](std::int64_t i) const { return data()[i]; }

 private:
  detail::HostMemory memory_;
};

}  // namespace hilo
