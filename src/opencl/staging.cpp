#include "opencl/staging.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "host/team.hpp"
#include "opencl/settled.hpp"

namespace hilo::opencl {
namespace {

constexpr std::size_t block_bytes = std::size_t{256} << 10;  // of one thread's copy
constexpr int most_threads = 16;                             // more do not make memory faster

// Between `packed` and bytes [first, first + count) of the packed lines.
template <bool packs, class Lines, class Packed>
void copy_lines(int team, const HostLines& shape, Lines* lines, Packed* packed, std::size_t first, std::size_t count) {
  const std::size_t blocks = (count + block_bytes - 1) / block_bytes;
  host::for_parts(team, static_cast<std::int64_t>(blocks), [&](std::int64_t from, std::int64_t to) {
    std::size_t at = static_cast<std::size_t>(from) * block_bytes;
    const std::size_t end = std::min(count, static_cast<std::size_t>(to) * block_bytes);
    while (at < end) {
      const std::size_t line = (first + at) / shape.line_bytes, offset = (first + at) % shape.line_bytes;
      const std::size_t bytes = std::min(shape.line_bytes - offset, end - at);
      auto* in_line = lines + line * shape.pitch + offset;
      if constexpr (packs) {
        std::memcpy(packed + at, in_line, bytes);
      } else {
        std::memcpy(in_line, packed + at, bytes);
      }
      at += bytes;
    }
  });
}

}  // namespace

struct StagingRing {
  struct Slot {
    cl::Buffer buffer;
    std::byte* memory;
    cl::Event busy;
  };

  StagingSizes sizes;
  cl::CommandQueue queue;
  std::vector<Slot> slots;
  std::size_t next = 0;
  std::int64_t staged_bytes = 0;
  int threads = 1;  // that copy

  static std::unique_ptr<StagingRing> make(const cl::Context& context, const cl::Device& device,
                                           const StagingSizes& sizes) {
    auto ring = std::make_unique<StagingRing>();
    ring->sizes = sizes;
    ring->queue = cl::CommandQueue(context, device);
    ring->slots.reserve(4);
    while (ring->slots.size() < 4) {
      cl::Buffer buffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, sizes.slot_bytes);
      void* memory = ring->queue.enqueueMapBuffer(buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, sizes.slot_bytes);
      ring->slots.push_back({buffer, static_cast<std::byte*>(memory), {}});
    }
    return ring;
  }

  ~StagingRing() {
    try {
      for (Slot& slot : slots) queue.enqueueUnmapMemObject(slot.buffer, slot.memory);
      if (queue()) queue.finish();
    } catch (const cl::Error&) {
      // The runtime unmaps what it frees.
    }
  }

  // Waits for the transfers. False where one may still run: no call that would know succeeded.
  bool settle() noexcept {
    bool is_all = true;
    for (Slot& slot : slots) {
      is_all = has_settled(slot.busy, queue) && is_certain([&] { return slot.busy = cl::Event(), true; }) && is_all;
    }
    return is_all;
  }

  Slot& take() { return slots[next++ % slots.size()]; }

  // Several pieces, so that the host copies one while another travels.
  std::size_t piece_bytes(std::size_t total) const {
    return std::min(sizes.slot_bytes, std::max({total / 8, sizes.least_piece, std::size_t{1}}));
  }
};

Staging::Staging() = default;
Staging::Staging(StagingPool* pool, std::unique_ptr<StagingRing> ring) : pool_(pool), ring_(std::move(ring)) {}
Staging::Staging(Staging&& other) noexcept { *this = std::move(other); }
Staging& Staging::operator=(Staging&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(ring_, other.ring_);
  return *this;
}

Staging::~Staging() {
  if (!ring_) return;
  ring_->settle();
  pool_->give_back(std::move(ring_));
}

void Staging::set_threads(int threads) { ring_->threads = std::clamp(threads, 1, most_threads); }

