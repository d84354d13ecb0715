// Matrices that are singular, to the last bit.
#pragma once

#include <vector>

#include "matrices.hpp"
#include "random.hpp"

namespace hilo::test {

/// A product of n × (n − 1) and (n − 1) × n integers, one with two equal rows, or A = (1, a; b, ab) beside what is
/// none, whose leading words are not singular; n >= 2.
template <class T>
std::vector<T> singular_matrix(Random& random, std::int64_t n) {
  std::vector<T> a(static_cast<std::size_t>(n * n));
  const auto at = [&](std::int64_t i, std::int64_t j) -> T& { return a[static_cast<std::size_t>(i + j * n)]; };
  const int kind = static_cast<int>(random.below(3));
  if (kind == 0) {
    for (std::int64_t h = 0; h < n - 1; ++h) {
      std::vector<double> left(static_cast<std::size_t>(n)), right(left.size());
      for (double& e : left) e = static_cast<double>(random.between(-9, 9));
      for (double& e : right) e = static_cast<double>(random.between(-9, 9));
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < n; ++i) {
          at(i, j) += T(left[static_cast<std::size_t>(i)] * right[static_cast<std::size_t>(j)]);
        }
      }
    }
    return a;
  }
  for (T& e : a) e = random_element<T>(random);
  if (kind == 1) {
    for (std::int64_t j = 0; j < n; ++j) at(n - 1, j) = at(0, j);
    return a;
  }
  for (std::int64_t i = 2; i < n; ++i) at(i, 0) = at(i, 1) = at(0, i) = at(1, i) = T(0);
  const double x = 1.0 + random.uniform(), y = 1.0 + random.uniform();
  at(0, 0) = T(1);
  at(0, 1) = T(x);
  at(1, 0) = T(y);
  at(1, 1) = T(dd_real(x) * dd_real(y));
  return a;
}

}  // namespace hilo::test
