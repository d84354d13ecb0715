// Eigen's products of double-double matrices and vectors, left to hilo's engines where there are some.
#pragma once

#include <Eigen/Core>
#include <hilo/interop/detail/eigen_storage.hpp>

namespace Eigen::internal {

// A matrix and a vector.
template <class Index, hilo::detail::eigen_scalar Scalar, int Order, bool ConjugateLhs, int RhsOrder, bool ConjugateRhs>
struct hilo_vector_product {
  using LhsMapper = const_blas_data_mapper<Scalar, Index, Order>;
  using RhsMapper = const_blas_data_mapper<Scalar, Index, RhsOrder>;

  static void run(Index rows, Index columns, const LhsMapper& a, const RhsMapper& x, Scalar* y, Index increment,
                  Scalar alpha) {
    using hilo::detail::EigenStorage;
    const auto* engines = hilo::detail::eigen_engines_for<Scalar>(hilo::detail::eigen_work(rows, columns, 1),
                                                                  hilo::detail::eigen_least_vector_product);
    if (engines) {
      const EigenStorage<const Scalar> lhs{&a(0, 0), rows, columns, Order == RowMajor, a.stride(), ConjugateLhs};
      const Index x_increment = columns > 1 ? &x(1, 0) - &x(0, 0) : 1;
      if (lhs.is_regular()) {
        return engines->multiply_vector(alpha, lhs.view(),
                                        hilo::detail::eigen_vector(&x(0, 0), columns, x_increment, ConjugateRhs),
                                        hilo::detail::eigen_vector(y, rows, increment));
      }
    }
    general_matrix_vector_product<Index, Scalar, LhsMapper, Order, ConjugateLhs, Scalar, RhsMapper, ConjugateRhs,
                                  BuiltIn>::run(rows, columns, a, x, y, increment, alpha);
  }
};

template <class Index, hilo::detail::eigen_scalar Scalar, bool ConjugateLhs, int RhsOrder, bool ConjugateRhs>
struct general_matrix_vector_product<Index, Scalar, const_blas_data_mapper<Scalar, Index, ColMajor>, ColMajor,
                                     ConjugateLhs, Scalar, const_blas_data_mapper<Scalar, Index, RhsOrder>,
                                     ConjugateRhs, Specialized>
    : hilo_vector_product<Index, Scalar, ColMajor, ConjugateLhs, RhsOrder, ConjugateRhs> {};
template <class Index, hilo::detail::eigen_scalar Scalar, bool ConjugateLhs, int RhsOrder, bool ConjugateRhs>
struct general_matrix_vector_product<Index, Scalar, const_blas_data_mapper<Scalar, Index, RowMajor>, RowMajor,
                                     ConjugateLhs, Scalar, const_blas_data_mapper<Scalar, Index, RhsOrder>,
                                     ConjugateRhs, Specialized>
    : hilo_vector_product<Index, Scalar, RowMajor, ConjugateLhs, RhsOrder, ConjugateRhs> {};

// A triangular or trapezoidal matrix and a vector.
template <class Index, int Mode, hilo::detail::eigen_scalar Scalar, bool ConjugateLhs, bool ConjugateRhs, int Order>
struct hilo_triangular_vector_product {
  static void run(Index rows, Index columns, const Scalar* a, Index a_stride, const Scalar* x, Index x_increment,
                  Scalar* y, Index y_increment, const Scalar& alpha) {
    using namespace hilo::detail;
    const auto* engines = eigen_engines_for<Scalar>(eigen_work(rows, columns, 1), eigen_least_vector_product);
    const EigenStorage<const Scalar> lhs{a, rows, columns, Order == RowMajor, a_stride, ConjugateLhs};
    if (engines && (Mode & ZeroDiag) == 0 && lhs.is_regular()) {
      return engines->multiply_triangular_vector(eigen_uplo(Mode), eigen_diag(Mode), alpha, lhs.view(),
                                                 eigen_vector(x, columns, x_increment, ConjugateRhs),
                                                 eigen_vector(y, rows, y_increment));
    }
    triangular_matrix_vector_product<Index, Mode, Scalar, ConjugateLhs, Scalar, ConjugateRhs, Order, BuiltIn>::run(
        rows, columns, a, a_stride, x, x_increment, y, y_increment, alpha);
  }
};

template <class Index, int Mode, hilo::detail::eigen_scalar Scalar, bool ConjugateLhs, bool ConjugateRhs>
struct triangular_matrix_vector_product<Index, Mode, Scalar, ConjugateLhs, Scalar, ConjugateRhs, ColMajor, Specialized>
    : hilo_triangular_vector_product<Index, Mode, Scalar, ConjugateLhs, ConjugateRhs, ColMajor> {};
template <class Index, int Mode, hilo::detail::eigen_scalar Scalar, bool ConjugateLhs, bool ConjugateRhs>
struct triangular_matrix_vector_product<Index, Mode, Scalar, ConjugateLhs, Scalar, ConjugateRhs, RowMajor, Specialized>
    : hilo_triangular_vector_product<Index, Mode, Scalar, ConjugateLhs, ConjugateRhs, RowMajor> {};

// A symmetric or Hermitian matrix and a vector.
template <hilo::detail::eigen_scalar Scalar, class Index, int Order, int UpLo, bool ConjugateLhs, bool ConjugateRhs>
struct selfadjoint_matrix_vector_product<Scalar, Index, Order, UpLo, ConjugateLhs, ConjugateRhs, Specialized> {
  static void run(Index size, const Scalar* a, Index a_stride, const Scalar* x, Scalar* y, Scalar alpha) {
    using namespace hilo::detail;
    const auto* engines = eigen_engines_for<Scalar>(eigen_work(size, size, 1), eigen_least_vector_product);
    const EigenStorage<const Scalar> lhs{a, size, size, Order == RowMajor, a_stride, ConjugateLhs};
    if (engines && lhs.is_regular()) {
      return engines->multiply_hermitian_vector(eigen_uplo(UpLo), alpha, lhs.view(),
                                                eigen_vector(x, size, 1, ConjugateRhs), eigen_vector(y, size, 1));
    }
    selfadjoint_matrix_vector_product<Scalar, Index, Order, UpLo, ConjugateLhs, ConjugateRhs, BuiltIn>::run(
        size, a, a_stride, x, y, alpha);
  }
};

// A column times a row, added to a matrix. What is not left to the engines is as in Eigen.
template <class Lhs, class Rhs>
requires(
    hilo::detail::eigen_scalar<typename Lhs::Scalar>&& std::same_as<typename Lhs::Scalar, typename Rhs::Scalar>)  //
    struct generic_product_impl<Lhs, Rhs, DenseShape, DenseShape, OuterProduct> {
  using Scalar = typename Lhs::Scalar;

