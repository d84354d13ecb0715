// Eigen's LU with partial pivoting, Cholesky and Householder QR of double-double matrices, left to hilo's
// factorisations where there are engines: the templates that Eigen's own LAPACK backend specialises
// (PartialPivLU_LAPACKE.h, …), in Eigen 3.4 and 5 alike.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <hilo/interop/detail/eigen_storage.hpp>
#include <vector>

namespace hilo::detail {

// Eigen's loops for the same factorisation under other names, which are not specialised here: Cholesky's looks at the
// number type for its real one alone, LU's takes every fixed size above 16 as one that is known when it runs.
template <class S>
struct EigenLoopsOf {};
inline constexpr int eigen_loops_size = 0x1000;

template <class S>
const EigenEngines<EigenElement<S>>* eigen_factorisations_for(std::ptrdiff_t rows, std::ptrdiff_t columns) {
  return eigen_engines_for<S>(static_cast<double>(std::min(rows, columns)), eigen_least_factorisation);
}

}  // namespace hilo::detail

namespace Eigen {

template <class S>
struct NumTraits<hilo::detail::EigenLoopsOf<S>> : NumTraits<S> {};

namespace internal {

// Whether Eigen's headers of factorisations come before or after this one.
template <typename Scalar, int StorageOrder, typename PivIndex, int Size>
struct partial_lu_impl;
template <typename Scalar, int UpLo>
struct llt_inplace;
template <typename MatrixQR, typename HCoeffs, typename Scalar, bool InnerStrideIsOne>
struct householder_qr_inplace_blocked;

template <hilo::detail::eigen_scalar Scalar, int StorageOrder, class PivIndex, int Size>
requires(Size == Dynamic || (Size > 16 && Size != hilo::detail::eigen_loops_size))  //
    struct partial_lu_impl<Scalar, StorageOrder, PivIndex, Size> {
  static Index blocked_lu(Index rows, Index columns, Scalar* lu, Index stride, PivIndex* transpositions,
                          PivIndex& count, Index most_columns = 256) {
    const hilo::detail::EigenStorage<Scalar> a{lu, rows, columns, StorageOrder == RowMajor, stride};
    const auto* engines = hilo::detail::eigen_factorisations_for<Scalar>(rows, columns);
    if (!engines || !a.is_regular()) {
      return partial_lu_impl<Scalar, StorageOrder, PivIndex, hilo::detail::eigen_loops_size>::blocked_lu(
          rows, columns, lu, stride, transpositions, count, most_columns);
    }
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(std::min(rows, columns)));
    const Index first_zero = static_cast<Index>(engines->factor_lu(a.view(), pivots.data()));
    count = 0;
    for (std::size_t i = 0; i < pivots.size(); ++i) {
      transpositions[i] = static_cast<PivIndex>(pivots[i]);
      if (pivots[i] != static_cast<std::int64_t>(i)) ++count;
    }
    return first_zero;
  }
};

template <hilo::detail::eigen_scalar Scalar>
struct llt_inplace<Scalar, Lower> {
  using Loops = llt_inplace<hilo::detail::EigenLoopsOf<Scalar>, Lower>;

  template <class Matrix>
  static Index unblocked(Matrix& a) {
    return Loops::unblocked(a);
  }
  template <class Matrix>
  static Index blocked(Matrix& a) {
    const auto* engines = hilo::detail::eigen_factorisations_for<Scalar>(a.rows(), a.cols());
    if (!engines || a.innerStride() != 1) return Loops::blocked(a);
    const auto storage = hilo::detail::eigen_result(a);
    return storage.is_regular() ? static_cast<Index>(engines->factor_cholesky(storage.view())) : Loops::blocked(a);
  }
  template <class Matrix, class Vector>
  static Index rankUpdate(Matrix& a, const Vector& v, const typename NumTraits<Scalar>::Real& sigma) {
    return Loops::rankUpdate(a, v, sigma);
  }
};

template <class MatrixQR, class HCoeffs, hilo::detail::eigen_scalar Scalar>
struct householder_qr_inplace_blocked<MatrixQR, HCoeffs, Scalar, true> {
  static void run(MatrixQR& a, HCoeffs& tau, Index most_columns = 32, Scalar* memory = nullptr) {
    const auto* engines = hilo::detail::eigen_factorisations_for<Scalar>(a.rows(), a.cols());
    if (engines) {
      const auto storage = hilo::detail::eigen_result(a);
      if (storage.is_regular()) {
        return engines->factor_qr(storage.view(), hilo::detail::eigen_vector(&tau.coeffRef(0), tau.size(), 1));
      }
    }
    householder_qr_inplace_blocked<MatrixQR, HCoeffs, Scalar, false>::run(a, tau, most_columns, memory);
  }
};

}  // namespace internal
}  // namespace Eigen
