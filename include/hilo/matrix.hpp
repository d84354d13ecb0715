// Strided, non-owning matrix views: where layouts and transposes end.
#pragma once

#include <cstdint>

namespace hilo {

/// How a matrix lies in memory, and how a leading dimension is read.
enum class Layout : std::uint8_t { column, row };

/// op(X): X, its transpose, or its conjugate transpose (which for real X is the transpose).
enum class Op : std::uint8_t { none, transpose, conjugate_transpose };

/// rows × columns elements, element (i, j) at data[i · row_stride + j · column_stride].
template <class T>
struct MatrixView {
  T* data;
  std::int64_t rows, columns;
  std::int64_t row_stride, column_stride;
  bool conjugate = false;  ///< elements are to be conjugated when read

  T& operator()(std::int64_t i, std::int64_t j) const { return data[i * row_stride + j * column_stride]; }
};

/// The rows × columns view of op(X), X stored with leading dimension `leading`.
template <class T>
MatrixView<T> view(Layout layout, Op op, T* data, std::int64_t rows, std::int64_t columns, std::int64_t leading) {
  bool columns_contiguous = (layout == Layout::column) == (op == Op::none);
  return {data,
          rows,
          columns,
          columns_contiguous ? 1 : leading,
          columns_contiguous ? leading : 1,
          op == Op::conjugate_transpose};
}

}  // namespace hilo
