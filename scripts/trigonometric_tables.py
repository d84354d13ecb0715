#!/usr/bin/env python3
"""Writes include/hilo/detail/trigonometric_tables.hpp: python3 scripts/trigonometric_tables.py > that file."""

from mpmath import atan, cos, factorial, floor, mp, mpf, sin

mp.prec = 400


def fraction(x):
    """x, rounded to a multiple of 2^-128."""
    n = int(floor(x * mpf(2) ** 128 + mpf(1) / 2))
    assert 0 <= n < 2**128
    return f"make_uint128(0x{n >> 64:016x}, 0x{n & (2**64 - 1):016x})"


def table(comment, name, values):
    entries = [fraction(x) for x in values]
    print(f"\n// {comment}\ninline constexpr uint128 {name}[{len(entries)}] = {{")
    lines = [", ".join(entries[i : i + 2]) for i in range(0, len(entries), 2)]
    print("    " + ",\n    ".join(lines) + "};")


def scaled(k):
    """Polynomials are in the square of 64 times the argument."""
    return mpf(2) ** (-12 * k)


print(
    """// Written by scripts/trigonometric_tables.py. Fractions of 2^128, rounded to nearest.
#pragma once

#include <hilo/detail/wide.hpp>

namespace hilo::detail {"""
)
table("sin(j / 64); j = 0 … 51.", "sine_of_64ths", [sin(mpf(j) / 64) for j in range(52)])
table("cos(j / 64); the first, which is 1, is never read.", "cosine_of_64ths", [mpf(0)] + [cos(mpf(j) / 64) for j in range(1, 52)])
table("atan(j / 64); j = 0 … 64.", "arctangent_of_64ths", [atan(mpf(j) / 64) for j in range(65)])
table("2^(-12 k) / (2 k + 1)!; k = 1 … 6.", "sine_coefficients", [scaled(k) / factorial(2 * k + 1) for k in range(1, 7)])
table("2^(-12 (k - 1)) / (2 k)!; k = 1 … 6.", "cosine_coefficients", [scaled(k - 1) / factorial(2 * k) for k in range(1, 7)])
table("2^(-12 k) / (2 k + 1); k = 1 … 8.", "arctangent_coefficients", [scaled(k) / (2 * k + 1) for k in range(1, 9)])
print("\n}  // namespace hilo::detail")
