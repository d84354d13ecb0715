// What computes a tile's task: hilo's calls on views, on a CPU worker.
#pragma once

#include <hilo/lapack.hpp>
#include <span>

#include "distributed/starpu.hpp"

namespace hilo::distributed {

template <class T>
real_type<T> real_part(const T& x) {
  if constexpr (is_complex(precision_of<T>)) {
    return x.real();
  } else {
    return x;
  }
}

template <class T>
class CpuWorker {
 public:
  using Element = T;
  using Tile = MatrixView<T>;

  explicit CpuWorker(const BlockedOptions& options) : options_(options) {}

  Tile tile(void* buffer) const {
    return {reinterpret_cast<T*>(STARPU_MATRIX_GET_PTR(buffer)),
            static_cast<std::int64_t>(STARPU_MATRIX_GET_NX(buffer)),
            static_cast<std::int64_t>(STARPU_MATRIX_GET_NY(buffer)), 1,
            static_cast<std::int64_t>(STARPU_MATRIX_GET_LD(buffer))};
  }

  std::int64_t potrf(Uplo uplo, const Tile& a) const { return hilo::potrf(uplo, a, options_); }
  void trsm(Side side, Uplo uplo, Diag diag, T alpha, const Tile& a, const Tile& b) const {
    hilo::trsm(side, uplo, diag, alpha, a, b, options_);
  }
  std::int64_t getrf(const Tile& a, std::span<std::int64_t> pivots) const { return hilo::getrf(a, pivots, options_); }
  /// herk, with the real parts of alpha and beta, or syrk.
  void update(Op op, Uplo uplo, T alpha, const Tile& a, T beta, const Tile& c) const {
    if (op == Op::transpose) return hilo::syrk(uplo, alpha, a, beta, c, options_);
    hilo::herk(uplo, real_part(alpha), a, real_part(beta), c, options_);
  }
  void gemm(T alpha, const Tile& a, const Tile& b, T beta, const Tile& c) const {
    hilo::gemm(alpha, a, b, beta, c, options_);
  }

 private:
  const BlockedOptions& options_;
};

}  // namespace hilo::distributed
