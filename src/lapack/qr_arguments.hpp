// The arguments of QR, of matrices in host memory or a device's.
#pragma once

#include <cstdint>
#include <span>

#include "blas/arguments.hpp"

namespace hilo::lapack {

/// The factors tau of reflectors.
struct TauArgument {
  std::int64_t size;
  const void* data;
};
template <class T>
TauArgument argument(std::span<T> tau) {
  return {std::ssize(tau), tau.data()};
}

/// Throw hilo::error that names what is wrong: of a matrix to be factored, with room for tau; ...
void check_factors(const blas::Arguments& check, const blas::Argument& a, const TauArgument& tau);
/// ... of unmqr, ungqr and gels.
void check_product(const blas::Arguments& check, Side side, Op op, const blas::Argument& a, const TauArgument& tau,
                   const blas::Argument& c);
void check_columns(const blas::Arguments& check, const blas::Argument& a, const TauArgument& tau);
void check_least_squares(const blas::Arguments& check, Op op, const blas::Argument& a, const blas::Argument& b);

}  // namespace hilo::lapack
