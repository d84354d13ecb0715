// Eigen's products and triangular solves of double-double matrices, left to hilo's engines where there are some: the
// templates that Eigen's own BLAS backend specialises (Core/products/*_BLAS.h), in Eigen 3.4 and 5 alike.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <hilo/interop/detail/eigen_storage.hpp>
#include <hilo/interop/detail/eigen_vector_dispatch.hpp>

namespace hilo::detail {

// Eigen's loops for the same product under another name, which is not specialised here.
template <class Gemm>
struct EigenLoops : Gemm {};

// A bit of triangular and self-adjoint modes that Eigen has no use for: with it they name Eigen's own loops.
inline constexpr int eigen_loops = 0x1000;

}  // namespace hilo::detail

namespace Eigen::internal {

// Products of matrices. Eigen shares them out among OpenMP's threads where the program is compiled for these; the
// engine, whose threads change no bit, then computes the whole before that begins.
template <hilo::detail::eigen_scalar Scalar, class Index, int LhsOrder, bool ConjugateLhs, int RhsOrder,
          bool ConjugateRhs, int ResOrder, int ResInnerStride, class Lhs, class Rhs, class Dest, class Blocking>
struct gemm_functor<Scalar, Index,
                    general_matrix_matrix_product<Index, Scalar, LhsOrder, ConjugateLhs, Scalar, RhsOrder, ConjugateRhs,
                                                  ResOrder, ResInnerStride>,
                    Lhs, Rhs, Dest, Blocking>
    : gemm_functor<
          Scalar, Index,
          hilo::detail::EigenLoops<general_matrix_matrix_product<Index, Scalar, LhsOrder, ConjugateLhs, Scalar,
                                                                 RhsOrder, ConjugateRhs, ResOrder, ResInnerStride>>,
          Lhs, Rhs, Dest, Blocking> {
  using Loops = gemm_functor<
      Scalar, Index,
      hilo::detail::EigenLoops<general_matrix_matrix_product<Index, Scalar, LhsOrder, ConjugateLhs, Scalar, RhsOrder,
                                                             ConjugateRhs, ResOrder, ResInnerStride>>,
      Lhs, Rhs, Dest, Blocking>;
  using Loops::Loops;

  void initParallelSession(Index threads) const {
    is_done_ = multiply();
    if (!is_done_) Loops::initParallelSession(threads);
  }
  void operator()(Index row, Index rows, Index column = 0, Index columns = -1,
                  GemmParallelInfo<Index>* info = nullptr) const {
    if (info ? is_done_ : multiply()) return;
    Loops::operator()(row, rows, column, columns, info);
  }

 private:
  bool multiply() const {
    using hilo::detail::EigenStorage;
    const Lhs& a = this->m_lhs;
    const Rhs& b = this->m_rhs;
    Dest& c = this->m_dest;
    const auto* engines =
        hilo::detail::eigen_engines_for<Scalar>(hilo::detail::eigen_work(a.rows(), b.cols(), a.cols()));
    if (!engines || c.innerStride() != 1) return false;
    const EigenStorage<const Scalar> lhs{&a.coeffRef(0, 0),    a.rows(),        a.cols(),
                                         LhsOrder == RowMajor, a.outerStride(), ConjugateLhs};
    const EigenStorage<const Scalar> rhs{&b.coeffRef(0, 0),    b.rows(),        b.cols(),
                                         RhsOrder == RowMajor, b.outerStride(), ConjugateRhs};
    const auto result = hilo::detail::eigen_result(c);
    if (!lhs.is_regular() || !rhs.is_regular() || !result.is_regular()) return false;
    engines->multiply(this->m_actualAlpha, lhs.view(), rhs.view(), result.view());
    return true;
  }

  mutable bool is_done_ = false;
};

// A triangular or trapezoidal matrix times another, and the other way round.
template <hilo::detail::eigen_scalar Scalar, class Index, int Mode, bool LhsIsTriangular, int LhsOrder,
          bool ConjugateLhs, int RhsOrder, bool ConjugateRhs, int ResInnerStride>
struct hilo_triangular_product {
  static void run(Index rows, Index columns, Index depth, const Scalar* lhs, Index lhs_stride, const Scalar* rhs,
                  Index rhs_stride, Scalar* result, Index increment, Index result_stride, const Scalar& alpha,
                  level3_blocking<Scalar, Scalar>& blocking) {
    using namespace hilo::detail;
    const auto* engines = eigen_engines_for<Scalar>(eigen_work(rows, columns, depth));
    const EigenStorage<const Scalar> a{lhs, rows, depth, LhsOrder == RowMajor, lhs_stride, ConjugateLhs};
    const EigenStorage<const Scalar> b{rhs, depth, columns, RhsOrder == RowMajor, rhs_stride, ConjugateRhs};
    const EigenStorage<Scalar> c{result, rows, columns, false, result_stride};
    if (engines && increment == 1 && (Mode & ZeroDiag) == 0 && a.is_regular() && b.is_regular() && c.is_regular()) {
      return engines->multiply_triangular(LhsIsTriangular ? hilo::Side::left : hilo::Side::right, eigen_uplo(Mode),
                                          eigen_diag(Mode), alpha, (LhsIsTriangular ? a : b).view(),
                                          (LhsIsTriangular ? b : a).view(), c.view());
    }
    product_triangular_matrix_matrix<Scalar, Index, Mode, LhsIsTriangular, LhsOrder, ConjugateLhs, RhsOrder,
                                     ConjugateRhs, ColMajor, ResInnerStride, BuiltIn>::run(rows, columns, depth, lhs,
                                                                                           lhs_stride, rhs, rhs_stride,
                                                                                           result, increment,
                                                                                           result_stride, alpha,
                                                                                           blocking);
  }
};

template <hilo::detail::eigen_scalar Scalar, class Index, int Mode, int LhsOrder, bool ConjugateLhs, int RhsOrder,
          bool ConjugateRhs, int ResInnerStride>
struct product_triangular_matrix_matrix<Scalar, Index, Mode, true, LhsOrder, ConjugateLhs, RhsOrder, ConjugateRhs,
                                        ColMajor, ResInnerStride, Specialized>
    : hilo_triangular_product<Scalar, Index, Mode, true, LhsOrder, ConjugateLhs, RhsOrder, ConjugateRhs,
                              ResInnerStride> {};
template <hilo::detail::eigen_scalar Scalar, class Index, int Mode, int LhsOrder, bool ConjugateLhs, int RhsOrder,
          bool ConjugateRhs, int ResInnerStride>
struct product_triangular_matrix_matrix<Scalar, Index, Mode, false, LhsOrder, ConjugateLhs, RhsOrder, ConjugateRhs,
                                        ColMajor, ResInnerStride, Specialized>
    : hilo_triangular_product<Scalar, Index, Mode, false, LhsOrder, ConjugateLhs, RhsOrder, ConjugateRhs,
                              ResInnerStride> {};

// A triangle of a product, where it is that of a matrix and its own adjoint.
template <class Index, hilo::detail::eigen_scalar Scalar, int LhsOrder, bool ConjugateLhs, int RhsOrder,
          bool ConjugateRhs, int ResInnerStride, int UpLo>
struct general_matrix_matrix_triangular_product<Index, Scalar, LhsOrder, ConjugateLhs, Scalar, RhsOrder, ConjugateRhs,
                                                ColMajor, ResInnerStride, UpLo, Specialized> {
  static void run(Index size, Index depth, const Scalar* lhs, Index lhs_stride, const Scalar* rhs, Index rhs_stride,
                  Scalar* result, Index increment, Index result_stride, const Scalar& alpha,
                  level3_blocking<Scalar, Scalar>& blocking) {
    using hilo::detail::EigenStorage;
    constexpr bool is_own_adjoint =
        LhsOrder != RhsOrder && (!NumTraits<Scalar>::IsComplex || ConjugateLhs != ConjugateRhs);
    if (is_own_adjoint && lhs == rhs && lhs_stride == rhs_stride && increment == 1 && numext::imag(alpha) == 0) {
      const auto* engines = hilo::detail::eigen_engines_for<Scalar>(hilo::detail::eigen_work(size, size, depth));
      const EigenStorage<const Scalar> a{lhs, size, depth, LhsOrder == RowMajor, lhs_stride, ConjugateLhs};
      const EigenStorage<Scalar> c{result, size, size, false, result_stride};
      if (engines && a.is_regular() && c.is_regular()) {
        return engines->update_triangle(hilo::detail::eigen_uplo(UpLo), numext::real(alpha), a.view(), c.view());
      }
    }
    general_matrix_matrix_triangular_product<Index, Scalar, LhsOrder, ConjugateLhs, Scalar, RhsOrder, ConjugateRhs,
                                             ColMajor, ResInnerStride, UpLo, BuiltIn>::run(size, depth, lhs, lhs_stride,
                                                                                           rhs, rhs_stride, result,
                                                                                           increment, result_stride,
                                                                                           alpha, blocking);
  }
};

// Triangular solves.
template <hilo::detail::eigen_scalar Scalar, class Index, int Side, int Mode, bool Conjugate, int TriangleOrder,
          int InnerStride>
struct hilo_triangular_solve {
  static void run(Index size, Index others, const Scalar* triangle, Index triangle_stride, Scalar* other,
                  Index increment, Index stride, level3_blocking<Scalar, Scalar>& blocking) {
    using hilo::detail::EigenStorage;
    constexpr bool is_left = Side == OnTheLeft;
    const auto* engines = hilo::detail::eigen_engines_for<Scalar>(hilo::detail::eigen_work(size, size, others));
    const EigenStorage<const Scalar> a{triangle, size, size, TriangleOrder == RowMajor, triangle_stride, Conjugate};
    const EigenStorage<Scalar> b{other, is_left ? size : others, is_left ? others : size, false, stride};
    if (engines && increment == 1 && a.is_regular() && b.is_regular()) {
      return engines->solve(is_left ? hilo::Side::left : hilo::Side::right, hilo::detail::eigen_uplo(Mode),
                            hilo::detail::eigen_diag(Mode), a.view(), b.view());
    }
    triangular_solve_matrix<Scalar, Index, Side, Mode | hilo::detail::eigen_loops, Conjugate, TriangleOrder, ColMajor,
                            InnerStride>::run(size, others, triangle, triangle_stride, other, increment, stride,
                                              blocking);
  }
};

template <class Scalar, class Index, int Mode, bool Conjugate, int TriangleOrder, int InnerStride>
requires(hilo::detail::eigen_scalar<Scalar> && (Mode & hilo::detail::eigen_loops) == 0)  //
    struct triangular_solve_matrix<Scalar, Index, OnTheLeft, Mode, Conjugate, TriangleOrder, ColMajor, InnerStride>
    : hilo_triangular_solve<Scalar, Index, OnTheLeft, Mode, Conjugate, TriangleOrder, InnerStride> {
};
template <class Scalar, class Index, int Mode, bool Conjugate, int TriangleOrder, int InnerStride>
requires(hilo::detail::eigen_scalar<Scalar> && (Mode & hilo::detail::eigen_loops) == 0)  //
    struct triangular_solve_matrix<Scalar, Index, OnTheRight, Mode, Conjugate, TriangleOrder, ColMajor, InnerStride>
    : hilo_triangular_solve<Scalar, Index, OnTheRight, Mode, Conjugate, TriangleOrder, InnerStride> {
};

// A symmetric or Hermitian matrix times another, and the other way round.
template <class Lhs, int LhsMode, class Rhs, int RhsMode>
requires(hilo::detail::eigen_scalar<typename Lhs::Scalar>&& std::same_as<typename Lhs::Scalar, typename Rhs::Scalar> &&
         ((LhsMode | RhsMode) & hilo::detail::eigen_loops) == 0)  //
    struct selfadjoint_product_impl<Lhs, LhsMode, false, Rhs, RhsMode, false> {
  using Scalar = typename Lhs::Scalar;

