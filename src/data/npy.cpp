#include "data/npy.hpp"

#include <bit>
#include <cstring>

#include "data/file.hpp"
#include "data/npy_header.hpp"
#include "data/scalar.hpp"

static_assert(std::endian::native == std::endian::little, "the entries of .npy files are copied as they are");

namespace hilo::data {
namespace {

// How much of a real part fits: 0 for float, 1 for double, 2 for double-double.
int width(Precision p) { return is_single(p) ? 0 : words(p); }

template <class Word>
Word load(const char* bytes) {
  Word w;
  std::memcpy(&w, bytes, sizeof w);
  return w;
}

// The real number at `bytes`, of that width, in a precision that is not narrower.
template <class Real>
Real load_real(const char* bytes, int file_width) {
  if (file_width == 0) return Real(load<float>(bytes));
  if constexpr (std::same_as<Real, float>) {
    return 0.0f;
  } else {
    if (file_width == 1) return Real(load<double>(bytes));
    if constexpr (std::same_as<Real, dd_real>) {
      return dd_real::sum(load<double>(bytes), load<double>(bytes + 8));
    } else {
      return 0.0;
    }
  }
}

}  // namespace

template <gemm_scalar T>
Matrix<T> read_npy(const std::string& path, Layout layout) {
  std::string bytes = read_file(path);
  NpyHeader header = read_npy_header(path, bytes);
  auto reject = [&](errc code, const std::string& message) { throw error(code, path + ": " + message); };
  if (header.shape.size() != 2) {
    reject(errc::unsupported, "the array has " + std::to_string(header.shape.size()) +
                                  (header.shape.size() == 1 ? " dimension" : " dimensions") + "; a matrix has 2");
  }
  Precision file = header.precision;
  if (width(file) > width(precision_of<T>) || (precisions::is_complex(file) && !is_complex<T>)) {
    reject(errc::unsupported, "the file's precision is " + std::string(name(file)) + ", which " +
                                  std::string(name(precision_of<T>)) + " does not hold");
  }
  std::int64_t rows = header.shape[0], columns = header.shape[1], size = element_bytes(file), expected;
  if (__builtin_mul_overflow(rows, columns, &expected) || __builtin_mul_overflow(expected, size, &expected)) {
    reject(errc::overflow,
           "the bytes of " + std::to_string(rows) + " x " + std::to_string(columns) + " entries do not fit 64 bits");
  }
  std::int64_t found = std::ssize(bytes) - static_cast<std::int64_t>(header.bytes);
  if (found != expected) {
    reject(errc::parse, "the file has " + std::to_string(found) + " bytes behind its header; expected " +
                            std::to_string(expected) + " for " + std::to_string(rows) + " x " +
                            std::to_string(columns) + " entries");
  }
  Matrix<T> matrix = zero_matrix<T>(rows, columns, layout, path);
  if (matrix.entries.empty()) return matrix;
  const char* at = bytes.data() + header.bytes;
  std::int64_t outer = header.fortran_order ? columns : rows, inner = header.fortran_order ? rows : columns;
  std::int64_t part = precisions::is_complex(file) ? size / 2 : 0;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t n = 0; n < inner; ++n, at += size) {
      using Real = real_of<T>;
      Real im = part ? load_real<Real>(at + part, width(file)) : Real(0);
      matrix(header.fortran_order ? n : o, header.fortran_order ? o : n) =
          from_parts<T>(load_real<Real>(at, width(file)), im);
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
