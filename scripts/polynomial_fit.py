"""Polynomials near functions on [-1/2, 1/2], as tables for include/hilo/detail/fixed_point_polynomial.hpp."""

from mpmath import chebyfit, floor, mp, mpf

mp.prec = 400


def coefficient(x):
    """x rounded to a multiple of 2^-126, in two's complement."""
    n = int(floor(x * mpf(2) ** 126 + mpf(1) / 2))
    assert abs(n) < 2**127
    n %= 2**128
    return f"make_uint128(0x{n >> 64:016x}, 0x{n & (2**64 - 1):016x})"


def fit(f, terms, bits=126, right=0.5):
    """The coefficients of a polynomial within 2^-bits of f on [-1/2, right], the constant first."""
    left, right = -mpf(1) / 2, mpf(right)
    polynomial = chebyfit(f, [left, right], terms)[::-1]
    for k in range(500):
        t = left + (right - left) * k / 499
        error = abs(sum(c * t**n for n, c in enumerate(polynomial)) - f(t))
        assert error < mpf(2) ** -bits, (k, mp.nstr(error / mpf(2) ** -bits, 5))
    return polynomial


def array(polynomial):
    return ",\n".join("    " + coefficient(c) for c in polynomial)


def print_polynomial(comment, name, polynomial):
    print(f"\n// {comment}\ninline constexpr uint128 {name}[{len(polynomial)}] = {{")
    print(array(polynomial) + "};")


def print_beginning(script):
    print(
        f"""// Written by scripts/{script}. Coefficients are multiples of 2^-126 in two's complement, the constant first.
#pragma once

#include <hilo/detail/wide.hpp>

namespace hilo::detail {{"""
    )


def print_end():
    print("\n}  // namespace hilo::detail")
