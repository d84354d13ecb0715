// Factorisations and what is solved with them, on views of host memory and of device memory, in six precisions.
//
// Names, results and `info` are LAPACK's: 0, or the number, counted from 1, of the first column where a factorisation
// failed. Matrices, options, bits and errors are as in blas.hpp; `ormqr` and `orgqr` report as `unmqr` and `ungqr`. On
// the host each routine but those of determinants also takes the arguments of LAPACK++ behind a layout: `gesv(layout,
// n, nrhs, a, lda, pivots, b, ldb)` (hilo/detail/lapack_calls.hpp, for all).
#pragma once

#include <cstdint>
#include <hilo/blas.hpp>
#include <span>
#include <vector>

namespace hilo {

/// The largest sum of a column's magnitudes, or of a row's; the root of the sum of squares; the largest magnitude.
enum class Norm : std::uint8_t { one, infinity, frobenius, max };

namespace detail {
template <class T>
concept Readable = gemm_scalar<std::remove_const_t<T>>;
template <class T>
using RealOf = real_type<std::remove_const_t<T>>;
}  // namespace detail

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

/// A = L · D · Lᵀ (lower) or U · D · Uᵀ (upper) of a symmetric matrix with Bunch and Kaufman's pivots, D of 1 × 1 and
/// 2 × 2 blocks; the factors take the triangle's place as LAPACK's do. pivots[k] = p > 0: a block of one row, row k was
/// exchanged with row p − 1. pivots[k] = pivots[k + 1] = −p < 0: one of rows k and k + 1, of which the second (lower)
/// or the first (upper) was exchanged with row p − 1. info = j: the factorisation is complete, but D(j, j) is exactly
/// 0.
template <gemm_scalar T>
std::int64_t sytrf(Uplo uplo, const MatrixView<T>& a, std::span<std::int64_t> pivots,
                   const BlockedOptions& options = {});

/// The same of a Hermitian matrix: A = L · D · Lᴴ or U · D · Uᴴ.
template <gemm_scalar T>
std::int64_t hetrf(Uplo uplo, const MatrixView<T>& a, std::span<std::int64_t> pivots,
                   const BlockedOptions& options = {});

/// X = A⁻¹ · B in B's place, with sytrf's or hetrf's factors and pivots of A.
template <gemm_scalar T>
void sytrs(Uplo uplo, const detail::Operand<T>& factors, std::span<const std::int64_t> pivots, const MatrixView<T>& b,
           const BlockedOptions& options = {});
template <gemm_scalar T>
void hetrs(Uplo uplo, const detail::Operand<T>& factors, std::span<const std::int64_t> pivots, const MatrixView<T>& b,
           const BlockedOptions& options = {});

/// A · X = B, A symmetric or Hermitian: factors take the triangle's place, X B's. Where info is not 0, B is as it was.
template <gemm_scalar T>
std::int64_t sysv(Uplo uplo, const MatrixView<T>& a, std::span<std::int64_t> pivots, const MatrixView<T>& b,
                  const BlockedOptions& options = {});
template <gemm_scalar T>
std::int64_t hesv(Uplo uplo, const MatrixView<T>& a, std::span<std::int64_t> pivots, const MatrixView<T>& b,
                  const BlockedOptions& options = {});

/// A⁻¹ of a triangular matrix in its place. info = j: A(j, j) is exactly 0, and A is as it was.
template <gemm_scalar T>
std::int64_t trtri(Uplo uplo, Diag diag, const MatrixView<T>& a, const BlockedOptions& options = {});

/// A⁻¹ in the place of getrf's factors of A. info = j: U(j, j) is exactly 0, and the factors are as they were.
template <gemm_scalar T>
std::int64_t getri(const MatrixView<T>& a, std::span<const std::int64_t> pivots, const BlockedOptions& options = {});

/// The triangle of A⁻¹ in the place of potrf's factor of A. info = j: its j-th diagonal entry is exactly 0, and it is
/// as it was.
template <gemm_scalar T>
std::int64_t potri(Uplo uplo, const MatrixView<T>& a, const BlockedOptions& options = {});

/// The triangle of A⁻¹ in the place of sytrf's or hetrf's factors of A. info = j: D(j, j) is exactly 0 (the first of
/// them, in an upper triangle the last), and the factors are as they were.
template <gemm_scalar T>
std::int64_t sytri(Uplo uplo, const MatrixView<T>& a, std::span<const std::int64_t> pivots,
                   const BlockedOptions& options = {});
template <gemm_scalar T>
std::int64_t hetri(Uplo uplo, const MatrixView<T>& a, std::span<const std::int64_t> pivots,
                   const BlockedOptions& options = {});

/// ‖A‖ of a matrix, of a symmetric or Hermitian one of which a triangle is read, and of a triangular or trapezoidal
/// one; 0 of an empty one. NaN propagates; the Frobenius norm overflows only where it is too large itself.
template <detail::Readable T>
detail::RealOf<T> lange(Norm norm, const MatrixView<T>& a);
template <detail::Readable T>
detail::RealOf<T> lansy(Norm norm, Uplo uplo, const MatrixView<T>& a);
template <detail::Readable T>
detail::RealOf<T> lanhe(Norm norm, Uplo uplo, const MatrixView<T>& a);
template <detail::Readable T>
detail::RealOf<T> lantr(Norm norm, Uplo uplo, Diag diag, const MatrixView<T>& a);

/// An estimate of 1 / (‖A‖ · ‖A⁻¹‖) in the norm `one` or `infinity`, never less than it up to roundings and rarely more
/// than three times it: with getrf's factors of A and ‖A‖ in that norm; with potrf's factor of A, or with sytrf's or
/// hetrf's factors and pivots, and ‖A‖, one norm being the other; of a triangular matrix. 0 of a singular one, or where
/// ‖A‖ is Inf, NaN where ‖A‖ is or where a factor is not finite, 1 of an empty one. Takes memory as large as A, but as
/// a rule `gecon` of factors with contiguous columns, which is read where it lies.
template <detail::Readable T>
detail::RealOf<T> gecon(Norm norm, const MatrixView<T>& lu, detail::Scalar<detail::RealOf<T>> anorm,
                        const BlockedOptions& options = {});
template <detail::Readable T>
detail::RealOf<T> pocon(Uplo uplo, const MatrixView<T>& factor, detail::Scalar<detail::RealOf<T>> anorm,
                        const BlockedOptions& options = {});
template <detail::Readable T>
detail::RealOf<T> sycon(Uplo uplo, const MatrixView<T>& factors, std::span<const std::int64_t> pivots,
                        detail::Scalar<detail::RealOf<T>> anorm, const BlockedOptions& options = {});
template <detail::Readable T>
detail::RealOf<T> hecon(Uplo uplo, const MatrixView<T>& factors, std::span<const std::int64_t> pivots,
                        detail::Scalar<detail::RealOf<T>> anorm, const BlockedOptions& options = {});
template <detail::Readable T>
detail::RealOf<T> trcon(Norm norm, Uplo uplo, Diag diag, const MatrixView<T>& a, const BlockedOptions& options = {});

/// mantissa · 2^exponent, 1 <= |mantissa| < 2, of complex numbers the larger part's; {0, 0}; or what is not finite.
template <class T>
struct Determinant {
  T mantissa;
  std::int64_t exponent;
};

/// The determinant of A with getrf's factors and pivots of it, or with potrf's factor.
template <detail::Readable T>
Determinant<std::remove_const_t<T>> determinant(const MatrixView<T>& lu, std::span<const std::int64_t> pivots);
template <detail::Readable T>
Determinant<detail::RealOf<T>> determinant(const MatrixView<T>& factor);

/// The determinant of a symmetric matrix with sytrf's factors and pivots of it, and of a Hermitian one with hetrf's.
template <detail::Readable T>
Determinant<std::remove_const_t<T>> symmetric_determinant(Uplo uplo, const MatrixView<T>& factors,
                                                          std::span<const std::int64_t> pivots);
template <detail::Readable T>
Determinant<detail::RealOf<T>> hermitian_determinant(Uplo uplo, const MatrixView<T>& factors,
                                                     std::span<const std::int64_t> pivots);

/// A = Q · R of an m × n matrix: R, upper trapezoidal, takes the place of A's upper triangle; below the diagonal and in
/// tau stand the reflectors of Q = H1 · H2 … , H = I − tau · v · vᴴ, min(m, n) of them: column j has v below the
/// diagonal, above which v is 1 and then 0. R's diagonal is real; tau is 0 of a column that is real and zero below.
template <gemm_scalar T>
void geqrf(const MatrixView<T>& a, std::span<detail::Scalar<T>> tau, const BlockedOptions& options = {});

/// A · P = Q · R of an m × n matrix, |R(0, 0)| >= |R(1, 1)| >= … up to roundings: R and reflectors as geqrf leaves
/// them, and column j of A · P is column pivots[j] − 1 of A, j = 0 … n − 1. Column by column, the one whose remaining
/// rows have the largest norm comes next, the first of equals; NaN and Inf come first. Unlike LAPACK's, pivots are not
/// read: no column is set to come first.
template <gemm_scalar T>
void geqp3(const MatrixView<T>& a, std::span<std::int64_t> pivots, std::span<detail::Scalar<T>> tau,
           const BlockedOptions& options = {});

/// C = op(Q) · C (left) or C · op(Q) (right) in C's place, Q of as many of geqrf's reflectors as tau has, in A's first
/// columns. A has as many rows as Q.
template <gemm_scalar T>
void unmqr(Side side, Op op, const detail::Operand<T>& a, std::span<const detail::Scalar<T>> tau,
           const MatrixView<T>& c, const BlockedOptions& options = {});

/// The first columns of Q in A's place, as many as A has, Q of as many of geqrf's reflectors as tau has, in A's first
/// columns. A has no more columns than rows.
template <gemm_scalar T>
void ungqr(const MatrixView<T>& a, std::span<const detail::Scalar<T>> tau, const BlockedOptions& options = {});

/// op(A) · X = B where A has full rank: X that makes ‖B − op(A) · X‖ least, or of smallest norm where op(A) has fewer
/// rows than columns. B has as many rows as the larger of m and n: of B those that op(A) has, and of X as many as op(A)
/// has columns. Factors of A, or of Aᵀ where m < n, take A's place. info = j: R(j, j) is exactly 0, and B is as it was.
template <gemm_scalar T>
std::int64_t gels(Op op, const MatrixView<T>& a, const MatrixView<T>& b, const BlockedOptions& options = {});

/// LAPACK's names of unmqr and ungqr for real matrices.
template <gemm_scalar T>
requires(!is_complex(precision_of<T>)) void ormqr(Side side, Op op, const detail::Operand<T>& a,
                                                  std::span<const detail::Scalar<T>> tau, const MatrixView<T>& c,
                                                  const BlockedOptions& options = {}) {
  unmqr(side, op, a, tau, c, options);
}
template <gemm_scalar T>
requires(!is_complex(precision_of<T>)) void orgqr(const MatrixView<T>& a, std::span<const detail::Scalar<T>> tau,
                                                  const BlockedOptions& options = {}) {
  ungqr(a, tau, options);
}

/// LU and Cholesky of matrices in device memory, after the events of wait_list; they return when all is done, with what
/// they give in host memory. Factors, pivots and info are the host's by the same engine and FMA unless an entry is not
/// finite, of A or on the way, which may be NaN here and Inf there. What gemm on a queue throws, they throw; where a
/// message begins with "OpenCL failed" results are undefined.
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

/// QR of matrices in device memory, as the above and with the same promises: tau, which is as small as pivots are, is
/// in host memory.
template <gemm_scalar T>
void geqrf(Queue& queue, const BufferView<T>& a, std::span<detail::Scalar<T>> tau,
           const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});
