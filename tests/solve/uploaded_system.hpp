// A system that a device solves, and what is expected of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <hilo/solve.hpp>
#include <utility>
#include <vector>

#include "on_device.hpp"
#include "wide_system.hpp"

namespace hilo::test {

template <class T>
struct UploadedSystem {
  std::int64_t n, count;
  std::vector<T> a, b, x;
  bool is_lower = true;

  UploadedSystem(std::int64_t order, std::vector<T> matrix, std::int64_t columns = 1)
      : n(order), count(columns), a(std::move(matrix)), b(static_cast<std::size_t>(n * count)), x(b.size(), T(12345)) {
    Random random(99);
    for (T& e : b) e = random_element<T>(random);
  }
  BufferView<T> upload(Queue& q, const std::vector<T>& y, std::int64_t columns) const {
    Buffer<T> buffer(q.context(), std::max<std::int64_t>(std::ssize(y), 1));
    buffer.write(q, y.data(), 0, std::ssize(y));
    return view(Layout::column, Op::none, buffer, n, columns, std::max<std::int64_t>(n, 1));
  }
  template <class F>
  SolveReport run(F f, Queue& q) {
    const auto of_a = upload(q, a, n), of_b = upload(q, b, count), of_x = upload(q, x, count);
    const SolveReport report = f(of_a, of_b, of_x);
    std::vector<T> after(a.size());
    of_a.buffer.read(q, after.data(), 0, std::ssize(after));
    EXPECT_EQ(first_difference(after, a), -1);
    of_x.buffer.read(q, x.data(), 0, std::ssize(x));
    return report;
  }
  SolveReport solve(const SolveOptions& options = {}, Queue& q = queue()) {
    return run([&](auto& of_a, auto& of_b, auto& of_x) { return hilo::solve(q, of_a, of_b, of_x, {}, options); }, q);
  }
  SolveReport solve_positive(Uplo uplo, const SolveOptions& options = {}) {
    Queue& q = queue();
    return run([&](auto& of_a, auto& of_b,
                   auto& of_x) { return hilo::solve_positive(q, uplo, of_a, of_b, of_x, {}, options); },
               q);
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
