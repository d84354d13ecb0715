#include "distributed/pinned_tiles.hpp"

#include <cerrno>
#include <cstdlib>

namespace hilo::distributed {
namespace {

// StarPU's hooks have no argument of their own.
PinnedTiles* the_tiles = nullptr;

}  // namespace

PinnedTiles::PinnedTiles() {
  the_tiles = this;
  starpu_malloc_set_hooks(allocate, release);
}

PinnedTiles::~PinnedTiles() {
  starpu_malloc_set_hooks(nullptr, nullptr);
  the_tiles = nullptr;
}

void PinnedTiles::pin_for(const Context& context) {
  const std::lock_guard lock(mutex_);
  context_ = context;
}

HostBuffer<std::byte> PinnedTiles::take(std::size_t bytes) {
  const auto found = idle_.find(bytes);
  if (found == idle_.end()) return {*context_, static_cast<std::int64_t>(bytes)};
  const HostBuffer<std::byte> buffer = found->second;
  idle_.erase(found);
  return buffer;
}

int PinnedTiles::allocate(unsigned, void** memory, std::size_t bytes, int flags) {
  PinnedTiles& tiles = *the_tiles;
  const std::lock_guard lock(tiles.mutex_);
  if (tiles.context_ && (flags & STARPU_MALLOC_PINNED) != 0 && bytes >= std::size_t{least_pinned_bytes}) {
    try {
      const HostBuffer<std::byte> buffer = tiles.take(bytes);
      tiles.pinned_.emplace(buffer.data(), buffer);
      *memory = buffer.data();
      return 0;
    } catch (...) {
      // What cannot be pinned comes to devices by a copy.
    }
  }
  *memory = std::malloc(bytes);
  return *memory ? 0 : -ENOMEM;
}

int PinnedTiles::release(unsigned, void* memory, std::size_t, int) {
  PinnedTiles& tiles = *the_tiles;
  const std::lock_guard lock(tiles.mutex_);
  const auto found = tiles.pinned_.find(memory);
  if (found == tiles.pinned_.end()) {
    std::free(memory);
    return 0;
  }
  try {
    tiles.idle_.emplace(static_cast<std::size_t>(found->second.size()), found->second);
  } catch (...) {
    // One fewer to keep.
  }
  tiles.pinned_.erase(found);
  return 0;
}

}  // namespace hilo::distributed
