// LU with partial pivoting of a panel, one launch a column: the end of a launch is where work-groups meet.
//
//   ROWS    rows of a work-group, a power of two
//   WIDTH   columns of a panel, at most
//
// The pivot of column j is its largest magnitude from row j on, the uppermost of equals. Entries are a − Σ l · u by
// steps in increasing order of columns, closed when they are known: the bits do not depend on ROWS or the number of
// groups.
//
// Each group publishes its best row for column j + 1 with all its entries, and the group that owns row j + 1 that row. So
// the next launch knows the winner, its row, and the row that takes its place: search, swap and broadcast cost no launch
// of their own. Source: the idea is that of panels kept in local memory; here they stay where they are.
#ifndef ROWS
#define ROWS 128
#endif
#if ROWS < 1 || (ROWS & (ROWS - 1)) != 0
#error "hilo: ROWS is no power of two"
#endif
#define PHASES 2
#define ITEMS (ROWS * PHASES)
#include "blas/divisor.cl"
#include "lapack/pivot.cl"
#include "number/arguments.cl"

#ifndef WIDTH
#define WIDTH 64
#endif
#if WIDTH < 1 || WIDTH > 1024
#error "hilo: WIDTH is not between 1 and 1024"
#endif

// published: twice, for even and odd columns, WIDTH entries of each group's best row, and WIDTH of the row that is to be
// replaced; keys: twice the groups' picks. pivots[first_pivot + j] is the number of the row of the whole matrix, from 1.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void lu_column(__global part_in_memory* a,
                                                                          __global part_in_memory* published,
                                                                          __global pick_key* keys, __global int* pivots,
                                                                          __global int* info, panel_arguments p) {
  __local pick_key group_keys[PICK_KEYS];
  __local part_in_memory u[WIDTH * PARTS];
  const int item = (int)get_local_id(0), group = (int)get_group_id(0), groups = p.groups;
  const int r = item % ROWS, phase = item / ROWS;
  const int row = group * ROWS + r, is_row = row < p.rows;
  const int j = p.column, next = j + 1, parity = j & 1, other = next & 1;
  const long row_stride = p.a.row_stride, column_stride = p.a.column_stride;
  const long home = p.a.offset + row * row_stride, stride = (long)(groups + 1) * WIDTH;
  const int is_begun = j >= 0, is_searched = next < p.columns;

  pick mine = no_pick();
  for (int g = item; is_begun && g < groups; g += ITEMS) mine = better(mine, pick_of_key(keys[parity * groups + g]));
  const pick winner = best_of_group(mine, item, ITEMS, group_keys);
  const int owner = winner.row / ROWS;
  for (int c = item; is_begun && c < p.columns; c += ITEMS) {
    const element x = load_element(published, parity * stride + (long)owner * WIDTH + c);
    store_local(u, c, x);
    if (j / ROWS == group) store_element(a, p.a.offset + j * row_stride + c * column_stride, x);
    if (winner.row != j && owner == group) {
      const element replaced = load_element(published, parity * stride + (long)groups * WIDTH + c);
      store_element(a, p.a.offset + winner.row * row_stride + c * column_stride, replaced);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

  // Both phases make the multiplier of their row; one keeps it.
  const int is_below = is_begun && is_row && row > j;
  element multiplier = zero_element();
  if (is_begun) {
    const int is_singular = is_zero(load_local(u, j));
    if (group == 0 && item == 0) {
      pivots[p.first_pivot + j] = (int)p.first_pivot + winner.row + 1;
      if (is_singular && *info == 0) *info = (int)p.first_pivot + j + 1;
    }
    if (is_below) {
      multiplier = load_element(a, home + j * column_stride);
      if (!is_singular) multiplier = quotient(multiplier, divisor_of(load_local(u, j)));
    }
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (phase == 0 && is_below) store_element(a, home + j * column_stride, multiplier);
  multiplier = negated(multiplier);
  // What is left of the row; its entry of the next column is known now.
  for (int c = next + phase; is_below && c < p.columns; c += PHASES) {
    element x = with_product(load_element(a, home + c * column_stride), multiplier, load_local(u, c));
    if (c == next) x = closed_element(x);
    store_element(a, home + c * column_stride, x);
  }
  if (!is_begun && p.is_open && is_row && phase == 0) {
    store_element(a, home, closed_element(load_element(a, home)));
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

  pick found = no_pick();
  if (is_searched && phase == 0 && is_row && row > j) {
    found = pick_of(load_element(a, home + next * column_stride), row);
  }
  const pick best = best_of_group(found, item, ITEMS, group_keys);
  for (int c = item; is_searched && c < p.columns; c += ITEMS) {
    if (best.row < p.rows) {
      // As the pivot's row, its entries right of the diagonal are U's.
      element x = load_element(a, p.a.offset + best.row * row_stride + c * column_stride);
      if (c > next && (is_begun || p.is_open)) x = closed_element(x);
      store_element(published, other * stride + (long)group * WIDTH + c, x);
    }
    if (next / ROWS == group) {
      store_element(published, other * stride + (long)groups * WIDTH + c,
                    load_element(a, p.a.offset + next * row_stride + c * column_stride));
    }
  }
  if (is_searched && item == 0) keys[other * groups + group] = key_of(best);
}
