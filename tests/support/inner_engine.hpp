// Which engine a factorisation's products may have on this CPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <hilo/gemm.hpp>

namespace hilo::test {

/// Whether products inside a factorisation of m × n may be left to the modular engine where options leave it open: it
/// errs in proportion to the largest entries of rows and columns, and from which size on it is taken is the CPU's.
template <class T>
bool may_be_modular(std::int64_t m, std::int64_t n) {
  if constexpr (double_double<T>) {
    if (std::min(m, n) == 0) return false;
    const GemmOptions options{.accuracy = Accuracy::normwise};
    return plan_gemm<T>(Layout::column, Op::none, Op::none, m, n, std::max(m, n), options).engine == Engine::modular;
  } else {
    return false;
  }
}

}  // namespace hilo::test
