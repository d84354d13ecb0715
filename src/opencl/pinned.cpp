#include "opencl/pinned.hpp"

#include <algorithm>
#include <utility>

#include "opencl/settled.hpp"

namespace hilo::opencl {

// Mapped as long as it lives; the runtime unmaps what it frees, and frees it when its transfers have ended.
struct Pinned::Block {
  cl::Buffer buffer;
  void* memory;
  cl::Event busy;  // the read that was last begun
};

Pinned::Pinned(PinnedPool* pool, std::unique_ptr<Block> block) : pool_(pool), block_(std::move(block)) {}
Pinned::Pinned() = default;

Pinned::Pinned(Pinned&& other) noexcept { *this = std::move(other); }
Pinned& Pinned::operator=(Pinned&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(block_, other.block_);
  return *this;
}

Pinned::~Pinned() {
  if (block_) pool_->take_back(std::move(block_));
}

const void* Pinned::data() const { return block_->memory; }

void Pinned::begin_read(const cl::Buffer& from, std::size_t count, const cl::Event& after, std::size_t offset) {
  const std::vector<cl::Event> wait_list = {after};
  block_->busy = cl::Event();
  pool_->queue_.enqueueReadBuffer(from, CL_FALSE, offset, count, block_->memory, &wait_list, &block_->busy);
  pool_->queue_.flush();
}

void Pinned::wait() { wait_for(block_->busy); }

PinnedPool::PinnedPool() = default;

PinnedPool::~PinnedPool() = default;

void PinnedPool::take_back(std::unique_ptr<Pinned::Block> block) noexcept {
  const bool is_settled = has_settled(block->busy, queue_);
  try {
    const std::lock_guard lock(mutex_);
    (is_settled ? idle_ : doubtful_).push_back(std::move(block));
    if (is_settled) idle_.back()->busy = cl::Event();
  } catch (...) {
    // One fewer to lend.
  }
}

Pinned PinnedPool::borrow(const cl::Context& context, const cl::Device& device) {
  const std::lock_guard lock(mutex_);
  if (!idle_.empty()) {
    auto block = std::move(idle_.back());
    idle_.pop_back();
    return {this, std::move(block)};
  }
  const auto ended = std::find_if(doubtful_.begin(), doubtful_.end(),
                                  [](const auto& block) { return is_certain([&] { return has_ended(block->busy); }); });
  if (ended != doubtful_.end()) {
    auto block = std::move(*ended);
    doubtful_.erase(ended);
    return {this, std::move(block)};
  }
  if (!queue_()) queue_ = cl::CommandQueue(context, device);
  auto block = std::make_unique<Pinned::Block>();
  block->buffer = cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, Pinned::bytes);
  block->memory = queue_.enqueueMapBuffer(block->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, Pinned::bytes);
  return {this, std::move(block)};
}

}  // namespace hilo::opencl
