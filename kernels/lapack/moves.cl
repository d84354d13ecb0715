// Exchanges of rows by pivots, up to MOST of them as one permutation.
//
//   TOGETHER   columns that a work-group has on the way
#include "blas/element.cl"
#include "number/arguments.cl"

#ifndef TOGETHER
#define TOGETHER 4
#endif
#if TOGETHER < 1 || TOGETHER > 16
#error "hilo: TOGETHER is not between 1 and 16"
#endif
#define MOST 64
#define PLACES (2 * MOST)

// Of pivots first_pivot … first_pivot + count − 1, which number rows from 1: row from[i] goes to row to[i], both counted
// from row first_pivot; −1: nothing. Rows that take part: the first `count`, and those pivots below them.
__kernel __attribute__((reqd_work_group_size(PLACES, 1, 1))) void list_moves(__global const int* pivots,
                                                                            __global int* from, __global int* to,
                                                                            move_arguments p) {
  __local int place[PLACES], holds[PLACES];  // the number of a row; the row whose entries are there now
  const int item = (int)get_local_id(0), count = p.count;
  const int is_pivot = item >= count && item < 2 * count;
  const int row = item < count ? item : is_pivot ? pivots[p.first_pivot + item - count] - 1 - (int)p.first_pivot : -1;
  place[item] = row;
  barrier(CLK_LOCAL_MEM_FENCE);
  int is_double = is_pivot && row < count;
  for (int i = count; i < 2 * count; ++i) is_double |= is_pivot && i < item && place[i] == row;
  const int mine = is_double ? -1 : row;
  holds[item] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  // Exchange after exchange, by the work-item that has the pivot's row.
  for (int j = 0; j < count; ++j) {
    if (mine >= 0 && mine == place[count + j]) {
      const int x = holds[j];
      holds[j] = holds[item];
      holds[item] = x;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  from[item] = holds[item];
  to[item] = mine;
}

// A work-item moves one entry of a column: all are read before any is written.
__kernel __attribute__((reqd_work_group_size(PLACES, 1, 1))) void move_rows(__global part_in_memory* a,
                                                                           __global const int* from,
                                                                           __global const int* to, move_arguments p) {
  const int item = (int)get_local_id(0);
  const int source = from[item], target = to[item], is_mine = source >= 0 && source != target;
  for (int c = (int)get_group_id(0) * TOGETHER; c < p.columns; c += (int)get_num_groups(0) * TOGETHER) {
    element x[TOGETHER];
    const long at = p.a.offset + c * p.a.column_stride;
    for (int t = 0; t < TOGETHER; ++t) {
      if (is_mine && c + t < p.columns) x[t] = load_element(a, at + t * p.a.column_stride + source * p.a.row_stride);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int t = 0; t < TOGETHER; ++t) {
      if (is_mine && c + t < p.columns) store_element(a, at + t * p.a.column_stride + target * p.a.row_stride, x[t]);
    }
  }
}
