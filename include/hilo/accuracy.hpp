// Error measures against MPFR (component hilo::accuracy).
#pragma once

#include <cstdint>
#include <hilo/blas.hpp>
#include <span>

namespace hilo::accuracy {

/// The worst error found among the entries checked.
struct ErrorReport {
  std::int64_t entries_checked = 0;
  /// In u²(|alpha||A||B| + |beta||C|), u = 2^-53, for DD and ZDD; in 2^-53 of it for D and Z, in 2^-24 for S and C.
  /// Normwise, ‖row of op(A)‖₂‖column of op(B)‖₂ stands for |A||B|. Magnitudes and errors of complex numbers are
  /// moduli. The underflow term U of docs/error-bounds.md is taken off each error first, so that this compares with
  /// GemmPlan::error_bound_u2 for all operands.
  double max_error_u2 = 0.0;
  std::int64_t row = -1, column = -1;  ///< where it is; -1 if no entry was checked
  /// Entries whose Inf or NaN is not what the sum in the words' precision gives (Inf, −Inf and NaN told apart except
  /// in C and Z, whose libraries differ there) nor, of finite operands, what rounding the exact entry gives; or the
  /// reverse. max_error_u2 is Inf if any.
  std::int64_t non_finite_mismatches = 0;
};

/// One line: the largest error, where it is, and among how many entries.
std::ostream& operator<<(std::ostream&, const ErrorReport&);

/// Which entries to check.
enum class Sample {
  some,  ///< at least 256: the corners, the edges of tiles of 8 to 256, and entries at random from a fixed seed
  full   ///< every one
};

/// The error of C = alpha · op(A) · op(B) + beta · C0 against MPFR with 256 bits, entry by entry.
///
/// Arguments as of gemm; `c0` is C before the product, with C's leading dimension, null if beta = 0. Reads no more than
/// gemm does. Uses OpenMP. About 0.3 µs a term of a real sum on one core. Throws hilo::error where gemm would, and if
/// c0 is null while beta is not 0.
template <gemm_scalar T>
ErrorReport gemm_error(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                       std::type_identity_t<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                       std::type_identity_t<T> beta, const T* c0, const T* c, std::int64_t ldc,
                       Sample sample = Sample::some, Measure measure = Measure::componentwise);

/// How many of the entries checked of C are not alpha · op(A) · op(B) rounded once: what Accuracy::exact promises.
///
/// With x the exact entry: hi = RN(x), lo = RN(x − hi), then fast_two_sum(hi, lo), for DD and ZDD; RN(x) for the
/// others; Inf where that overflows. The signs of zeros do not count. Where a row of op(A), a column of op(B) or alpha
/// is not finite, Inf and NaN must be those of gemm_error. MPFR has as many bits as make x exact, up to some 6,000.
/// Arguments and errors as of gemm_error.
template <gemm_scalar T>
std::int64_t gemm_exact_mismatches(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                                   std::type_identity_t<T> alpha, const T* a, std::int64_t lda, const T* b,
                                   std::int64_t ldb, const T* c, std::int64_t ldc, Sample sample = Sample::some);

/// max |b − A x|_i / (|A| |x| + |b|)_i of all columns of X, A n × n, B and X n × nrhs: the largest relative change of
/// entries of A and b that x needs to be a solution (Oettli and Prager 1964). In units as ErrorReport::max_error_u2 has
/// them, moduli of complex numbers, by MPFR with 256 bits; what x may have lost to underflow, the least positive number
/// in each part, is taken off. Inf where an entry is not finite. Throws hilo::error for sizes that do not match and
/// null pointers. About 0.3 µs an entry of A and right-hand side on one core; uses OpenMP.
template <gemm_scalar T>
double solve_backward_error(const detail::Operand<T>& a, const detail::Operand<T>& b, const MatrixView<const T>& x);

/// How far X is from A⁻¹ · B.
struct SolveErrorReport {
  /// Units as of ErrorReport::max_error_u2, moduli of complex numbers. The largest error of an entry relative to the
  /// largest of A⁻¹ · b in its column, and relative to itself; the least positive number in each part is taken off.
  /// In the latter, those of A⁻¹ · b below 2^-53 of the largest count as that. Inf where an entry of X is not finite,
  /// and where A is singular.
  double max_error_u2 = 0.0, max_entry_error_u2 = 0.0;
  std::int64_t bounds_violated = 0;  ///< entries whose error is larger than their bound, where there are bounds
  /// That A⁻¹ · B was computed with; 0 where A is singular, or nearly so to 4096 bits.
  int bits = 0;
};

/// The errors of X, entry by entry, against A⁻¹ · B by elimination with partial pivoting in MPFR: with 512 bits, and
/// with up to 4096 where corrections of A⁻¹ · B by its residual in twice the bits tell that not every entry has 150
/// bits that are right. What corrections beyond 512 bits leave without them below 2^-256 of its column's largest entry
/// counts as 0.
///
/// `bounds`, where there are any, are SolveReport::bounds: of entry (i, j) at [i + j · n]. Takes n² numbers of MPFR,
/// and about 0.05 n³ µs on one core, four times that in complex; uses OpenMP. Throws hilo::error for sizes that do not
/// match, null pointers, and entries of A or B that are not finite.
template <gemm_scalar T>
SolveErrorReport solve_error(const detail::Operand<T>& a, const detail::Operand<T>& b, const MatrixView<const T>& x,
                             std::span<const double> bounds = {});

/// The same of X that makes ‖B − A · X‖ least, of smallest norm where A has fewer rows than columns; A m × n of full
/// rank, B m × nrhs, X n × nrhs. The system that is eliminated has m + n rows (Björck 1967); `bits` is 0 where A has
/// not full rank.
template <gemm_scalar T>
SolveErrorReport least_squares_error(const detail::Operand<T>& a, const detail::Operand<T>& b,
                                     const MatrixView<const T>& x);

/// ‖C − A · B‖∞ / (k ‖C‖∞ ε), A m × k and B k × n: LAPACK's measure of factors A and B of C, also of columns Q that are
/// to be orthogonal, C = I, A = Qᴴ and B = Q. ε is 2^-105 for DD and ZDD, 2^-52 for D and Z, 2^-23 for S and C; moduli
/// of complex numbers, by MPFR with 256 bits. Inf where an entry is not finite. Throws hilo::error for sizes that do not
/// match and null pointers. About 0.1 µs for each of the mnk terms on one core, 0.3 for complex ones; uses OpenMP.
template <gemm_scalar T>
double factor_residual(const detail::Operand<T>& a, const detail::Operand<T>& b, const MatrixView<const T>& c);

/// ‖b − Ax‖∞ / (‖A‖∞‖x‖∞ ε), ε = 2^-105, for A n × n with leading dimension lda; LAPACK's measure of a solve. Inf where
/// an operand is not finite. Throws hilo::error for a negative n, a short lda or a null pointer.
double solve_residual(Layout layout, std::int64_t n, const dd_real* a, std::int64_t lda, const dd_real* x,
                      const dd_real* b);

/// The largest |computed − exact| / |exact| in u² = 2^-106 over n numbers, each exact value given as a sum of two
/// (hi, lo) numbers high + low. Inf where an error is not finite. Throws hilo::error for a negative n or a null
/// pointer.
double max_relative_error_u2(std::int64_t n, const dd_real* computed, const dd_real* high, const dd_real* low);

}  // namespace hilo::accuracy
