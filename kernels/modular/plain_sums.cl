// Products in double as plain sums in increasing order: what the modular engine leaves to others.
// WORDS is 1.

#ifndef WORDS
#define WORDS 1
#endif
#if WORDS != 1
#error "hilo: plain sums are of doubles"
#endif

#include "modular/update_words.cl"
#include "number/arguments.cl"

#if PARTS == 2
typedef double2 element;
#else
typedef double element;
#endif

static inline element element_of(__global const element* x, matrix_view v, long row, long column) {
  element e = x[v.offset + row * v.row_stride + column * v.column_stride];
#if PARTS == 2
  if (v.conjugate) e.y = -e.y;
#endif
  return e;
}

static inline element plain_sum(__global const element* a, matrix_view a_view, __global const element* b,
                                matrix_view b_view, long row, long column, int terms) {
  element sum = 0.0;
  for (int h = 0; h < terms; ++h) {
    sum += plain_times(element_of(a, a_view, row, h), element_of(b, b_view, h, column));
  }
  return sum;
}

// values[entry] = alpha * sum + beta * C for the entries at positions, C as it is before the product.
__kernel void plain_values(__global const element* a, matrix_view a_view, __global const element* b,
                           matrix_view b_view, int terms, __global const int2* positions, int count,
                           __global const element* c, matrix_view c_view, double4 alpha, double4 beta,
                           __global element* values) {
  int entry = (int)get_global_id(0);
  if (entry >= count) return;
  int2 at = positions[entry];
  element sum = plain_sum(a, a_view, b, b_view, at.x, at.y, terms);
  long place = c_view.offset + at.x * c_view.row_stride + at.y * c_view.column_stride;
  values[entry] = plain_update(sum, c + place, alpha, beta);
}

// The whole of C, rows x columns. With no terms C = beta * C.
__kernel void plain_product(__global const element* a, matrix_view a_view, __global const element* b,
                            matrix_view b_view, int terms, __global element* c, matrix_view c_view, int rows,
                            int columns, double4 alpha, double4 beta) {
  int row = (int)get_global_id(0), column = (int)get_global_id(1);
  if (row >= rows || column >= columns) return;
  __global element* out = c + c_view.offset + row * c_view.row_stride + column * c_view.column_stride;
  if (terms > 0) {
    *out = plain_update(plain_sum(a, a_view, b, b_view, row, column, terms), out, alpha, beta);
  } else if (beta.x == 0.0 && beta.z == 0.0) {
    *out = 0.0;
  } else {
#if PARTS == 2
    *out = plain_times(beta.xz, *out);
#else
    *out = plain_times(beta.x, *out);
#endif
  }
}
