// The operands of a product as the direct engine's real steps see them.
//
// A real product of k terms has k steps. A complex one is the real product m x 2n x 2k: term h is the steps 2h and
// 2h + 1, with (ar, ai) on the left; on the right, column 2j (the real part) has (br, -bi) and column 2j + 1 (the
// imaginary part) has (bi, br). A conjugate negates first. (ai, -bi) gives the bits of (-ai, bi).
#pragma once

#include "number/arguments.cl"
#include "number/complex.cl"
#include "number/lanes.cl"

#define PARTS (1 + IS_COMPLEX)

HILO_FN dd negate_if(double2 x, int negative) {
  dd r = {negative ? -x.x : x.x, negative ? -x.y : x.y};
  return r;
}

HILO_FN dd left_operand(__global const double2* a, matrix_view v, long row, long step) {
#if IS_COMPLEX
  long element = v.offset + row * v.row_stride + (step >> 1) * v.column_stride;
  int imaginary = (int)(step & 1);
  return negate_if(a[2 * element + imaginary], imaginary && v.conjugate);
#else
  return negate_if(a[v.offset + row * v.row_stride + step * v.column_stride], 0);
#endif
}

HILO_FN dd right_operand(__global const double2* b, matrix_view v, long step, long column) {
#if IS_COMPLEX
  long element = v.offset + (step >> 1) * v.row_stride + (column >> 1) * v.column_stride;
  int odd_step = (int)(step & 1), odd_column = (int)(column & 1);
  int imaginary = odd_step != odd_column;
  return negate_if(b[2 * element + imaginary], imaginary && ((odd_step != 0) != (v.conjugate != 0)));
#else
  return negate_if(b[v.offset + step * v.row_stride + column * v.column_stride], 0);
#endif
}

// For pack.cl.
HILO_FN double2 left_number(__global const double2* a, matrix_view v, long row, long step) {
  dd x = left_operand(a, v, row, step);
  return (double2)(x.hi, x.lo);
}

HILO_FN double2 right_number(__global const double2* b, matrix_view v, long step, long column) {
  dd x = right_operand(b, v, step, column);
  return (double2)(x.hi, x.lo);
}
