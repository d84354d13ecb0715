// Panels of QR, without products.
#pragma once

#include <cstdint>
#include <span>

#include "blas/cpu/line_arithmetic.hpp"

namespace hilo::lapack {

/// Householder QR of m × n entries, m >= n, column after column: R and the vectors v take A's place, T (upper triangle
/// of n × n) those of I − V · T · Vᴴ = H1 · H2 … . Sums over rows are those of 32 rows each, from 0 on by
/// blas/reference.hpp in increasing order; eight neighbours are added so with 1 as the other factor, eight of these sums
/// again, and those of 2048 rows at last. Throws std::bad_alloc before A is touched.
template <gemm_scalar T>
void qr_panel(const blas::LineArithmetic<T>& arithmetic, int threads, MatrixView<T> a, std::span<T> tau,
              MatrixView<T> t);

/// T of the vectors v in such a panel.
template <gemm_scalar T>
void reflector_triangle(const blas::LineArithmetic<T>& arithmetic, int threads, MatrixView<const T> v,
                        std::span<const T> tau, MatrixView<T> t);

}  // namespace hilo::lapack
