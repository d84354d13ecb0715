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
// First entries of these rows, their heads, are looked at until they are there, by tags, which takes less time than to
// count arrivals: what is written needs no order. They make the multipliers while the row itself is under way.
//
// Where work-groups do not run side by side the launch is given up: the panel is as it was, pivots and info are not, and
// lu_panel_alone.cl takes it. Launches after that are over at once.
#include "blas/divisor.cl"
#include "lapack/pivot.cl"
#include "lapack/tagged.cl"
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
// Entries of a row that others see before the row itself: in double-double the second one comes too late to be of use.
#define HEADS (IS_DOUBLE_DOUBLE ? 1 : 2)
#define TOGETHER 4  // columns of a work-item at a time: one alone waits for its own chain of operations

// `count` elements, at most HEADS. 1 where the launch is given up.
HILO_FN int see_elements(volatile __global ulong2* from, int count, element* x, uint* above, uint tag,
                         launch by) {
  ulong2 pairs[HEADS * WORDS];
  if (wait_for_tagged(from, pairs, count * WORDS, tag, by)) return 1;
  for (int e = 0; e < count; ++e) {
    for (int i = 0; i < WORDS; ++i) set_word(x + e, i, pairs[e * WORDS + i].x);
  }
  *above = (uint)(pairs[0].y >> 32);
  return 0;
}

// published: twice, for even and odd columns, WIDTH entries of each group's best row, and WIDTH of the row that is to be
// replaced; heads: twice HEADS entries of these rows from that column on, with the number of the row. Both are words
// with tags, which tell by the number of the pivot that they are there. state: panels that were given up, and of each
// panel, by its first pivot, how many arrivals at meetings there were, and the state of the launch (meeting.cl), all 0
// before. pivots[first_pivot + j] is the number of the row of the whole matrix, from 1.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void lu_panel(
    __global part_in_memory* a, volatile __global ulong2* published, volatile __global ulong2* heads,
    __global int* pivots, __global int* info, volatile __global int* state, panel_arguments p) {
  __local part_in_memory tile[WIDTH * ROWS * PARTS];  // column after column
  __local part_in_memory u[WIDTH * PARTS], multipliers[ROWS * PARTS];
  __local part_in_memory group_heads[HEADS * ITEMS * PARTS];
  __local pick_key group_keys[PICK_KEYS], row_keys[PICK_KEYS];
  __local int is_given_up;
  const int item = (int)get_local_id(0), group = (int)get_group_id(0), groups = p.groups, columns = p.columns;
  const int r = item % ROWS, phase = item / ROWS;
  const int top = group * ROWS, row = top + r, is_row = row < p.rows;
  const int stride = (groups + 1) * WIDTH;
  const long home = p.a.offset + row * p.a.row_stride, column_stride = p.a.column_stride;
  volatile __global int* const arrivals = state + 2 * p.first_pivot + 1;
  volatile __global int* const ends = arrivals + 1;
  const launch by = {ends, groups, p.looks};

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
    const uint tag = (uint)(p.first_pivot + next), next_tag = tag + 1;
    uint above;
    // The winner of column j.
    pick mine = no_pick();
#if COUNTED
    if (is_begun && !is_given_up && item % 32 == 0 && item <= groups &&
        wait_for(arrivals, next * groups, ends, groups, p.looks)) {
      is_given_up = 1;
    }
    AFTER_FIRST_LANE;
#endif
    if (is_begun && item <= groups && !is_given_up) {
      element x[HEADS];
      for (int i = 0; i < HEADS; ++i) x[i] = zero_element();
      if (see_elements(heads + (parity * (groups + 1) + item) * HEADS * WORDS, HEADS, x, &above, tag, by)) {
        is_given_up = 1;
      }
      if (item < groups) mine = pick_of(x[0], (int)above);
      for (int i = 0; i < HEADS; ++i) store_local(group_heads, HEADS * item + i, x[i]);
    }
    const pick winner = best_of_group(mine, item, groups, group_keys);
    if (is_given_up) return;
    const int owner = winner.row / ROWS;
    // Its row, and the row that takes its place, by the last work-items.
    const int loaded = ITEMS - 1 - item, is_replaced = loaded >= columns;
    const int c_loaded = is_replaced ? loaded - columns : loaded, last_head = j + HEADS - 1;
    if (is_begun && (is_replaced ? winner.row != j && owner == group : 1) && c_loaded < columns) {
      element x = zero_element();
      const int from = is_replaced ? groups : owner;
      if (see_elements(published + (parity * stride + from * WIDTH + c_loaded) * WORDS, 1, &x, &above, tag,
                       by)) {
        is_given_up = 1;
      }
      if (!is_replaced) {
        store_local(u, c_loaded, x);
        if (j / ROWS == group) store_local(tile, c_loaded * ROWS + j % ROWS, x);
      } else if (c_loaded != j && c_loaded != last_head) {
        store_local(tile, c_loaded * ROWS + winner.row % ROWS, x);
      }
    }
    // Meanwhile multipliers, and column j + 1 with its best row.
    const int is_below = is_row && row > j, is_mine = phase == 0 && is_below;
    element l = zero_element(), head = l;
    if (is_mine) {
#if HEADS == 2
      if (is_searched) head = load_local(tile, next * ROWS + r);
#endif
      if (is_begun) {
        l = load_local(tile, j * ROWS + r);
        if (row == winner.row) {
          l = load_local(group_heads, HEADS * groups);
          head = load_local(group_heads, HEADS * groups + HEADS - 1);
        }
        const element pivot = load_local(group_heads, HEADS * owner);
        if (!is_zero(pivot)) l = quotient(l, divisor_of(pivot));
        store_local(tile, j * ROWS + r, l);
        l = negated(l);
        store_local(multipliers, r, l);
      }
    }
#if HEADS == 1
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_given_up) return;
    if (is_mine && is_searched) head = load_local(tile, next * ROWS + r);
