// Routines on matrices in host memory that devices compute: whole where they have room, else piece by piece.
//
//   hilo::Queue queue{hilo::Context()};
//   std::int64_t info = getrf(queue, a, pivots, {.device_bytes = std::int64_t{8} << 30});
//
// What these routines do, and their options, is said in blas.hpp and lapack.hpp. `devices` is a queue, or a group: LU
// and Cholesky of a matrix in pinned memory (HostBuffer) deal its columns to all devices, so that some come and go
// while others are computed; otherwise each product is shared by all, and what stands between products is the first
// one's. Bits and info are those of the routine on matrices in the first device's memory, whatever memory there is,
// however many devices compute, and wherever matrices are cut: in D and Z, and in DD and ZDD unless an entry is not
// finite or Engine::automatic would look at exponents that spread (docs/streaming.md). options.device_bytes is of each
// device; 0: what it has.
//
// They return when all is done. What is wrong with arguments is said before anything is written; where a call fails
// later, the message says that the result is undefined, and out_of_memory how much memory the least piece takes.
// `report`: bytes and seconds of both ways and of kernels, of all devices together; of columns that are dealt the time
// that all took counts for kernels, once.
#pragma once

#include <cstdint>
#include <hilo/blas.hpp>
#include <hilo/device_group.hpp>
#include <hilo/lapack.hpp>
#include <span>

namespace hilo {

template <gemm_scalar T>
void trsm(const DeviceGroup& devices, Side side, Uplo uplo, Diag diag, detail::Scalar<T> alpha,
          const detail::Operand<T>& a, const MatrixView<T>& b, const BlockedOptions& options = {},
          StreamReport* report = nullptr);
template <gemm_scalar T>
void syrk(const DeviceGroup& devices, Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a,
          detail::Scalar<T> beta, const MatrixView<T>& c, const BlockedOptions& options = {},
          StreamReport* report = nullptr);
template <gemm_scalar T>
void herk(const DeviceGroup& devices, Uplo uplo, real_type<T> alpha, const detail::Operand<T>& a, real_type<T> beta,
          const MatrixView<T>& c, const BlockedOptions& options = {}, StreamReport* report = nullptr);

template <gemm_scalar T>
std::int64_t getrf(const DeviceGroup& devices, const MatrixView<T>& a, std::span<std::int64_t> pivots,
                   const BlockedOptions& options = {}, StreamReport* report = nullptr);
template <gemm_scalar T>
void getrs(const DeviceGroup& devices, Op op, const detail::Operand<T>& lu, std::span<const std::int64_t> pivots,
           const MatrixView<T>& b, const BlockedOptions& options = {}, StreamReport* report = nullptr);
template <gemm_scalar T>
std::int64_t gesv(const DeviceGroup& devices, const MatrixView<T>& a, std::span<std::int64_t> pivots,
                  const MatrixView<T>& b, const BlockedOptions& options = {}, StreamReport* report = nullptr);
template <gemm_scalar T>
std::int64_t potrf(const DeviceGroup& devices, Uplo uplo, const MatrixView<T>& a, const BlockedOptions& options = {},
                   StreamReport* report = nullptr);
template <gemm_scalar T>
void potrs(const DeviceGroup& devices, Uplo uplo, const detail::Operand<T>& factor, const MatrixView<T>& b,
           const BlockedOptions& options = {}, StreamReport* report = nullptr);
template <gemm_scalar T>
std::int64_t posv(const DeviceGroup& devices, Uplo uplo, const MatrixView<T>& a, const MatrixView<T>& b,
                  const BlockedOptions& options = {}, StreamReport* report = nullptr);

}  // namespace hilo
