// Ends the job where a call takes longer than it may, as one does that waits for a rank that is not there any more.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include "distributed/starpu.hpp"

namespace hilo::distributed {

class TimeLimit {
 public:
  /// 0 seconds: none.
  TimeLimit(double seconds, const char* function, int rank) {
    if (seconds <= 0.0) return;
    thread_ = std::thread([this, seconds, function, rank] {
      std::unique_lock lock(mutex_);
      if (end_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return is_over_; })) return;
      std::fprintf(stderr, "hilo: %s on rank %d is not done after %g s, its time limit: the job ends\n",
                   *function ? function : "what ranks do together", rank, seconds);
      MPI_Abort(MPI_COMM_WORLD, 1);
    });
  }
  ~TimeLimit() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    end_.notify_one();
    thread_.join();
  }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable end_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace hilo::distributed
