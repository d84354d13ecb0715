// A system that a device solves, and what is expected of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <hilo/solve.hpp>
#include <vector>

#include "linear_system.hpp"
#include "on_device.hpp"

namespace hilo::test {

template <class T>
struct UploadedSystem : LinearSystem<T> {
  using LinearSystem<T>::LinearSystem, LinearSystem<T>::n, LinearSystem<T>::count, LinearSystem<T>::a,
      LinearSystem<T>::b, LinearSystem<T>::x, LinearSystem<T>::view_of;

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
};

}  // namespace hilo::test