cl::Event Staging::upload(const cl::Buffer& to, const HostLines& lines, const void* from, const cl::Event& ready) {
  const std::size_t total = lines.bytes(), piece = ring_->piece_bytes(total);
  std::vector<cl::Event> wait;
  if (ready()) wait.push_back(ready);
  cl::Event last;
  for (std::size_t first = 0; first < total; first += piece) {
    const std::size_t count = std::min(piece, total - first);
    StagingRing::Slot& slot = ring_->take();
    wait_for(slot.busy);
    copy_lines<true>(ring_->threads, lines, static_cast<const std::byte*>(from), slot.memory, first, count);
    ring_->queue.enqueueWriteBuffer(to, CL_FALSE, first, count, slot.memory, &wait, &slot.busy);
    ring_->queue.flush();
    wait.clear();
    last = copied(slot.busy);
  }
  ring_->staged_bytes += static_cast<std::int64_t>(total);
  return last;
}

void Staging::download(const cl::Buffer& from, const HostLines& lines, void* to,
                       const std::vector<StagedRange>& ranges) {
  struct Piece {
    std::size_t first, count;
    const cl::Event* ready;
  };
  std::vector<Piece> pieces;
  for (const StagedRange& range : ranges) {
    const std::size_t piece = ring_->piece_bytes(range.count);
    for (std::size_t at = 0; at < range.count; at += piece) {
      pieces.push_back({range.first + at, std::min(piece, range.count - at), &range.ready});
    }
  }
  std::vector<StagingRing::Slot*> slot_of(pieces.size());
  std::size_t asked = 0;
  auto ask = [&] {
    const Piece& piece = pieces[asked];
    StagingRing::Slot& slot = *(slot_of[asked] = &ring_->take());
    wait_for(slot.busy);
    std::vector<cl::Event> wait;
    if ((*piece.ready)()) wait.push_back(*piece.ready);
    ring_->queue.enqueueReadBuffer(from, CL_FALSE, piece.first, piece.count, slot.memory, &wait, &slot.busy);
    ring_->queue.flush();
    ++asked;
  };
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    while (asked < pieces.size() && asked < i + ring_->slots.size()) ask();
    wait_for(slot_of[i]->busy);
    copy_lines<false>(ring_->threads, lines, static_cast<std::byte*>(to), slot_of[i]->memory, pieces[i].first,
                      pieces[i].count);
    ring_->staged_bytes += static_cast<std::int64_t>(pieces[i].count);
  }
}

StagingPool::StagingPool() = default;
StagingPool::~StagingPool() = default;

Staging StagingPool::borrow(const cl::Context& context, const cl::Device& device) {
  std::unique_ptr<StagingRing> ring;
  StagingSizes wanted;
  {
    std::lock_guard lock(mutex_);
    if (is_lent_ || is_failing_) return {};
    is_lent_ = true;
    ring = std::move(idle_);
    wanted = sizes_;
  }
  // Memory that a transfer may still use is not lent; this call does without.
  if (ring && !ring->settle()) {
    give_back(std::move(ring));
    return {};
  }
  try {
    if (!ring) ring = StagingRing::make(context, device, wanted);
    ring->threads = std::min(host::default_threads(), most_threads);
  } catch (...) {
    give_back(nullptr);
    return {};
  }
  return {this, std::move(ring)};
}

void StagingPool::give_back(std::unique_ptr<StagingRing> ring) {
  std::lock_guard lock(mutex_);
  is_lent_ = false;
  if (!ring) return;
  staged_bytes_ += std::exchange(ring->staged_bytes, 0);
  if (ring->sizes.slot_bytes == sizes_.slot_bytes && ring->sizes.least_piece == sizes_.least_piece) {
    idle_ = std::move(ring);
  }
}

StagingSizes StagingPool::sizes() const {
  std::lock_guard lock(mutex_);
  return sizes_;
}

void StagingPool::set_sizes(const StagingSizes& sizes) {
  std::lock_guard lock(mutex_);
  sizes_ = sizes;
  idle_.reset();
}

void StagingPool::set_failing(bool is_failing) {
  std::lock_guard lock(mutex_);
  is_failing_ = is_failing;
}

std::int64_t StagingPool::staged_bytes() const {
  std::lock_guard lock(mutex_);
  return staged_bytes_;
}

}  // namespace hilo::opencl
