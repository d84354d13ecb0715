// The operands of a product in S, D, C and Z.
#pragma once

#include "number/arguments.cl"
#include "number/plain.cl"

static inline number number_at(__global const number* x, matrix_view v, long row, long column) {
  number r = x[v.offset + row * v.row_stride + column * v.column_stride];
#if IS_COMPLEX
  if (v.conjugate) r.y = -r.y;
#endif
  return r;
}

static inline number left_number(__global const number* a, matrix_view v, long row, long step) {
  return number_at(a, v, row, step);
}

static inline number right_number(__global const number* b, matrix_view v, long step, long column) {
  return number_at(b, v, step, column);
}
