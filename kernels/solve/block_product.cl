// What triangles whose blocks of the diagonal are inverted are solved with: products of a block and a vector, in D and Z.
// One text for blocks whose columns or whose rows lie side by side.
#ifndef IS_DOUBLE_DOUBLE
#define IS_DOUBLE_DOUBLE 0
#endif
#if IS_DOUBLE_DOUBLE
#error "hilo: block_product.cl is for S, D, C and Z"
#endif
#include "blas/element.cl"
#include "number/arguments.cl"

#define ITEMS 256
#define ROWS 32
#define LANES 32
#define SLICES (ITEMS / ROWS)
#define PITCH (LANES + 1)
#define BATCH 8
#define FOR(index, count) _Pragma("unroll") for (int index = 0; index < (count); ++index)

HILO_FN element entry_of(__global const part_in_memory* a, block_product_arguments p, int i, int k) {
  return conjugated(load_element(a, p.a.offset + i * p.a.row_stride + k * p.a.column_stride), p.a.conjugate);
}
// Σ A(i, k) · x(k), k = first, first + step, … below `end`.
HILO_FN element sum_of_terms(__global const part_in_memory* a, __global const part_in_memory* x,
                             block_product_arguments p, int i, int first, int step, int end) {
  element sum = zero_element();
  for (int k = first; k < end; k += BATCH * step) {
    element some[BATCH], factor[BATCH];
    FOR(b, BATCH) {
      const int at = min(k + b * step, end - 1);
      some[b] = entry_of(a, p, i, at);
      factor[b] = load_element(x, p.first_of_x + at);
    }
    FOR(b, BATCH) {
      if (k + b * step < end) sum = with_product(sum, some[b], factor[b]);
    }
  }
  return sum;
}

// y = A · x, or y −= A · x: a work-group has ROWS rows.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void block_product(__global const part_in_memory* a,
                                                                               __global const part_in_memory* x,
                                                                               __global part_in_memory* y,
                                                                               block_product_arguments p) {
  __local part_in_memory partial[ROWS * PITCH * PARTS];
  const int item = (int)get_local_id(0), first_row = (int)get_group_id(0) * ROWS;
  const int has_columns = p.a.row_stride == 1;
  if (has_columns) {
    const int row = item % ROWS, slice = item / ROWS, terms = (p.columns + SLICES - 1) / SLICES;
    store_local(partial, row * PITCH + slice,
                sum_of_terms(a, x, p, min(first_row + row, p.rows - 1), slice * terms, 1,
                             min(slice * terms + terms, p.columns)));
  } else {
    const int lane = item % LANES;
    for (int row = item / LANES; row < ROWS; row += ITEMS / LANES) {
      store_local(partial, row * PITCH + lane,
                  sum_of_terms(a, x, p, min(first_row + row, p.rows - 1), lane, LANES, p.columns));
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < ROWS && first_row + item < p.rows) {
    element sum = zero_element();
    const int count = has_columns ? SLICES : LANES;
    for (int s = 0; s < count; ++s) {
      const element next = load_local(partial, item * PITCH + s);
      FOR_PARTS sum.p[part_] = sum_of(sum.p[part_], next.p[part_]);
    }
    const long at = p.first_of_y + first_row + item;
    if (p.subtracts) {
      const element before = load_element(y, at);
      FOR_PARTS sum.p[part_] = sum_of(before.p[part_], minus(sum.p[part_]));
    }
    store_element(y, at, sum);
  }
}

// Columns of p.rows rows: identities beside each other.
__kernel void set_identities(__global part_in_memory* y, block_product_arguments p) {
  const int i = (int)get_global_id(0), j = (int)get_global_id(1);
  if (i >= p.rows || j >= p.columns) return;
  element x = zero_element();
  if (i == j % p.rows) x.p[0] = part_of_word(1);
  store_element(y, i + (long)j * p.rows, x);
}
