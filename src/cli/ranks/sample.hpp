// Entries of matrices over ranks that come to rank 0 to be looked at.
#pragma once

#include <cstdint>
#include <hilo/distributed.hpp>
#include <vector>

namespace hilo::cli {

/// Rows or columns, ascending, none twice.
using Lines = std::vector<std::int64_t>;

/// At most 16 of n: the first and last ones of the matrix, those on both sides of a tile's edge, and others from a
/// fixed seed.
Lines sample_of(std::int64_t n, std::int64_t tile);

/// On rank 0 the entries in those rows and columns, where none are given in all of them; columns contiguous. Of a
/// matrix as it is stored.
template <class T>
std::vector<T> entries_of(const distributed::Cluster& cluster, const distributed::Matrix<T>& matrix, const Lines& rows,
                          const Lines& columns);

}  // namespace hilo::cli
