// Memory cut into lines.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blas/words.hpp"

namespace hilo::lapack {

/// Pieces of memory one after the other, each aligned for any vector.
class Cutter {
 public:
  explicit Cutter(double* begin) : next_(reinterpret_cast<std::byte*>(begin)) {}

  template <gemm_scalar T>
  blas::Lines<T> lines(std::int64_t count, std::int64_t length) {
    return {reinterpret_cast<blas::Word<T>*>(take(blas::Lines<T>::bytes(count, length))), length};
  }
  /// The words of so many numbers.
  template <gemm_scalar T>
  blas::Word<T>* words(std::int64_t count) {
    return reinterpret_cast<blas::Word<T>*>(take(count * static_cast<std::int64_t>(sizeof(T))));
  }

 private:
  std::byte* take(std::int64_t bytes) {
    std::byte* const here = next_;
    next_ += round_up(bytes, 64);
    return here;
  }

  std::byte* next_;
};

}  // namespace hilo::lapack
