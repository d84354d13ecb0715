#!/usr/bin/env python3
"""Prints include/hilo/detail/reduction_tables.hpp: the bits of 2/pi.

Needs mpmath. Usage: scripts/reduction_tables.py > include/hilo/detail/reduction_tables.hpp
"""

from mpmath import floor, ldexp, mp, pi

# The leading bit of the largest double has weight 2^1023, so its lowest has weight 2^971; 384 bits from there.
WORDS = 22 + 1
LEADING_ZEROS = 6

mp.prec = 64 * WORDS + 64
bits = int(floor(ldexp(2 / pi, 64 * WORDS)))
words = [0] * LEADING_ZEROS + [bits >> 64 * (WORDS - 1 - i) & (2**64 - 1) for i in range(WORDS)]

print(f"""\
// The bits of 2/pi, printed by scripts/reduction_tables.py.
#pragma once

#include <cstdint>

namespace hilo::detail {{

/// {WORDS} words of 64 bits after the binary point, truncated, and {LEADING_ZEROS} words of zeros before it.
inline constexpr std::uint64_t two_over_pi[{len(words)}] = {{""")
literals = [f"0x{w:016x}" for w in words]
lines = [", ".join(literals[i : i + 5]) for i in range(0, len(literals), 5)]
print("    " + ",\n    ".join(lines) + "};")
print("\n}  // namespace hilo::detail")
