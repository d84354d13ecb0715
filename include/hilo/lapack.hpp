// Factorisations and what is solved with them, on views of host memory and of device memory, in six precisions.
//
// Names, results and `info` are LAPACK's: 0, or the number, counted from 1, of the first column where a factorisation
// failed. Matrices, options, bits and errors are as in blas.hpp.
#pragma once

#include <cstdint>
#include <hilo/blas.hpp>
#include <span>
#include <vector>

namespace hilo {

/// P · A = L · U of an m × n matrix, by rows' exchanges: L, unit lower trapezoidal, and U, upper trapezoidal, take A's
/// place. Row i was exchanged with row pivots[i] - 1, i = 0 … min(m, n) − 1 in this order. The pivot of a column is its
/// entry of largest magnitude (of complex ones, |re| + |im|), the first of equals; NaN counts as infinite. info = j:
/// the factorisation is complete, but U(j, j) is exactly 0.
template <gemm_scalar T>
std::int64_t getrf(const MatrixView<T>& a, std::span<std::int64_t> pivots, const BlockedOptions& options = {});

/// X = op(A)⁻¹ · B in B's place, with getrf's factors and pivots of A.
template <gemm_scalar T>
void getrs(Op op, const detail::Operand<T>& lu, std::span<const std::int64_t> pivots, const MatrixView<T>& b,
           const BlockedOptions& options = {});

/// A · X = B: factors take A's place, X B's. Where info is not 0, B is as it was.
template <gemm_scalar T>
std::int64_t gesv(const MatrixView<T>& a, std::span<std::int64_t> pivots, const MatrixView<T>& b,
                  const BlockedOptions& options = {});

/// A = L · Lᴴ (lower) or Uᴴ · U (upper) of a Hermitian positive definite matrix; the factor takes the triangle's place.
/// info = j: the leading block of j rows is not positive definite, and the triangle is of no particular value.
template <gemm_scalar T>
std::int64_t potrf(Uplo uplo, const MatrixView<T>& a, const BlockedOptions& options = {});

/// X = A⁻¹ · B in B's place, with potrf's factor of A.
template <gemm_scalar T>
void potrs(Uplo uplo, const detail::Operand<T>& factor, const MatrixView<T>& b, const BlockedOptions& options = {});

/// A · X = B, A Hermitian positive definite: the factor takes the triangle's place, X B's. Where info is not 0, B is as
/// it was.
template <gemm_scalar T>
std::int64_t posv(Uplo uplo, const MatrixView<T>& a, const MatrixView<T>& b, const BlockedOptions& options = {});

/// The same of matrices in device memory, after the events of wait_list; they return when all is done, with what they
/// give in host memory. Factors, pivots and info are the host's by the same engine and FMA unless an entry is not finite,
/// of A or on the way, which may be NaN here and Inf there. What gemm on a queue throws, they throw; where a message
/// begins with "OpenCL failed" results are undefined.
template <gemm_scalar T>
std::int64_t getrf(Queue& queue, const BufferView<T>& a, std::span<std::int64_t> pivots,
                   const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});
template <gemm_scalar T>
void getrs(Queue& queue, Op op, const BufferView<T>& lu, std::span<const std::int64_t> pivots, const BufferView<T>& b,
           const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});
template <gemm_scalar T>
std::int64_t potrf(Queue& queue, Uplo uplo, const BufferView<T>& a, const std::vector<Event>& wait_list = {},
                   const BlockedOptions& options = {});
template <gemm_scalar T>
void potrs(Queue& queue, Uplo uplo, const BufferView<T>& factor, const BufferView<T>& b,
           const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});

}  // namespace hilo
