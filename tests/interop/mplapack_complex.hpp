// Complex matrices of programs for MPLAPACK, and what they are by loops of QD's numbers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "mplapack_declarations.hpp"

namespace mplapack_test {

// Column by column.
struct Matrix {
  mplapackint rows, columns;
  std::vector<dd_complex> entries;

  Matrix(mplapackint m, mplapackint n) : rows(m), columns(n), entries(static_cast<std::size_t>(m * n)) {}
  dd_complex& operator()(mplapackint i, mplapackint j) { return entries[static_cast<std::size_t>(i + j * rows)]; }
  const dd_complex& operator()(mplapackint i, mplapackint j) const {
    return entries[static_cast<std::size_t>(i + j * rows)];
  }
  dd_complex* data() { return entries.data(); }
};

inline Matrix random(mplapackint m, mplapackint n) {
  static std::uint64_t state = 1;
  auto uniform = [] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<std::int64_t>(state) >> 11) * 0x1p-52;
  };
  auto number = [&] { return dd_real(uniform()) + uniform() * 0x1p-54; };
  Matrix a(m, n);
  for (dd_complex& e : a.entries) {
    const dd_real re = number(), im = number();
    e = {re, im};
  }
  return a;
}

inline Matrix op(char which, const Matrix& a) {
  if (which == 'N') return a;
  Matrix b(a.columns, a.rows);
  for (mplapackint j = 0; j < b.columns; ++j) {
    for (mplapackint i = 0; i < b.rows; ++i) b(i, j) = which == 'T' ? a(j, i) : conj(a(j, i));
  }
  return b;
}

inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.columns);
  for (mplapackint j = 0; j < c.columns; ++j) {
    for (mplapackint k = 0; k < a.columns; ++k) {
      for (mplapackint i = 0; i < c.rows; ++i) c(i, j) = c(i, j) + a(i, k) * b(k, j);
    }
  }
  return c;
}
inline Matrix operator*(const dd_complex& alpha, Matrix a) {
  for (dd_complex& e : a.entries) e = alpha * e;
  return a;
}
inline Matrix operator+(Matrix a, const Matrix& b) {
  for (std::size_t i = 0; i < a.entries.size(); ++i) a.entries[i] = a.entries[i] + b.entries[i];
  return a;
}
inline Matrix operator-(const Matrix& a, const Matrix& b) { return a + dd_complex(-1.0) * b; }

inline Matrix identity(mplapackint n) {
  Matrix a(n, n);
  for (mplapackint i = 0; i < n; ++i) a(i, i) = 1.0;
  return a;
}

// Of that kind, of all of whose entries one triangle is a's: 'S' symmetric, 'H' Hermitian, 'T' the triangle alone.
inline Matrix by_triangle(char kind, char uplo, const Matrix& a) {
  Matrix b = a;
  for (mplapackint j = 0; j < a.columns; ++j) {
    for (mplapackint i = 0; i < a.rows; ++i) {
      if (i == j && kind == 'H') b(i, i) = a(i, i).real();
      if (uplo == 'U' ? i > j : i < j) b(i, j) = kind == 'S' ? a(j, i) : kind == 'H' ? conj(a(j, i)) : dd_complex();
    }
  }
  return b;
}

inline Matrix positive(mplapackint n) {
  const Matrix a = random(n, n);
  return a * op('C', a) + identity(n);
}

inline double largest(const Matrix& a) {
  dd_real most = 0.0;
  for (const dd_complex& e : a.entries) most = std::max(most, std::max(abs(e.real()), abs(e.imag())));
  return to_double(most);
}

inline void expect_near(const Matrix& a, const Matrix& b, double units, const char* what) {
  const double scale = std::max(largest(b), 1.0) * static_cast<double>(std::max(a.rows, a.columns)) * 0x1p-104;
  EXPECT_LT(largest(a - b), units * scale) << what;
}

}  // namespace mplapack_test
