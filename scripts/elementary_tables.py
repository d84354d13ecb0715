#!/usr/bin/env python3
"""Prints include/hilo/detail/elementary_tables.hpp: the constants of exp, log, sin and cos.

The arguments tabulated lie near an even grid, moved by a little each so that the function's value there is close to a
double (Gal, "Computing elementary functions", 1986): the next word is then too small for its rounding to count.

Needs mpmath. Usage: scripts/elementary_tables.py > include/hilo/detail/elementary_tables.hpp
"""

import textwrap

import mpmath

mpmath.mp.prec = 250
mpf = mpmath.mpf


def rounded(value, bits=53):
    """The nearest number of so many bits, exactly."""
    with mpmath.workprec(bits):
        return +value


def words(value, *bits):
    """value as a sum of words of so many bits each, the first ones truncated by rounding to nearest."""
    parts = []
    for b in bits:
        parts.append(rounded(value, b))
        value -= parts[-1]
    return parts


def is_near_a_double(value, bits):
    """Whether value lies within 2^-bits of half a unit of a double."""
    if value == 0:
        return True
    head = rounded(value)
    _, exponent = mpmath.frexp(head)
    return abs(value - head) < mpmath.ldexp(1, exponent - 54 - bits)


def nearest_to_zero(accepts):
    """The first of 0, 1, -1, 2, -2, ... that is accepted."""
    k = 0
    while not accepts(k):
        k = 1 - k if k <= 0 else -k
    return k


def exp_table(steps):
    """j -> shift, exp(j ln2 / steps + shift) as two words."""
    rows = []
    for j in range(steps):
        angle = j * mpmath.log(2) / steps
        unit = mpmath.ldexp(1, -39)
        k = nearest_to_zero(lambda k: is_near_a_double(mpmath.exp(angle + k * unit), 10))
        rows.append([k * unit] + words(mpmath.exp(angle + k * unit), 53, 53))
    return rows


def log_table(steps, first, last):
    """i -> c near steps / i, -log(c) as two words."""
    rows = []
    for i in range(first, last + 1):
        start = rounded(mpf(steps) / i, 30)
        unit = mpmath.ldexp(1, -31)
        k = nearest_to_zero(lambda k: is_near_a_double(mpmath.log(start + k * unit), 10))
        c = start + k * unit
        rows.append([c] + words(-mpmath.log(c), 53, 53))
    return rows


def sine_table(quarter):
    """j -> shift, sin(j pi / (2 quarter) + shift) as two words: a turn, and half a turn more for cosines of cosines."""
    base = []
    for j in range(quarter):
        angle = j * mpmath.pi / (2 * quarter)
        unit = mpmath.ldexp(1, -39)

        def accepts(k):
            c, s = mpmath.cos_sin(angle + k * unit)
            return is_near_a_double(s, 8) and is_near_a_double(c, 8)

        k = nearest_to_zero(accepts)
        base.append((k * unit, mpmath.cos_sin(angle + k * unit)))
    rows = []
    for j in range(6 * quarter):
        shift, (c, s) = base[j % quarter]
        value = [s, c, -s, -c][j // quarter % 4]
        rows.append([shift] + words(value, 53, 53))
    return rows


def literal(value):
    text = float(value).hex()
    assert mpf(float(value)) == value
    mantissa, exponent = text.split("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return "0.0" if value == 0 else mantissa + "p" + str(int(exponent))


def print_constant(name, value):
    print(f"  static constexpr double {name} = {literal(value)};")


def print_array(name, values):
    items = ", ".join(map(literal, values))
    print(f"  static constexpr double {name}[{len(values)}] = {{")
    print(textwrap.fill(items, 120, initial_indent="      ", subsequent_indent="      ", break_on_hyphens=False) + "};")


def print_columns(rows, *names):
    for name, column in zip(names, zip(*rows)):
        print_array(name, column)


def main():
    print("""\
// The constants of elementary.clh, printed by scripts/elementary_tables.py. A name that ends in _hi is the first word
// of two, _lo the second.
#pragma once

namespace hilo::detail {

/// Includers of elementary.clh derive from it, so that the text finds these names.
struct elementary_tables {
  // clang-format off""")

    last = 18
    print("  // 1 / n!")
    print_columns([words(1 / mpmath.factorial(n), 53, 53) for n in range(last)], "inverse_factorial_hi",
                  "inverse_factorial_lo")
    print("\n  // 1 / n, n >= 1")
    print_columns([[mpf(0), mpf(0)]] + [words(mpf(1) / n, 53, 53) for n in range(1, last)], "reciprocal_hi",
                  "reciprocal_lo")

    print("\n  // 128 / ln 2; ln 2 / 128 as two words of 35 bits and the rest")
    print_constant("exp_steps_per_unit", rounded(128 / mpmath.log(2)))
    print_array("exp_step", words(mpmath.log(2) / 128, 35, 35, 53))
    print("  // exp(j ln 2 / 128 + shift)")
    print_columns(exp_table(128), "exp_shift", "exp_hi", "exp_lo")

    print("\n  // ln 2 as two words of 42 bits and the rest")
    print_array("log_two", words(mpmath.log(2), 42, 42, 53))
    print("  // c near 128 / (91 + i), and -log(c)")
    print_columns(log_table(128, 91, 181), "log_factor", "log_hi", "log_lo")

    print("\n  // 64 / pi; pi / 64 as three words")
    print_constant("sine_steps_per_unit", rounded(64 / mpmath.pi))
    print_array("sine_step", words(mpmath.pi / 64, 53, 53, 53))
    print("  // sin(j pi / 64 + shift)")
    shift, hi, lo = zip(*sine_table(32))
    print_array("sine_shift", shift[:128])
    print_array("sine_hi", hi)
    print_array("sine_lo", lo)

    print("""\
};

}  // namespace hilo::detail""")


if __name__ == "__main__":
    main()
