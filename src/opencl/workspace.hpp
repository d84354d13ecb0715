// Device memory that calls borrow and give back, so that a product does not allocate.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "opencl/bindings.hpp"

namespace hilo::opencl {

struct ContextState;
class WorkspacePool;

/// Borrowed memory. Given back by release() together with the last command that uses it; a block that goes without,
/// because a call failed half-way, is let go of and freed by the OpenCL runtime when its commands are done.
class Workspace {
 public:
  Workspace() = default;
  Workspace(WorkspacePool* pool, cl::Buffer buffer, std::int64_t bytes, cl::Event busy)
      : pool_(pool), buffer_(std::move(buffer)), bytes_(bytes), busy_(std::move(busy)) {}
  Workspace(Workspace&& other) noexcept { *this = std::move(other); }
  Workspace& operator=(Workspace&& other) noexcept;
  ~Workspace();

  const cl::Buffer& buffer() const { return buffer_; }
  /// The command after which it is free; null where it is.
  const cl::Event& busy() const { return busy_; }
  void release(const cl::CommandQueue& queue, const cl::Event& last_use);

 private:
  WorkspacePool* pool_ = nullptr;
  cl::Buffer buffer_;
  std::int64_t bytes_ = 0;
  cl::Event busy_;
};

/// The blocks of one context. Where its device has no memory left, those that other contexts of it in this process keep
/// for their next calls make room. Thread-safe.
class WorkspacePool {
 public:
  /// is_zero: blocks are 0 when they are made; who borrows one leaves it so.
  WorkspacePool(const cl::Device& device, std::int64_t kept_bytes, bool is_zero = false);
  WorkspacePool(const WorkspacePool&) = delete;
  ~WorkspacePool();

  /// At least `bytes`. Prefers a block that is free, or whose last use is earlier on the same in-order queue.
  /// will_stay: for so long that it is to be little more. Throws out_of_memory, naming `what` and sizes.
  Workspace borrow(const ContextState& context, const cl::CommandQueue& queue, bool in_order, std::int64_t bytes,
                   const char* what, bool will_stay = false);

  /// Of the blocks that somebody has.
  std::int64_t lent_bytes();

  /// Frees the blocks that nobody has.
  void let_go();
  /// Frees such blocks, the oldest first, then those of the device's other contexts, while all blocks together have
  /// more bytes.
  void let_go_beyond(std::int64_t bytes);

  /// The borrow after the next `count` ones fails as if the device had no memory left; for tests of what happens then.
  void fail_after(std::int64_t count);

 private:
  friend class Workspace;
  struct Block {
    cl::Buffer buffer;
    std::int64_t bytes;
    cl::Event last_use;
    cl_command_queue queue;
  };

  void give_back(Block block);
  void free_oldest();
  void free_idle();
  // let_go_beyond() of who has the lock.
  void free_beyond(std::int64_t bytes);
  // f(pool) of the device's other contexts, with its lock; not of those that are busy just now.
  template <class F>
  void for_others(F f);
  void forget(std::int64_t bytes);

  const cl_device_id device_;
  std::mutex mutex_;
  std::vector<Block> idle_;
  std::int64_t idle_bytes_ = 0, total_bytes_ = 0;
  std::int64_t borrows_before_failure_ = -1;  // no failure
  const std::int64_t kept_bytes_;             // idle blocks beyond this are freed
  const bool is_zero_;
};

/// What all blocks together may take beside the buffers that callers have, of a device that is not to be full.
std::int64_t usable_bytes(const ContextState& context);

}  // namespace hilo::opencl
