// Blocks of a triangular matrix, without products: solved with, and multiplied by.
//
//   LANES     1 2 4 8   columns of B that a work-group of the kernel for short blocks has side by side, COLUMNS times
//   COLUMNS   1 2 4     columns of a work-item
//   IS_UNIT   0 1       whether its triangle has ones on the diagonal
#include "blas/divisor.cl"
#include "blas/triangle_view.cl"
#include "number/loops.cl"

#ifndef LANES
#define LANES 4
#endif
#if LANES != 1 && LANES != 2 && LANES != 4 && LANES != 8
#error "hilo: LANES is none of 1 2 4 8"
#endif
#ifndef COLUMNS
#define COLUMNS 2
#endif
#if COLUMNS != 1 && COLUMNS != 2 && COLUMNS != 4
#error "hilo: COLUMNS is none of 1 2 4"
#endif
#define SHORT 64
#define SLICE (16 / PARTS)  // columns of A that multiply_short_block has at a time

// B = A⁻¹ · B, a work-item a column of B.
__kernel void solve_block(__global const part_in_memory* a, __global part_in_memory* b, triangle_arguments p) {
  const int column = (int)get_global_id(0);
  if (column >= p.columns) return;
  for (int i = 0; i < p.order; ++i) {
    const long at = row_of_b(p.b, p.order, p.is_upper, i, column);
    element x = load_element(b, at);
    for (int k = 0; k < i; ++k) {
      const element l = conjugated(load_element(a, place_of(p.a, p.order, p.is_upper, i, k)), p.a.conjugate);
      x = with_product(x, negated(l), load_element(b, row_of_b(p.b, p.order, p.is_upper, k, column)));
    }
    if (i > 0 || p.is_open) x = closed_element(x);
    if (!p.is_unit) {
      const element d = conjugated(load_element(a, place_of(p.a, p.order, p.is_upper, i, i)), p.a.conjugate);
      x = quotient(x, divisor_of(d));
    }
    store_element(b, at, x);
  }
}

// B = A · B for at most SHORT rows. A work-item makes one row of COLUMNS columns, of B as it was, which its work-group
// keeps in local memory. Of several blocks by the second index.
__kernel __attribute__((reqd_work_group_size(SHORT * LANES, 1, 1))) void multiply_short_block(
    __global const part_in_memory* a, __global part_in_memory* b, triangle_arguments first_of_all) {
  triangle_arguments p = first_of_all;
  p.a.offset += (long)get_group_id(1) * p.next_of_a;
  p.b.offset += (long)get_group_id(1) * p.next_of_b;
  __local part_in_memory factors[SHORT * SLICE * PARTS];  // column after column
  __local part_in_memory old[SHORT * LANES * COLUMNS * PARTS];
  const int item = (int)get_local_id(0), row = item % SHORT, lane = item / SHORT, is_row = row < p.order;
  const int first = ((int)get_group_id(0) * LANES + lane) * COLUMNS;
  element mine[COLUMNS];
  FOR(c, COLUMNS) {
    const int is_there = is_row && first + c < p.columns;
    mine[c] = is_there ? load_element(b, row_of_b(p.b, p.order, p.is_upper, row, first + c)) : zero_element();
    store_local(old, (lane * COLUMNS + c) * SHORT + row, mine[c]);
  }
#if !IS_UNIT
  if (is_row) {
    const element d = conjugated(load_element(a, place_of(p.a, p.order, p.is_upper, row, row)), p.a.conjugate);
    FOR(c, COLUMNS) mine[c] = times(d, mine[c]);
  }
#endif
  for (int slice = 0; slice < p.order; slice += SLICE) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = lane; k < SLICE; k += LANES) {
      if (is_row && slice + k < row) {
        const element l = load_element(a, place_of(p.a, p.order, p.is_upper, row, slice + k));
        store_local(factors, k * SHORT + row, conjugated(l, p.a.conjugate));
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int count = is_row ? min(row - slice, SLICE) : 0;
    for (int k = 0; k < count; ++k) {
      const element l = load_local(factors, k * SHORT + row);
      FOR(c, COLUMNS) mine[c] = with_product(mine[c], l, load_local(old, (lane * COLUMNS + c) * SHORT + slice + k));
    }
  }
  FOR(c, COLUMNS) {
    if (is_row && first + c < p.columns) {
      store_element(b, row_of_b(p.b, p.order, p.is_upper, row, first + c), row > 0 ? closed_element(mine[c]) : mine[c]);
    }
  }
}

// B = A · B, from the last row, as those before are B's still.
__kernel void multiply_block(__global const part_in_memory* a, __global part_in_memory* b, triangle_arguments p) {
  const int column = (int)get_global_id(0);
  if (column >= p.columns) return;
  for (int i = p.order - 1; i >= 0; --i) {
    const long at = row_of_b(p.b, p.order, p.is_upper, i, column);
    element x = load_element(b, at);
    if (!p.is_unit) {
      x = times(conjugated(load_element(a, place_of(p.a, p.order, p.is_upper, i, i)), p.a.conjugate), x);
    }
    for (int k = 0; k < i; ++k) {
      const element l = conjugated(load_element(a, place_of(p.a, p.order, p.is_upper, i, k)), p.a.conjugate);
      x = with_product(x, l, load_element(b, row_of_b(p.b, p.order, p.is_upper, k, column)));
    }
    if (i > 0) x = closed_element(x);
    store_element(b, at, x);
  }
}
