// C = beta * C in S, D, C and Z, which is not read where beta = 0.

#include "number/arguments.cl"
#include "number/plain.cl"

__kernel void scale(__global number* c, batch_view view, int rows, int columns, number beta) {
  const int i = (int)get_global_id(0), j = (int)get_global_id(1);
  if (i >= rows || j >= columns) return;
  c += view.offset + i * view.row_stride + j * view.column_stride + get_global_id(2) * view.batch_stride;
  *c = is_word(beta, 0) ? (number)(0) : times(beta, *c);
}
