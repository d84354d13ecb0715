// .npy files that several processes read and write by blocks, so that none holds a whole matrix.
#pragma once

#include <hilo/matrix.hpp>
#include <string>

#include "data/npy_header.hpp"

namespace hilo::data {

/// A file that is read a block at a time: the arrays of read_npy, and its errors.
class NpyBlocks {
 public:
  /// Opens it and reads its header. T below is of precision `as`.
  NpyBlocks(const std::string& path, Precision as);
  ~NpyBlocks();
  NpyBlocks(const NpyBlocks&) = delete;
  NpyBlocks& operator=(const NpyBlocks&) = delete;

  std::int64_t rows() const { return header_.shape[0]; }
  std::int64_t columns() const { return header_.shape[1]; }

  /// The block whose first entry is (i, j). Throws hilo::error (io).
  template <gemm_scalar T>
  void read(std::int64_t i, std::int64_t j, const MatrixView<T>& block) const;

 private:
  std::string path_;
  NpyHeader header_;
  int descriptor_;
};

/// What the file of a matrix is like, for all that write blocks of it.
struct NpyShape {
  Precision precision;
  Layout layout;
  std::int64_t rows, columns;

  std::string header() const { return npy_header(precision, layout == Layout::column, rows, columns); }
};

/// Writes blocks into a file that is there, with its header. Throws hilo::error (io), which names the file `path`,
/// whatever it is called meanwhile.
class NpyBlockWriter {
 public:
  NpyBlockWriter(const std::string& path, const std::string& temporary, const NpyShape& shape);
  ~NpyBlockWriter();
  NpyBlockWriter(const NpyBlockWriter&) = delete;
  NpyBlockWriter& operator=(const NpyBlockWriter&) = delete;

  /// At (i, j). T is of the shape's precision.
  template <gemm_scalar T>
  void write(std::int64_t i, std::int64_t j, const MatrixView<const T>& block) const;
  /// Brings what was written to the disk.
  void finish() const;

 private:
  std::string path_;
  NpyShape shape_;
  std::int64_t header_bytes_;
  int descriptor_;
};

}  // namespace hilo::data
