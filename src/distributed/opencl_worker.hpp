// What computes a tile's task on the device of an OpenCL worker: hilo's calls on views of StarPU's buffers, on its
// queue.
#pragma once

#include <hilo/lapack.hpp>
#include <span>

#include "distributed/starpu.hpp"
#include "distributed/worker.hpp"

namespace hilo::distributed {

template <class T>
class OpenclWorker {
 public:
  using Element = T;
  using Tile = BufferView<T>;

  OpenclWorker(const BlockedOptions& options, const Queue& queue) : options_(options), queue_(queue) {}

  Tile tile(void* buffer) const {
    return {Buffer<T>(reinterpret_cast<cl_mem>(STARPU_MATRIX_GET_DEV_HANDLE(buffer))),
            static_cast<std::int64_t>(STARPU_MATRIX_GET_OFFSET(buffer) / sizeof(T)),
            static_cast<std::int64_t>(STARPU_MATRIX_GET_NX(buffer)),
            static_cast<std::int64_t>(STARPU_MATRIX_GET_NY(buffer)),
            1,
            static_cast<std::int64_t>(STARPU_MATRIX_GET_LD(buffer))};
  }

  std::int64_t potrf(Uplo uplo, const Tile& a) { return hilo::potrf(queue_, uplo, a, {}, options_); }
  void trsm(Side side, Uplo uplo, Diag diag, T alpha, const Tile& a, const Tile& b) {
    hilo::trsm(queue_, side, uplo, diag, alpha, a, b, {}, options_).wait();
  }
  void update(Op op, Uplo uplo, T alpha, const Tile& a, T beta, const Tile& c) {
    if (op == Op::transpose) return hilo::syrk(queue_, uplo, alpha, a, beta, c, {}, options_).wait();
    hilo::herk(queue_, uplo, real_part(alpha), a, real_part(beta), c, {}, options_).wait();
  }
  void gemm(T alpha, const Tile& a, const Tile& b, T beta, const Tile& c) {
    hilo::gemm(queue_, alpha, a, b, beta, c, {}, options_).wait();
  }

 private:
  const BlockedOptions& options_;
  Queue queue_;
};

}  // namespace hilo::distributed
