// Square matrices that make factorisations err: hard_matrices, and hard_positive_matrices of which a Cholesky exists;
// for_hard_cases walks them.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "matrices.hpp"

namespace hilo::test {

template <class T>
struct TestMatrix {
  using Entries = std::function<T(std::int64_t i, std::int64_t j)>;
  std::string name;
  std::function<Entries(std::int64_t n)> entries;
  bool is_singular = false;
};

/// The largest power of two that matrices are scaled by, half of the exponents' range.
template <class T>
constexpr int large_exponent = is_single(precision_of<T>) ? 55 : 450;

template <class T>
T with_exponent(const T& x, int e) {
  if constexpr (is_complex(precision_of<T>)) {
    return {with_exponent(x.real(), e), with_exponent(x.imag(), e)};
  } else {
    using std::ldexp;
    return ldexp(x, e);
  }
}

template <class T>
std::vector<TestMatrix<T>> hard_matrices() {
  // Any order of i and j.
  const auto at = [](std::int64_t i, std::int64_t j, std::uint64_t seed) {
    Random random(seed * 1000003 + static_cast<std::uint64_t>(i) * 1009 + static_cast<std::uint64_t>(j));
    return random_element<T>(random);
  };
  const auto number = [](std::int64_t x) { return T(static_cast<float>(x)); };
  const auto scaled = [at](const std::function<int(std::int64_t, std::int64_t, std::int64_t)>& exponent) {
    return [=](std::int64_t n) {
      return [=](std::int64_t i, std::int64_t j) { return with_exponent(at(i, j, 1), exponent(i, j, n)); };
    };
  };
  int large = large_exponent<T>;
  return {
      {"Hilbert", [=](std::int64_t) { return [=](auto i, auto j) { return T(1) / number(i + j + 1); }; }},
      {"graded by rows", scaled([large](auto i, auto, auto n) { return static_cast<int>(-large * i / n); })},
      {"graded by columns",
       scaled([large](auto, auto j, auto n) { return static_cast<int>(large * j / n - large / 2); })},
      {"huge", scaled([large](auto, auto, auto) { return large; })},
      {"tiny", scaled([large](auto, auto, auto) { return -large; })},
      // Rank 3.
      {"of low rank",
       [=](std::int64_t) {
         return [=](std::int64_t i, std::int64_t j) {
           T sum(0);
           for (int r = 0; r < 3; ++r) sum = sum + at(i, r, 2) * at(r, j, 3);
           return sum;
         };
       },
       true},
      {"with equal columns",
       [=](std::int64_t n) { return [=](std::int64_t i, std::int64_t j) { return at(i, j == n / 2 ? 0 : j, 4); }; },
       true},
      {"of zeros", [=](std::int64_t) { return [=](std::int64_t, std::int64_t) { return T(0); }; }, true},
      {"with a column of zeros",
       [=](std::int64_t n) { return [=](std::int64_t i, std::int64_t j) { return j == n / 3 ? T(0) : at(i, j, 5); }; },
       true},
      // The last column grows by 2 with each of 8 pivots.
      {"of growth",
       [=](std::int64_t n) {
         return [=](std::int64_t i, std::int64_t j) {
           return j == n - 1 || i == j ? T(1) : i > j && j < 8 ? number(-1) : T(0);
         };
       }},
  };
}

/// How a matrix lies, and is cut.
struct HardCase {
  std::int64_t n, block;
  Layout layout;
  Uplo uplo;
  std::size_t turn = 0;
};

/// f(matrix, case): each block for those sizes; in the long form for 0 … 300 each with blocks, layouts and triangles by
/// turns.
template <class T, class F>
void for_hard_cases(const std::vector<TestMatrix<T>>& matrices, std::initializer_list<std::int64_t> sizes,
                    std::initializer_list<std::int64_t> blocks, F f) {
  std::size_t turn = 0;
  for (const TestMatrix<T>& matrix : matrices) {
    for (const std::int64_t n : sizes) {
      for (const std::int64_t block : blocks) f(matrix, HardCase{n, block, Layout::column, Uplo::lower});
    }
    for (const std::int64_t n : orders_of({})) {
      f(matrix, HardCase{n, every_block[turn % 5], both_layouts[turn / 5 % 2], both_triangles[turn / 10 % 2], turn});
      ++turn;
    }
  }
}

template <class T>
StoredMatrix<T> stored(const TestMatrix<T>& matrix, Layout layout, std::int64_t n) {
  StoredMatrix<T> a(layout, n, n);
  a.fill([&, f = matrix.entries(n)](std::int64_t i, std::int64_t j) { return f(i, j); });
  return a;
}

template <class T>
std::vector<TestMatrix<T>> hard_positive_matrices() {
  const auto number = [](std::int64_t x) { return T(static_cast<float>(x)); };
  int large = large_exponent<T>;
  // min(i, j) + 1 is L · Lᵀ of a triangle of ones; its condition grows as n².
  const auto minimum = [=](std::int64_t i, std::int64_t j) { return number(std::min(i, j) + 1); };
  return {
      {"of minima", [=](std::int64_t) { return minimum; }},
      {"huge", [=](std::int64_t) { return [=](auto i, auto j) { return with_exponent(minimum(i, j), large); }; }},
      {"tiny", [=](std::int64_t) { return [=](auto i, auto j) { return with_exponent(minimum(i, j), -large); }; }},
      {"graded",
       [=](std::int64_t n) {
         return [=](std::int64_t i, std::int64_t j) {
           const auto half = [&](std::int64_t k) { return static_cast<int>(-large * k / (2 * n)); };
           return with_exponent(minimum(i, j), half(i) + half(j));
         };
       }},
      // A kernel of the exponential, near to a singular one.
      {"of exponentials",
       [=](std::int64_t n) {
         return [=](std::int64_t i, std::int64_t j) {
           const double far = std::fabs(static_cast<double>(i - j)) / static_cast<double>(n);
           return T(static_cast<float>(std::exp(-far))) + (i == j ? T(0.001F) : T(0));
         };
       }},
  };
}

}  // namespace hilo::test
