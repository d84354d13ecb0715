// C − A · B as sums that others end: by steps in increasing order of terms, none of them closed.
//
//   TOGETHER   columns of a work-item
#include "blas/element.cl"
#include "number/arguments.cl"

#ifndef TOGETHER
#define TOGETHER 4
#endif
#if TOGETHER < 1 || TOGETHER > 16
#error "hilo: TOGETHER is not between 1 and 16"
#endif

__kernel void subtract_open_product(__global const part_in_memory* a, __global const part_in_memory* b,
                                    __global part_in_memory* c, open_arguments p) {
  const int row = (int)get_global_id(0), first = (int)get_global_id(1) * TOGETHER;
  if (row >= p.rows || first >= p.columns) return;
  element x[TOGETHER];
  const long home = p.c.offset + row * p.c.row_stride + first * p.c.column_stride;
  for (int t = 0; t < TOGETHER; ++t) {
    x[t] = first + t < p.columns ? load_element(c, home + t * p.c.column_stride) : zero_element();
  }
  for (int k = 0; k < p.terms; ++k) {
    const element l = negated(load_element(a, p.a.offset + row * p.a.row_stride + k * p.a.column_stride));
    for (int t = 0; t < TOGETHER; ++t) {
      // Of a column that is not there, another's.
      const long at = p.b.offset + k * p.b.row_stride + min(first + t, p.columns - 1) * p.b.column_stride;
      x[t] = with_product(x[t], l, load_element(b, at));
    }
  }
  for (int t = 0; t < TOGETHER; ++t) {
    if (first + t < p.columns) store_element(c, home + t * p.c.column_stride, x[t]);
  }
}
