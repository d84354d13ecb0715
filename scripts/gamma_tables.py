#!/usr/bin/env python3
"""Writes include/hilo/detail/gamma_tables.hpp: python3 scripts/gamma_tables.py | clang-format > that file."""

from mpmath import euler, log, loggamma, mpf, pi, rgamma, sqrt

from polynomial_fit import fit, print_beginning, print_end, print_polynomial

STIRLING_FROM = 16


def log_gamma_quotient(t):
    return loggamma(2 + t) / t if t != 0 else 1 - euler


def stirling_remainder(t):
    if t == -mpf(1) / 2:
        return mpf(1) / 12 / STIRLING_FROM
    x = STIRLING_FROM / sqrt(t + mpf(1) / 2)
    return x / STIRLING_FROM * (loggamma(x) - (x - mpf(1) / 2) * log(x) + x - log(2 * pi) / 2)


print_beginning("gamma_tables.py")
print_polynomial("1/Γ(1 + t), within 2^-126 on [-1/2, 1/2].", "reciprocal_gamma_polynomial", fit(lambda t: rgamma(1 + t), 30))
print_polynomial(
    "log Γ(2 + t) / t, within 2^-126 on [-1/2, 1/2].", "log_gamma_polynomial", fit(log_gamma_quotient, 41)
)
print(f"\n// Where Stirling's formula begins.\ninline constexpr int stirling_from = {STIRLING_FROM};")
print_polynomial(
    "(log Γ(x) - (x - 1/2) log x + x - log(2π)/2) / y, x = stirling_from / y, t = y² - 1/2, within 2^-118 on [-1/2, 1/2].",
    "stirling_polynomial",
    fit(stirling_remainder, 14, bits=118),
)
print_end()
