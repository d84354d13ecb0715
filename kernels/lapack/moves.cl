// Exchanges of rows by pivots, as one permutation.
//
//   ITEMS      of a work-group
//   TOGETHER   entries that a work-item has on the way
//   ROWS       of a column that local memory holds
#include "blas/element.cl"
#include "number/arguments.cl"

#ifndef ITEMS
#define ITEMS 128
#endif
#if ITEMS < 1 || ITEMS > 1024
#error "hilo: ITEMS is not between 1 and 1024"
#endif
#ifndef TOGETHER
#define TOGETHER 4
#endif
#if TOGETHER < 1 || TOGETHER > 16
#error "hilo: TOGETHER is not between 1 and 16"
#endif

#ifndef ROWS
#define ROWS 256
#endif
#if ROWS < 1 || ROWS > 65535
#error "hilo: ROWS is not between 1 and 65535"
#endif
#define NO_MOVE 0xffffffffu

// Where the entries of a row go.
typedef struct {
  int from, to;
} row_move;

// Where the entries of a row were before rows a and b were exchanged.
HILO_FN int before_exchange(int row, int a, int b) { return row == a ? b : row == b ? a : row; }

// Of pivots first_pivot … first_pivot + count − 1, which number rows from 1: 2 count moves of rows, counted from row
// first_pivot; from = −1: none. Rows that take part are the first `count`, and those pivots below them, some twice.
// Where a row comes from is seen from the last exchange to the first; `back` turns all moves round.
HILO_FN int row_that_moves(__global const int* pivots, move_arguments p, int item) {
  if (item < p.count) return item;
  const int row = item < 2 * p.count ? pivots[p.first_pivot + item - p.count] - (int)p.first_pivot - 1 : -1;
  return row < p.count ? -1 : row;
}
HILO_FN row_move move_between(int row, int source, move_arguments p) {
  const row_move m = {row == source ? -1 : p.back ? row : source, p.back ? source : row};
  return m;
}
// Exchanges first … first + count − 1, those of `exchanged`.
HILO_FN int before_exchanges(int row, __local const int* exchanged, int first, int count) {
  for (int j = count; j > 0; --j) row = before_exchange(row, first + j - 1, exchanged[j - 1]);
  return row;
}

#define LISTED 256  // work-items of a group, and pivots that it has at a time

__kernel __attribute__((reqd_work_group_size(LISTED, 1, 1))) void list_moves(__global const int* pivots,
                                                                             __global row_move* moves,
                                                                             move_arguments p) {
  __local int exchanged[LISTED];
  const int item = (int)get_global_id(0), local_item = (int)get_local_id(0);
  const int row = row_that_moves(pivots, p, item);
  int source = row;
  for (int first = (p.count - 1) / LISTED * LISTED; first >= 0; first -= LISTED) {
    const int count = min(p.count - first, LISTED);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (local_item < count) exchanged[local_item] = pivots[p.first_pivot + first + local_item] - (int)p.first_pivot - 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    source = before_exchanges(source, exchanged, first, count);
  }
  if (item < 2 * p.count) moves[item] = move_between(row, source, p);
}

// A work-item moves one entry of each column, which it finds by itself: all are read before any is written.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void move_rows(__global part_in_memory* a,
                                                                           __global const int* pivots,
                                                                           move_arguments p) {
  __local int exchanged[(ITEMS + 1) / 2];
  const int item = (int)get_local_id(0);
  if (item < p.count) exchanged[item] = pivots[p.first_pivot + item] - (int)p.first_pivot - 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int row = row_that_moves(pivots, p, item);
  const row_move m = move_between(row, before_exchanges(row, exchanged, 0, p.count), p);
  const int is_mine = m.from >= 0;
  for (int c = (int)get_group_id(0) * TOGETHER; c < p.columns; c += (int)get_num_groups(0) * TOGETHER) {
    element x[TOGETHER];
    const long at = p.a.offset + c * p.a.column_stride;
    for (int t = 0; t < TOGETHER; ++t) {
      if (is_mine && c + t < p.columns) x[t] = load_element(a, at + t * p.a.column_stride + m.from * p.a.row_stride);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int t = 0; t < TOGETHER; ++t) {
      if (is_mine && c + t < p.columns) store_element(a, at + t * p.a.column_stride + m.to * p.a.row_stride, x[t]);
    }
  }
}

// The same for more rows than a work-group has work-items, at most TOGETHER times as many.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void move_listed_rows(__global part_in_memory* a,
                                                                                  __global const row_move* moves,
                                                                                  move_arguments p) {
  const int item = (int)get_local_id(0), count = 2 * p.count;
  row_move m[TOGETHER];
  for (int t = 0; t < TOGETHER; ++t) {
    const int i = item + t * ITEMS;
    m[t] = moves[min(i, count - 1)];
    if (i >= count) m[t].from = -1;
  }
  for (int c = (int)get_group_id(0); c < p.columns; c += (int)get_num_groups(0)) {
    element x[TOGETHER];
    const long at = p.a.offset + c * p.a.column_stride;
    for (int t = 0; t < TOGETHER; ++t) x[t] = load_element(a, at + max(m[t].from, 0) * p.a.row_stride);
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int t = 0; t < TOGETHER; ++t) {
      if (m[t].from >= 0) store_element(a, at + m[t].to * p.a.row_stride, x[t]);
    }
  }
}

