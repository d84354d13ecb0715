// LU with partial pivoting of a panel that lu_panel.cl gave up, where it lies, by one work-group: slow, with its bits.
#include "blas/divisor.cl"
#include "lapack/pivot.cl"
#include "number/arguments.cl"

// state: the panels taken alone, and of each panel two words (lu_panel.cl). Nothing to do where all groups wrote.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void lu_panel_alone(__global part_in_memory* a,
                                                                               __global int* pivots,
                                                                               __global int* info, __global int* state,
                                                                               panel_arguments p) {
  __local pick_key keys[PICK_KEYS];
  const int is_given_up = state[2 * (p.first_pivot + 1)] != p.groups;
  const int item = (int)get_local_id(0), rows = p.rows, columns = is_given_up ? p.columns : 0;
  const long row_stride = p.a.row_stride, column_stride = p.a.column_stride;
  if (item == 0 && is_given_up) ++state[0];
  for (int row = item; is_given_up && p.is_open && row < rows; row += ITEMS) {
    const long at = p.a.offset + row * row_stride;
    store_element(a, at, closed_element(load_element(a, at)));
  }
  barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  for (int j = 0; j < columns; ++j) {
    const long column = p.a.offset + j * column_stride, home = p.a.offset + j * row_stride;
    pick mine = no_pick();
    for (int row = j + item; row < rows; row += ITEMS) {
      mine = better(mine, pick_of(load_element(a, column + row * row_stride), row));
    }
    const pick winner = best_of_group(mine, item, ITEMS, keys);
    // As the pivot's row, its entries right of the diagonal are U's.
    for (int c = item; c < columns; c += ITEMS) {
      const long here = home + c * column_stride, there = p.a.offset + winner.row * row_stride + c * column_stride;
      const element x = load_element(a, there), replaced = load_element(a, here);
      store_element(a, there, replaced);
      store_element(a, here, (j > 0 || p.is_open) && c > j ? closed_element(x) : x);
    }
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    const element pivot = load_element(a, home + j * column_stride);
    const divisor d = divisor_of(pivot);
    if (item == 0) {
      pivots[p.first_pivot + j] = (int)p.first_pivot + winner.row + 1;
      if (is_zero(pivot) && *info == 0) *info = (int)p.first_pivot + j + 1;
    }
    for (int row = j + 1 + item; row < rows; row += ITEMS) {
      const long at = p.a.offset + row * row_stride;
      element l = load_element(a, at + j * column_stride);
      if (!is_zero(pivot)) l = quotient(l, d);
      store_element(a, at + j * column_stride, l);
      l = negated(l);
      for (int c = j + 1; c < columns; ++c) {
        element x = with_product(load_element(a, at + c * column_stride), l, load_element(a, home + c * column_stride));
        if (c == j + 1) x = closed_element(x);
        store_element(a, at + c * column_stride, x);
      }
    }
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  }
}
