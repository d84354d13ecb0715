// How far columns are from orthonormal ones, what makes them so, and small corrections of them.
#pragma once

#include <hilo/math.hpp>
#include <vector>

#include "blas/host_place.hpp"
#include "solve/host_system.hpp"
#include "spectral/dense.hpp"

namespace hilo::spectral {

template <gemm_scalar T>
using Leading = solver::Leading<T>;
using solver::leading;

/// The other triangle of a Hermitian matrix of which the lower one is there.
template <class T>
void mirror(Dense<T>& x) {
  for (std::int64_t j = 0; j < x.columns(); ++j) {
    for (std::int64_t i = j + 1; i < x.rows(); ++i) x(j, i) = blas::conjugated(x(i, j), true);
  }
}

/// Xᴴ · Y, which is Hermitian.
template <class T>
Dense<T> hermitian_product(blas::HostPlace<T>& place, const Dense<T>& x, const Dense<T>& y) {
  Dense<T> c(x.columns(), y.columns());
  blas::multiply_to_triangle(place, Uplo::lower, blas::Symmetry::hermitian, T(1),
                             x.view().turned(Op::conjugate_transpose), y.view(), T(0), c.view());
  mirror(c);
  return c;
}

/// I − Xᴴ · X.
template <class T>
Dense<T> orthogonality_defect(blas::HostPlace<T>& place, const Dense<T>& x) {
  Dense<T> r = hermitian_product(place, x, x);
  for (std::int64_t j = 0; j < r.columns(); ++j) {
    for (std::int64_t i = 0; i < r.rows(); ++i) r(i, j) = T(i == j ? 1 : 0) - r(i, j);
  }
  return r;
}

/// A · B.
template <class T>
Dense<T> product(blas::HostPlace<T>& place, const Dense<T>& a, const Dense<T>& b) {
  Dense<T> c(a.rows(), b.columns());
  place.multiply(T(1), a.view(), b.view(), T(0), c.view());
  return c;
}

/// Corrections for which a product in double suffices: what it rounds is less than what the first order leaves.
inline constexpr double largest_by_doubles = 0x1p-36;

/// X + X · E, |E| at most `largest`.
template <double_double T>
void correct(blas::HostPlace<T>& place, Dense<T>& x, const Dense<Leading<T>>& e, double largest,
             const BlockedOptions& options) {
  const auto add = [&](const auto& change) {
    host::for_parts(place.threads(), x.columns(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = begin; j < end; ++j) {
        for (std::int64_t i = 0; i < x.rows(); ++i) x(i, j) = x(i, j) + T(change(i, j));
      }
    });
  };
  if (largest <= largest_by_doubles) {
    // The bits of products in double depend on threads.
    BlockedOptions of_double = solver::options_of_double(options);
    of_double.threads = 1;
    blas::HostPlace<Leading<T>> in_double(of_double);
    add(product(in_double, Dense<Leading<T>>(x, [](const T& t) { return leading(t); }), e));
  } else {
    add(product(place, x, Dense<T>(e, [](const Leading<T>& t) { return T(t); })));
  }
}

/// Z + Z (I − Zᴴ Z) / 2: columns that are orthonormal to double become so to double-double (Newton and Schulz).
template <double_double T>
void orthonormalise(blas::HostPlace<T>& place, Dense<T>& z) {
  Dense<T> r = orthogonality_defect(place, z);
  for (std::int64_t j = 0; j < r.columns(); ++j) {
    for (std::int64_t i = 0; i < r.rows(); ++i) r(i, j) = r(i, j) * dd_real(0.5);
  }
  place.multiply(T(1), Dense<T>(z).view(), r.view(), T(1), z.view());
}

/// Columns `chosen` of X, times Z, in their place.
template <double_double T>
void rotate_columns(blas::HostPlace<T>& place, Dense<T>& x, const std::vector<std::int64_t>& chosen,
                    const Dense<T>& z) {
  const auto count = static_cast<std::int64_t>(chosen.size());
  Dense<T> some(x.rows(), count);
  for (std::int64_t k = 0; k < count; ++k) {
    for (std::int64_t i = 0; i < x.rows(); ++i) some(i, k) = x(i, chosen[static_cast<std::size_t>(k)]);
  }
  some = product(place, some, z);
  for (std::int64_t k = 0; k < count; ++k) {
    for (std::int64_t i = 0; i < x.rows(); ++i) x(i, chosen[static_cast<std::size_t>(k)]) = some(i, k);
  }
}

/// √Σ|x_ij|², of leading words.
template <class T>
double frobenius(const Dense<T>& x) {
  double sum = 0.0;
  for (std::int64_t j = 0; j < x.columns(); ++j) {
    for (std::int64_t i = 0; i < x.rows(); ++i) sum += std::norm(leading(x(i, j)));
  }
  return std::sqrt(sum);
}

}  // namespace hilo::spectral
