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

  // Factorisations. Where they fail, the column that they failed at is returned, counted from 0, else −1.

  /// P · A = L · U as getrf; row i was exchanged with row pivots[i], counted from 0. Fails at pivots that are 0.
  std::int64_t (*factor_lu)(const Matrix& a, std::int64_t* pivots);
  /// The lower triangle of A = L · Lᴴ. Fails where A is not positive definite.
  std::int64_t (*factor_cholesky)(const Matrix& a);
  /// A = Q · R as geqrf; the conjugates of its factors go to tau.
  void (*factor_qr)(const Matrix& a, const Matrix& tau);
};

template <class T>
inline std::atomic<const EigenEngines<T>*> eigen_engines = nullptr;

}  // namespace hilo::detail
