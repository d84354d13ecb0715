// Cases for the tests of level 2: every way a triangle lies, with sizes, strides and threads by turns.
#pragma once

#include <hilo/blas.hpp>

#include "vectors.hpp"

namespace hilo::test {

inline constexpr std::int64_t level2_sizes[] = {0, 1, 2, 3, 7, 8, 9, 16, 31, 33, 64, 65, 70, 130};
inline constexpr std::int64_t level2_strides[] = {1, -1, 2, -3};

template <class T>
struct Level2Case {
  Layout layout;
  Op op;
  Uplo uplo;
  Diag diag;
  std::int64_t n, x_stride, y_stride;
  std::uint64_t seed;
  BlockedOptions options = {};
};

// Every way a matrix lies, with sizes, strides and threads by turns.
template <class T, class F>
void for_cases(F f) {
  std::uint64_t seed = 0;
  for (const std::int64_t n : level2_sizes) {
    for (const Layout layout : both_layouts) {
      for (const Op op : every_op) {
        for (const Uplo uplo : both_triangles) {
          for (const Diag diag : both_diagonals) {
            Level2Case<T> x{layout,
                            op,
                            uplo,
                            diag,
                            n,
                            level2_strides[(seed + seed / 32) % 4],
                            level2_strides[(seed / 4 + seed / 16) % 4],
                            seed};
            x.options.threads = 1 + static_cast<int>(seed % 3);
            f(x);
            ++seed;
          }
        }
      }
    }
  }
}

constexpr Uplo flipped(Uplo uplo, Op op) {
  return is_transposed(op) ? (uplo == Uplo::lower ? Uplo::upper : Uplo::lower) : uplo;
}

// A matrix with NaN wherever its other triangle is.
template <class T>
StoredMatrix<T> one_triangle(const Level2Case<T>& c, bool with_diagonal) {
  StoredMatrix<T> a(c.layout, c.n, c.n, c.seed + 3);
  a.fill([&](std::int64_t i, std::int64_t j) {
    if (i == j) return with_diagonal ? a(i, j) + T(a(i, j) == a(i, j) ? 2 : 0) : not_a_number<T>();
    return (i > j) == (c.uplo == Uplo::lower) ? a(i, j) * T(0.25) : not_a_number<T>();
  });
  return a;
}

}  // namespace hilo::test