// The same by way of local memory, which takes whole columns of at most ROWS rows, read and written as they lie: where
// most rows move, single entries would take several times these bytes.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void move_in_columns(__global part_in_memory* a,
                                                                                 __global const row_move* moves,
                                                                                 move_arguments p) {
  __local part_in_memory column[ROWS * PARTS];
  const int item = (int)get_local_id(0), count = 2 * p.count;
  uint m[TOGETHER];  // from and to, in half a word each
  for (int t = 0; t < TOGETHER; ++t) {
    const int i = item + t * ITEMS;
    const row_move move = moves[min(i, count - 1)];
    m[t] = i < count && move.from >= 0 ? (uint)move.from | (uint)move.to << 16 : NO_MOVE;
  }
  for (int c = (int)get_group_id(0); c < p.columns; c += (int)get_num_groups(0)) {
    element x[TOGETHER];
    const long at = p.a.offset + c * p.a.column_stride;
    for (int first = item; first < p.rows; first += TOGETHER * ITEMS) {
      for (int t = 0; t < TOGETHER; ++t) {
        x[t] = load_element(a, at + min(first + t * ITEMS, p.rows - 1) * p.a.row_stride);
      }
      for (int t = 0; t < TOGETHER; ++t) {
        if (first + t * ITEMS < p.rows) store_local(column, first + t * ITEMS, x[t]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = 0; t < TOGETHER; ++t) x[t] = load_local(column, m[t] == NO_MOVE ? 0 : (int)(m[t] & 0xffff));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = 0; t < TOGETHER; ++t) {
      if (m[t] != NO_MOVE) store_local(column, (int)(m[t] >> 16), x[t]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int row = item; row < p.rows; row += ITEMS) store_element(a, at + row * p.a.row_stride, load_local(column, row));
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// The same for any number of rows, whose entries wait in `between`.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void move_many_rows(__global part_in_memory* a,
                                                                                __global const row_move* moves,
                                                                                __global part_in_memory* between,
                                                                                move_arguments p) {
  const int item = (int)get_local_id(0), count = 2 * p.count;
  const long home = (long)get_group_id(0) * count;
  for (int c = (int)get_group_id(0); c < p.columns; c += (int)get_num_groups(0)) {
    const long at = p.a.offset + c * p.a.column_stride;
    for (int first = item; first < count; first += TOGETHER * ITEMS) {
      element x[TOGETHER];
      for (int t = 0; t < TOGETHER; ++t) {
        const int i = first + t * ITEMS, source = i < count ? moves[i].from : -1;
        x[t] = source >= 0 ? load_element(a, at + source * p.a.row_stride) : zero_element();
      }
      for (int t = 0; t < TOGETHER; ++t) {
        if (first + t * ITEMS < count) store_element(between, home + first + t * ITEMS, x[t]);
      }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int first = item; first < count; first += TOGETHER * ITEMS) {
      element x[TOGETHER];
      for (int t = 0; t < TOGETHER; ++t) {
        const int i = min(first + t * ITEMS, count - 1);
        x[t] = load_element(between, home + i);
      }
      for (int t = 0; t < TOGETHER; ++t) {
        const int i = first + t * ITEMS;
        if (i < count && moves[i].from >= 0) store_element(a, at + moves[i].to * p.a.row_stride, x[t]);
      }
    }
  }
}

// Where the entries of each row come from: rows that do not move are not among the moves.
__kernel void number_rows(__global int* sources, int rows) {
  const int row = (int)get_global_id(0);
  if (row < rows) sources[row] = row;
}
__kernel void list_sources(__global const row_move* moves, int count, __global int* sources) {
  const int i = (int)get_global_id(0);
  if (i < count && moves[i].from >= 0) sources[moves[i].to] = moves[i].from;
}

// The same for any number of rows of which most move, a launch for some columns at a time: columns are read in the rows'
// new order, while those of the launch before are written, which wait in `between`: a large cache holds most of what is under
// way. A work-group has ITEMS * TOGETHER rows of a column.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void move_in_turns(__global part_in_memory* a,
                                                                               __global const int* sources,
                                                                               __global part_in_memory* between,
                                                                               turn_arguments p) {
  const int c = (int)get_group_id(1), is_read = c < p.width, column = p.first + (is_read ? c : c - 2 * p.width);
  if (column < 0 || column >= p.columns) return;
  const int first_row = (int)get_group_id(0) * ITEMS * TOGETHER + (int)get_local_id(0);
  const long at = p.a.offset + column * p.a.column_stride, waiting = (long)(column % (2 * p.width)) * p.rows;
  element x[TOGETHER];
  for (int t = 0; t < TOGETHER; ++t) {
    const int row = min(first_row + t * ITEMS, p.rows - 1);
    x[t] = is_read ? load_element(a, at + sources[row] * p.a.row_stride) : load_element(between, waiting + row);
  }
  for (int t = 0; t < TOGETHER; ++t) {
    const int row = first_row + t * ITEMS;
    if (row < p.rows) {
      if (is_read) store_element(between, waiting + row, x[t]);
      else store_element(a, at + row * p.a.row_stride, x[t]);
    }
  }
}
