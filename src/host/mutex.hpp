// Mutexes that a fork leaves in order.
#pragma once

#include <pthread.h>

#include <mutex>

namespace hilo::host {

/// The mutex of `Tag`. A thread that calls fork() takes it before and gives it back after, in parent and child: else
/// the child would wait for ever for a thread that is not there.
template <class Tag>
std::mutex& mutex_over_forks() {
  static std::mutex mutex;
  [[maybe_unused]] static const int registered =
      pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); }, [] { mutex.unlock(); });
  return mutex;
}

}  // namespace hilo::host
