// Matrix Market files: Boisvert, Pozo, Remington, "The Matrix Market exchange formats", NISTIR 5935 (1996).
#pragma once

#include <string>

#include "data/matrix.hpp"

namespace hilo::data {

/// Reads `array` and `coordinate` files of field real, integer, complex or pattern (whose entries are ones) and of
/// symmetry general, symmetric, skew-symmetric or hermitian, as a dense matrix of any precision, every number
/// correctly rounded. Empty lines and lines that start with % may stand anywhere after the first line; case and CRLF
/// do not matter. A real file may be read as complex, not the reverse.
///
/// Throws hilo::error (io, parse, overflow, out_of_memory; unsupported for a complex file in a real precision) that
/// names file and line and says what was expected; among others for NaN and Inf, an entry above the diagonal of a
/// symmetric file, an entry given twice, and anything behind the last entry.
template <gemm_scalar T>
Matrix<T> read_matrix_market(const std::string& path, Layout layout, const Watch& watch = {});

/// Writes an `array general` file with as many digits as reading back exactly needs, whole or not at all. Throws
/// hilo::error: io where the file cannot be written, unsupported where an entry is NaN or Inf, which the format
/// cannot hold.
template <gemm_scalar T>
void write_matrix_market(const std::string& path, const Matrix<T>& matrix, const Watch& watch = {});

/// The same into a file that is not committed.
template <gemm_scalar T>
void write_matrix_market(OutputFile& file, const Matrix<T>& matrix, const Watch& watch = {});

}  // namespace hilo::data
