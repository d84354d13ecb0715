// Memory of a device that the devices of other contexts read and write as their own, without the host between them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "opencl/bindings.hpp"

namespace hilo::opencl {

struct ContextState;

class PeerMemory {
 public:
  /// Of the device of contexts[owner], for all of them. None where their devices do not reach it, or there is too
  /// little. is_tried: others of this owner were, which are read and written alike; otherwise each context reads what
  /// each one has written before it is given away.
  static std::optional<PeerMemory> make(const std::vector<ContextState*>& contexts, std::size_t owner,
                                        std::int64_t bytes, bool is_tried = false);
  PeerMemory(PeerMemory&&) = default;
  PeerMemory& operator=(PeerMemory&&) = delete;
  ~PeerMemory();

  /// All of it in a context. Commands of one that read what those of another have written are given once these are
  /// done, by the host.
  const cl::Buffer& in(std::size_t context) const { return shares_[context].buffer(); }
  /// What it takes, at least as much as was wanted.
  std::int64_t bytes() const { return bytes_; }

 private:
  // One context's buffer; of memory that is not OpenCL's own it is acquired, and given back in the end.
  class Share {
   public:
    explicit Share(const cl::Buffer& buffer) : buffer_(buffer) {}
    Share(const ContextState& context, cl::Buffer buffer);
    Share(Share&& other) noexcept;
    Share& operator=(Share&&) = delete;
    ~Share();
    const cl::Buffer& buffer() const { return buffer_; }

   private:
    void give_back() noexcept;

    cl::Buffer buffer_;
    cl::CommandQueue queue_;  // of who has acquired it; null: nothing is to be given back
  };
  struct Shares {
    std::vector<Share> all;
    std::int64_t bytes = 0;
  };

  PeerMemory(Shares shares, std::shared_ptr<std::atomic<std::int64_t>> counted);
  static Shares of_one_device(const std::vector<ContextState*>& contexts, std::size_t bytes);
  static Shares imported(const std::vector<ContextState*>& contexts, std::size_t owner, std::size_t bytes);
  static bool is_shared(const std::vector<ContextState*>& contexts, const std::vector<Share>& shares);

  std::vector<Share> shares_;
  std::int64_t bytes_;
  std::shared_ptr<std::atomic<std::int64_t>> counted_;  // null: moved from
};

}  // namespace hilo::opencl
