// What triangles whose blocks of the diagonal are inverted are solved with: products of a block and a vector. One text for
// blocks whose columns or whose rows lie side by side.
#include "blas/element.cl"
#include "number/arguments.cl"
#include "number/loops.cl"

#define ITEMS 256
#define ROWS 32
#define LANES 32
#define SLICES (ITEMS / ROWS)
#define PITCH (LANES + 1)
#define BATCH (IS_DOUBLE_DOUBLE && IS_COMPLEX ? 4 : 8)

// PoCL loses what long functions that it does not inline leave in local memory.
#define IN_PLACE __attribute__((always_inline)) static inline

IN_PLACE element entry_of(__global const part_in_memory* a, block_product_arguments p, int i, int k) {
  return conjugated(load_element(a, p.a.offset + i * p.a.row_stride + k * p.a.column_stride), p.a.conjugate);
}
// Σ A(i, k) · x(k), k = first, first + step, … below `end`.
IN_PLACE element sum_of_terms(__global const part_in_memory* a, __global const part_in_memory* x,
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
  return closed_element(sum);
}

// y = A · x, or y −= A · x: a work-group has ROWS rows.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void block_product(__global const part_in_memory* a,
                                                                               __global const part_in_memory* x,
                                                                               __global part_in_memory* y,
                                                                               block_product_arguments p) {
  __local part_in_memory partial[ROWS * PITCH * PARTS];
  const int item = (int)get_local_id(0), first_row = (int)get_group_id(0) * ROWS;
  const int has_columns = p.a.row_stride == 1;
  const int terms = (p.columns + SLICES - 1) / SLICES, turns = has_columns ? 1 : ROWS * LANES / ITEMS;
  for (int turn = 0; turn < turns; ++turn) {
    const int row = has_columns ? item % ROWS : item / LANES + turn * (ITEMS / LANES);
    const int place = has_columns ? item / ROWS : item % LANES, first = has_columns ? place * terms : place;
    const int end = has_columns ? min(first + terms, p.columns) : p.columns;
    const element sum =
        sum_of_terms(a, x, p, min(first_row + row, p.rows - 1), first, has_columns ? 1 : LANES, end);
    store_local(partial, row * PITCH + place, sum);
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
  store_element(y, p.first_of_y + i + (long)j * p.rows, x);
}
