#include "host/thread_probe.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

namespace hilo::host {
namespace {

struct Probe {
  pthread_t thread;
  std::mutex* gate;
  long id;

  static void* run(void* x) {
    auto* probe = static_cast<Probe*>(x);
#if defined(__linux__)
    probe->id = syscall(SYS_gettid);
#endif
    // Until all have been started, so that they are there at once.
    std::lock_guard lock(*probe->gate);
    return nullptr;
  }

  // A thread that has been joined may count in the system's limits for a moment more.
  void end() const {
    pthread_join(thread, nullptr);
#if defined(__linux__)
    while (syscall(SYS_tgkill, getpid(), id, 0) == 0) sched_yield();
#endif
  }
};

}  // namespace

int startable_threads(int count) {
  std::unique_ptr<Probe[]> probes(new (std::nothrow) Probe[static_cast<std::size_t>(count)]);
  if (!probes) return 0;
  std::mutex gate;
  int started = 0;
  {
    std::lock_guard closed(gate);
    for (; started < count; ++started) {
      Probe& probe = probes[static_cast<std::size_t>(started)];
      probe.gate = &gate;
      if (pthread_create(&probe.thread, nullptr, Probe::run, &probe) != 0) break;
    }
  }
  for (int i = 0; i < started; ++i) probes[static_cast<std::size_t>(i)].end();
  return started;
}

bool has_stacks(int threads) {
  std::size_t bytes = 0;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  constexpr std::size_t besides = std::size_t{1} << 20;
  bytes = bytes * static_cast<std::size_t>(threads) + besides;
  void* room = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, bytes);
  return true;
}

bool has_memory(std::size_t bytes, std::int64_t blocks) {
  struct Block {
    Block* next;
  };
  Block* chain = nullptr;
  std::int64_t found = 0;
  for (; found < blocks; ++found) {
    void* volatile memory = std::malloc(std::max(bytes, sizeof(Block)));
    if (!memory) break;
    chain = new (memory) Block{chain};
  }
  while (chain) std::free(std::exchange(chain, chain->next));
  return found == blocks;
}

}  // namespace hilo::host
