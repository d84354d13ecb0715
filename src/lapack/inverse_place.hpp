// Where inverses are made on the host.
#pragma once

#include "lapack/host_place.hpp"

namespace hilo::lapack {

/// A = A⁻¹ of a block of a triangle: row by row of X · A = I, each entry by blas/reference.hpp.
template <class Place>
void invert_block(Place& place, Uplo uplo, Diag diag, const typename Place::Matrix& a) {
  using Scalar = typename Place::Scalar;
  const std::int64_t n = a.rows;
  const auto whole = place.lend(n, n);
  const auto x = whole.matrix();
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) x(i, j) = Scalar(i == j ? 1 : 0);
  }
  place.solve_block(blas::other(uplo), diag, a.turned(Op::transpose), x);
  const std::int64_t diagonal = diag == Diag::unit ? 1 : 0;
  for (std::int64_t j = 0; j < n; ++j) {
    const std::int64_t begin = uplo == Uplo::lower ? j + diagonal : 0, end = uplo == Uplo::lower ? n : j + 1 - diagonal;
    for (std::int64_t i = begin; i < end; ++i) a(i, j) = x(j, i);
  }
}

template <gemm_scalar T>
class InversePlace : public HostPlace<T> {
 public:
  using typename HostPlace<T>::Matrix;

  using HostPlace<T>::HostPlace;

  void invert_block(Uplo uplo, Diag diag, const Matrix& a) { lapack::invert_block(*this, uplo, diag, a); }

  void multiply_block_by_adjoint(const Matrix& l) {
    const auto whole = this->lend(l.rows, l.rows);
    const MatrixView<const T> adjoint = MatrixView<const T>(l).turned(Op::conjugate_transpose);
    this->take_triangle(Uplo::lower, blas::Symmetry::symmetric, l, whole.matrix());
    this->multiply_block(Uplo::upper, Diag::non_unit, adjoint, whole.matrix());
    this->put_triangle(Uplo::lower, blas::Symmetry::hermitian, whole.matrix(), l);
  }

  /// What is below the diagonal, which then has zeros there.
  void move_out_lower(const Matrix& from, const Matrix& to) {
    host::for_parts(this->threads_for(from), from.columns, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t j = first; j < last; ++j) {
        for (std::int64_t i = j + 1; i < from.rows; ++i) {
          to(i, j) = from(i, j);
          from(i, j) = T(0);
        }
      }
    });
  }
};

}  // namespace hilo::lapack
