// Singular values and vectors of matrices of any shape on views of host or device memory, or on pointers
// (hilo/detail/singular_value_calls.hpp), in six precisions.
//
// In DD and ZDD by refinement: LAPACK's singular vectors in double, corrected by a few products in double-double.
// Source: Ogita, Aishima, Japan J. Indust. Appl. Math. 37 (2020); what is different here, and what is refused:
// docs/singular-values.md.
#pragma once

#include <cstdint>
#include <hilo/lapack.hpp>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace hilo {

/// What singular values were computed with.
enum class SingularValuePath : std::uint8_t {
  none,
  lapack,      ///< S, D, C and Z
  jacobi,      ///< the same by Jacobi rotations: `relative`, or where LAPACK is missing or does not converge
  refinement,  ///< DD and ZDD
  jacobi_in_double_double  ///< the same: `relative`, or where refinement does not converge
};

struct SingularValueOptions {
  /// Prove how far singular values are from true ones. Takes exact products of m × 2n and 2n × n, n × (m + n) and
  /// (m + n) × n matrices, and vectors.
  bool certify = false;
  /// Errors small relative to each value, not to the largest, where A = B · D or D · B, B well-conditioned and D
  /// diagonal, whatever the range of D; values below 2^-450 of A's largest entry count as 0, and next to them those
  /// below 2^-395 lose digits. By one-sided Jacobi rotations, which take many times as long as the rest. Source: Drmač,
  /// Veselić, SIAM J. Matrix Anal. Appl. 29 (2008).
  bool relative = false;
  BlockedOptions products = {};
};

/// What became of a singular value decomposition. Norms are Frobenius'; Σ, U and V are what is returned, of U and V the
/// first min(m, n) columns, before rounding to S and C.
struct SingularValueReport {
  bool is_solved = false;  ///< else nothing was written, and `reason` says why
  SingularValuePath path = SingularValuePath::none;
  int updates = 0;  ///< corrections of the vectors, or Jacobi's sweeps
  /// ‖A V − U Σ‖ / max σ (of m < n ‖Aᴴ U − V Σ‖ / max σ), ‖I − Uᴴ U‖ and ‖I − Vᴴ V‖ in u² = 2^-106. NaN where no
  /// vectors were asked for, and of S, D, C and Z, without `certify`.
  double residual_u2 = std::numeric_limits<double>::quiet_NaN();
  double left_orthogonality_u2 = std::numeric_limits<double>::quiet_NaN();
  double right_orthogonality_u2 = std::numeric_limits<double>::quiet_NaN();
  /// Whether bounds were proved: value j lies within `bound` of A's j-th singular value in descending order, and a
  /// singular value of A, whichever, within bounds[j] of it.
  bool is_certified = false;
  double bound = std::numeric_limits<double>::infinity();
  std::vector<double> bounds = {};
  std::string reason = {};

  explicit operator bool() const { return is_solved; }
};

std::string_view name(SingularValuePath);
/// One line.
std::ostream& operator<<(std::ostream&, const SingularValueReport&);

/// The min(m, n) singular values of an m × n matrix in descending order, none negative. Errors are small relative to
/// the largest, not to each: of DD and ZDD a few u² of it. Where is_solved is false, nothing is written: a value
/// overflows. Throws hilo::error for arguments that cannot be right, entries that are not finite among them. Takes
/// memory for 15 matrices of A's size.
template <detail::Readable T>
SingularValueReport singular_values(const MatrixView<T>& a, const VectorView<detail::RealOf<T>>& values,
                                    const SingularValueOptions& options = {});

/// A = U · Σ · Vᴴ: the same with orthonormal singular vectors, columns j of U and V those of values(j). V, not Vᴴ. U
/// has min(m, n) columns, or m, V has min(m, n), or n: those of whole unitary matrices. (Vᴴ of a real matrix is had by
/// passing vh.turned(Op::transpose).)
template <gemm_scalar T>
SingularValueReport singular_value_decomposition(const detail::Operand<T>& a, const VectorView<real_type<T>>& values,
                                                 const MatrixView<T>& u, const MatrixView<T>& v,
                                                 const SingularValueOptions& options = {});

/// The same of matrices in device memory, after the events of wait_list; values come to host memory. In DD and ZDD
/// LAPACK's singular vectors in double are found on the host, and all else stays on the device, tall matrices' QR with
/// it; what a report tells is as on the host, but `certify` brings A, U and V to the host for the proof, and where
/// refinement does not converge Jacobi's rotations are the host's. S, D, C and Z, and `relative`, are copied to the
/// host and back. They return when values and vectors are written; what geqrf on a queue throws, they throw, and where
/// a message begins with "OpenCL failed" vectors are undefined. Neither vectors nor values are the host's bit for bit:
/// products in double differ. Takes device memory for 11 matrices of A's size, and what gemm takes.
template <gemm_scalar T>
SingularValueReport singular_values(Queue& queue, const BufferView<T>& a, const VectorView<real_type<T>>& values,
                                    const std::vector<Event>& wait_list = {}, const SingularValueOptions& options = {});
template <gemm_scalar T>
SingularValueReport singular_value_decomposition(Queue& queue, const BufferView<T>& a,
                                                 const VectorView<real_type<T>>& values, const BufferView<T>& u,
                                                 const BufferView<T>& v, const std::vector<Event>& wait_list = {},
                                                 const SingularValueOptions& options = {});

}  // namespace hilo

#include <hilo/detail/singular_value_calls.hpp>
