// NumPy .npy files, format versions 1.0 to 3.0: numpy.lib.format in NumPy's reference.
#pragma once

#include <string>

#include "data/matrix.hpp"

namespace hilo::data {

/// Reads a two-dimensional array in either order. The dtypes, little-endian:
///
///   S '<f4'   D '<f8'   C '<c8'   Z '<c16'
///   DD  [('hi', '<f8'), ('lo', '<f8')]
///   ZDD [('re_hi', '<f8'), ('re_lo', '<f8'), ('im_hi', '<f8'), ('im_lo', '<f8')]
///
/// A file may be read in a precision that holds its numbers exactly, real as complex included. A pair (hi, lo) that
/// is not canonical is made so, exactly. Throws hilo::error that names the file and what was expected: io, parse,
/// overflow, out_of_memory; unsupported for another dtype or byte order, another number of dimensions, and for a
/// precision that would lose digits.
template <gemm_scalar T>
Matrix<T> read_npy(const std::string& path, Layout layout);

/// Writes a version 1.0 file in T's dtype and the matrix's own order, whole or not at all. Throws hilo::error (io).
template <gemm_scalar T>
void write_npy(const std::string& path, const Matrix<T>& matrix);

/// The same into a file that is not committed.
template <gemm_scalar T>
void write_npy(OutputFile& file, const Matrix<T>& matrix);

}  // namespace hilo::data