#endif
    pick found = no_pick();
    if (is_mine && is_searched) {
      if (is_begun) {
        const element of_winner = HEADS == 1 ? load_local(u, next) : load_local(group_heads, 2 * owner + 1);
        head = closed_element(with_product(head, l, of_winner));
        store_local(tile, next * ROWS + r, head);
      }
      found = pick_of(head, row);
    }
    const pick best = best_of_group(found, item, ROWS, row_keys);
    if (is_given_up) return;
    if (is_searched && phase == 0) {
      const int is_best = best.row < p.rows ? row == best.row : item == 0;
      if (is_best || row == next) {
        volatile __global ulong2* const to = heads + other * (groups + 1) * HEADS * WORDS;
#if HEADS == 2
        element x = zero_element();
        if (is_below && next + 1 < columns) {
          x = load_local(tile, (next + 1) * ROWS + r);
          if (is_begun) x = with_product(x, l, load_local(u, next + 1));
        }
        const element as_pivot = is_begun || p.is_open ? closed_element(x) : x;
        if (is_best) show_element(to + (2 * group + 1) * WORDS, as_pivot, 0, next_tag);
        if (row == next) show_element(to + (2 * groups + 1) * WORDS, x, 0, next_tag);
#endif
        if (is_best) show_element(to + group * HEADS * WORDS, head, (uint)best.row, next_tag);
        if (row == next) show_element(to + groups * HEADS * WORDS, head, 0, next_tag);
      }
    }
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
      show_element(published + (other * stride + (is_other ? groups : group) * WIDTH + c) * WORDS,
                   is_other ? x : as_pivot, 0, next_tag);
    }
#if COUNTED
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_searched && item == 0) arrive(arrivals);
#else
    barrier(CLK_LOCAL_MEM_FENCE);
#endif

    if (is_begun && group == 0 && item == 0) {
      pivots[p.first_pivot + j] = (int)p.first_pivot + winner.row + 1;
      if (is_zero(load_local(u, j)) && *info == 0) *info = (int)p.first_pivot + next;
    }
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
