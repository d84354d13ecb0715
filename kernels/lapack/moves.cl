// Exchanges of rows by pivots, as one permutation.
//
//   ITEMS      of a work-group
//   TOGETHER   entries that a work-item has on the way
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

// Where the entries of a row go.
typedef struct {
  int from, to;
} row_move;

// Where the entries of a row were before rows a and b were exchanged.
HILO_FN int before_exchange(int row, int a, int b) { return row == a ? b : row == b ? a : row; }

#define AHEAD 16  // pivots that are read at a time

// Of pivots first_pivot … first_pivot + count − 1, which number rows from 1: 2 count moves of rows, counted from row
// first_pivot; from = −1: none. Rows that take part are the first `count`, and those pivots below them, some twice. Where
// a row comes from is seen from the last exchange to the first; `back` turns all moves round.
__kernel void list_moves(__global const int* pivots, __global row_move* moves, move_arguments p) {
  const int item = (int)get_global_id(0), count = p.count;
  if (item >= 2 * count) return;
  const int below = (int)p.first_pivot + 1;
  pivots += p.first_pivot;
  int row = item < count ? item : pivots[item - count] - below;
  if (item >= count && row < count) row = -1;
  int source = row, j = count;
  for (; j >= AHEAD; j -= AHEAD) {
    int pivot[AHEAD];
    _Pragma("unroll") for (int i = 0; i < AHEAD; ++i) pivot[i] = pivots[j - 1 - i] - below;
    _Pragma("unroll") for (int i = 0; i < AHEAD; ++i) source = before_exchange(source, j - 1 - i, pivot[i]);
  }
  for (; j > 0; --j) source = before_exchange(source, j - 1, pivots[j - 1] - below);
  row_move m = {p.back ? row : source, p.back ? source : row};
  if (row == source) m.from = -1;
  moves[item] = m;
}

// A work-item moves one entry of each column: all are read before any is written.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void move_rows(__global part_in_memory* a,
                                                                          __global const row_move* moves,
                                                                          move_arguments p) {
  const int item = (int)get_local_id(0);
  const row_move m = moves[min(item, 2 * p.count - 1)];
  const int is_mine = item < 2 * p.count && m.from >= 0;
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

// The same for more rows than a work-group has work-items, whose entries wait in `between`.
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
