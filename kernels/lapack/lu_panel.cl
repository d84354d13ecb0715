// LU with partial pivoting of a panel in one launch: each work-group keeps ROWS rows in local memory from beginning to
// end, and work-groups meet once a column. The bits are those of lu_column.cl, whatever ROWS and the number of groups.
//
//   ROWS    rows of a work-group, a power of two of at most ITEMS
//   WIDTH   columns of a panel, at most, up to ITEMS / 2
//
// Each group publishes its best row for column j + 1 with all its entries, and the group that owns row j + 1 that row. So
// after one meeting everybody knows the winner, its row, and the row that takes its place: search, exchange and
// broadcast cost one round through memory. These rows are updated first, the group's others while the meeting is on.
//
// Where work-groups do not run side by side the launch is given up: the panel is as it was, pivots and info are not, and
// lu_panel_alone.cl takes it. Launches after that are over at once.
#include "lapack/meeting.cl"
#include "blas/divisor.cl"
#include "lapack/pivot.cl"
#include "number/arguments.cl"

#ifndef ROWS
#define ROWS 32
#endif
#if ROWS < 1 || ROWS > ITEMS || (ROWS & (ROWS - 1)) != 0
#error "hilo: ROWS is no power of two up to ITEMS"
#endif
#ifndef WIDTH
#define WIDTH 64
#endif
#if WIDTH < 1 || WIDTH > ITEMS / 2
#error "hilo: WIDTH is not between 1 and half of ITEMS"
#endif
#define PHASES (ITEMS / ROWS)
#define TOGETHER 4  // columns of a work-item at a time: one alone waits for its own chain of operations

