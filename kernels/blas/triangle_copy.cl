// Triangles of symmetric and Hermitian matrices, copied and written out.
#include "blas/element.cl"
#include "number/arguments.cl"

HILO_FN element with_real_diagonal(element x, int is_diagonal) {
#if IS_COMPLEX
  if (is_diagonal) x.p[1] = part_of_word(0);
#endif
  return x;
}

// The triangle of `from` into that of `to`; fills: zeros into the other.
__kernel void copy_triangle(__global const part_in_memory* from, __global part_in_memory* to, copy_arguments p) {
  const int i = (int)get_global_id(0), j = (int)get_global_id(1);
  if (i >= p.rows || j >= p.columns) return;
  const int is_there = p.is_upper ? i <= j : i >= j;
  if (!is_there && !p.fills) return;
  element x = zero_element();
  if (is_there) {
    x = load_element(from, p.from.offset + i * p.from.row_stride + j * p.from.column_stride);
    x = with_real_diagonal(conjugated(x, p.from.conjugate), p.is_hermitian && i == j);
  }
  store_element(to, p.to.offset + i * p.to.row_stride + j * p.to.column_stride, x);
}

// Rows first … of the whole matrix of which a triangle is there.
__kernel void write_out(__global const part_in_memory* from, __global part_in_memory* to, copy_arguments p) {
  const int r = (int)get_global_id(0), j = (int)get_global_id(1);
  if (r >= p.rows || j >= p.columns) return;
  const int i = p.first + r, is_there = p.is_upper ? i <= j : i >= j;
  const long at = is_there ? i * p.from.row_stride + j * p.from.column_stride
                           : j * p.from.row_stride + i * p.from.column_stride;
  element x = conjugated(load_element(from, p.from.offset + at), p.from.conjugate);
  if (p.is_hermitian) x = with_real_diagonal(conjugated(x, !is_there), i == j);
  store_element(to, p.to.offset + r * p.to.row_stride + j * p.to.column_stride, x);
}
