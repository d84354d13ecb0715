#include <algorithm>

#include "opencl/native.hpp"

namespace hilo::opencl {
namespace {

bool is_complete(const cl::Event& event) {
  return !event() || event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() <= CL_COMPLETE;
}

bool has_failed(const cl::Event& event) { return event() && event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() < 0; }

[[noreturn]] void throw_no_memory(const ContextState& context, std::int64_t bytes, const char* what, cl_int status) {
  throw error(errc::out_of_memory, std::string("no device memory for ") + what + ": " + std::to_string(bytes) +
                                       " bytes wanted, device " + context.info.name + " has " +
                                       std::to_string(context.info.global_memory) + " and gives at most " +
                                       std::to_string(context.info.max_allocation) +
                                       " at a time; clCreateBuffer returned " + status_name(status));
}

// All of this process.
struct Pools {
  std::mutex mutex;
  std::vector<WorkspacePool*> pools;
};
Pools& all_pools() {
  // Contexts may end later than statics.
  static Pools& all = *new Pools;
  return all;
}

}  // namespace

WorkspacePool::WorkspacePool(const cl::Device& device, std::int64_t kept_bytes, bool is_zero)
    : device_(device()), kept_bytes_(kept_bytes), is_zero_(is_zero) {
  const std::lock_guard lock(all_pools().mutex);
  all_pools().pools.push_back(this);
}

WorkspacePool::~WorkspacePool() {
  const std::lock_guard lock(all_pools().mutex);
  std::erase(all_pools().pools, this);
}

template <class F>
void WorkspacePool::for_others(F f) {
  const std::lock_guard lock(all_pools().mutex);
  for (WorkspacePool* pool : all_pools().pools) {
    if (pool == this || pool->device_ != device_) continue;
    // Two that ask each other do not wait for each other.
    if (const std::unique_lock its(pool->mutex_, std::try_to_lock); its) f(*pool);
  }
}

Workspace& Workspace::operator=(Workspace&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(buffer_, other.buffer_);
  std::swap(bytes_, other.bytes_);
  std::swap(busy_, other.busy_);
  return *this;
}

Workspace::~Workspace() {
  if (pool_) pool_->forget(bytes_);
}

void Workspace::release(const cl::CommandQueue& queue, const cl::Event& last_use) {
  if (!pool_) return;
  cl::Event busy = last_use;
  pool_->give_back({std::move(buffer_), bytes_, std::move(busy), queue()});
  pool_ = nullptr;
}

namespace {

// NVIDIA's driver gives a buffer its memory when it is first used, and until then it is a promise: a large one is used
// here, where others can still be let go of for it.
cl::Event write_a_little(const ContextState& context, const cl::CommandQueue& queue, const cl::Buffer& buffer,
                         std::int64_t bytes) {
  constexpr std::int64_t large = std::int64_t{64} << 20;
  cl::Event written;
  if (bytes < large || context.info.type == DeviceType::cpu) return written;
  queue.enqueueFillBuffer(buffer, cl_uint{0}, 0, sizeof(cl_uint), nullptr, &written);
  // Other queues may wait for it.
  queue.flush();
  return written;
}

}  // namespace

std::int64_t usable_bytes(const ContextState& context) {
  return context.info.global_memory - context.info.global_memory / 16 - *context.buffer_bytes;
}

Workspace WorkspacePool::borrow(const ContextState& context, const cl::CommandQueue& queue, bool in_order,
                                std::int64_t bytes, const char* what, bool will_stay) {
  bytes = (std::max<std::int64_t>(bytes, 1) + 255) / 256 * 256;
  std::lock_guard lock(mutex_);
  if (borrows_before_failure_ >= 0 && borrows_before_failure_-- == 0) {
    throw_no_memory(context, bytes, what, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  }
  // A block far larger than asked for stays for who needs it.
  std::int64_t largest = (will_stay ? bytes + bytes / 4 : 4 * bytes) + (std::int64_t{1} << 20);
  auto best = idle_.end();
  bool best_is_busy = true;
  for (auto block = idle_.begin(); block != idle_.end(); ++block) {
    if (block->bytes < bytes || block->bytes > largest) continue;
    // Zeros that a launch which failed half-way may have left otherwise.
    if (is_zero_ && has_failed(block->last_use)) continue;
    // Asking for an event's status takes longer than all else here, and one queue keeps its order anyway.
    const bool is_busy = !(in_order && block->queue == queue()) && !is_complete(block->last_use);
    if (is_busy && total_bytes_ + bytes <= kept_bytes_) continue;
    if (best == idle_.end() || is_busy < best_is_busy || (is_busy == best_is_busy && block->bytes < best->bytes)) {
      best = block;
      best_is_busy = is_busy;
    }
  }
  if (best != idle_.end()) {
    Block block = std::move(*best);
    idle_.erase(best);
    idle_bytes_ -= block.bytes;
    return Workspace(this, std::move(block.buffer), block.bytes, best_is_busy ? block.last_use : cl::Event());
  }
  // A device that is full has no memory for what launches need besides.
  free_beyond(usable_bytes(context) - bytes);
  for (bool retry : {false, true}) {
    try {
      if (bytes > context.info.max_allocation) throw cl::Error(CL_INVALID_BUFFER_SIZE, "clCreateBuffer");
      std::vector<std::byte> zeros(static_cast<std::size_t>(is_zero_ ? bytes : 0));
      cl::Buffer buffer(context.context, CL_MEM_READ_WRITE | (is_zero_ ? CL_MEM_COPY_HOST_PTR : 0),
                        static_cast<std::size_t>(bytes), is_zero_ ? zeros.data() : nullptr);
      cl::Event written = write_a_little(context, queue, buffer, bytes);
      total_bytes_ += bytes;
      return Workspace(this, std::move(buffer), bytes, std::move(written));
    } catch (const cl::Error& failure) {
      if (!is_want_of_memory(failure.err())) throw;
      if (retry) throw_no_memory(context, bytes, what, failure.err());
      free_idle();
      for_others([](WorkspacePool& pool) { pool.free_idle(); });
    }
  }
  return {};
}

std::int64_t WorkspacePool::lent_bytes() {
  std::lock_guard lock(mutex_);
  return total_bytes_ - idle_bytes_;
}

void WorkspacePool::let_go() {
  std::lock_guard lock(mutex_);
  free_idle();
}

void WorkspacePool::free_idle() {
  total_bytes_ -= idle_bytes_;
  idle_bytes_ = 0;
  idle_.clear();
}

void WorkspacePool::let_go_beyond(std::int64_t bytes) {
  std::lock_guard lock(mutex_);
  free_beyond(bytes);
}

void WorkspacePool::free_beyond(std::int64_t bytes) {
  std::int64_t all = total_bytes_;
  for_others([&](const WorkspacePool& pool) { all += pool.total_bytes_; });
  const auto free_some = [&](WorkspacePool& pool) {
    while (!pool.idle_.empty() && all > bytes) {
      all -= pool.idle_.front().bytes;
      pool.free_oldest();
    }
  };
  free_some(*this);
  for_others(free_some);
}

void WorkspacePool::free_oldest() {
  const Block oldest = std::move(idle_.front());
  idle_.erase(idle_.begin());
  idle_bytes_ -= oldest.bytes;
  total_bytes_ -= oldest.bytes;
}

void WorkspacePool::fail_after(std::int64_t count) {
  std::lock_guard lock(mutex_);
  borrows_before_failure_ = count;
}

void WorkspacePool::give_back(Block block) {
  std::lock_guard lock(mutex_);
  const std::int64_t bytes = block.bytes;
  idle_.push_back(std::move(block));
  idle_bytes_ += bytes;
  while (idle_bytes_ > kept_bytes_) free_oldest();
}

void WorkspacePool::forget(std::int64_t bytes) {
  std::lock_guard lock(mutex_);
  total_bytes_ -= bytes;
}

}  // namespace hilo::opencl
