// A matrix on the host and on the tests' device, for steps of refinements that are to have the same bits.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "opencl_queue.hpp"
#include "spectral/dense.hpp"

namespace hilo::test {

/// By columns.
template <class T>
spectral::Dense<T> dense_of(std::int64_t m, std::int64_t n, const std::vector<T>& a) {
  spectral::Dense<T> x(m, n);
  std::copy(a.begin(), a.end(), x.view().data);
  return x;
}
template <class T>
Buffer<T> uploaded(Queue& q, const std::vector<T>& a) {
  Buffer<T> buffer(q.context(), std::ssize(a));
  buffer.write(q, a.data(), 0, std::ssize(a));
  return buffer;
}

template <class T>
void expect_same(const spectral::Dense<T>& x, const spectral::Dense<T>& y, const std::string& what) {
  for (std::int64_t j = 0; j < x.columns(); ++j) {
    for (std::int64_t i = 0; i < x.rows(); ++i) ASSERT_EQ(x(i, j), y(i, j)) << what << ' ' << i << ' ' << j;
  }
}

}  // namespace hilo::test
