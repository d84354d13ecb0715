// Memory for packed panels, residues and sums on the CPU, kept from call to call.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <utility>

namespace hilo::host {

// Each thread keeps a buffer of this size for its short products, and the process a few of at most this size for the
// long ones, and for routines that multiply while they have memory of their own: fresh memory costs a page fault for
// each 4 KiB, which is 3 % of a product at n = 1024.
inline constexpr std::int64_t short_workspace_bytes = std::int64_t{1} << 20;
inline constexpr std::int64_t long_workspace_bytes = std::int64_t{1} << 28;
// Up to this size a few more are kept that the system may take back, page by page, where memory gets short.
inline constexpr std::int64_t longest_workspace_bytes = std::int64_t{1} << 31;
inline constexpr std::int64_t bytes_per_double = sizeof(double);

// Doubles aligned for any vector; large buffers in large pages, where the system gives them to those who ask.
class AlignedMemory {
 public:
  explicit AlignedMemory(std::int64_t bytes)
      : bytes_(bytes), data_(static_cast<double*>(::operator new(static_cast<std::size_t>(bytes), alignment(bytes)))) {
#if defined(__linux__)
    if (bytes >= large_page) madvise(data_, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
#endif
  }
  AlignedMemory(const AlignedMemory&) = delete;
  AlignedMemory& operator=(const AlignedMemory&) = delete;
  ~AlignedMemory() { ::operator delete(data_, alignment(bytes_)); }
  std::int64_t bytes() const { return bytes_; }
  double* data() const { return data_; }

  // Lets the system take its large pages, with what they hold, until they are written again; false where there is no
  // such thing. The last page may be others', too.
  bool offer() const {
#if defined(__linux__) && defined(MADV_FREE)
    return madvise(data_, static_cast<std::size_t>(bytes_ / large_page * large_page), MADV_FREE) == 0;
#else
    return false;
#endif
  }

 private:
  static constexpr std::int64_t large_page = std::int64_t{1} << 21;
  static std::align_val_t alignment(std::int64_t bytes) {
    return std::align_val_t(static_cast<std::size_t>(bytes >= large_page ? large_page : 64));
  }

  std::int64_t bytes_;
  double* data_;
};

// Memory of one call, taken from what earlier calls left where that is large enough, and free. Ended by the thread that
// began it.
class Workspace {
 public:
  explicit Workspace(std::int64_t bytes) {
    // Destructors of static objects run after those of thread_local ones, and may still multiply.
    thread_local bool has_ended = false;
    if (bytes <= short_workspace_bytes && !has_ended) {
      thread_local Own own{has_ended};
      if (!own.is_lent) {
        own.is_lent = true;
        own_ = &own;
        data_ = own.buffer.data();
        return;
      }
    }
    buffer_ = Spare::of(bytes).take(bytes);
    if (!buffer_) buffer_ = std::make_unique<AlignedMemory>(bytes);
    data_ = buffer_->data();
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() {
    if (own_) own_->is_lent = false;
    if (!buffer_ || buffer_->bytes() > longest_workspace_bytes) return;
    if (buffer_->bytes() <= long_workspace_bytes || buffer_->offer()) {
      Spare::of(buffer_->bytes()).keep(std::move(buffer_));
    }
  }
  double* data() const { return data_; }

 private:
  // A thread's buffer for its short products.
  struct Own {
    bool& has_ended;
    AlignedMemory buffer{short_workspace_bytes};
    bool is_lent = false;
    ~Own() { has_ended = true; }
  };

  // The longest that were given back. A routine borrows while its products do, so that two of about the same size are
  // in use at a time.
  class Spare {
   public:
    // For sizes up to 4 MiB, to 32 MiB, to those that are always kept, and above.
    static Spare& of(std::int64_t bytes) {
      static Spare spare[4];
      return spare[bytes <= std::int64_t{1} << 22   ? 0
                   : bytes <= std::int64_t{1} << 25 ? 1
                   : bytes <= long_workspace_bytes  ? 2
                                                    : 3];
    }
    // The shortest that is long enough; none if there is none.
    std::unique_ptr<AlignedMemory> take(std::int64_t bytes) {
      for (auto slot = std::rbegin(slots_); slot != std::rend(slots_); ++slot) {
        std::unique_ptr<AlignedMemory> found(slot->exchange(nullptr));
        if (found && found->bytes() >= bytes) return found;
        put(*slot, std::move(found));
      }
      return nullptr;
    }
    // Longer ones come first, and the shortest is ended where there are too many.
    void keep(std::unique_ptr<AlignedMemory> buffer) {
      for (auto& slot : slots_) {
        std::unique_ptr<AlignedMemory> other(slot.exchange(nullptr));
        if (!other || other->bytes() < buffer->bytes()) std::swap(buffer, other);
        put(slot, std::move(other));
        if (!buffer) return;
      }
    }

   private:
    // Where another thread has been faster with a buffer of its own, this one is ended.
    static void put(std::atomic<AlignedMemory*>& slot, std::unique_ptr<AlignedMemory> buffer) {
      AlignedMemory* none = nullptr;
      if (buffer && slot.compare_exchange_strong(none, buffer.get())) buffer.release();
    }

    std::atomic<AlignedMemory*> slots_[2] = {};
  };

  Own* own_ = nullptr;
  std::unique_ptr<AlignedMemory> buffer_;
  double* data_;
};

}  // namespace hilo::host
