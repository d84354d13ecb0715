#include "data/matrix.hpp"

#include <algorithm>
#include <cctype>
#include <new>

#include "data/file.hpp"
#include "data/matrix_market.hpp"
#include "data/memory.hpp"
#include "data/npy.hpp"
#include "host/door.hpp"

namespace hilo::data {
namespace {

bool ends_in(const std::string& path, std::string_view extension) {
  return path.size() >= extension.size() &&
         std::equal(extension.rbegin(), extension.rend(), path.rbegin(),
                    [](char x, char y) { return x == std::tolower(static_cast<unsigned char>(y)); });
}

[[noreturn]] void reject_ending(const std::string& path) {
  throw error(errc::io, path + ": the name of a matrix file ends in .mtx (Matrix Market) or .npy (NumPy)");
}

template <class T>
[[noreturn]] void refuse_memory(std::int64_t rows, std::int64_t columns, const std::string& what) {
  throw error(errc::out_of_memory, what + ": no memory for " + std::to_string(rows) + " x " + std::to_string(columns) +
                                       " entries of " + std::to_string(sizeof(T)) + " bytes each");
}

}  // namespace

template <class T>
std::int64_t check_size(std::int64_t rows, std::int64_t columns, const std::string& what) {
  std::string size = std::to_string(rows) + " x " + std::to_string(columns);
  if (rows < 0 || columns < 0) throw error(errc::invalid_argument, what + ": the size " + size + " is negative");
  std::int64_t bytes;
  if (__builtin_mul_overflow(rows, columns, &bytes) ||
      __builtin_mul_overflow(bytes, static_cast<std::int64_t>(sizeof(T)), &bytes)) {
    throw error(errc::overflow, what + ": the bytes of a " + size + " matrix do not fit 64 bits");
  }
  // Memory that is promised but not there would end the process later, without a message.
  if (bytes > free_bytes()) refuse_memory<T>(rows, columns, what);
  return bytes;
}

template <class T>
Matrix<T> zero_matrix(std::int64_t rows, std::int64_t columns, Layout layout, const std::string& what) {
  check_size<T>(rows, columns, what);
  Matrix<T> matrix{rows, columns, layout, {}};
  try {
    matrix.entries.resize(static_cast<std::size_t>(rows * columns));
  } catch (const std::bad_alloc&) {
    refuse_memory<T>(rows, columns, what);
  }
  return matrix;
}

bool is_npy(const std::string& path) { return ends_in(path, ".npy"); }

template <gemm_scalar T>
Matrix<T> read_matrix(const std::string& path, Layout layout, const Watch& watch) {
  auto no_memory = [&] { return path + ": no memory to read it"; };
  return host::door(no_memory, [&] {
    if (watch) watch(0.0);
    if (ends_in(path, ".mtx")) return read_matrix_market<T>(path, layout, watch);
    if (is_npy(path)) return read_npy<T>(path, layout);
    reject_ending(path);
  });
}

template <gemm_scalar T>
void write_matrix(const std::string& path, const Matrix<T>& matrix, const Watch& watch) {
  auto no_memory = [&] { return path + ": no memory to write it"; };
  host::door(no_memory, [&] {
    if (watch) watch(0.0);
    if (ends_in(path, ".mtx")) return write_matrix_market(path, matrix, watch);
    if (is_npy(path)) return write_npy(path, matrix);
    reject_ending(path);
  });
}

template <gemm_scalar T>
void write_matrix(OutputFile& file, const Matrix<T>& matrix, const Watch& watch) {
  auto no_memory = [&] { return file.path() + ": no memory to write it"; };
  host::door(no_memory, [&] {
    if (watch) watch(0.0);
    if (ends_in(file.path(), ".mtx")) return write_matrix_market(file, matrix, watch);
    if (is_npy(file.path())) return write_npy(file, matrix);
    reject_ending(file.path());
  });
}

void check_writable(const std::string& path) {
  if (!ends_in(path, ".mtx") && !is_npy(path)) reject_ending(path);
  check_target(path);
}

#define HILO_INSTANTIATE(T)                                                                  \
  template std::int64_t check_size<T>(std::int64_t, std::int64_t, const std::string&);       \
  template Matrix<T> zero_matrix<T>(std::int64_t, std::int64_t, Layout, const std::string&); \
  template Matrix<T> read_matrix<T>(const std::string&, Layout, const Watch&);               \
  template void write_matrix<T>(const std::string&, const Matrix<T>&, const Watch&);         \
  template void write_matrix<T>(OutputFile&, const Matrix<T>&, const Watch&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::data
