// Memory that is read from one end to the other is asked for before its turn.
#pragma once

#include <cstdint>

namespace hilo::host {

/// What is asked for: nothing; lines of memory 4 KiB further on, into the nearest cache; or those of the next four
/// pages by turns, so that the addresses of pages, which take time to find, are found together.
enum class Ahead : std::uint8_t { nothing, lines, pages };

/// What pays where memory is larger than caches: pages on CPUs of Intel, whose nearest cache awaits fewer lines than
/// the next one; lines on others.
Ahead ahead_in_memory();

/// What pays for operands of which a thread reads that many bytes: nothing where its second-level cache holds them.
Ahead ahead_of(std::int64_t bytes);

/// Bytes by which lines are asked for before their turn.
inline constexpr std::int64_t ahead_bytes = 4096;

/// Asks for the first of them, at x.
template <class T>
void expect_begin(const T* x) {
  const auto begin = reinterpret_cast<std::uintptr_t>(x);
  for (std::uintptr_t i = 0; i < ahead_bytes; i += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(begin + i), 0, 3);
}

/// Asks for what the next ones have instead of each line of memory among `bytes` from x on.
/// Inlined, since GCC takes it for a function without an effect and leaves out calls.
template <std::int64_t bytes, class T>
[[gnu::always_inline]] inline void expect(Ahead ahead, const T* x) {
  constexpr std::uintptr_t line = 64, page = 4096, pages = 4, all = (bytes + line - 1) / line;
  const auto begin = reinterpret_cast<std::uintptr_t>(x);
  if (ahead == Ahead::lines) {
    for (std::uintptr_t i = 0; i < all; ++i) {
      __builtin_prefetch(reinterpret_cast<const void*>(begin + ahead_bytes + i * line), 0, 3);
    }
  } else if (ahead == Ahead::pages) {
    // Lines that one address serves.
    constexpr std::uintptr_t together = all % 4 == 0 ? 4 : all % 2 == 0 ? 2 : 1;
    for (std::uintptr_t i = 0; i < all; i += together) {
      const std::uintptr_t place = begin + i * line, step = place / (together * line);
      const std::uintptr_t next = (place | (pages * page - 1)) + 1,
                           row = step * together / pages % (page / line) * line;
      const std::uintptr_t from = next + row + step % (pages / together) * together * page;
      for (std::uintptr_t k = 0; k < together; ++k) {
        __builtin_prefetch(reinterpret_cast<const void*>(from + k * page), 0, 2);
      }
    }
  }
}

}  // namespace hilo::host
