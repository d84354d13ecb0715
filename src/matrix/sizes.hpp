// Arithmetic of sizes that are not negative.
#pragma once

#include <cstdint>

namespace hilo {

/// As many parts of at most `of` as make x. Without a division where x is small: they are most of what a small product
/// takes.
constexpr std::int64_t blocks(std::int64_t x, std::int64_t of) { return x <= of ? x > 0 : (x + of - 1) / of; }

/// The least multiple of `to` that is no less than x.
constexpr std::int64_t round_up(std::int64_t x, std::int64_t to) { return blocks(x, to) * to; }

}  // namespace hilo
