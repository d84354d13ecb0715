// What all devices of a group do at a time, each on a thread.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "opencl/native.hpp"

namespace hilo::stream {

/// The first failure stops the others, and names its device where there are several. A member has device().
template <class Member>
class Team {
 public:
  /// `doing`: for messages.
  Team(std::vector<std::unique_ptr<Member>>& members, const char* doing) : members_(members), doing_(doing) {}
  /// Of members that wait for each other, and are not begun one after the other where there are too few threads.
  /// `wake` is called once one has failed.
  Team(std::vector<std::unique_ptr<Member>>& members, const char* doing, std::function<void()> wake)
      : Team(members, doing) {
    wake_ = std::move(wake);
  }

  template <class Work>
  void run(Work work) {
    auto fail = [&](std::size_t i) {
      if (is_stopped_.exchange(true)) return;
      failure_ = of_device(std::current_exception(), *members_[i]);
      if (wake_) wake_();
    };
    auto guarded = [&](std::size_t i) {
      try {
        opencl::guarded(doing_, [&] { work(*members_[i]); });
      } catch (...) {
        fail(i);
      }
    };
    std::vector<std::thread> threads;
    threads.reserve(members_.size());
    for (std::size_t i = 1; i < members_.size(); ++i) {
      try {
        threads.emplace_back(guarded, i);
      } catch (...) {
        // Without a thread of its own.
        wake_ ? fail(i) : guarded(i);
      }
    }
    guarded(0);
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
  }

  const std::atomic<bool>& is_stopped() const { return is_stopped_; }

 private:
  std::exception_ptr of_device(const std::exception_ptr& failure, const Member& member) const noexcept {
    if (members_.size() == 1) return failure;
    try {
      try {
        std::rethrow_exception(failure);
      } catch (const error& e) {
        return std::make_exception_ptr(error(e.code(), std::string(e.what()) + "; on device " + member.device().name));
      }
    } catch (...) {
      return failure;
    }
  }

  std::vector<std::unique_ptr<Member>>& members_;
  const char* const doing_;
  std::function<void()> wake_;
  std::atomic<bool> is_stopped_ = false;
  std::exception_ptr failure_;
};

}  // namespace hilo::stream
