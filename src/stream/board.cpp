#include "stream/board.hpp"

#include <utility>

#include "opencl/native.hpp"

namespace hilo::stream {

bool is_over(const cl::Event& event) {
  const auto status = event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
  // Throws what has failed.
  if (status < 0) event.wait();
  return status == CL_COMPLETE;
}

Board::Entry& Board::at(int block) {
  const auto number = static_cast<std::size_t>(block);
  if (number >= entries_.size()) entries_.resize(number + 1);
  return entries_[number];
}

template <class Is>
void Board::wait(std::unique_lock<std::mutex>& lock, Is is) {
  changed_.wait(lock, [&] { return is_stopped_ || is(); });
  if (is_stopped_) throw Stopped();
}

void Board::tell(int block, Result result) {
  const std::lock_guard lock(mutex_);
  at(block).result = std::move(result);
  at(block).is_told = true;
  changed_.notify_all();
}

void Board::tell_part(int block, const cl::Event& fetched) {
  const std::lock_guard lock(mutex_);
  at(block).parts.push_back(opencl::copied(fetched));
  changed_.notify_all();
}

void Board::tell_taken(int block, const cl::Event& taken) {
  const std::lock_guard lock(mutex_);
  at(block).taken.push_back(opencl::copied(taken));
  changed_.notify_all();
}

void Board::wait_until_taken(int block) {
  std::vector<cl::Event> taken;
  {
    std::unique_lock lock(mutex_);
    wait(lock, [&] { return at(block).taken.size() == others_; });
    for (const cl::Event& e : at(block).taken) taken.push_back(opencl::copied(e));
  }
  for (const cl::Event& e : taken) {
    if (e()) e.wait();
  }
}

bool Board::is_taken_by_first(int block) {
  const std::lock_guard lock(mutex_);
  if (is_stopped_) throw Stopped();
  const auto& taken = at(block).taken;
  return !taken.empty() && (!taken.front()() || is_over(taken.front()));
}

bool Board::is_told(int block) {
  const std::lock_guard lock(mutex_);
  if (is_stopped_) throw Stopped();
  return at(block).is_told;
}

const Board::Result& Board::result(int block) {
  std::unique_lock lock(mutex_);
  wait(lock, [&] { return at(block).is_told; });
  return at(block).result;
}

bool Board::has_part(int block, int part) {
  const std::lock_guard lock(mutex_);
  if (is_stopped_) throw Stopped();
  const auto& parts = at(block).parts;
  if (parts.size() <= static_cast<std::size_t>(part)) return false;
  return is_over(parts[static_cast<std::size_t>(part)]);
}

void Board::wait_for_part(int block, int part) {
  const auto count = static_cast<std::size_t>(part);
  cl::Event fetched;
  {
    std::unique_lock lock(mutex_);
    wait(lock, [&] { return at(block).parts.size() > count; });
    fetched = opencl::copied(at(block).parts[count]);
  }
  fetched.wait();
}

void Board::meet() {
  std::unique_lock lock(mutex_);
  --absent_;
  changed_.notify_all();
  wait(lock, [&] { return absent_ == 0; });
}

void Board::stop() {
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
  changed_.notify_all();
}

}  // namespace hilo::stream
