// A dense matrix that owns its entries: what files are read into and written from.
#pragma once

#include <cstdint>
#include <functional>
#include <hilo/gemm.hpp>
#include <string>
#include <vector>

namespace hilo::data {

class OutputFile;

/// rows × columns entries without padding, in either layout.
template <class T>
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  Layout layout = Layout::column;
  std::vector<T> entries;

  std::int64_t leading() const {
    std::int64_t inner = layout == Layout::column ? rows : columns;
    return inner > 0 ? inner : 1;
  }
  std::size_t index(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(layout == Layout::column ? i + j * rows : j + i * columns);
  }
  T& operator()(std::int64_t i, std::int64_t j) { return entries[index(i, j)]; }
  const T& operator()(std::int64_t i, std::int64_t j) const { return entries[index(i, j)]; }
};

/// Told now and then how much of something long is done, from 0 to 1.
using Watch = std::function<void(double part)>;

/// The bytes of a matrix. Throws hilo::error, `what` named, where a size is negative (invalid_argument), the bytes pass
/// 2^63 − 1 (overflow) or what memory is left (out_of_memory).
template <class T>
std::int64_t check_size(std::int64_t rows, std::int64_t columns, const std::string& what);

/// A matrix of zeros. Throws as check_size does.
template <class T>
Matrix<T> zero_matrix(std::int64_t rows, std::int64_t columns, Layout layout, const std::string& what);

/// Whether the name ends in .npy (any case).
bool is_npy(const std::string& path);

/// Reads a matrix from a file: Matrix Market if the name ends in .mtx, NumPy if it ends in .npy (any case).
template <gemm_scalar T>
Matrix<T> read_matrix(const std::string& path, Layout layout, const Watch& watch = {});

/// Writes a matrix to a file whose name ends in .mtx or .npy, whole or not at all.
template <gemm_scalar T>
void write_matrix(const std::string& path, const Matrix<T>& matrix, const Watch& watch = {});

/// The same into a file of such a name that is not committed: for several that appear all or not at all.
template <gemm_scalar T>
void write_matrix(OutputFile& file, const Matrix<T>& matrix, const Watch& watch = {});

/// Throws hilo::error where write_matrix could not write to path: an ending it does not know, a folder that is not
/// there or not writable, a path that is a folder. Changes nothing.
void check_writable(const std::string& path);

}  // namespace hilo::data
