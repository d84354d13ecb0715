// Pinned host memory, through which large matrices in a caller's memory travel to a device and back while the host and
// the device work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "opencl/bindings.hpp"

namespace hilo::opencl {

class StagingPool;
struct StagingRing;

/// Lines of a matrix in host memory, `pitch` bytes apart; on a device they are packed.
struct HostLines {
  std::size_t line_bytes, lines, pitch;

  std::size_t bytes() const { return line_bytes * lines; }
};

/// Bytes of a packed matrix on a device that are complete after an event; null where they are already.
struct StagedRange {
  std::size_t first, count;
  cl::Event ready;
};

/// From which sizes on memory is staged, and in which pieces.
struct StagingSizes {
  std::size_t slot_bytes = std::size_t{16} << 20;
  std::size_t least_piece = std::size_t{1} << 20;    ///< smaller ones are not worth a command
  std::size_t least_bytes = std::size_t{4} << 20;    ///< smaller matrices are left to the runtime's own copies
  std::size_t parts_bytes = std::size_t{192} << 20;  ///< of C, from where on its parts are fetched one by one
  std::size_t panels_bytes = std::size_t{1} << 30;   ///< of all matrices, from where on a product goes in panels
  std::size_t shared_bytes = std::size_t{1} << 30;   ///< of an operand that devices share, in pinned memory: from there
                                                     ///< on it comes from the host once
  std::size_t passed_bytes = std::size_t{64} << 20;  ///< of a piece that one passes to the others then
};

/// The ring that one call has borrowed, until it is destroyed, which waits for its transfers. Where it cannot be known
/// whether they have ended, nobody gets the ring until it is.
class Staging {
 public:
  Staging();
  Staging(StagingPool* pool, std::unique_ptr<StagingRing> ring);
  Staging(Staging&& other) noexcept;
  Staging& operator=(Staging&& other) noexcept;
  ~Staging();

  /// Copies with so many threads at most; otherwise with all of the caller's.
  void set_threads(int threads);

  /// Whether there is one.
  explicit operator bool() const { return ring_ != nullptr; }

  /// Packs the lines at `from` into a buffer, after `ready`. Returns the last write's event; `from` has been read then,
  /// the event may come later. Throws cl::Error.
  cl::Event upload(const cl::Buffer& to, const HostLines& lines, const void* from, const cl::Event& ready);

  /// Copies the ranges of a packed buffer, in their order, to the lines at `to`; done on return. Nothing between the
  /// lines is written. Throws cl::Error, before a range is written whose event has failed.
  void download(const cl::Buffer& from, const HostLines& lines, void* to, const std::vector<StagedRange>& ranges);

 private:
  StagingPool* pool_ = nullptr;
  std::unique_ptr<StagingRing> ring_;
};

/// The ring of one context, made when it is first borrowed. Thread-safe.
class StagingPool {
 public:
  StagingPool();
  ~StagingPool();

  /// Nothing while another call has it, and where there is no pinned memory.
  Staging borrow(const cl::Context& context, const cl::Device& device);

  StagingSizes sizes() const;
  /// For tests: other sizes from the next borrow on.
  void set_sizes(const StagingSizes& sizes);
  /// For tests: whether there is no pinned memory.
  void set_failing(bool is_failing);
  /// Uploaded and downloaded so far.
  std::int64_t staged_bytes() const;

 private:
  friend class Staging;
  void give_back(std::unique_ptr<StagingRing> ring);

  mutable std::mutex mutex_;
  StagingSizes sizes_;
  std::unique_ptr<StagingRing> idle_;
  std::int64_t staged_bytes_ = 0;
  bool is_lent_ = false, is_failing_ = false;
};

}  // namespace hilo::opencl
