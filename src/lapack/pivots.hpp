// Pivots as arguments: row i was exchanged with row pivots[i] − 1.
#pragma once

#include <cstdint>
#include <span>

#include "blas/arguments.hpp"

namespace hilo::lapack {

/// Throws invalid_argument where there is no room for so many.
void check_pivot_count(const blas::Arguments& check, std::span<const std::int64_t> pivots, std::int64_t count,
                       const char* lines = "rows");

/// Throws invalid_argument where the first `count` share memory with a matrix that is written.
void check_pivots_apart(const blas::Arguments& check, std::span<const std::int64_t> pivots, std::int64_t count,
                        const blas::Argument& written);

/// check_pivot_count, and where one of n is not between its own place and n.
void check_pivots(const blas::Arguments& check, std::span<const std::int64_t> pivots, std::int64_t n);

}  // namespace hilo::lapack
