#include "opencl/pinned.hpp"

#include <utility>

namespace hilo::opencl {

// Mapped as long as it lives; the runtime unmaps what it frees.
struct Pinned::Block {
  cl::Buffer buffer;
  void* memory;
};

Pinned::Pinned(PinnedPool* pool, std::unique_ptr<Block> block) : pool_(pool), block_(std::move(block)) {}
Pinned::Pinned(Pinned&& other) noexcept { *this = std::move(other); }
Pinned& Pinned::operator=(Pinned&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(block_, other.block_);
  std::swap(busy_, other.busy_);
  return *this;
}

Pinned::~Pinned() {
  if (!block_) return;
  try {
    wait();
  } catch (const cl::Error&) {
    // Nothing is written any more.
  }
  const std::lock_guard lock(pool_->mutex_);
  pool_->idle_.push_back(std::move(block_));
}

const void* Pinned::data() const { return block_->memory; }

void Pinned::begin_read(const cl::Buffer& from, std::size_t count, const cl::Event& after) {
  const std::vector<cl::Event> wait_list = {after};
  cl::Event read;
  pool_->queue_.enqueueReadBuffer(from, CL_FALSE, 0, count, block_->memory, &wait_list, &read);
  busy_ = read;
  pool_->queue_.flush();
}

void Pinned::wait() {
  if (busy_()) std::exchange(busy_, cl::Event()).wait();
}

PinnedPool::PinnedPool() = default;
PinnedPool::~PinnedPool() = default;

Pinned PinnedPool::borrow(const cl::Context& context, const cl::Device& device) {
  const std::lock_guard lock(mutex_);
  if (!idle_.empty()) {
    auto block = std::move(idle_.back());
    idle_.pop_back();
    return {this, std::move(block)};
  }
  if (!queue_()) queue_ = cl::CommandQueue(context, device);
  auto block = std::make_unique<Pinned::Block>();
  block->buffer = cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, Pinned::bytes);
  block->memory = queue_.enqueueMapBuffer(block->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, Pinned::bytes);
  return {this, std::move(block)};
}

}  // namespace hilo::opencl
