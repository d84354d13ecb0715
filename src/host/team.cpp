#include "host/team.hpp"

#include <omp.h>
#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "host/floating_point.hpp"
#include "host/thread_probe.hpp"

namespace hilo::host {
namespace {

// The first of the exceptions of several threads.
class FirstException {
 public:
  void keep() noexcept {
    std::lock_guard lock(mutex_);
    if (!exception_) exception_ = std::current_exception();
  }
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr exception_;
};

// What is known of the teams that the calling thread has led.
struct OwnTeams {
  int started = 1;  // the largest; its threads could be had
  int last = 1;
  bool is_lost = false;  // the parent's, in the child of a fork
  std::chrono::steady_clock::time_point next_try{};
};
thread_local OwnTeams own_teams;

// OpenMP's runtimes end the process where they cannot start a thread or get memory: so they are asked only for what has
// been seen to be there.
int team_size(int wanted) {
  constexpr auto pause = std::chrono::seconds(1);
  if (omp_get_active_level() >= omp_get_max_active_levels()) return 1;
  OwnTeams& own = own_teams;
  wanted = std::min(wanted, omp_get_thread_limit());
  if (wanted != own.last && !has_memory(32768 + 1024 * std::size_t(std::min(wanted, 256)))) return 1;
  if (wanted > own.started) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= own.next_try) {
      const int more = wanted - own.started, found = startable_threads(more);
      own.started += found;
      if (found < more) own.next_try = now + pause;
    }
  }
  wanted = std::min(wanted, own.started);
  // Runtimes end the threads that a smaller team leaves over, and start them again.
  if (wanted > own.last && !has_stacks(wanted - own.last)) wanted = own.last;
  return own.last = wanted;
}

void run_region(int wanted, detail::Work work, void* x) {
  const int team = team_size(wanted);
  if (team == 1) return work(x, 0);
  FirstException failure;
#pragma omp parallel num_threads(team)
  {
    // Threads keep the modes in which they were started.
    IeeeArithmetic arithmetic;
    try {
      work(x, omp_get_thread_num());
    } catch (...) {
      failure.keep();
    }
  }
  failure.rethrow();
}

// A thread that leads teams for one that has lost its own: after fork() the caller's OpenMP threads are not there, and
// the runtime waits for them for ever.
class Leader {
 public:
  // Throws std::system_error where the thread cannot be started.
  Leader() {
    std::thread([this] { serve(); }).detach();
  }

  void run(void (*work)(void*), void* x) {
    std::lock_guard turn(turn_);
    std::unique_lock lock(mutex_);
    work_ = work;
    x_ = x;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !work_; });
    lock.unlock();
    if (exception_) std::rethrow_exception(std::exchange(exception_, {}));
  }

 private:
  void serve() {
    for (std::unique_lock lock(mutex_);;) {
      changed_.wait(lock, [this] { return work_; });
      lock.unlock();
      try {
        work_(x_);
      } catch (...) {
        exception_ = std::current_exception();
      }
      lock.lock();
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex turn_, mutex_;
  std::condition_variable changed_;
  void (*work_)(void*) = nullptr;
  void* x_ = nullptr;
  std::exception_ptr exception_;
};

// Of this process: only the thread that called fork() needs it. Never destroyed, as its thread is waiting in it.
Leader* leader = nullptr;

[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] {
  own_teams = {};
  own_teams.is_lost = true;
  leader = nullptr;
});

Leader* leader_of_child() {
  if (!leader) {
    try {
      leader = new Leader;
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
  }
  return leader;
}

}  // namespace

int default_threads() { return omp_get_max_threads(); }

namespace detail {

void run_on_team(int threads, Work work, void* x) {
  if (!own_teams.is_lost) return run_region(threads, work, x);
  Leader* deputy = leader_of_child();
  if (!deputy) return work(x, 0);
  auto region = [&] { run_region(threads, work, x); };
  deputy->run([](void* f) { (*static_cast<decltype(region)*>(f))(); }, &region);
}

void run_on_leader(void (*work)(void*), void* x) {
  Leader* deputy = own_teams.is_lost ? leader_of_child() : nullptr;
  if (!deputy) return work(x);
  deputy->run(work, x);
}

}  // namespace detail
}  // namespace hilo::host
