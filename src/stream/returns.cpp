#include "stream/returns.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>
#include <vector>

namespace hilo::stream {

Returns::Returns(opencl::ContextState& context, const cl::CommandQueue& out, int threads)
    : context_(context), out_(out), staging_(context.returning.borrow(context.context, context.device)) {
  if (staging_) staging_.set_threads(threads);
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {
    // The caller copies.
  }
}

Returns::~Returns() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::int64_t Returns::add(const cl::Buffer& from, const opencl::HostLines& lines, void* to, const cl::Event& ready) {
  Copy next{opencl::copied(from), lines, to, opencl::copied(ready)};
  if (!thread_.joinable()) {
    copy(next);
    return done_ = ++added_;
  }
  {
    const std::lock_guard lock(mutex_);
    copies_.push_back(std::move(next));
    ++added_;
  }
  changed_.notify_all();
  return added_;
}

void Returns::wait(std::int64_t number) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || done_ >= number; });
  if (failure_) std::rethrow_exception(failure_);
}

void Returns::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return is_ending_ || !copies_.empty(); });
    if (is_ending_) return;
    Copy next = std::move(copies_.front());
    copies_.pop_front();
    lock.unlock();
    std::exception_ptr failure;
    try {
      copy(next);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure) {
      failure_ = failure;
      copies_.clear();
    } else {
      ++done_;
    }
    changed_.notify_all();
    if (failure_) return;
  }
}

void Returns::copy(const Copy& x) {
  const auto begin = std::chrono::steady_clock::now();
  x.ready.wait();
  const auto ready = std::chrono::steady_clock::now();
  if (staging_) {
    staging_.download(x.from, x.lines, x.to, {{0, x.lines.bytes(), {}}});
  } else {
    const std::size_t pitch = x.lines.lines == 1 ? x.lines.line_bytes : x.lines.pitch;
    out_.enqueueReadBufferRect(x.from, CL_TRUE, {0, 0, 0}, {0, 0, 0}, {x.lines.line_bytes, x.lines.lines, 1},
                               x.lines.line_bytes, 0, pitch, 0, x.to);
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - std::max(begin, ready)).count();
}

}  // namespace hilo::stream
