// Products with a symmetric or Hermitian factor or result: one text for every place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <hilo/gemm.hpp>
#include <hilo/matrix.hpp>

#include "blas/triangular.hpp"
#include "gemm/modular/guarantee.hpp"

namespace hilo::blas {

enum class Symmetry : bool { symmetric, hermitian };

/// Whether options fix the engine of a precision that has two, and with it the bits wherever matrices lie.
inline bool fixes_bits(Precision precision, const GemmOptions& options) {
  const bool is_named = options.engine == Engine::modular || options.engine == Engine::reproducible;
  return has_modular_engine(precision) && (is_named || modular::is_modular_only(options.accuracy));
}

/// The least order of the squares on a triangle's diagonal that are one product each, where the moduli of a product
/// follow from all its entries and its bits shall be those of every place.
inline constexpr std::int64_t common_square = 1024;

/// Of a matrix on the host.
inline std::int64_t host_diagonal_rows(Precision precision, const GemmOptions& options, std::int64_t block) {
  return fixes_bits(precision, options) ? std::max(4 * block, common_square) : 4 * block;
}
/// Whether that takes the triangle of a product with so many rows and columns as one, with the bits of the square.
inline bool host_takes_triangle(Precision precision, const GemmOptions& options, std::int64_t block, std::int64_t rows,
                                std::int64_t columns) {
  if (!fixes_bits(precision, options)) return true;
  return rows == columns && rows <= host_diagonal_rows(precision, options, block);
}

/// Rows of a symmetric factor that are written out at a time.
inline constexpr std::int64_t strip_rows = 2048;

/// C = alpha · A · B + beta · C, A by a triangle.
template <class Place>
void multiply_symmetric(Place& place, Uplo uplo, Symmetry symmetry, typename Place::Scalar alpha,
                        const typename Place::Operand& a, const typename Place::Operand& b, typename Place::Scalar beta,
                        const typename Place::Matrix& c) {
  const std::int64_t n = a.rows;
  const std::int64_t strip = std::min(n, strip_rows);
  auto whole = place.lend(strip, n);
  for (std::int64_t first = 0; first < n; first += strip) {
    const std::int64_t rows = std::min(strip, n - first);
    const auto part = whole.matrix().sub(0, 0, rows, n);
    place.write_out(uplo, symmetry, a, first, part);
    place.multiply(alpha, part, b, beta, c.sub(first, 0, rows, c.columns));
  }
}

/// The triangle of C = alpha · A · B + beta · C, whose A · B is symmetric or Hermitian, with real alpha and beta if the
/// latter; A is n × k.
template <class Place>
void multiply_to_triangle(Place& place, Uplo uplo, Symmetry symmetry, typename Place::Scalar alpha,
                          const typename Place::Operand& a, const typename Place::Operand& b,
                          typename Place::Scalar beta, const typename Place::Matrix& c) {
  if (place.multiply_triangle_at_once(uplo, symmetry, alpha, a, b, beta, c)) return;
  const std::int64_t n = c.rows, k = a.columns, block = place.diagonal_rows();
  if (n <= block) {
    if constexpr (requires { place.multiply_square_at_once(symmetry, alpha, a, b, beta, c); }) {
      place.multiply_square_at_once(symmetry, alpha, a, b, beta, c);
    } else {
      auto whole = place.lend(n, n);
      if (!(beta == typename Place::Scalar(0))) place.take_triangle(uplo, symmetry, c, whole.matrix());
      place.multiply(alpha, a, b, beta, whole.matrix());
      place.put_triangle(uplo, symmetry, whole.matrix(), c);
    }
    return;
  }
  const std::int64_t h = half(n, block);
  const auto upper_a = a.sub(0, 0, h, k), lower_a = a.sub(h, 0, n - h, k);
  const auto left_b = b.sub(0, 0, k, h), right_b = b.sub(0, h, k, n - h);
  multiply_to_triangle(place, uplo, symmetry, alpha, upper_a, left_b, beta, c.sub(0, 0, h, h));
  if (uplo == Uplo::lower) {
    place.multiply(alpha, lower_a, left_b, beta, c.sub(h, 0, n - h, h));
  } else {
    place.multiply(alpha, upper_a, right_b, beta, c.sub(0, h, h, n - h));
  }
  multiply_to_triangle(place, uplo, symmetry, alpha, lower_a, right_b, beta, c.sub(h, h, n - h, n - h));
}

/// The same of the lower trapezium of an m × n matrix, m >= n, A being m × k. A place may have a verb of its own for
/// what is below the triangle.
template <class Place>
void multiply_to_trapezium(Place& place, Symmetry symmetry, typename Place::Scalar alpha,
                           const typename Place::Operand& a, const typename Place::Operand& b,
                           typename Place::Scalar beta, const typename Place::Matrix& c) {
  const std::int64_t m = c.rows, n = c.columns, k = a.columns;
  if (m > n && place.multiply_triangle_at_once(Uplo::lower, symmetry, alpha, a, b, beta, c)) return;
  multiply_to_triangle(place, Uplo::lower, symmetry, alpha, a.sub(0, 0, n, k), b, beta, c.sub(0, 0, n, n));
  const auto below_a = a.sub(n, 0, m - n, k);
  const auto below = c.sub(n, 0, m - n, n);
  if constexpr (requires { place.multiply_below(alpha, below_a, b, beta, below); }) {
    place.multiply_below(alpha, below_a, b, beta, below);
  } else {
    place.multiply(alpha, below_a, b, beta, below);
  }
}

}  // namespace hilo::blas
