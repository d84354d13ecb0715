// The arithmetic of vectors, element by element, and vectors of any stride cut into parts that are side by side.
#pragma once

#include <algorithm>
#include <hilo/blas.hpp>

#include "dd/kernels.hpp"
#include "host/team.hpp"
#include "host/workspace.hpp"
#include "matrix/sizes.hpp"

namespace hilo::blas {

/// What every vector routine takes from its options: threads, as many as that many bytes are worth, and kernels; and
/// how memory is asked for that far away. Throws unsupported for an unknown target.
struct VectorCall {
  int threads;
  const array::KernelSet* set;
  host::Ahead ahead;
  VectorCall(Precision precision, const BlockedOptions& options, std::int64_t bytes);
};

/// On n elements side by side; a ZDD product is multiply_finite; S, D, C and Z as native_vectors.hpp has them.
template <gemm_scalar T>
struct VectorArithmetic {
  const array::KernelSet* set;
  host::Ahead ahead;
  explicit VectorArithmetic(const VectorCall& call) : set(call.set), ahead(call.ahead) {}

  void axpy(std::int64_t n, const T& alpha, const T* x, T* y) const;
  void scale(std::int64_t n, const T& alpha, T* x) const;
  void rotate(std::int64_t n, const real_type<T>& c, const T& s, T* x, T* y) const;
};

/// Elements of strided vectors that are taken at a time.
inline constexpr std::int64_t vector_part = 1024;

/// x from `first` on, `n` elements side by side: where they lie, or in memory for vector_part of them.
template <class T>
T* side_by_side(const VectorView<T>& x, std::int64_t first, std::int64_t n, std::remove_const_t<T>* memory) {
  if (x.stride == 1) return x.data + first;
  for (std::int64_t i = 0; i < n; ++i) memory[i] = x(first + i);
  return memory;
}
template <class T>
void put_back(const VectorView<T>& x, std::int64_t first, std::int64_t n, const T* from) {
  if (x.stride == 1) return;
  for (std::int64_t i = 0; i < n; ++i) x(first + i) = from[i];
}

/// f(n, x, y) on parts of both, on all threads; y, and x where it is no operand, is what f leaves. Where parts begin
/// does not depend on threads and strides, and so the bits of a CBLAS do not.
template <class S, class T, class F>
void for_parts_of(int threads, const VectorView<S>& x, const VectorView<T>& y, F f) {
  host::for_parts(threads, blocks(x.size, vector_part), [&](std::int64_t begin, std::int64_t end) {
    const bool is_strided = x.stride != 1 || y.stride != 1;
    const host::Workspace memory(is_strided ? 2 * vector_part * static_cast<std::int64_t>(sizeof(T)) : 0);
    T* const spare = reinterpret_cast<T*>(memory.data());
    for (std::int64_t part = begin; part < end; ++part) {
      const std::int64_t i = part * vector_part, n = std::min(vector_part, x.size - i);
      S* const part_x = side_by_side(x, i, n, spare);
      T* const part_y = side_by_side(y, i, n, spare + vector_part);
      f(n, part_x, part_y);
      if constexpr (!std::is_const_v<S>) put_back(x, i, n, part_x);
      put_back(y, i, n, part_y);
    }
  });
}

/// The same of one vector.
template <class T, class F>
void for_parts_of(int threads, const VectorView<T>& x, F f) {
  for_parts_of(threads, VectorView<const T>{nullptr, x.size}, x,
               [&](std::int64_t n, const T*, T* part) { f(n, part); });
}

}  // namespace hilo::blas
