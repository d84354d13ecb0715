#include "data/npy.hpp"

#include <bit>

#include "data/file.hpp"
#include "data/npy_entry.hpp"

static_assert(std::endian::native == std::endian::little, "the entries of .npy files are copied as they are");

namespace hilo::data {
template <gemm_scalar T>
Matrix<T> read_npy(const std::string& path, Layout layout) {
  std::string bytes = read_file(path);
  NpyHeader header = read_npy_header(path, bytes);
  check_npy(path, header, std::ssize(bytes) - static_cast<std::int64_t>(header.bytes), precision_of<T>);
  const std::int64_t rows = header.shape[0], columns = header.shape[1], size = element_bytes(header.precision);
  Matrix<T> matrix = zero_matrix<T>(rows, columns, layout, path);
  if (matrix.entries.empty()) return matrix;
  const char* at = bytes.data() + header.bytes;
  std::int64_t outer = header.fortran_order ? columns : rows, inner = header.fortran_order ? rows : columns;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t n = 0; n < inner; ++n, at += size) {
      matrix(header.fortran_order ? n : o, header.fortran_order ? o : n) = load_entry<T>(at, header.precision);
    }
  }
  return matrix;
}

template <gemm_scalar T>
void write_npy(OutputFile& file, const Matrix<T>& matrix) {
  file.write(npy_header(precision_of<T>, matrix.layout == Layout::column, matrix.rows, matrix.columns));
  file.write({reinterpret_cast<const char*>(matrix.entries.data()), matrix.entries.size() * sizeof(T)});
}

template <gemm_scalar T>
void write_npy(const std::string& path, const Matrix<T>& matrix) {
  OutputFile file(path);
  write_npy(file, matrix);
  file.commit();
}

#define HILO_INSTANTIATE(T)                                   \
  template Matrix<T> read_npy<T>(const std::string&, Layout); \
  template void write_npy<T>(OutputFile&, const Matrix<T>&);  \
  template void write_npy<T>(const std::string&, const Matrix<T>&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::data
