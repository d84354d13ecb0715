// A product in device memory as every engine takes it, whatever its precision.
#pragma once

#include <complex>
#include <hilo/matrix.hpp>
#include <hilo/precision.hpp>
#include <optional>

#include "matrix/product.hpp"
#include "opencl/arguments.hpp"

namespace hilo {

/// BufferView without the elements' type: element (i, j) is element offset + i · row_stride + j · column_stride.
struct DeviceView {
  cl::Buffer buffer;
  std::int64_t offset;
  std::int64_t rows, columns;
  std::int64_t row_stride, column_stride;
  bool conjugate = false;

  std::int64_t at(std::int64_t i, std::int64_t j) const { return offset + i * row_stride + j * column_stride; }
  DeviceView sub(std::int64_t i, std::int64_t j, std::int64_t block_rows, std::int64_t block_columns) const {
    return {buffer, at(i, j), block_rows, block_columns, row_stride, column_stride, conjugate};
  }
  DeviceView turned(Op op) const { return detail::turned(*this, op); }
};

/// As kernels take it, and the same from element (row, column) on.
inline opencl::matrix_view view_of(const DeviceView& x) {
  return {x.offset, x.row_stride, x.column_stride, x.conjugate};
}
inline opencl::matrix_view view_at(const DeviceView& x, std::int64_t row, std::int64_t column) {
  return {x.at(row, column), x.row_stride, x.column_stride, x.conjugate};
}

/// The rows × columns view of op(X), X stored from element `offset` of the buffer on.
inline DeviceView device_view(Layout layout, Op op, cl::Buffer buffer, std::int64_t rows, std::int64_t columns,
                              std::int64_t leading, std::int64_t offset = 0) {
  const auto v = view<const char>(layout, op, nullptr, rows, columns, leading);
  return {std::move(buffer), offset, rows, columns, v.row_stride, v.column_stride, v.conjugate};
}

/// Exactly, from any precision.
template <class T>
dd_complex as_dd_complex(const T& x) {
  if constexpr (double_double<T>) {
    return dd_complex(x);
  } else {
    return dd_complex(dd_real(std::real(x)), dd_real(std::imag(x)));
  }
}

/// The first elements of a batch's matrices in their buffers, by number; of the caller, who keeps them during the call.
struct BatchOffsets {
  const std::int64_t *a, *b, *c;
};

/// C = alpha · A · B + beta · C, one or a batch of equal shapes; or only a triangle of one, by engines that take it
/// (takes_triangle).
struct DeviceProduct {
  Precision precision;
  dd_complex alpha;
  DeviceView a, b;
  dd_complex beta;
  DeviceView c;
  BatchShape batch = {};
  std::optional<Uplo> triangle = {};
  /// Of square operands with zeros beside a triangle, or of the modular engine beside a triangle of square blocks of
  /// triangle_block rows, the last ones cut off: engines may leave them out.
  static constexpr std::int64_t triangle_block = 64;
  std::optional<Uplo> triangle_of_a = {}, triangle_of_b = {};
  /// Of a batch: where its matrices begin, instead of one stride apart.
  std::optional<BatchOffsets> offsets = {};

  std::int64_t m() const { return c.rows; }
  std::int64_t n() const { return c.columns; }
  std::int64_t k() const { return a.columns; }
  bool is_empty() const { return m() == 0 || n() == 0 || batch.count == 0; }
  /// Otherwise C = beta · C, and A and B are not read.
  bool reads_operands() const { return k() > 0 && !(alpha == dd_complex(0)); }

  /// Whether the block of C from (i, j) on has an entry that is wanted.
  bool wants_block(std::int64_t i, std::int64_t j, std::int64_t block_rows, std::int64_t block_columns) const {
    return !triangle || hilo::wants_block(*triangle, i, j, block_rows, block_columns);
  }

  /// Product i of the batch, alone.
  DeviceProduct at(std::int64_t i) const {
    DeviceProduct one = *this;
    one.a.offset = offsets ? offsets->a[i] : a.offset + i * batch.stride_a;
    one.b.offset = offsets ? offsets->b[i] : b.offset + i * batch.stride_b;
    one.c.offset = offsets ? offsets->c[i] : c.offset + i * batch.stride_c;
    one.batch = {};
    one.offsets.reset();
    return one;
  }
};

/// As kernels take it.
inline cl_int triangle_of(const DeviceProduct& p) { return p.triangle ? *p.triangle == Uplo::lower ? 1 : 2 : 0; }

/// A number of DD or ZDD as a kernel takes it.
inline cl_double4 words_of(const dd_complex& z) { return {{z.re.hi, z.re.lo, z.im.hi, z.im.lo}}; }

/// alpha and beta as kernels with doubles take them.
inline opencl::factors factors_of(const dd_complex& alpha, const dd_complex& beta) {
  return {{alpha.re.hi, alpha.re.lo, alpha.im.hi, alpha.im.lo}, {beta.re.hi, beta.re.lo, beta.im.hi, beta.im.lo}};
}

/// Of the matrices that the shape describes, at the beginning of their buffers.
template <class T>
DeviceProduct device_product(const GemmShape& s, const BatchShape& batch, T alpha, T beta) {
  return {precision_of<T>,
          as_dd_complex(alpha),
          device_view(s.layout, s.opa, {}, s.m, s.k, s.lda),
          device_view(s.layout, s.opb, {}, s.k, s.n, s.ldb),
          as_dd_complex(beta),
          device_view(s.layout, Op::none, {}, s.m, s.n, s.ldc),
          batch};
}

}  // namespace hilo
