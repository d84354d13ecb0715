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
__kernel void plain_values(__global const element* a, __global const element* b, __global const int2* positions,
                           __global const element* c, __global element* values, plain_arguments p, factors f) {
  int entry = (int)get_global_id(0);
  if (entry >= p.count) return;
  int2 at = positions[entry];
  element sum = plain_sum(a, p.a, b, p.b, at.x, at.y, p.terms);
  long place = p.c.offset + at.x * p.c.row_stride + at.y * p.c.column_stride;
  values[entry] = plain_update(sum, c + place, alpha_of(f), beta_of(f));
}

// The whole of C, rows x columns. With no terms C = beta * C.
__kernel void plain_product(__global const element* a, __global const element* b, __global element* c,
                            plain_arguments p, factors f) {
  const double4 beta = beta_of(f);
  int row = (int)get_global_id(0), column = (int)get_global_id(1);
  if (row >= p.rows || column >= p.columns) return;
  __global element* out = c + p.c.offset + row * p.c.row_stride + column * p.c.column_stride;
  if (p.terms > 0) {
    *out = plain_update(plain_sum(a, p.a, b, p.b, row, column, p.terms), out, alpha_of(f), beta);
  } else if (beta.x == 0.0 && beta.z == 0.0) {
    *out = 0.0;
  } else {
    *out = plain_times(WORDS_OF(beta), *out);
  }
}
