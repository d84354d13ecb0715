// The header of a .npy file: a Python dictionary of dtype, order and shape.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace hilo::data {

/// What a .npy file says about the array behind its header.
struct NpyHeader {
  Precision precision = Precision::d;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::size_t bytes = 0;  ///< of the header: where the entries start
};

/// Reads the header at the start of a file's bytes. Throws hilo::error, `path` named: parse where it is not what the
/// format demands, unsupported where its dtype is none of those in npy.hpp.
NpyHeader read_npy_header(const std::string& path, std::string_view bytes);

/// A version 1.0 header, padded so that the entries start at a multiple of 64 bytes.
std::string npy_header(Precision precision, bool fortran_order, std::int64_t rows, std::int64_t columns);

}  // namespace hilo::data
