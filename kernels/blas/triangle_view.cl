// Where the elements of a triangle of `order` rows are, a[row][k], k < row, taken as a lower one: of an upper one rows
// and columns count backwards.
//
//   IS_UNIT   0 1   whether the triangle has ones on the diagonal
#pragma once

#include "blas/element.cl"
#include "number/arguments.cl"

#ifndef IS_UNIT
#define IS_UNIT 0
#endif
#if IS_UNIT != 0 && IS_UNIT != 1
#error "hilo: IS_UNIT is none of 0 1"
#endif

HILO_FN long place_of(matrix_view v, int order, int is_upper, int i, int j) {
  if (is_upper) {
    i = order - 1 - i;
    j = order - 1 - j;
  }
  return v.offset + i * v.row_stride + j * v.column_stride;
}
HILO_FN long row_of_b(matrix_view v, int order, int is_upper, int i, int column) {
  return v.offset + (is_upper ? order - 1 - i : i) * v.row_stride + column * v.column_stride;
}
