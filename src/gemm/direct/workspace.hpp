// Memory for packed panels and sums on the CPU, kept from call to call.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace hilo::direct {

// Each thread keeps a buffer of this size for its short products, and the process one of at most this size for the
// long ones: fresh memory costs a page fault for each 4 KiB, which is 3 % of a product at n = 1024.
inline constexpr std::int64_t short_bytes = std::int64_t{1} << 20;
inline constexpr std::int64_t long_bytes = std::int64_t{1} << 27;
inline constexpr std::int64_t bytes_per_double = sizeof(double);

// Doubles aligned for any vector.
class Buffer {
 public:
  explicit Buffer(std::int64_t bytes)
      : bytes_(bytes),
        data_(static_cast<double*>(::operator new(static_cast<std::size_t>(bytes), std::align_val_t(64)))) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { ::operator delete(data_, std::align_val_t(64)); }
  std::int64_t bytes() const { return bytes_; }
  double* data() const { return data_; }

 private:
  std::int64_t bytes_;
  double* data_;
};

// The workspace of one call, taken from what earlier calls left where that is large enough.
class Workspace {
 public:
  explicit Workspace(std::int64_t bytes) {
    // Destructors of static objects run after those of thread_local ones, and may still multiply.
    thread_local bool has_ended = false;
    if (bytes <= short_bytes && !has_ended) {
      struct Own {
        Buffer buffer{short_bytes};
        ~Own() { has_ended = true; }
      };
      thread_local Own own;
      data_ = own.buffer.data();
      return;
    }
    buffer_.reset(spare().exchange(nullptr));
    if (!buffer_ || buffer_->bytes() < bytes) buffer_ = std::make_unique<Buffer>(bytes);
    data_ = buffer_->data();
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() {
    if (buffer_ && buffer_->bytes() <= long_bytes) delete spare().exchange(buffer_.release());
  }
  double* data() const { return data_; }

 private:
  static std::atomic<Buffer*>& spare() {
    static std::atomic<Buffer*> buffer = nullptr;
    return buffer;
  }
  std::unique_ptr<Buffer> buffer_;
  double* data_;
};

}  // namespace hilo::direct
