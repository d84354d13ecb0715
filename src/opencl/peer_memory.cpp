// Source: Khronos, The OpenCL Extension Specification, cl_khr_external_memory; its names are not in headers of OpenCL
// 1.2, nor in every loader.
#include "opencl/peer_memory.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include "opencl/exported_memory.hpp"
#include "opencl/native.hpp"
#include "opencl/settled.hpp"

namespace hilo::opencl {
namespace {

constexpr cl_device_info device_uuid = 0x106A;
constexpr std::uint64_t opaque_file_descriptor = 0x2060;

// NVIDIA's driver 580.159 ends the process where 512 MiB or more are to become a buffer; what older ones do was not
// seen.
constexpr std::size_t most_imported_bytes = std::size_t{256} << 20;
constexpr int least_driver = 580;

// Of memory that is tried: as much, with another pattern for each who writes.
constexpr std::size_t tried_bytes = 65536;
using Pattern = std::array<cl_uint, 4>;

// Of OpenCL 3.0; null where the loader is older.
using Create = cl_mem(CL_API_CALL*)(cl_context, const std::uint64_t*, cl_mem_flags, std::size_t, void*, cl_int*);
constexpr const char* create_name = "clCreateBufferWithProperties";
Create find_create() {
  void* found = dlsym(RTLD_DEFAULT, create_name);
  if (!found) {
    // Of a library that was loaded for a part of the program alone.
    if (void* loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_NOLOAD)) {
      found = dlsym(loader, create_name);
      dlclose(loader);
    }
  }
  return reinterpret_cast<Create>(found);
}

bool imports(const ContextState& context) {
  const std::string all = ' ' + context.device.getInfo<CL_DEVICE_EXTENSIONS>() + ' ';
  const auto has = [&](const char* name) { return all.find(name) != all.npos; };
  // Who exports is NVIDIA's driver alone.
  return has(" cl_khr_external_memory_opaque_fd ") && has(" cl_khr_device_uuid ") &&
         std::atoi(context.info.driver.c_str()) >= least_driver;
}

DeviceId id_of(const ContextState& context) {
  return asked<DeviceId>(clGetDeviceInfo, "clGetDeviceInfo", context.device(), device_uuid);
}

// clEnqueueAcquireExternalMemObjectsKHR or clEnqueueReleaseExternalMemObjectsKHR, which are alike, of one buffer; done
// on return. Throws cl::Error.
void hand_over(const char* name, const cl::CommandQueue& queue, const cl::Buffer& buffer) {
  using Command = cl_int(CL_API_CALL*)(cl_command_queue, cl_uint, const cl_mem*, cl_uint, const cl_event*, cl_event*);
  const auto device = asked<cl_device_id>(clGetCommandQueueInfo, "clGetCommandQueueInfo", queue(), CL_QUEUE_DEVICE);
  const auto platform = asked<cl_platform_id>(clGetDeviceInfo, "clGetDeviceInfo", device, CL_DEVICE_PLATFORM);
  const auto command = reinterpret_cast<Command>(clGetExtensionFunctionAddressForPlatform(platform, name));
  if (!command) throw cl::Error(CL_INVALID_OPERATION, name);
  if (const cl_int status = command(queue(), 1, &buffer(), 0, nullptr, nullptr)) throw cl::Error(status, name);
  queue.finish();
}

cl::Buffer import(const ContextState& context, const ExportedMemory& memory, Create create) {
  const int descriptor = memory.descriptor();
  if (descriptor < 0) throw cl::Error(CL_INVALID_OPERATION, create_name);
  const std::uint64_t how[] = {opaque_file_descriptor, static_cast<std::uint64_t>(descriptor), 0};
  cl_int status = CL_SUCCESS;
  const cl_mem made = create(context.context(), how, CL_MEM_READ_WRITE, memory.bytes(), nullptr, &status);
  if (status != CL_SUCCESS) {
    // Of a buffer that was made it is its own.
    close(descriptor);
    throw cl::Error(status, create_name);
  }
  return cl::Buffer(made);
}

}  // namespace

