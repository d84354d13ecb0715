#include "host/expect.hpp"

#include <unistd.h>

namespace hilo::host {
namespace {

bool is_intel() {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_cpu_is("intel");
#else
  return false;
#endif
}

// Bytes of a core's second-level cache, where the system tells them.
std::int64_t bytes_of_cache() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  if (const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0) return bytes;
#endif
  return std::int64_t{1} << 20;
}

}  // namespace

Ahead ahead_in_memory() {
  static const Ahead ahead = is_intel() ? Ahead::pages : Ahead::lines;
  return ahead;
}

Ahead ahead_of(std::int64_t bytes) {
  static const std::int64_t cache = bytes_of_cache();
  return bytes <= cache ? Ahead::nothing : ahead_in_memory();
}

}  // namespace hilo::host
