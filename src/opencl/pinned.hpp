// A little pinned host memory, so that reading a few figures does not keep the host from its work.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "opencl/bindings.hpp"

namespace hilo::opencl {

class PinnedPool;

/// Lent until it is destroyed, which waits for the read that was last begun into it. Where it cannot be known whether
/// that has ended, nobody gets this memory until it is.
class Pinned {
 public:
  static constexpr std::size_t bytes = 2048;

  Pinned();
  Pinned(Pinned&& other) noexcept;
  Pinned& operator=(Pinned&& other) noexcept;
  ~Pinned();

  const void* data() const;
  /// Reads bytes from an offset on after a command has run, on a queue of its own: later commands of the other queue
  /// need not wait. Throws cl::Error.
  void begin_read(const cl::Buffer& from, std::size_t count, const cl::Event& after, std::size_t offset = 0);
  /// Until what was read is there. Throws cl::Error.
  void wait();

 private:
  friend class PinnedPool;
  struct Block;
  Pinned(PinnedPool* pool, std::unique_ptr<Block> block);

  PinnedPool* pool_ = nullptr;
  std::unique_ptr<Block> block_;
};

/// The blocks of one context. Thread-safe.
class PinnedPool {
 public:
  PinnedPool();
  ~PinnedPool();

  /// Throws cl::Error.
  Pinned borrow(const cl::Context& context, const cl::Device& device);

 private:
  friend class Pinned;
  void take_back(std::unique_ptr<Pinned::Block> block) noexcept;

  std::mutex mutex_;
  cl::CommandQueue queue_;
  std::vector<std::unique_ptr<Pinned::Block>> idle_, doubtful_;  // doubtful: a transfer may still run
};

}  // namespace hilo::opencl
