// Memory that is read from one end to the other is asked for before its turn.
#pragma once

#include <cstdint>

namespace hilo::host {

/// What the next 16 KiB have instead of each line of memory among `bytes` from x on, on its way to a cache: lines of
/// their four pages by turns, so that the addresses of pages, which take time to find, are found together.
/// Inlined, since GCC takes it for a function without an effect and leaves out calls.
template <std::int64_t bytes, class T>
[[gnu::always_inline]] inline void expect_pages(const T* x) {
  constexpr std::uintptr_t line = 64, page = 4096, pages = 4, all = (bytes + line - 1) / line;
  // Lines that one address serves.
  constexpr std::uintptr_t together = all % 4 == 0 ? 4 : all % 2 == 0 ? 2 : 1;
  for (std::uintptr_t i = 0; i < all; i += together) {
    const std::uintptr_t place = reinterpret_cast<std::uintptr_t>(x) + i * line, step = place / (together * line);
    const std::uintptr_t next = (place | (pages * page - 1)) + 1, row = step * together / pages % (page / line) * line;
    const std::uintptr_t from = next + row + step % (pages / together) * together * page;
    for (std::uintptr_t k = 0; k < together; ++k) {
      __builtin_prefetch(reinterpret_cast<const void*>(from + k * page), 0, 2);
    }
  }
}

}  // namespace hilo::host
