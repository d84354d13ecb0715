// What routines have of matrices beside products: copies, differences, columns of I; whether a diagonal has a zero.
#include "blas/element.cl"
#include "number/arguments.cl"

HILO_FN long place_in(matrix_view x, int i, int j) { return x.offset + i * x.row_stride + j * x.column_stride; }

__kernel void copy_matrix(__global const part_in_memory* from, __global part_in_memory* to, copy_arguments p) {
  const int i = (int)get_global_id(0), j = (int)get_global_id(1);
  if (i >= p.rows || j >= p.columns) return;
  store_element(to, place_in(p.to, i, j), conjugated(load_element(from, place_in(p.from, i, j)), p.from.conjugate));
}

// A trapezoid of `from`, with ones on the diagonal where p.fills, and zeros beside it.
__kernel void copy_trapezoid(__global const part_in_memory* from, __global part_in_memory* to, copy_arguments p) {
  const int i = (int)get_global_id(0), j = (int)get_global_id(1);
  if (i >= p.rows || j >= p.columns) return;
  element x = zero_element();
  if (i == j && p.fills) {
    x.p[0] = part_of_word(1);
  } else if (i == j || (i < j) == p.is_upper) {
    x = conjugated(load_element(from, place_in(p.from, i, j)), p.from.conjugate);
  }
  store_element(to, place_in(p.to, i, j), x);
}

// Square blocks of p.first rows: those of a triangle of blocks, its diagonal included, and zeros beside them.
__kernel void copy_blocks(__global const part_in_memory* from, __global part_in_memory* to, copy_arguments p) {
  const int i = (int)get_global_id(0), j = (int)get_global_id(1);
  if (i >= p.rows || j >= p.columns) return;
  const int row = i / p.first, column = j / p.first, is_there = p.is_upper ? column >= row : column <= row;
  element x = zero_element();
  if (is_there) x = conjugated(load_element(from, place_in(p.from, i, j)), p.from.conjugate);
  store_element(to, place_in(p.to, i, j), x);
}

// `from` leaves `to`.
__kernel void subtract_matrix(__global const part_in_memory* from, __global part_in_memory* to, copy_arguments p) {
  const int i = (int)get_global_id(0), j = (int)get_global_id(1);
  if (i >= p.rows || j >= p.columns) return;
  const element x = load_element(from, place_in(p.from, i, j));
  element y = load_element(to, place_in(p.to, i, j));
  FOR_PARTS y.p[part_] = sum_of(y.p[part_], minus(x.p[part_]));
  store_element(to, place_in(p.to, i, j), y);
}

// `to`, or 0 unless p.fills, and the sum of p.first matrices that follow each other in `from`.
__kernel void sum_matrices(__global const part_in_memory* from, __global part_in_memory* to, copy_arguments p) {
  const int i = (int)get_global_id(0), j = (int)get_global_id(1);
  if (i >= p.rows || j >= p.columns) return;
  element sum = p.fills ? load_element(to, place_in(p.to, i, j)) : zero_element();
  for (int m = 0; m < p.first; ++m) {
    const element x = load_element(from, place_in(p.from, i, j) + (long)m * p.rows * p.columns);
    FOR_PARTS sum.p[part_] = sum_of(sum.p[part_], x.p[part_]);
  }
  store_element(to, place_in(p.to, i, j), sum);
}

// Column 0 has its 1 in row p.first.
__kernel void set_identity(__global part_in_memory* to, copy_arguments p) {
  const int i = (int)get_global_id(0), j = (int)get_global_id(1);
  if (i >= p.rows || j >= p.columns) return;
  element x = zero_element();
  if (i == p.first + j) x.p[0] = part_of_word(1);
  store_element(to, place_in(p.to, i, j), x);
}

// *info: the first column, counted from 1, whose entry on the diagonal is 0, of as many as there are rows; INT_MAX
// before.
__kernel void find_zero(__global const part_in_memory* from, __global int* info, copy_arguments p) {
  const int j = (int)get_global_id(0);
  if (j < p.columns && is_zero(load_element(from, place_in(p.from, j, j)))) atomic_min(info, j + 1);
}
