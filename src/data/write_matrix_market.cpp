#include <cmath>

#include "data/decimal.hpp"
#include "data/file.hpp"
#include "data/matrix_market.hpp"
#include "data/scalar.hpp"

namespace hilo::data {
namespace {

bool is_finite(dd_real x) { return std::isfinite(x.hi); }
bool is_finite(double x) { return std::isfinite(x); }

}  // namespace

template <gemm_scalar T>
void write_matrix_market(OutputFile& file, const Matrix<T>& matrix, const Watch& watch) {
  std::string text = std::string("%%MatrixMarket matrix array ") + (is_complex<T> ? "complex" : "real") +
                     " general\n% written by hilo\n" + std::to_string(matrix.rows) + ' ' +
                     std::to_string(matrix.columns) + '\n';
  for (std::int64_t j = 0; matrix.rows > 0 && j < matrix.columns; ++j) {
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
      auto re = real_part(matrix(i, j)), im = imaginary_part(matrix(i, j));
      if (!is_finite(re) || !is_finite(im)) {
        throw error(errc::unsupported, file.path() + ": entry (" + std::to_string(i + 1) + ", " +
                                           std::to_string(j + 1) +
                                           ") is NaN or Inf, which Matrix Market cannot hold; write a .npy file");
      }
      append_decimal(text, re);
      if (is_complex<T>) {
        text += ' ';
        append_decimal(text, im);
      }
      text += '\n';
      if (text.size() > 1 << 20) {
        file.write(text);
        text.clear();
        if (watch) watch(static_cast<double>(j) / static_cast<double>(matrix.columns));
      }
    }
  }
  file.write(text);
}

template <gemm_scalar T>
void write_matrix_market(const std::string& path, const Matrix<T>& matrix, const Watch& watch) {
  OutputFile file(path);
  write_matrix_market(file, matrix, watch);
  file.commit();
}

#define HILO_INSTANTIATE(T)                                                          \
  template void write_matrix_market<T>(OutputFile&, const Matrix<T>&, const Watch&); \
  template void write_matrix_market<T>(const std::string&, const Matrix<T>&, const Watch&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::data
