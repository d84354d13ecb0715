// A triangle of C = W + op(W) + beta · C, W square, op its transpose or conjugate transpose.
#include "blas/operators.cl"
#include "number/arguments.cl"

#define SIDE 16  // of a work-group's tile

// p.fills: C is read. Of a Hermitian matrix the diagonal becomes real.
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void add_transpose(__global const part_in_memory* w,
                                                                                 __global part_in_memory* c,
                                                                                 scalar beta, copy_arguments p) {
  __local part_in_memory turned[SIDE * (SIDE + 1) * PARTS];
  const int x = (int)get_local_id(0), y = (int)get_local_id(1);
  const int first_row = (int)get_group_id(0) * SIDE, first_column = (int)get_group_id(1) * SIDE;
  const int r = first_column + x, s = first_row + y;
  if (r < p.rows && s < p.columns) {
    store_local(turned, x * (SIDE + 1) + y,
                load_element(w, p.from.offset + r * p.from.row_stride + s * p.from.column_stride));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int i = first_row + x, j = first_column + y;
  if (i < p.rows && j < p.columns && (p.is_upper ? i <= j : i >= j)) {
    element z = load_element(w, p.from.offset + i * p.from.row_stride + j * p.from.column_stride);
    const element t = conjugated(load_local(turned, y * (SIDE + 1) + x), p.is_hermitian);
    FOR_PARTS z.p[part_] = sum_of(z.p[part_], t.p[part_]);
    const long at = p.to.offset + i * p.to.row_stride + j * p.to.column_stride;
    element before = p.fills ? load_element(c, at) : zero_element();
#if IS_COMPLEX
    const int is_real = p.is_hermitian && i == j;
    if (is_real) before.p[1] = part_of_word(0);
#endif
    if (p.fills) z = closed_element(with_product(z, element_of(beta), before));
#if IS_COMPLEX
    if (is_real) z.p[1] = part_of_word(0);
#endif
    store_element(c, at, z);
  }
}
