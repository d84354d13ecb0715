#!/usr/bin/env python3
"""Writes include/hilo/detail/error_function_tables.hpp:
python3 scripts/error_function_tables.py | clang-format > that file.
"""

from mpmath import erf, erfc, exp, mpf, pi, sqrt

from polynomial_fit import fit, print_beginning, print_end, print_polynomial


def erf_quotient(t):
    x = sqrt(t + mpf(1) / 2)
    return erf(x) / x if x != 0 else 2 / sqrt(pi)


def scaled_complement(e):
    def f(t):
        x = (t + mpf(3) / 2) * 2**e
        return 2 ** (e + 1) * exp(x * x) * erfc(x)

    return f


print_beginning("error_function_tables.py")
print_polynomial(
    "erf(x) / x, t = x² - 1/2, within 2^-126 on [-1/2, 1/2].", "error_function_polynomial", fit(erf_quotient, 24)
)
# erfc underflows before 28 = 16 (3/2 + 1/4).
for e, (terms, right) in enumerate([(33, 0.5), (39, 0.5), (45, 0.5), (48, 0.5), (45, 0.25)]):
    name = f"scaled_complement_polynomial_{2**e}"
    print_polynomial(
        f"{2 ** (e + 1)} exp(x²) erfc(x), x = {2**e} (3/2 + t), within 2^-126 on [-1/2, {right}].",
        name,
        fit(scaled_complement(e), terms, right=right),
    )
print_end()