template <gemm_scalar T>
void unmqr(Queue& queue, Side side, Op op, const BufferView<T>& a, std::span<const detail::Scalar<T>> tau,
           const BufferView<T>& c, const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});
template <gemm_scalar T>
void ungqr(Queue& queue, const BufferView<T>& a, std::span<const detail::Scalar<T>> tau,
           const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});
template <gemm_scalar T>
std::int64_t gels(Queue& queue, Op op, const BufferView<T>& a, const BufferView<T>& b,
                  const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});

template <gemm_scalar T>
requires(!is_complex(precision_of<T>)) void ormqr(Queue& queue, Side side, Op op, const BufferView<T>& a,
                                                  std::span<const detail::Scalar<T>> tau, const BufferView<T>& c,
                                                  const std::vector<Event>& wait_list = {},
                                                  const BlockedOptions& options = {}) {
  unmqr(queue, side, op, a, tau, c, wait_list, options);
}
template <gemm_scalar T>
requires(!is_complex(precision_of<T>)) void orgqr(Queue& queue, const BufferView<T>& a,
                                                  std::span<const detail::Scalar<T>> tau,
                                                  const std::vector<Event>& wait_list = {},
                                                  const BlockedOptions& options = {}) {
  ungqr(queue, a, tau, wait_list, options);
}

}  // namespace hilo

#include <hilo/detail/lapack_calls.hpp>