// published: twice, for even and odd columns, WIDTH entries of each group's best row, and WIDTH of the row that is to be
// replaced; keys: twice the groups' picks. state: panels that were given up, and of each panel, by its first pivot, how
// many arrivals at meetings there were, and the state of the launch (meeting.cl), all 0 before. pivots[first_pivot + j] is the number of the row of the whole matrix, from 1.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void lu_panel(
    __global part_in_memory* a, volatile __global part_in_memory* published, volatile __global ulong4* keys,
    __global int* pivots, __global int* info, volatile __global int* state, panel_arguments p) {
  __local part_in_memory tile[WIDTH * ROWS * PARTS];  // column after column
  __local part_in_memory u[WIDTH * PARTS], multipliers[ROWS * PARTS];
  __local ulong4 group_keys[ITEMS];
  __local int is_given_up;
  const int item = (int)get_local_id(0), group = (int)get_group_id(0), groups = p.groups, columns = p.columns;
  const int r = item % ROWS, phase = item / ROWS;
  const int top = group * ROWS, row = top + r, is_row = row < p.rows;
  const int stride = (groups + 1) * WIDTH;
  const long home = p.a.offset + row * p.a.row_stride, column_stride = p.a.column_stride;
  volatile __global int* const arrivals = state + 2 * p.first_pivot + 1;
  volatile __global int* const ends = arrivals + 1;

  for (int c = phase; c < columns; c += PHASES) {
    if (is_row) {
      element x = load_element(a, home + c * column_stride);
      if (c == 0 && p.is_open) x = closed_element(x);
      store_local(tile, c * ROWS + r, x);
    }
  }
  if (item == 0) is_given_up = state[0] != 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  for (int j = -1; j < columns; ++j) {
    const int next = j + 1, parity = j & 1, other = next & 1, is_begun = j >= 0, is_searched = next < columns;
    // The winner of column j, and its row to all.
    pick mine = no_pick();
    if (is_begun && !is_given_up && item % 32 == 0 && item < groups && wait_for(arrivals, next * groups, ends, groups, p.looks)) {
      is_given_up = 1;
    }
    AFTER_FIRST_LANE;
    if (is_begun && item < groups) mine = pick_of_key(keys[parity * groups + item]);
    const pick winner = best_of_group(mine, item, groups, group_keys);
    if (is_given_up) return;
    const int owner = winner.row / ROWS;
    if (is_begun && item < columns) {
      const element x = load_shared(published, parity * stride + owner * WIDTH + item);
      store_local(u, item, x);
      if (j / ROWS == group) store_local(tile, item * ROWS + j % ROWS, x);
      if (winner.row != j && owner == group) {
        const element replaced = load_shared(published, parity * stride + groups * WIDTH + item);
        store_local(tile, item * ROWS + winner.row % ROWS, replaced);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // Multipliers, and column j + 1 with its best row.
    const int is_below = is_row && row > j;
    pick found = no_pick();
    if (phase == 0 && is_below) {
      element x = zero_element();
      if (is_searched) x = load_local(tile, next * ROWS + r);
      if (is_begun) {
        const element pivot = load_local(u, j);
        element l = load_local(tile, j * ROWS + r);
        if (!is_zero(pivot)) l = quotient(l, divisor_of(pivot));
        store_local(tile, j * ROWS + r, l);
        store_local(multipliers, r, negated(l));
        if (is_searched) {
          x = closed_element(with_product(x, negated(l), load_local(u, next)));
          store_local(tile, next * ROWS + r, x);
        }
      }
      if (is_searched) found = pick_of(x, row);
    }
    if (is_begun && group == 0 && item == 0) {
      pivots[p.first_pivot + j] = (int)p.first_pivot + winner.row + 1;
      if (is_zero(load_local(u, j)) && *info == 0) *info = (int)p.first_pivot + next;
    }
    const pick best = best_of_group(found, item, ROWS, group_keys);
    // The rows that are published: the best one by the first WIDTH work-items, row j + 1 by the next. As the pivot's row,
    // its entries right of the diagonal are U's.
    const int best_r = is_searched && best.row < p.rows ? best.row - top : -1;
    const int next_r = is_searched && next / ROWS == group ? next % ROWS : -1;
    const int c = item % WIDTH, is_other = item / WIDTH;
    if (is_other < 2 && c < columns && (is_other ? next_r : best_r) >= 0) {
      const int published_r = is_other ? next_r : best_r;
      element x = load_local(tile, c * ROWS + published_r);
      if (is_begun && c > next) x = with_product(x, load_local(multipliers, published_r), load_local(u, c));
      const element as_pivot = (is_begun || p.is_open) && c > next ? closed_element(x) : x;
      store_shared(published, other * stride + (is_other ? groups : group) * WIDTH + c, is_other ? x : as_pivot);
    }
    if (is_searched && item == 0) keys[other * groups + group] = key_of(best);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_searched && item == 0) arrive(arrivals);

    // All rows below, while others meet.
    if (is_begun && is_below) {
      const element l = load_local(multipliers, r);
      int c = next + 1 + phase;
      for (; c + (TOGETHER - 1) * PHASES < columns; c += TOGETHER * PHASES) {
        element x[TOGETHER];
        _Pragma("unroll") for (int i = 0; i < TOGETHER; ++i) x[i] = load_local(tile, (c + i * PHASES) * ROWS + r);
        _Pragma("unroll") for (int i = 0; i < TOGETHER; ++i) {
          x[i] = with_product(x[i], l, load_local(u, c + i * PHASES));
        }
        _Pragma("unroll") for (int i = 0; i < TOGETHER; ++i) store_local(tile, (c + i * PHASES) * ROWS + r, x[i]);
      }
      for (; c < columns; c += PHASES) {
        store_local(tile, c * ROWS + r, with_product(load_local(tile, c * ROWS + r), l, load_local(u, c)));
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  // All or none write.
  if (item == 0) {
    arrive(ends);
    for (int i = 0; !is_given_up; ++i) {
      const int seen = look(ends);
      if (seen >= GIVEN_UP) is_given_up = 1;
      else if (seen >= groups) break;
      else if (i >= p.looks) is_given_up = give_up(ends, groups);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_given_up) return;
  for (int c = phase; c < columns; c += PHASES) {
    if (is_row) store_element(a, home + c * column_stride, load_local(tile, c * ROWS + r));
  }
}
