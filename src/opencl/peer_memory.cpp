// Source: Khronos, The OpenCL Extension Specification, cl_khr_external_memory; its names are not in headers of OpenCL
// 1.2, nor in every loader.
#include "opencl/peer_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include "opencl/exported_memory.hpp"
#include "opencl/native.hpp"

// Of OpenCL 3.0; null where the loader is older.
extern "C" [[gnu::weak]] cl_mem clCreateBufferWithProperties(cl_context, const std::uint64_t*, cl_mem_flags,
                                                             std::size_t, void*, cl_int*);

namespace hilo::opencl {
namespace {

constexpr cl_device_info device_uuid = 0x106A;
constexpr std::uint64_t opaque_file_descriptor = 0x2060;

// NVIDIA's driver 580.159 ends the process where 512 MiB or more are to become a buffer; what older ones do was not
// seen.
constexpr std::size_t most_imported_bytes = std::size_t{256} << 20;
constexpr int least_driver = 580;

// Of memory that is tried: as much, with another pattern for each owner.
constexpr std::size_t tried_bytes = 65536;
using Pattern = std::array<cl_uint, 4>;

bool imports(const ContextState& context) {
  const std::string all = ' ' + context.device.getInfo<CL_DEVICE_EXTENSIONS>() + ' ';
  const auto has = [&](const char* name) { return all.find(name) != all.npos; };
  return has(" cl_khr_external_memory_opaque_fd ") && has(" cl_khr_device_uuid ") &&
         context.info.compute_capability > 0 && std::atoi(context.info.driver.c_str()) >= least_driver;
}

DeviceId id_of(const ContextState& context) {
  return asked<DeviceId>(clGetDeviceInfo, "clGetDeviceInfo", context.device(), device_uuid);
}

// clEnqueueAcquireExternalMemObjectsKHR or clEnqueueReleaseExternalMemObjectsKHR, which are alike, of one buffer; done
// on return. Throws cl::Error.
void hand_over(const char* name, const cl::CommandQueue& queue, const cl::Device& device, const cl::Buffer& buffer) {
  using Command = cl_int(CL_API_CALL*)(cl_command_queue, cl_uint, const cl_mem*, cl_uint, const cl_event*, cl_event*);
  const auto platform = asked<cl_platform_id>(clGetDeviceInfo, "clGetDeviceInfo", device(), CL_DEVICE_PLATFORM);
  const auto command = reinterpret_cast<Command>(clGetExtensionFunctionAddressForPlatform(platform, name));
  if (!command) throw cl::Error(CL_INVALID_OPERATION, name);
  if (const cl_int status = command(queue(), 1, &buffer(), 0, nullptr, nullptr)) throw cl::Error(status, name);
  queue.finish();
}

cl::Buffer import(const ContextState& context, const ExportedMemory& memory) {
  constexpr const char* name = "clCreateBufferWithProperties";
  const int descriptor = memory.descriptor();
  if (!clCreateBufferWithProperties || descriptor < 0) throw cl::Error(CL_INVALID_OPERATION, name);
  const std::uint64_t how[] = {opaque_file_descriptor, static_cast<std::uint64_t>(descriptor), 0};
  cl_int status = CL_SUCCESS;
  const cl_mem made =
      clCreateBufferWithProperties(context.context(), how, CL_MEM_READ_WRITE, memory.bytes(), nullptr, &status);
  if (status != CL_SUCCESS) {
    // Of a buffer that was made it is its own.
    close(descriptor);
    throw cl::Error(status, name);
  }
  return cl::Buffer(made);
}

}  // namespace

PeerMemory::Share::Share(const ContextState& context, cl::Buffer buffer) : buffer_(std::move(buffer)) {
  const cl::CommandQueue queue(context.context, context.device);
  hand_over("clEnqueueAcquireExternalMemObjectsKHR", queue, context.device, buffer_);
  queue_ = queue;
}

PeerMemory::Share::Share(Share&& other) noexcept
    : buffer_(std::move(other.buffer_)), queue_(std::exchange(other.queue_, {})) {}

PeerMemory::Share::~Share() {
  if (!queue_()) return;
  try {
    hand_over("clEnqueueReleaseExternalMemObjectsKHR", queue_, queue_.getInfo<CL_QUEUE_DEVICE>(), buffer_);
  } catch (...) {
    // NVIDIA's driver waits for ever when a context ends with such a buffer that is gone and was not given back; one
    // that is still there it leaves to the end of the process.
    if (buffer_()) clRetainMemObject(buffer_());
  }
}

// Whether every context's device copies what each other one has written.
bool PeerMemory::is_shared(const std::vector<ContextState*>& contexts, const Shares& shares) {
  for (std::size_t writer = 0; writer < contexts.size(); ++writer) {
    const auto seed = static_cast<cl_uint>(writer + 1);
    const Pattern wanted = {seed * 0x9E3779B9u, ~seed, seed * 0x85EBCA6Bu, seed};
    const cl::CommandQueue writing(contexts[writer]->context, contexts[writer]->device);
    writing.enqueueFillBuffer(shares[writer].buffer(), wanted, 0, tried_bytes);
    writing.finish();
    for (std::size_t reader = 0; reader < contexts.size(); ++reader) {
      const ContextState& context = *contexts[reader];
      const cl::CommandQueue reading(context.context, context.device);
      const cl::Buffer copy(context.context, CL_MEM_READ_WRITE, tried_bytes);
      std::vector<Pattern> found(tried_bytes / sizeof(Pattern));
      reading.enqueueCopyBuffer(shares[reader].buffer(), copy, 0, 0, tried_bytes);
      reading.enqueueReadBuffer(copy, CL_TRUE, 0, tried_bytes, found.data());
      if (std::ranges::any_of(found, [&](const Pattern& p) { return p != wanted; })) return false;
    }
  }
  return true;
}

// Empty where there are none.
PeerMemory::Shares PeerMemory::imported(const std::vector<ContextState*>& contexts, std::size_t owner,
                                        std::size_t bytes) {
  bytes = std::max(bytes, tried_bytes);
  if (bytes > most_imported_bytes) return {};
  std::vector<DeviceId> ids;
  for (const ContextState* c : contexts) {
    if (!imports(*c)) return {};
    ids.push_back(id_of(*c));
  }
  const auto memory = ExportedMemory::make(ids[owner], ids, bytes);
  if (!memory) return {};
  Shares shares;
  for (const ContextState* c : contexts) shares.emplace_back(*c, import(*c, *memory));
  return is_shared(contexts, shares) ? std::move(shares) : Shares();
}

std::optional<PeerMemory> PeerMemory::make(const std::vector<ContextState*>& contexts, std::size_t owner,
                                           std::int64_t bytes) {
  const cl::Context& its = contexts[owner]->context;
  Shares shares;
  try {
    if (std::ranges::all_of(contexts, [&](const ContextState* c) { return c->context() == its(); })) {
      const cl::Buffer buffer(its, CL_MEM_READ_WRITE, static_cast<std::size_t>(bytes));
      for (std::size_t i = 0; i < contexts.size(); ++i) shares.emplace_back(buffer);
    } else {
      shares = imported(contexts, owner, static_cast<std::size_t>(bytes));
    }
  } catch (const cl::Error&) {
    // There is another way, whose failure is told.
    return std::nullopt;
  }
  if (shares.empty()) return std::nullopt;
  return PeerMemory(std::move(shares), bytes, contexts[owner]->buffer_bytes);
}

PeerMemory::PeerMemory(Shares shares, std::int64_t bytes, std::shared_ptr<std::atomic<std::int64_t>> counted)
    : shares_(std::move(shares)), bytes_(bytes), counted_(std::move(counted)) {
  *counted_ += bytes_;
}

PeerMemory::~PeerMemory() {
  if (counted_) *counted_ -= bytes_;
}

}  // namespace hilo::opencl
