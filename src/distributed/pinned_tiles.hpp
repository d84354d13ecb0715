// Tiles in pinned host memory, where a rank has devices, so that they come to these at the rate of the bus.
#pragma once

#include <cstdint>
#include <hilo/device.hpp>
#include <map>
#include <mutex>
#include <optional>

#include "distributed/starpu.hpp"

namespace hilo::distributed {

/// Less is not worth a call of the driver.
inline constexpr std::int64_t least_pinned_bytes = 1 << 16;

/// The memory of one process that StarPU asks for, of tiles of other ranks: pinned from the moment on that there is a
/// context to pin it for, and kept for the next tile of its size, as StarPU gives memory back with each tile and
/// pinning takes longer than moving one. One at a time; it lives from before StarPU starts until it has ended.
class PinnedTiles {
 public:
  PinnedTiles();
  ~PinnedTiles();
  PinnedTiles(const PinnedTiles&) = delete;
  PinnedTiles& operator=(const PinnedTiles&) = delete;

  void pin_for(const Context& context);
  /// Null without devices.
  const Context* context() const { return context_ ? &*context_ : nullptr; }

 private:
  static int allocate(unsigned node, void** memory, std::size_t bytes, int flags);
  static int release(unsigned node, void* memory, std::size_t bytes, int flags);

  HostBuffer<std::byte> take(std::size_t bytes);

  std::optional<Context> context_;
  std::mutex mutex_;
  std::map<void*, HostBuffer<std::byte>> pinned_;
  std::multimap<std::size_t, HostBuffer<std::byte>> idle_;  // by bytes
};

}  // namespace hilo::distributed
