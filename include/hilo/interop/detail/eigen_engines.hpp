// Where products inside Eigen find hilo's engines: a table that stays empty until <hilo/interop/eigen_products.hpp>
// fills it. Every unit compiles the same code, whether or not it includes that header, so that a program may have both
// kinds.
#pragma once

#include <atomic>
#include <hilo/complex.hpp>
#include <hilo/matrix.hpp>

namespace hilo::detail {

template <class T>
struct EigenEngines {
  using Operand = MatrixView<const T>;
  using Matrix = MatrixView<T>;

  /// C += alpha · A · B.
  void (*multiply)(const T& alpha, const Operand& a, const Operand& b, const Matrix& c);
  /// C += alpha · A · B (left) or alpha · B · A (right), A triangular or trapezoidal.
  void (*multiply_triangular)(Side side, Uplo uplo, Diag diag, const T& alpha, const Operand& a, const Operand& b,
                              const Matrix& c);
  /// The same, A symmetric or Hermitian.
  void (*multiply_hermitian)(Side side, Uplo uplo, const T& alpha, const Operand& a, const Operand& b, const Matrix& c);
  /// C += alpha · A · Aᴴ of a triangle of C.
  void (*update_triangle)(Uplo uplo, const dd_real& alpha, const Operand& a, const Matrix& c);
  /// B = A⁻¹ · B (left) or B · A⁻¹ (right), A triangular.
  void (*solve)(Side side, Uplo uplo, Diag diag, const Operand& a, const Matrix& b);

  // Vectors are matrices of one column, whose elements may lie apart.

  /// y += alpha · A · x.
  void (*multiply_vector)(const T& alpha, const Operand& a, const Operand& x, const Matrix& y);
  /// The same, A triangular or trapezoidal.
  void (*multiply_triangular_vector)(Uplo uplo, Diag diag, const T& alpha, const Operand& a, const Operand& x,
                                     const Matrix& y);
  /// The same, A symmetric or Hermitian.
  void (*multiply_hermitian_vector)(Uplo uplo, const T& alpha, const Operand& a, const Operand& x, const Matrix& y);
  /// C += alpha · x · yᵀ.
  void (*add_outer_product)(const T& alpha, const Operand& x, const Operand& y, const Matrix& c);
};

template <class T>
inline std::atomic<const EigenEngines<T>*> eigen_engines = nullptr;

}  // namespace hilo::detail
