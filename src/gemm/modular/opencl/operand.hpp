// The operands of a modular product in device memory.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>

#include "gemm/modular/opencl/bytes.hpp"
#include "matrix/device_product.hpp"
#include "opencl/arguments.hpp"

namespace hilo::modular {

/// op(A) as lines of terms, a line for each row, or op(B), a line for each column.
struct DeviceOperand {
  cl::Buffer buffer;
  opencl::matrix_view view;  ///< rows are lines, columns terms
  std::int64_t lines, terms;

  static DeviceOperand left(const DeviceView& a) { return {a.buffer, view_of(a), a.rows, a.columns}; }
  static DeviceOperand right(const DeviceView& b) {
    return {b.buffer, {b.offset, b.column_stride, b.row_stride, b.conjugate}, b.columns, b.rows};
  }
};

/// Whether the lines of one are lines of the other, the first ones, conjugated or not.
inline bool has_lines_like(const DeviceOperand& a, const DeviceOperand& b) {
  return a.buffer() == b.buffer() && a.terms == b.terms && a.view.offset == b.view.offset &&
         a.view.row_stride == b.view.row_stride && a.view.column_stride == b.view.column_stride;
}

/// Whether the elements of both have the same magnitudes, line for line: B is op(A) turned, and conjugated or not.
inline bool has_same_magnitudes(const DeviceOperand& a, const DeviceOperand& b) {
  return has_lines_like(a, b) && a.lines == b.lines;
}

/// Whether the lines of one are lines of the other, the first ones, element for element.
inline bool has_lines_of(const DeviceOperand& a, const DeviceOperand& b) {
  return has_lines_like(a, b) && a.view.conjugate == b.view.conjugate;
}

/// What a modular product's elements are made of.
struct ElementKind {
  int words;  ///< 1 or 2
  int parts;  ///< 1 or 2

  explicit ElementKind(Precision p) : words(precisions::words(p)), parts(precisions::parts(p)) {}
  bool is_complex() const { return parts == 2; }
  std::int64_t bytes() const { return std::int64_t{8} * words * parts; }
};

}  // namespace hilo::modular
