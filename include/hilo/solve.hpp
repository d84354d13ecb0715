// Systems solved to full accuracy: factors in double wherever the condition allows it, residuals in several words, and
// a test of each answer. On views of host memory, or on pointers (hilo/detail/solve_calls.hpp), in six precisions.
//
// Source: iterative refinement with extra-precise residuals (Demmel, Hida, Kahan, Li, Mukherjee, Riedy, ACM TOMS 32,
// 2006); which factors, how many words, and what is refused: docs/solve.md.
#pragma once

#include <cstdint>
#include <hilo/lapack.hpp>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace hilo {

/// How right a solution is.
enum class SolveAccuracy : std::uint8_t {
  /// It solves a system whose entries differ from those given by at most 4u² (|A|, |b|), u = 2^-53, entry by entry: as
  /// much as a solver without more than double-double numbers can promise. Its error grows with the condition. Of a row
  /// with next to nothing, (|A||x| + |b|)_i < u ‖x‖ Σ|a_ij|, b_i may differ by 4u² ‖x‖ Σ|a_ij| (docs/solve.md).
  backward,
  /// Each entry has an error of a few u² at most, whatever the condition; entries below 2^-53 of the largest, the
  /// columns of A scaled to 1, as much as one of 2^-53.
  full
};

/// What systems are solved with.
enum class SolveFactors : std::uint8_t {
  automatic,         ///< factors in double where these converge fast enough, else in double-double
  in_double,         ///< factors in double or nothing
  in_double_double,  ///< factors in double-double, QR where pivots grow too much
};

/// What a solution was computed with: LU, Cholesky, L · D · Lᵀ or QR, in double or in double-double.
enum class SolvePath : std::uint8_t {
  none,
  double_lu,
  double_cholesky,
  double_ldl,
  double_qr,
  double_double_lu,
  double_double_cholesky,
  double_double_ldl,
  double_double_qr,
};

struct SolveOptions {
  SolveAccuracy accuracy = SolveAccuracy::full;
  SolveFactors factors = SolveFactors::automatic;
  /// Prove a bound of each entry's error, and with it that A is not singular. Takes one or two times the factors in
  /// double, for larger conditions six times, then products of DD matrices of A's size; memory for one to six of them.
  /// These products are `classic` where `products` asks for `normwise`, whose bounds are none of an entry.
  bool certify = false;
  BlockedOptions products = {};  ///< of the factorisations and what stands in them
};

/// What became of a system. Of several right-hand sides, the worst of each figure.
struct SolveReport {
  bool is_solved = false;                            ///< else X is as it was, and `reason` says why
  SolveAccuracy accuracy = SolveAccuracy::backward;  ///< that was delivered: what was asked for, or `backward`
  SolvePath path = SolvePath::none;
  int steps = 0;  ///< corrections of the solution
  /// An estimate of ‖A‖ ‖A⁻¹‖ in the ∞-norm, rows and columns of A scaled by powers of two; rarely less than a third
  /// of it, Inf of a singular matrix, 0 where there was none.
  double condition = 0.0;
  double growth = 0.0;  ///< the largest entry of U, or of L and D, by the largest of A; 0 of Cholesky and QR
  /// max |b − A x|_i / (|A| |x| + |b|)_i in u² = 2^-106: the largest relative change of entries of A and b that x
  /// needs. Rows where x is all but 0: docs/solve.md, step 4.
  double backward_error_u2 = 0.0;
  /// An estimate, no bound, of the largest error of x relative to its largest entry; 0 where B is 0.
  double error_estimate = std::numeric_limits<double>::infinity();
  /// Whether |X − A⁻¹ B| <= bounds was proved, rounding to T counted, entry (i, j) at [i + j · rows]; the largest of a
  /// column by its largest |x| is error_bound: 0 where B is 0, Inf of a column that underflows to zeros.
  bool is_certified = false;
  std::vector<double> bounds = {};
  double error_bound = std::numeric_limits<double>::infinity();
  std::string reason = {};

  explicit operator bool() const { return is_solved; }
};

std::string_view name(SolveAccuracy);
std::string_view name(SolveFactors);
std::string_view name(SolvePath);
/// One line.
std::ostream& operator<<(std::ostream&, const SolveReport&);

/// A · X = B, A n × n, X and B n × nrhs; X may be B. S, D, C and Z are solved in double-double, too, and X rounded
/// once. Where is_solved is false, nothing is written: A is singular to double-double, or nearly so, or does not
/// converge with the factors asked for, or X overflows. Throws hilo::error for arguments that cannot be right, entries
/// of A or B that are not finite among them. Takes memory for 2 to 4 matrices of A's size.
template <gemm_scalar T>
SolveReport solve(const detail::Operand<T>& a, const detail::Operand<T>& b, const MatrixView<T>& x,
                  const SolveOptions& options = {});

/// The same of a positive definite matrix (Hermitian, of complex numbers) by Cholesky, and of any symmetric or
/// Hermitian one by L · D · Lᵀ or L · D · Lᴴ; one triangle of A is read.
template <gemm_scalar T>
SolveReport solve_positive(Uplo uplo, const detail::Operand<T>& a, const detail::Operand<T>& b, const MatrixView<T>& x,
                           const SolveOptions& options = {});
template <gemm_scalar T>
SolveReport solve_symmetric(Uplo uplo, const detail::Operand<T>& a, const detail::Operand<T>& b, const MatrixView<T>& x,
                            const SolveOptions& options = {});
template <gemm_scalar T>
SolveReport solve_hermitian(Uplo uplo, const detail::Operand<T>& a, const detail::Operand<T>& b, const MatrixView<T>& x,
                            const SolveOptions& options = {});

/// Systems in device memory, after the events of wait_list: the matrix stays there, its factors with it, and they
/// return when X is written. What a report tells is as on the host, and X is the host's bit for bit where
/// options.factors are in double-double and engine and FMA are named, but where a number on the way underflows. QR,
/// where pivots grow, is there, too. `certify` proves bounds by inverses and products on the device, five times the
/// operations of LU in double, and for larger conditions in DD. What getrf on a queue throws, they throw; where a
/// message begins with "OpenCL failed" X is undefined. Takes device memory for two matrices of DD or ZDD of A's order
/// at most, with `certify` for four, and what getrf takes.
template <gemm_scalar T>
SolveReport solve(Queue& queue, const BufferView<T>& a, const BufferView<T>& b, const BufferView<T>& x,
                  const std::vector<Event>& wait_list = {}, const SolveOptions& options = {});
template <gemm_scalar T>
SolveReport solve_positive(Queue& queue, Uplo uplo, const BufferView<T>& a, const BufferView<T>& b,
                           const BufferView<T>& x, const std::vector<Event>& wait_list = {},
                           const SolveOptions& options = {});

/// X that makes ‖B − A · X‖ least, of smallest norm where A has fewer rows than columns; A m × n of full rank, B m ×
/// nrhs, X n × nrhs, apart from B. Both X and B − A · X are corrected by QR of A (Björck's augmented system).
/// `condition` is of R, A's columns scaled, or its rows where there are fewer; backward_error_u2 counts both equations.
/// `certify` is refused.
template <gemm_scalar T>
SolveReport solve_least_squares(const detail::Operand<T>& a, const detail::Operand<T>& b, const MatrixView<T>& x,
                                const SolveOptions& options = {});

}  // namespace hilo

#include <hilo/detail/solve_calls.hpp>