PeerMemory::Share::Share(const ContextState& context, cl::Buffer buffer)
    : buffer_(std::move(buffer)), queue_(context.context, context.device) {
  try {
    hand_over("clEnqueueAcquireExternalMemObjectsKHR", queue_, buffer_);
  } catch (...) {
    // It may have come so far.
    give_back();
    throw;
  }
}

PeerMemory::Share::Share(Share&& other) noexcept : buffer_(std::move(other.buffer_)), queue_(std::move(other.queue_)) {}

PeerMemory::Share::~Share() {
  if (queue_()) give_back();
}

void PeerMemory::Share::give_back() noexcept {
  constexpr int attempts = 2;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (is_certain([&] { return hand_over("clEnqueueReleaseExternalMemObjectsKHR", queue_, buffer_), true; })) return;
  }
  // NVIDIA's driver waits for ever when a context ends with such a buffer that is gone and was not given back; one that
  // is still there it leaves to the end of the process.
  clRetainMemObject(buffer_());
}

// Whether every context's device copies what each other one has written.
bool PeerMemory::is_shared(const std::vector<ContextState*>& contexts, const std::vector<Share>& shares) {
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

PeerMemory::Shares PeerMemory::of_one_device(const std::vector<ContextState*>& contexts, std::size_t bytes) {
  const ContextState& context = *contexts.front();
  const cl::Buffer buffer(context.context, CL_MEM_READ_WRITE, bytes);
  // Drivers give memory when it is first used.
  const cl::CommandQueue queue(context.context, context.device);
  queue.enqueueFillBuffer(buffer, cl_uchar{0}, 0, 1);
  queue.finish();
  Shares shares;
  shares.bytes = static_cast<std::int64_t>(bytes);
  for (std::size_t i = 0; i < contexts.size(); ++i) shares.all.emplace_back(buffer);
  return shares;
}

// None where it is not to be had.
PeerMemory::Shares PeerMemory::imported(const std::vector<ContextState*>& contexts, std::size_t owner,
                                        std::size_t bytes) {
  bytes = std::max(bytes, tried_bytes);
  const Create create = find_create();
  if (!create || bytes > most_imported_bytes) return {};
  std::vector<DeviceId> ids;
  for (const ContextState* c : contexts) {
    if (!imports(*c)) return {};
    ids.push_back(id_of(*c));
  }
  const auto memory = ExportedMemory::make(ids[owner], ids, bytes);
  if (!memory) return {};
  Shares shares;
  shares.bytes = static_cast<std::int64_t>(memory->bytes());
  // Nothing comes between a buffer and who gives it back.
  shares.all.reserve(contexts.size());
  for (const ContextState* c : contexts) shares.all.emplace_back(*c, import(*c, *memory, create));
  return shares;
}

std::optional<PeerMemory> PeerMemory::make(const std::vector<ContextState*>& contexts, std::size_t owner,
                                           std::int64_t bytes, bool is_tried) {
  ContextState& its = *contexts[owner];
  its.workspaces.let_go_beyond(usable_bytes(its) - bytes);
  const auto is_its = [&](const ContextState* c) {
    return c->context() == its.context() && c->device() == its.device();
  };
  try {
    const auto size = static_cast<std::size_t>(bytes);
    const bool is_one = std::ranges::all_of(contexts, is_its);
    Shares shares = is_one ? of_one_device(contexts, size) : imported(contexts, owner, size);
    if (shares.all.empty() || !(is_one || is_tried || is_shared(contexts, shares.all))) return std::nullopt;
    return PeerMemory(std::move(shares), its.buffer_bytes);
  } catch (const cl::Error&) {
    // There is another way, whose failure is told.
    return std::nullopt;
  }
}

PeerMemory::PeerMemory(Shares shares, std::shared_ptr<std::atomic<std::int64_t>> counted)
    : shares_(std::move(shares.all)), bytes_(shares.bytes), counted_(std::move(counted)) {
  *counted_ += bytes_;
}

PeerMemory::~PeerMemory() {
  if (counted_) *counted_ -= bytes_;
}

}  // namespace hilo::opencl
