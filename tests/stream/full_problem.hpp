// Products whose roundings show.
#pragma once

#include <cstdint>

#include "../gemm/opencl_transfer.hpp"

namespace hilo::test {

// Of entries that fill all bits, so that every rounding shows.
template <class T>
Problem<T> full_problem(std::int64_t m, std::int64_t n, std::int64_t k, bool has_scalars) {
  auto p = generated<T>(uniform_kind, m, n, k, 1);
  if (has_scalars) {
    p.alpha = number<T>(1.25, -0.5);
    p.beta = number<T>(-0.75, 0.25);
  }
  return p;
}

}  // namespace hilo::test
