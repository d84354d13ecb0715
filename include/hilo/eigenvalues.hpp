// Eigenvalues and eigenvectors of symmetric and Hermitian matrices on views of host or device memory, or on pointers
// (hilo/detail/eigenvalue_calls.hpp), in six precisions.
//
// In DD and ZDD by refinement: LAPACK's eigenvectors in double, corrected by a few products in double-double, which
// takes a small part of the time of an eigenvalue algorithm in double-double. Source: Ogita, Aishima, Japan J. Indust.
// Appl. Math. 35 (2018) and 36 (2019); what is different here, and what is refused: docs/eigenvalues.md.
#pragma once

#include <cstdint>
#include <hilo/lapack.hpp>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace hilo {

/// What eigenvalues were computed with.
enum class EigenvaluePath : std::uint8_t {
  none,
  lapack,                  ///< S, D, C and Z
  jacobi,                  ///< the same by Jacobi rotations, in a build without LAPACK
  refinement,              ///< DD and ZDD
  jacobi_in_double_double  ///< the same where refinement does not converge
};

struct EigenvalueOptions {
  /// Prove how far eigenvalues are from true ones. Takes an exact product of n × 2n and 2n × n matrices, and vectors.
  bool certify = false;
  BlockedOptions products = {};
};

/// What became of an eigenproblem. Norms are Frobenius'; Λ and X are what is returned, before rounding to S and C.
struct EigenvalueReport {
  bool is_solved = false;  ///< else nothing was written, and `reason` says why
  EigenvaluePath path = EigenvaluePath::none;
  int updates = 0;  ///< corrections of the eigenvectors, or Jacobi's sweeps in double-double
  /// ‖A X − X Λ‖ / max |λ| and ‖I − Xᴴ X‖ in u² = 2^-106. NaN where no vectors were asked for, and of S, D, C and Z,
  /// without `certify`.
  double residual_u2 = std::numeric_limits<double>::quiet_NaN();
  double orthogonality_u2 = std::numeric_limits<double>::quiet_NaN();
  /// Whether bounds were proved: value j lies within `bound` of A's j-th eigenvalue in ascending order, and an
  /// eigenvalue of A, whichever, within bounds[j] of it.
  bool is_certified = false;
  double bound = std::numeric_limits<double>::infinity();
  std::vector<double> bounds = {};
  std::string reason = {};

  explicit operator bool() const { return is_solved; }
};

std::string_view name(EigenvaluePath);
/// One line.
std::ostream& operator<<(std::ostream&, const EigenvalueReport&);

/// The n eigenvalues of A in ascending order. A is Hermitian, n × n, by a triangle; imaginary parts of its diagonal are
/// taken as 0. Errors are small relative to the largest |eigenvalue|, not to each: of DD and ZDD a few u² of it. Where
/// is_solved is false, nothing is written: a value overflows, or LAPACK does not converge. Throws hilo::error for
/// arguments that cannot be right, entries that are not finite among them. Takes memory for 10 matrices of A's size.
template <detail::Readable T>
EigenvalueReport hermitian_eigenvalues(Uplo uplo, const MatrixView<T>& a, const VectorView<detail::RealOf<T>>& values,
                                       const EigenvalueOptions& options = {});

/// The same with orthonormal eigenvectors, column j of `vectors` that of values(j).
template <gemm_scalar T>
EigenvalueReport hermitian_eigensystem(Uplo uplo, const detail::Operand<T>& a, const VectorView<real_type<T>>& values,
                                       const MatrixView<T>& vectors, const EigenvalueOptions& options = {});

/// The same of matrices in device memory, after the events of wait_list; values come to host memory. In DD and ZDD
/// LAPACK's eigenvectors in double are found on the host, and all else stays on the device: products, corrections,
/// residuals, proofs; what a report tells is as on the host. Where refinement does not converge Jacobi's rotations are
/// the host's. S, D, C and Z are copied to the host and back. They return when values and vectors are written; what
/// gemm on a queue throws, they throw, and where a message begins with "OpenCL failed" vectors are undefined. Neither
/// vectors nor values are the host's bit for bit: products in double differ. Takes device memory for 6 matrices of A's
/// size, with `certify` 10, and what gemm takes; host memory for 3 in double.
template <gemm_scalar T>
EigenvalueReport hermitian_eigenvalues(Queue& queue, Uplo uplo, const BufferView<T>& a,
                                       const VectorView<real_type<T>>& values, const std::vector<Event>& wait_list = {},
                                       const EigenvalueOptions& options = {});
template <gemm_scalar T>
EigenvalueReport hermitian_eigensystem(Queue& queue, Uplo uplo, const BufferView<T>& a,
                                       const VectorView<real_type<T>>& values, const BufferView<T>& vectors,
                                       const std::vector<Event>& wait_list = {}, const EigenvalueOptions& options = {});

/// Of real matrices. Messages have the names above.
template <gemm_scalar T>
requires(!is_complex(precision_of<T>)) EigenvalueReport
    symmetric_eigenvalues(Uplo uplo, const detail::Operand<T>& a, const VectorView<T>& values,
                          const EigenvalueOptions& options = {}) {
  return hermitian_eigenvalues(uplo, a, values, options);
}
template <gemm_scalar T>
requires(!is_complex(precision_of<T>)) EigenvalueReport
    symmetric_eigensystem(Uplo uplo, const detail::Operand<T>& a, const VectorView<T>& values,
                          const MatrixView<T>& vectors, const EigenvalueOptions& options = {}) {
  return hermitian_eigensystem<T>(uplo, a, values, vectors, options);
}
template <gemm_scalar T>
requires(!is_complex(precision_of<T>)) EigenvalueReport
    symmetric_eigenvalues(Queue& queue, Uplo uplo, const BufferView<T>& a, const VectorView<T>& values,
                          const std::vector<Event>& wait_list = {}, const EigenvalueOptions& options = {}) {
  return hermitian_eigenvalues(queue, uplo, a, values, wait_list, options);
}
template <gemm_scalar T>
requires(!is_complex(precision_of<T>)) EigenvalueReport
    symmetric_eigensystem(Queue& queue, Uplo uplo, const BufferView<T>& a, const VectorView<T>& values,
                          const BufferView<T>& vectors, const std::vector<Event>& wait_list = {},
                          const EigenvalueOptions& options = {}) {
  return hermitian_eigensystem(queue, uplo, a, values, vectors, wait_list, options);
}

}  // namespace hilo

#include <hilo/detail/eigenvalue_calls.hpp>
