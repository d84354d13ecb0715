// Work shared among host threads. Threads are OpenMP's, in IEEE arithmetic; what one throws is thrown again to the
// caller when all are done; in the child of a fork, whose caller's team is gone, they are new ones; and where fewer can
// be started than asked for, those do the work.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace hilo::host {

/// OpenMP's number of threads for the calling one.
int default_threads();

namespace detail {

using Work = void (*)(void* x, int thread);
void run_on_team(int threads, Work work, void* x);
void run_on_leader(void (*work)(void* x), void* x);

}  // namespace detail

/// f(thread) on a team of at most `threads`, thread = 0 … . A caller in a parallel region of its own works alone, as
/// thread 0.
template <class F>
void on_team(int threads, F f) {
  if (threads <= 1) return f(0);
  detail::run_on_team(
      threads, [](void* x, int thread) { (*static_cast<F*>(x))(thread); }, &f);
}

/// f() where others' OpenMP regions can run: on the calling thread, but in the child of a fork.
template <class F>
void on_leader(F f) {
  detail::run_on_leader([](void* x) { (*static_cast<F*>(x))(); }, &f);
}

/// f(i, thread) for i = 0 … count − 1, each taken by the next thread that is free; thread < threads.
template <class F>
void for_each(int threads, std::int64_t count, F f) {
  const int team = static_cast<int>(std::min<std::int64_t>(threads, count));
  if (team <= 1) {
    for (std::int64_t i = 0; i < count; ++i) f(i, 0);
    return;
  }
  alignas(64) std::atomic<std::int64_t> next = 0;
  on_team(team, [&](int thread) {
    try {
      for (std::int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) f(i, thread);
    } catch (...) {
      next = count;
      throw;
    }
  });
}

/// f(first, last) for contiguous parts of 0 … count − 1, about as long for each thread.
template <class F>
void for_parts(int threads, std::int64_t count, F f) {
  const std::int64_t parts = std::min<std::int64_t>(threads, count);
  if (parts <= 1) {
    if (count > 0) f(std::int64_t{0}, count);
    return;
  }
  for_each(static_cast<int>(parts), parts, [&](std::int64_t i, int) {
    const std::int64_t length = count / parts, longer = count % parts;
    const std::int64_t first = i * length + std::min(i, longer);
    f(first, first + length + (i < longer ? 1 : 0));
  });
}

}  // namespace hilo::host
