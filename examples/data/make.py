#!/usr/bin/env python3
"""Writes the matrices of this folder beside itself: exact integers, and fractions and roots of unity to 40 digits.

Only the standard library; README.md tells where each matrix comes from.
"""
from decimal import Decimal, getcontext
from fractions import Fraction
from math import comb
from pathlib import Path

getcontext().prec = 60
FOLDER = Path(__file__).parent
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")


def digits(x):
    """An integer as it is; anything else to 40 significant digits, which is more than a double-double holds."""
    if isinstance(x, int):
        return str(x)
    if isinstance(x, Fraction):
        x = Decimal(x.numerator) / Decimal(x.denominator)
    getcontext().prec = 40
    text = str((+x).normalize())
    getcontext().prec = 60
    return text


def cos_sin(x):
    """cos x and sin x by Taylor series; |x| <= pi."""
    total, term = [Decimal(0), Decimal(0)], Decimal(1)
    for n in range(100):
        total[n % 2] += -term if n % 4 >= 2 else term
        term = term * x / (n + 1)
    return total


def write(name, comment, field, symmetry, n, entry):
    lines = [f"%%MatrixMarket matrix array {field} {symmetry}", f"% {comment}", f"{n} {n}"]
    for j in range(n):
        for i in range(0 if symmetry == "general" else j, n):
            value = entry(i, j)
            lines.append(" ".join(digits(x) for x in value) if isinstance(value, tuple) else digits(value))
    (FOLDER / name).write_text("\n".join(lines) + "\n")


def write_coordinates(name, comment, symmetry, n, entries):
    lines = [f"%%MatrixMarket matrix coordinate integer {symmetry}", f"% {comment}", f"{n} {n} {len(entries)}"]
    lines += [f"{i + 1} {j + 1} {value}" for i, j, value in entries]
    (FOLDER / name).write_text("\n".join(lines) + "\n")


def inverse_hilbert(n):
    def entry(i, j):
        p, q = i + 1, j + 1
        return ((-1) ** (p + q) * (p + q - 1) * comb(n + p - 1, n - q) * comb(n + q - 1, n - p)
                * comb(p + q - 2, p - 1) ** 2)
    return entry


def fourier(n):
    def entry(i, j):
        turn = i * j % n
        signed = turn if 2 * turn <= n else turn - n
        c, s = cos_sin(-2 * PI * signed / n)
        if 4 * turn % n == 0:  # multiples of a quarter turn are exact
            c, s = [(1, 0), (0, -1), (-1, 0), (0, 1)][4 * turn // n]
        return Decimal(c) / 4, Decimal(s) / 4
    return entry


def kahan(n):
    c, s = cos_sin(Decimal("1.2"))
    return lambda i, j: 0 if i > j else s**i if i == j else -c * s**i


def frank(i, j):
    return 0 if i > j + 1 else 16 - max(i, j)


ROSSER = [[611, 196, -192, 407, -8, -52, -49, 29],
          [196, 899, 113, -192, -71, -43, -8, -44],
          [-192, 113, 899, 196, 61, 49, 8, 52],
          [407, -192, 196, 611, 8, 44, 59, -23],
          [-8, -71, 61, 8, 411, -599, 208, 208],
          [-52, -43, 49, 44, -599, 411, 208, 208],
          [-49, -8, 8, 59, 208, 208, 99, -911],
          [29, -44, 52, -23, 208, 208, -911, 99]]
WILSON = [[5, 7, 6, 5], [7, 10, 8, 7], [6, 8, 10, 9], [5, 7, 9, 10]]
WILSON_INVERSE = [[68, -41, -17, 10], [-41, 25, 10, -6], [-17, 10, 5, -3], [10, -6, -3, 2]]


def determinant(rows):
    """Exactly, by elimination with fractions."""
    a = [[Fraction(x) for x in row] for row in rows]
    result = Fraction(1)
    for k in range(len(a)):
        pivot = next((i for i in range(k, len(a)) if a[i][k]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != k:
            a[k], a[pivot], result = a[pivot], a[k], -result
        result *= a[k][k]
        for i in range(k + 1, len(a)):
            f = a[i][k] / a[k][k]
            a[i] = [x - f * y for x, y in zip(a[i], a[k])]
    return result


def is_identity(n, x, y):
    return all(sum(x(i, h) * y(h, j) for h in range(n)) == (i == j) for i in range(n) for j in range(n))


def check():
    """The properties that the matrices are known for, exactly."""
    assert is_identity(12, lambda i, j: Fraction(1, i + j + 1), inverse_hilbert(12))
    assert is_identity(4, lambda i, j: WILSON[i][j], lambda i, j: WILSON_INVERSE[i][j])
    for eigenvalue in (0, 1000, 1020):
        shifted = [[x - eigenvalue * (i == j) for j, x in enumerate(row)] for i, row in enumerate(ROSSER)]
        assert determinant(shifted) == 0
    assert determinant([[comb(i + j, i) for j in range(20)] for i in range(20)]) == 1
    assert determinant([[frank(i, j) for j in range(16)] for i in range(16)]) == 1


def main():
    check()
    write("hilbert12.mtx", "Hilbert matrix, 1 / (i + j - 1)", "real", "symmetric", 12,
          lambda i, j: 1 if i + j == 0 else Fraction(1, i + j + 1))
    write("hilbert12_inverse.mtx", "inverse of the Hilbert matrix of order 12", "integer", "symmetric", 12,
          inverse_hilbert(12))
    write("wilson.mtx", "Wilson's matrix", "integer", "symmetric", 4, lambda i, j: WILSON[i][j])
    write("wilson_inverse.mtx", "inverse of Wilson's matrix", "integer", "symmetric", 4,
          lambda i, j: WILSON_INVERSE[i][j])
    write("rosser.mtx", "Rosser's matrix", "integer", "symmetric", 8, lambda i, j: ROSSER[i][j])
    write("pascal20.mtx", "symmetric Pascal matrix", "integer", "symmetric", 20, lambda i, j: comb(i + j, i))
    write("frank16.mtx", "Frank's matrix", "integer", "general", 16, frank)
    write("kahan24.mtx", "Kahan's matrix, theta = 1.2", "real", "general", 24, kahan(24))
    write("fourier16.mtx", "unitary discrete Fourier matrix", "complex", "symmetric", 16, fourier(16))
    write_coordinates("laplacian64.mtx", "second difference on 64 points", "symmetric", 64,
                      [(i, j, 2 if i == j else -1) for j in range(64) for i in (j, j + 1) if i < 64])


if __name__ == "__main__":
    main()
