// What devices that factor a matrix together tell each other of its blocks of columns.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <vector>

#include "opencl/bindings.hpp"

namespace hilo::stream {

/// Whether a command is done. Throws where it has failed.
bool is_over(const cl::Event& event);

/// Thread-safe. Who waits for a block of somebody who has failed gets Stopped.
class Board {
 public:
  struct Stopped : std::exception {
    const char* what() const noexcept override { return "another device has failed"; }
  };

  explicit Board(int devices) : others_(static_cast<std::size_t>(devices - 1)), absent_(devices) {}

  /// What was found in a block that is factored: of the whole matrix its first column without a factor, or 0, and
  /// pivots.
  struct Result {
    std::int64_t info = 0;
    std::vector<std::int64_t> pivots;
  };
  void tell(int block, Result result);
  /// The command that brings the next part of the block to where the others find it.
  void tell_part(int block, const cl::Event& fetched);

  /// The command after which a device has no more to read of the block; null where it reads none.
  void tell_taken(int block, const cl::Event& taken);
  /// Waits until every other device has none.
  void wait_until_taken(int block);
  /// Whether the device that told of it first has none.
  bool is_taken_by_first(int block);

  /// Whether the block's result is there.
  bool is_told(int block);
  /// Waits until it is.
  const Result& result(int block);
  /// Whether the part is there.
  bool has_part(int block, int part);
  /// Waits until it is.
  void wait_for_part(int block, int part);

  /// Waits until every device has called it.
  void meet();

  void stop();

 private:
  struct Entry {
    bool is_told = false;
    Result result;
    std::vector<cl::Event> parts, taken;
  };
  Entry& at(int block);
  template <class Is>
  void wait(std::unique_lock<std::mutex>& lock, Is is);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> entries_;  // of blocks that somebody has named, which stay where they are
  const std::size_t others_;
  int absent_;  // devices that have not called meet()
  bool is_stopped_ = false;
};

}  // namespace hilo::stream
