// Matrices of one's own, by columns.
#pragma once

#include <cstdint>
#include <hilo/blas.hpp>
#include <vector>

namespace hilo::spectral {

template <class T>
class Dense {
 public:
  Dense() = default;
  Dense(std::int64_t rows, std::int64_t columns)
      : rows_(rows), columns_(columns), data_(static_cast<std::size_t>(rows * columns)) {}
  /// Of other numbers, converted.
  template <class U, class Convert>
  Dense(const Dense<U>& x, Convert convert) : Dense(x.rows(), x.columns()) {
    for (std::int64_t j = 0; j < columns_; ++j) {
      for (std::int64_t i = 0; i < rows_; ++i) (*this)(i, j) = convert(x(i, j));
    }
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  T& operator()(std::int64_t i, std::int64_t j) { return data_[static_cast<std::size_t>(i + j * rows_)]; }
  const T& operator()(std::int64_t i, std::int64_t j) const { return data_[static_cast<std::size_t>(i + j * rows_)]; }
  MatrixView<T> view() { return hilo::view(Layout::column, Op::none, data_.data(), rows_, columns_, rows_); }
  MatrixView<const T> view() const {
    return hilo::view(Layout::column, Op::none, data_.data(), rows_, columns_, rows_);
  }

 private:
  std::int64_t rows_ = 0, columns_ = 0;
  std::vector<T> data_;
};

template <gemm_scalar T>
real_type<T> real_part(const T& x) {
  if constexpr (precisions::is_complex(precision_of<T>)) {
    return x.real();
  } else {
    return x;
  }
}

template <class T>
Dense<T> identity(std::int64_t n) {
  Dense<T> x(n, n);
  for (std::int64_t i = 0; i < n; ++i) x(i, i) = T(1);
  return x;
}

}  // namespace hilo::spectral
