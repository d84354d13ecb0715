// Places in the memories of devices, by which each gives the others what it has brought. They are kept with the
// devices' group: to make them takes as long as many a product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "opencl/peer_memory.hpp"

namespace hilo::stream {

/// So many places in the memory of each of a few devices, its members.
class PeerRing {
 public:
  static constexpr int places = 4;
  static constexpr std::int64_t bytes(std::int64_t place_bytes) { return places * place_bytes; }

  /// Null where the members do not reach each other's memory, or there is too little.
  static std::unique_ptr<PeerRing> make(const std::vector<opencl::ContextState*>& members, std::int64_t place_bytes);

  std::int64_t members() const { return static_cast<std::int64_t>(members_.size()); }
  std::int64_t place_bytes() const { return place_bytes_; }
  bool is_of(const std::vector<opencl::ContextState*>& members, std::int64_t place_bytes) const {
    return members_ == members && place_bytes_ == place_bytes;
  }
  /// A place of a member as another one comes by it.
  const cl::Buffer& place(std::size_t owner, int number, std::size_t member) const {
    return memories_[owner][static_cast<std::size_t>(number)].in(member);
  }

 private:
  PeerRing(const std::vector<opencl::ContextState*>& members, std::int64_t place_bytes)
      : members_(members), place_bytes_(place_bytes) {}

  const std::vector<opencl::ContextState*> members_;
  const std::int64_t place_bytes_;
  std::vector<std::vector<opencl::PeerMemory>> memories_;
};

/// Rings that no product has. Thread-safe.
class PeerRings {
 public:
  /// One that was given back, or a new one, or null.
  std::unique_ptr<PeerRing> borrow(const std::vector<opencl::ContextState*>& members, std::int64_t place_bytes);
  /// What its members have begun has ended.
  void give_back(std::unique_ptr<PeerRing> ring) noexcept;

 private:
  // More than products of eight devices have at a time; the oldest is of the least use.
  static constexpr int most_idle = 8;

  std::mutex mutex_;
  std::vector<std::unique_ptr<PeerRing>> idle_;
};

}  // namespace hilo::stream