  template <class Dest>
  static void run(Dest& c, const Lhs& lhs, const Rhs& rhs, const Scalar& alpha) {
    using namespace hilo::detail;
    constexpr bool is_left = (LhsMode & SelfAdjoint) == SelfAdjoint;
    constexpr int mode = is_left ? LhsMode : RhsMode;
    const auto* engines = eigen_engines_for<Scalar>(eigen_work(lhs.rows(), rhs.cols(), lhs.cols()));
    if (engines && c.innerStride() == 1 && lhs.cols() > 0) {
      const typename blas_traits<Lhs>::DirectLinearAccessType& a = blas_traits<Lhs>::extract(lhs);
      const typename blas_traits<Rhs>::DirectLinearAccessType& b = blas_traits<Rhs>::extract(rhs);
      const auto left = eigen_storage<blas_traits<Lhs>>(a), right = eigen_storage<blas_traits<Rhs>>(b);
      const auto result = eigen_result(c);
      const Scalar factor =
          alpha * blas_traits<Lhs>::extractScalarFactor(lhs) * blas_traits<Rhs>::extractScalarFactor(rhs);
      if (left.is_regular() && right.is_regular() && result.is_regular()) {
        engines->multiply_hermitian(is_left ? hilo::Side::left : hilo::Side::right, eigen_uplo(mode), factor,
                                    (is_left ? left : right).view(), (is_left ? right : left).view(), result.view());
        return;
      }
    }
    selfadjoint_product_impl<Lhs, LhsMode | eigen_loops, false, Rhs, RhsMode | eigen_loops, false>::run(c, lhs, rhs,
                                                                                                        alpha);
  }
};

}  // namespace Eigen::internal
