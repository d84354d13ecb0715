// A system with a random right-hand side, and what is expected of its solution.
#pragma once

#include <algorithm>
#include <cstdint>
#include <hilo/solve.hpp>
#include <utility>
#include <vector>

#include "wide_system.hpp"

namespace hilo::test {

template <class T>
struct LinearSystem {
  std::int64_t n, count;
  std::vector<T> a, b, x;

  LinearSystem(std::int64_t order, std::vector<T> matrix, std::int64_t columns = 1)
      : n(order), count(columns), a(std::move(matrix)), b(static_cast<std::size_t>(n * count)), x(b.size(), T(12345)) {
    Random random(99);
    for (T& e : b) e = random_element<T>(random);
  }
  MatrixView<T> view_of(std::vector<T>& y, std::int64_t columns) const {
    return view(Layout::column, Op::none, y.data(), n, columns, n);
  }
  SolutionError error(std::int64_t column = 0) const {
    const auto exact = wide_solution(
        n, [&](std::int64_t i, std::int64_t j) { return wide(a[static_cast<std::size_t>(i + j * n)]); },
        [&](std::int64_t i) { return wide(b[static_cast<std::size_t>(i + column * n)]); });
    return error_of(exact, x.data() + column * n);
  }
  bool is_untouched() const {
    return std::all_of(x.begin(), x.end(), [](const T& e) { return e == T(12345); });
  }
};

}  // namespace hilo::test
