// Level 3 of the BLAS beside gemm, on views of host memory, in six precisions.
//
// Products by `gemm` do the work; diagonal blocks of `block` rows are computed by the operations of the element type,
// one after the other in increasing order. What fixes the bits of DD and ZDD is the matrices, their shape, the block,
// and what fixes those of the products (GemmOptions); not threads, nor where the matrices lie.
//
// Of each matrix rows or columns must be contiguous. op(X) is a view's `turned(op)`; `uplo` is the triangle of the view
// as it is given, and only that one is read or written. alpha = 0 reads no matrix but C, beta = 0 reads no C; NaN and
// Inf propagate; sizes of 0 return at once. A result must not share elements with an operand. Every function throws
// hilo::error before anything is written, with a message that begins with its name, if an argument cannot be right.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>
#include <hilo/matrix.hpp>
#include <type_traits>

namespace hilo {

/// Options of routines that are made of products and small blocks: those of their products.
using BlockedOptions = GemmOptions;

namespace detail {
template <class T>
using Scalar = std::type_identity_t<T>;
template <class T>
using Operand = std::type_identity_t<MatrixView<const T>>;

template <class T>
struct RealPart {
  using type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
  using type = T;
};
template <>
struct RealPart<dd_complex> {
  using type = dd_real;
};
}  // namespace detail

/// The real type of a scalar: double of std::complex<double>, dd_real of dd_complex.
template <class T>
using real_type = typename detail::RealPart<T>::type;

/// B = alpha · A⁻¹ · B (left; A is m × m, B m × n) or alpha · B · A⁻¹ (right; A is n × n), A triangular. Without a
/// check for singular A: where a diagonal entry is 0, entries of B are Inf or NaN.
template <gemm_scalar T>
void trsm(Side side, Uplo uplo, Diag diag, detail::Scalar<T> alpha, const detail::Operand<T>& a, const MatrixView<T>& b,
          const BlockedOptions& options = {});

/// B = alpha · A · B (left) or alpha · B · A (right), A triangular.
template <gemm_scalar T>
void trmm(Side side, Uplo uplo, Diag diag, detail::Scalar<T> alpha, const detail::Operand<T>& a, const MatrixView<T>& b,
          const BlockedOptions& options = {});

/// C = alpha · A · B + beta · C (left) or alpha · B · A + beta · C (right), A symmetric.
template <gemm_scalar T>
void symm(Side side, Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::Operand<T>& b,
          detail::Scalar<T> beta, const MatrixView<T>& c, const BlockedOptions& options = {});

/// The same, A Hermitian: imaginary parts of its diagonal are taken as 0.
template <gemm_scalar T>
void hemm(Side side, Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::Operand<T>& b,
          detail::Scalar<T> beta, const MatrixView<T>& c, const BlockedOptions& options = {});

/// C = alpha · A · Aᵀ + beta · C of a triangle of C; A is n × k, C n × n.
template <gemm_scalar T>
void syrk(Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, detail::Scalar<T> beta,
          const MatrixView<T>& c, const BlockedOptions& options = {});

/// C = alpha · A · Aᴴ + beta · C, C Hermitian: imaginary parts of its diagonal are taken as 0, and
/// become it unless nothing is to be done (alpha or k is 0, and beta 1).
template <gemm_scalar T>
void herk(Uplo uplo, real_type<T> alpha, const detail::Operand<T>& a, real_type<T> beta, const MatrixView<T>& c,
          const BlockedOptions& options = {});

/// C = alpha · A · Bᵀ + alpha · B · Aᵀ + beta · C of a triangle of C; A and B are n × k, C n × n.
template <gemm_scalar T>
void syr2k(Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::Operand<T>& b,
           detail::Scalar<T> beta, const MatrixView<T>& c, const BlockedOptions& options = {});

/// C = alpha · A · Bᴴ + conj(alpha) · B · Aᴴ + beta · C, C Hermitian as in herk.
template <gemm_scalar T>
void her2k(Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::Operand<T>& b,
           real_type<T> beta, const MatrixView<T>& c, const BlockedOptions& options = {});

}  // namespace hilo