  template <class Dest>
  static void evalTo(Dest& c, const Lhs& lhs, const Rhs& rhs) {
    run(c, lhs, rhs, [](const auto& line, const auto& x) { line.const_cast_derived() = x; });
  }
  template <class Dest>
  static void addTo(Dest& c, const Lhs& lhs, const Rhs& rhs) {
    if (add(c, lhs, rhs, Scalar(1))) return;
    run(c, lhs, rhs, [](const auto& line, const auto& x) { line.const_cast_derived() += x; });
  }
  template <class Dest>
  static void subTo(Dest& c, const Lhs& lhs, const Rhs& rhs) {
    if (add(c, lhs, rhs, Scalar(-1))) return;
    run(c, lhs, rhs, [](const auto& line, const auto& x) { line.const_cast_derived() -= x; });
  }
  template <class Dest>
  static void scaleAndAddTo(Dest& c, const Lhs& lhs, const Rhs& rhs, const Scalar& alpha) {
    if (add(c, lhs, rhs, alpha)) return;
    run(c, lhs, rhs, [&alpha](const auto& line, const auto& x) { line.const_cast_derived() += alpha * x; });
  }

 private:
  template <class Dest, class AddLine>
  static void run(Dest& c, const Lhs& lhs, const Rhs& rhs, const AddLine& add_line) {
    outer_product_selector_run(c, lhs, rhs, add_line, bool_constant<(int(Dest::Flags) & RowMajorBit) != 0>());
  }
  template <class Dest>
  static bool add(Dest& c, const Lhs& lhs, const Rhs& rhs, const Scalar& alpha) {
    using namespace hilo::detail;
    const auto* engines = eigen_engines_for<Scalar>(eigen_work(c.rows(), c.cols(), 1), eigen_least_vector_product);
    if constexpr ((int(Dest::Flags) & DirectAccessBit) == 0) {
      return false;
    } else {
      if (!engines || c.innerStride() != 1 || !eigen_result(c).is_regular()) return false;
      using LhsTraits = blas_traits<Lhs>;
      using RhsTraits = blas_traits<Rhs>;
      const typename LhsTraits::DirectLinearAccessType& x = LhsTraits::extract(lhs);
      const typename RhsTraits::DirectLinearAccessType& y = RhsTraits::extract(rhs);
      const Scalar factor = alpha * LhsTraits::extractScalarFactor(lhs) * RhsTraits::extractScalarFactor(rhs);
      // Either may be a block that has one column or row at run time alone.
      engines->add_outer_product(factor, eigen_vector(x.data(), x.size(), x.rowStride(), LhsTraits::NeedToConjugate),
                                 eigen_vector(y.data(), y.size(), y.colStride(), RhsTraits::NeedToConjugate),
                                 eigen_result(c).view());
      return true;
    }
  }
};

}  // namespace Eigen::internal
