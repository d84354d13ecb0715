#!/usr/bin/env python3
"""Prints include/hilo/detail/exponential_tables.hpp: the constants of the exponential and the logarithm in 128 bits.

Needs mpmath and clang-format. Usage: scripts/exponential_tables.py > include/hilo/detail/exponential_tables.hpp
"""

import subprocess

from mpmath import mp, mpf, exp, factorial, floor, frexp, ldexp, log, nint

mp.prec = 400


def uint128(n):
    assert 0 <= n < 2**128
    return f"make_uint128(0x{n >> 64:016x}, 0x{n % 2**64:016x})"


def fraction(x):
    """x to the nearest multiple of 2^-128."""
    return uint128(int(nint(ldexp(x, 128))))


def wide(x, bits=128, rounding=nint):
    """x rounded to so many bits, as a Wide."""
    if x == 0:
        return "{}"
    _, e = frexp(x)
    mantissa = int(rounding(ldexp(abs(x), bits - e))) << (128 - bits)
    if mantissa == 2**128:
        mantissa, e = 2**127, e + 1
    return f"{{{uint128(mantissa)}, {e - 1}, {'true' if x < 0 else 'false'}}}"


def array(comment, type_name, name, entries):
    entries = list(entries)
    return f"// {comment}\ninline constexpr {type_name} {name}[{len(entries)}] = {{{', '.join(entries)}}};\n"


def constant(name, x):
    return f"inline constexpr Wide {name}{wide(x)};"


step = ldexp(log(mpf(2)) / 1024, 128)

# 1/(1 + i/128) in 10 bits. Nodes above sqrt(2) belong to the next binade, so that those at 1 and at 2 have logarithm 0.
inverses = [int(nint(mpf(1024) * 128 / (128 + i))) for i in range(129)]
first_upper = next(i for i, c in enumerate(inverses) if mpf(1024) / c > mp.sqrt(2))
logarithms = [log(mpf(512 if i >= first_upper else 1024) / c) for i, c in enumerate(inverses)]

text = f"""// Tables of the exponential and the logarithm. Written by scripts/exponential_tables.py.
#pragma once

#include <hilo/detail/wide.hpp>

namespace hilo::detail {{

{constant("wide_ln2", log(mpf(2)))}
{constant("wide_ln10", log(mpf(10)))}
{constant("wide_inverse_ln2", 1 / log(mpf(2)))}
{constant("wide_inverse_ln10", 1 / log(mpf(10)))}

// 1024 / ln 2 · 2^53, ln 2 / 1024 · 2^128, and 64 bits that follow.
inline constexpr std::uint64_t exp_steps = 0x{int(floor(ldexp(1024 / log(mpf(2)), 53))):016x};
inline constexpr uint128 exp_step = {uint128(int(floor(step)))};
inline constexpr std::uint64_t exp_step_rest = 0x{int(floor(ldexp(step - floor(step), 64))):016x};

{array("2^(i/32) · 2^127.", "uint128", "exp2_coarse", (uint128(int(nint(ldexp(mpf(2) ** (mpf(i) / 32), 127)))) for i in range(32)))}
{array("2^(i/1024) · 2^127.", "uint128", "exp2_fine", (uint128(int(nint(ldexp(mpf(2) ** (mpf(i) / 1024), 127)))) for i in range(32)))}
{array("1/(i + 2)! · 2^128.", "uint128", "inverse_factorials", (fraction(1 / factorial(i + 2)) for i in range(24)))}
{array("1/(i + 2) · 2^128.", "uint128", "inverse_integers", (fraction(mpf(1) / (i + 2)) for i in range(18)))}
{array("c = 1024 / (1 + i/128), rounded.", "std::uint16_t", "log_inverses", (str(c) for c in inverses))}
// The first node above sqrt(2).
inline constexpr int log_first_upper = {first_upper};

{array("ln(1024 / c); from log_first_upper on ln(512 / c).", "Wide", "log_nodes", (wide(x) for x in logarithms))}
}}  // namespace hilo::detail
"""
print(subprocess.run(["clang-format", "--style={BasedOnStyle: Google, ColumnLimit: 120}"], input=text, text=True,
                     capture_output=True, check=True).stdout, end="")
