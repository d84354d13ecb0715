// Strided, non-owning matrix views on host and device memory: where layouts and transposes end.
#pragma once

#include <cstdint>
#include <hilo/device.hpp>
#include <type_traits>
#include <utility>

namespace hilo {

/// How a matrix lies in memory, and how a leading dimension is read.
enum class Layout : std::uint8_t { column, row };

/// op(X): X, its transpose, its conjugate transpose (which for real X is the transpose), or its conjugate.
enum class Op : std::uint8_t { none, transpose, conjugate_transpose, conjugate };

constexpr bool is_transposed(Op op) { return op == Op::transpose || op == Op::conjugate_transpose; }
constexpr bool is_conjugated(Op op) { return op == Op::conjugate_transpose || op == Op::conjugate; }

/// Whether op(X) has the elements of a column side by side in memory, X stored in that layout; otherwise of a row.
constexpr bool columns_contiguous(Layout layout, Op op) { return (layout == Layout::column) != is_transposed(op); }

/// The triangle of a square matrix that a routine reads or writes; of a view, as it is seen.
enum class Uplo : std::uint8_t { lower, upper };
/// Where a triangular or symmetric matrix stands in a product with another.
enum class Side : std::uint8_t { left, right };
/// Whether the diagonal of a triangular matrix is taken as ones, and not read.
enum class Diag : std::uint8_t { non_unit, unit };

namespace detail {

/// The same memory, seen as op of the view.
template <class View>
View turned(View x, Op op) {
  if (is_transposed(op)) {
    std::swap(x.rows, x.columns);
    std::swap(x.row_stride, x.column_stride);
  }
  x.conjugate = x.conjugate != is_conjugated(op);
  return x;
}

}  // namespace detail

/// rows × columns elements, element (i, j) at data[i · row_stride + j · column_stride].
template <class T>
struct MatrixView {
  T* data;
  std::int64_t rows, columns;
  std::int64_t row_stride, column_stride;
  bool conjugate = false;  ///< elements are to be conjugated when read

  T& operator()(std::int64_t i, std::int64_t j) const { return data[i * row_stride + j * column_stride]; }

  /// The block of that many rows and columns whose first element is (i, j); it must lie inside.
  MatrixView sub(std::int64_t i, std::int64_t j, std::int64_t block_rows, std::int64_t block_columns) const {
    return {data + i * row_stride + j * column_stride, block_rows, block_columns, row_stride, column_stride, conjugate};
  }
  /// op of this matrix; no element moves.
  MatrixView turned(Op op) const { return detail::turned(*this, op); }

  operator MatrixView<const T>() const requires(!std::is_const_v<T>) {
    return {data, rows, columns, row_stride, column_stride, conjugate};
  }
};

/// The same in device memory: element (0, 0) is element `offset` of the buffer.
template <class T>
struct BufferView {
  Buffer<T> buffer;
  std::int64_t offset;
  std::int64_t rows, columns;
  std::int64_t row_stride, column_stride;
  bool conjugate = false;

  BufferView sub(std::int64_t i, std::int64_t j, std::int64_t block_rows, std::int64_t block_columns) const {
    const std::int64_t first = offset + i * row_stride + j * column_stride;
    return {buffer, first, block_rows, block_columns, row_stride, column_stride, conjugate};
  }
  BufferView turned(Op op) const { return detail::turned(*this, op); }
};

/// The rows × columns view of op(X), X stored with leading dimension `leading`.
template <class T>
MatrixView<T> view(Layout layout, Op op, T* data, std::int64_t rows, std::int64_t columns, std::int64_t leading) {
  const bool by_columns = columns_contiguous(layout, op);
  return {data, rows, columns, by_columns ? 1 : leading, by_columns ? leading : 1, is_conjugated(op)};
}

/// The same of X from element `offset` of a buffer on.
template <class T>
BufferView<T> view(Layout layout, Op op, Buffer<T> buffer, std::int64_t rows, std::int64_t columns,
                   std::int64_t leading, std::int64_t offset = 0) {
  const bool by_columns = columns_contiguous(layout, op);
  return {std::move(buffer),        offset,           rows, columns, by_columns ? 1 : leading,
          by_columns ? leading : 1, is_conjugated(op)};
}

}  // namespace hilo
