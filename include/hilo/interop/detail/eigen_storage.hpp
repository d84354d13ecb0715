// How matrices of Eigen's are handed to hilo's engines, and from which size on.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <hilo/detail/same_storage.hpp>
#include <hilo/interop/detail/eigen_engines.hpp>
#include <type_traits>

namespace hilo::detail {

// Numbers in Eigen's matrices that the engines take, and as which.
template <class S>
concept eigen_scalar =
    std::same_as<S, dd_real> || std::same_as<S, dd_complex> || std::same_as<S, std::complex<dd_real>>;
template <class S>
using EigenElement = std::conditional_t<std::same_as<S, dd_real>, dd_real, dd_complex>;

// Multiply-adds from which on an engine is faster than Eigen's loops, even of those compiled for the CPU: matrices of
// order 8, and of order 16 with a vector.
inline constexpr double eigen_least_product = 512;
inline constexpr double eigen_least_vector_product = 256;
// The smaller side of a matrix from which on that holds for factorisations.
inline constexpr double eigen_least_factorisation = 32;

/// The engines, where there are some and the work is worth a call.
template <class S>
const EigenEngines<EigenElement<S>>* eigen_engines_for(double multiply_adds, double least = eigen_least_product) {
  return multiply_adds < least ? nullptr : eigen_engines<EigenElement<S>>.load(std::memory_order_acquire);
}

inline double eigen_work(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k) {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

// How Eigen's kernels are given a matrix.
template <class S>
struct EigenStorage {
  S* data;
  std::ptrdiff_t rows, columns;
  bool by_rows;
  std::ptrdiff_t outer_stride;
  bool conjugate = false;

  std::ptrdiff_t lines() const { return by_rows ? rows : columns; }
  std::ptrdiff_t line_length() const { return by_rows ? columns : rows; }
  /// Whether lines follow each other in memory, as all but odd maps have them.
  bool is_regular() const { return lines() <= 1 || outer_stride >= line_length(); }
  auto view() const {
    using Element = EigenElement<std::remove_const_t<S>>;
    using T = std::conditional_t<std::is_const_v<S>, const Element, Element>;
    const std::int64_t stride = std::max(outer_stride, line_length());
    T* elements;
    if constexpr (std::same_as<Element, std::remove_const_t<S>>) {
      elements = data;
    } else {
      elements = same_storage<T>(data);
    }
    return MatrixView<T>{elements, rows, columns, by_rows ? stride : 1, by_rows ? 1 : stride, conjugate};
  }
};

// n elements as a column.
template <class S>
auto eigen_vector(S* data, std::ptrdiff_t n, std::ptrdiff_t increment, bool conjugate = false) {
  auto x = EigenStorage<S>{data, n, 1, false, n, conjugate}.view();
  x.row_stride = increment;
  return x;
}

constexpr Uplo eigen_uplo(int mode) { return (mode & Eigen::Lower) == Eigen::Lower ? Uplo::lower : Uplo::upper; }
constexpr Diag eigen_diag(int mode) { return (mode & Eigen::UnitDiag) != 0 ? Diag::unit : Diag::non_unit; }

// Matrices as expressions have them.
template <class Traits, class Xpr>
EigenStorage<const typename Xpr::Scalar> eigen_storage(const Xpr& x) {
  return {x.data(),        x.rows(),
          x.cols(),        (Xpr::Flags & Eigen::RowMajorBit) != 0,
          x.outerStride(), bool(Traits::NeedToConjugate)};
}
template <class Dest>
EigenStorage<typename Dest::Scalar> eigen_result(Dest& c) {
  return {&c.coeffRef(0, 0), c.rows(), c.cols(), (Dest::Flags & Eigen::RowMajorBit) != 0, c.outerStride()};
}

}  // namespace hilo::detail
