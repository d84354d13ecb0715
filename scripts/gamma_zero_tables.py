"""include/hilo/detail/gamma_zero_tables.hpp: 1/Γ(1 + t) to 250 bits, and how near a dd_real comes to a zero of log |Γ|."""

from fractions import Fraction

from mpmath import digamma, floor, log, mp, mpf, rgamma

from polynomial_fit import fit, print_end

mp.prec = 700

TERMS = 52
LAST_POLE = 178


def coefficient(x):
    """x rounded to a multiple of 2^-254, in two's complement: its upper and its lower half."""
    n = int(floor(x * mpf(2) ** 254 + mpf(1) / 2)) % 2**256
    words = [f"0x{n >> shift & (2**64 - 1):016x}" for shift in (192, 128, 64, 0)]
    return f"{{make_uint128({words[0]}, {words[1]}), make_uint128({words[2]}, {words[3]})}}"


def log_gamma(n, t):
    """log |Γ(t - n)|."""
    r = -log(abs(t)) - log(rgamma(1 + t))
    for k in range(1, n + 1):
        r -= log(k - t)
    return r


def zero_next_to(n, sign):
    """The t with |Γ(t - n)| = 1 next to the pole, above it or below, by Newton's method in log |t|."""
    t = sign / mp.factorial(n)
    for _ in range(200):
        slope = t * (digamma(1 + t) + sum(1 / (k - t) for k in range(1, n + 1))) - 1
        step = log_gamma(n, t) / slope
        t *= mp.exp(-step)
        if abs(step) < mpf(2) ** -600:
            return t
    raise ArithmeticError((n, sign))


def neighbours(x):
    """The doubles below and above a rational number, or at it."""
    unit = Fraction(2) ** -1074
    while abs(x) >= unit * 2**53:
        unit *= 2
    below = x // unit * unit
    return below, below + unit


def exact(x):
    sign, mantissa, exponent, _ = x._mpf_
    return Fraction(-mantissa if sign else mantissa) * Fraction(2) ** exponent


def to_mpf(x):
    return mpf(x.numerator) / x.denominator


def nearest_approach(n, t):
    """The smallest |log |Γ(x)|| of the dd_real x on either side of the zero at t - n."""
    z = exact(t) - n
    hi = min(neighbours(z), key=lambda d: abs(d - z))
    return min(abs(log_gamma(n, to_mpf(hi + lo + n))) for lo in neighbours(z - hi) if hi + lo != -n)


def closest_zero():
    """log2 of the nearest approach to any zero."""
    zeros = [(2, -1)] + [(n, sign) for n in range(3, LAST_POLE) for sign in (-1, 1)]
    return min(log(nearest_approach(n, zero_next_to(n, sign)), 2) for n, sign in zeros)


if __name__ == "__main__":
    closest = closest_zero()
    assert closest > -124
    polynomial = fit(lambda t: rgamma(1 + t), TERMS, bits=250)
    print(
        f"""// Written by scripts/gamma_zero_tables.py, which also finds that |log |Γ(x)|| exceeds 2^{mp.nstr(closest, 5)} at every x < 0.
#pragma once

#include <hilo/detail/wide.hpp>

namespace hilo::detail {{

// 1/Γ(1 + t), within 2^-250 on [-1/2, 1/2]: multiples of 2^-254 in two's complement, the constant first.
inline constexpr int reciprocal_gamma_terms = {TERMS};
inline constexpr uint256 long_reciprocal_gamma_polynomial[reciprocal_gamma_terms] = {{"""
    )
    print(",\n".join("    " + coefficient(c) for c in polynomial) + "};")
    print_end()
