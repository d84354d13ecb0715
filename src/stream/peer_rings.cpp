#include "stream/peer_rings.hpp"

#include <algorithm>
#include <utility>

namespace hilo::stream {

std::unique_ptr<PeerRing> PeerRing::make(const std::vector<opencl::ContextState*>& members, std::int64_t place_bytes) {
  std::unique_ptr<PeerRing> ring(new PeerRing(members, place_bytes));
  for (std::size_t owner = 0; owner < members.size(); ++owner) {
    std::vector<opencl::PeerMemory> its;
    for (int i = 0; i < places; ++i) {
      auto memory = opencl::PeerMemory::make(members, owner, place_bytes, i > 0);
      if (!memory) return nullptr;
      its.push_back(std::move(*memory));
    }
    ring->memories_.push_back(std::move(its));
  }
  return ring;
}

std::unique_ptr<PeerRing> PeerRings::borrow(const std::vector<opencl::ContextState*>& members,
                                            std::int64_t place_bytes) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(idle_, [&](const auto& ring) { return ring->is_of(members, place_bytes); });
    if (found != idle_.end()) {
      std::unique_ptr<PeerRing> ring = std::move(*found);
      idle_.erase(found);
      return ring;
    }
  }
  return PeerRing::make(members, place_bytes);
}

void PeerRings::give_back(std::unique_ptr<PeerRing> ring) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (std::ssize(idle_) == most_idle) idle_.erase(idle_.begin());
    idle_.push_back(std::move(ring));
  } catch (...) {
    // The next product makes another.
  }
}

}  // namespace hilo::stream
