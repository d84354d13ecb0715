// The order of indefinite factors: an upper triangle is a lower one with rows and columns in the opposite order, and
// pivots tell the blocks of D.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "blas/arguments.hpp"

namespace hilo::lapack {

template <class View>
View turned_around(View x) {
  x.data += (x.rows - 1) * x.row_stride + (x.columns - 1) * x.column_stride;
  x.row_stride = -x.row_stride;
  x.column_stride = -x.column_stride;
  return x;
}

/// LAPACK's pivots of a lower triangle from those of an upper one, and the other way round.
std::vector<std::int64_t> ordered_pivots(Uplo uplo, std::span<const std::int64_t> pivots, std::int64_t n);

/// The pivots as a lower triangle has them: of one row at most n, of two equal ones the second row's at least. Throws
/// invalid_argument where they are no such pivots.
std::vector<std::int64_t> checked_pivots(const blas::Arguments& check, Uplo uplo, std::span<const std::int64_t> pivots,
                                         std::int64_t n);

/// A block of D; its last row was exchanged with row `with`.
struct BlockOfD {
  std::int64_t begin, size, with;
};
/// Those of columns first … first + count − 1, by pivots as a lower triangle has them.
std::vector<BlockOfD> blocks_of_d(std::span<const std::int64_t> pivots, std::int64_t first, std::int64_t count);

}  // namespace hilo::lapack
