// C's panels on their way back to pageable memory, copied by a thread of their own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "opencl/native.hpp"

namespace hilo::stream {

class Returns {
 public:
  /// Copies with so many threads; reads by the queue `out` where there is no pinned memory to borrow. Without a thread
  /// of its own it copies at once.
  Returns(opencl::ContextState& context, const cl::CommandQueue& out, int threads);
  /// Waits for what is being copied, and leaves the rest.
  ~Returns();

  /// A packed buffer to lines in host memory, once it is ready. Returns its number.
  std::int64_t add(const cl::Buffer& from, const opencl::HostLines& lines, void* to, const cl::Event& ready);
  /// Until the copies up to that number have ended. Throws what one of them threw.
  void wait(std::int64_t number);
  /// Until all have.
  void wait_all() { wait(added_); }

  /// Once there is nothing to wait for.
  double seconds() const { return seconds_; }

 private:
  struct Copy {
    cl::Buffer from;
    opencl::HostLines lines;
    void* to;
    cl::Event ready;
  };

  void work();
  void copy(const Copy& copy);

  opencl::ContextState& context_;
  cl::CommandQueue out_;
  opencl::Staging staging_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Copy> copies_;
  std::int64_t added_ = 0, done_ = 0;
  std::exception_ptr failure_;
  bool is_ending_ = false;
  double seconds_ = 0.0;
  std::thread thread_;
};

}  // namespace hilo::stream
