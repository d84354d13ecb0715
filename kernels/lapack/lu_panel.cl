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
#include "blas/element.cl"
#include "number/arguments.cl"

#ifndef ROWS
#define ROWS 128
#endif
#if ROWS < 1 || (ROWS & (ROWS - 1)) != 0
#error "hilo: ROWS is no power of two"
#endif
#ifndef WIDTH
#define WIDTH 64
#endif
#if WIDTH < 1 || WIDTH > 1024
#error "hilo: WIDTH is not between 1 and 1024"
#endif
#define PHASES 2
#define ITEMS (ROWS * PHASES)

typedef struct {
  part size;
  int row;
} pick;

HILO_FN pick better(pick a, pick b) {
  const int is_b = b.row >= 0 && (a.row < 0 || is_larger(b.size, a.size) ||
                                  (!is_larger(a.size, b.size) && b.row < a.row));
  return is_b ? b : a;
}

// The best of all work-items' picks, in each of them. Inlined, whatever a compiler would choose: PoCL 3.1 goes wrong where
// it finds barriers in a function.
__attribute__((always_inline)) HILO_FN pick best_of_group(pick mine, int item, __local part_in_memory* group_sizes, __local int* group_rows) {
  group_sizes[item] = in_memory(mine.size);
  group_rows[item] = mine.row;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_way = ITEMS / 2; half_way > 0; half_way /= 2) {
    if (item < half_way) {
      const pick one = {part_of(group_sizes[item]), group_rows[item]};
      const pick other = {part_of(group_sizes[item + half_way]), group_rows[item + half_way]};
      const pick best = better(one, other);
      group_sizes[item] = in_memory(best.size);
      group_rows[item] = best.row;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const pick best = {part_of(group_sizes[0]), group_rows[0]};
  barrier(CLK_LOCAL_MEM_FENCE);
  return best;
}

// published: twice, for even and odd columns, WIDTH entries of each group's best row, and WIDTH of the row that is to be
// replaced; after them the groups' picks. pivots[first_pivot + j] is the number of the row of the whole matrix, from 1.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void lu_panel(__global part_in_memory* a,
                                                                         __global part_in_memory* published,
                                                                         __global part_in_memory* sizes,
                                                                         __global int* numbers, __global int* pivots,
                                                                         __global int* info, panel_arguments p) {
  __local part_in_memory group_sizes[ITEMS];
  __local int group_rows[ITEMS];
  __local part_in_memory u[WIDTH * PARTS];
  const int item = (int)get_local_id(0), group = (int)get_group_id(0), groups = p.groups;
  const int r = item % ROWS, phase = item / ROWS;
  const int row = group * ROWS + r, is_row = row < p.rows;
  const int j = p.column, next = j + 1, parity = j & 1;
  const long row_stride = p.a.row_stride, column_stride = p.a.column_stride;
  const long home = p.a.offset + row * row_stride, stride = (long)(groups + 1) * WIDTH;
  const int is_begun = j >= 0, is_searched = next < p.columns;

  pick mine = {part_of_word(0), -1};
  for (int g = item; is_begun && g < groups; g += ITEMS) {
    const pick other = {part_of(sizes[parity * groups + g]), numbers[parity * groups + g]};
    mine = better(mine, other);
  }
  const pick winner = best_of_group(mine, item, group_sizes, group_rows);
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
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

  pick found = {part_of_word(0), -1};
  if (is_searched && phase == 0 && is_row && row > j) {
    found.size = magnitude_of(load_element(a, home + next * column_stride));
    found.row = row;
  }
  const pick best = best_of_group(found, item, group_sizes, group_rows);
  const int other = next & 1;
  for (int c = item; is_searched && c < p.columns; c += ITEMS) {
    if (best.row >= 0) {
      // As the pivot's row, its entries right of the diagonal are U's.
      element x = load_element(a, p.a.offset + best.row * row_stride + c * column_stride);
      if (c > next && is_begun) x = closed_element(x);
      store_element(published, other * stride + (long)group * WIDTH + c, x);
    }
    if (next / ROWS == group) {
      store_element(published, other * stride + (long)groups * WIDTH + c,
                    load_element(a, p.a.offset + next * row_stride + c * column_stride));
    }
  }
  if (is_searched && item == 0) {
    sizes[other * groups + group] = in_memory(best.size);
    numbers[other * groups + group] = best.row;
  }
}
