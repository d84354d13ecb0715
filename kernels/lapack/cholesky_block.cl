// Cholesky of one diagonal block by one work-group, the lower triangle. Entries are a − Σ l(i, k) · conj(l(c, k)) by steps
// in increasing order of k, closed when they are known, and quotients by the root of the pivot.
//
//   ITEMS         of the work-group
//   IS_UNROLLED   0 1   see number/loops.cl
#include "blas/divisor.cl"
#include "number/arguments.cl"
#include "number/loops.cl"

#ifndef ITEMS
#define ITEMS 256
#endif
#if ITEMS != 256 && ITEMS != 512 && ITEMS != 1024
#error "hilo: ITEMS is none of 256 512 1024"
#endif

// *info: the first column, counted from 1, whose pivot is not positive; what comes after it is of no particular value.
// Any order, where the block lies.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void cholesky_block(__global part_in_memory* a,
                                                                               __global int* info, block_arguments p) {
  const int item = (int)get_local_id(0), n = p.order;
  const long row_stride = p.a.row_stride, column_stride = p.a.column_stride;
  __local int failed;
  if (item == 0) failed = *info;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (failed) return;
  for (int k = 0; k < n; ++k) {
    const long diagonal = p.a.offset + k * (row_stride + column_stride);
    const part square = load_element(a, diagonal).p[0];
    const int is_positive = leading(square) > 0;
    element pivot = zero_element();
    pivot.p[0] = root_of(square);
    const divisor d = divisor_of(pivot);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    // Column k of L.
    if (is_positive) {
      for (int i = k + 1 + item; i < n; i += ITEMS) {
        const long at = p.a.offset + i * row_stride + k * column_stride;
        store_element(a, at, quotient(load_element(a, at), d));
      }
      if (item == 0) store_element(a, diagonal, pivot);
    } else if (item == 0 && failed == 0) {
      failed = p.first + k + 1;
      *info = failed;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    // Its products leave the columns right of it; those of column k + 1 are known then.
    for (int e = item; e < (n - k - 1) * (n - k - 1); e += ITEMS) {
      const int i = k + 1 + e % (n - k - 1), c = k + 1 + e / (n - k - 1);
      if (i >= c && is_positive) {
        const long at = p.a.offset + i * row_stride + c * column_stride;
        const element l = load_element(a, p.a.offset + i * row_stride + k * column_stride);
        const element other = conjugated(load_element(a, p.a.offset + c * row_stride + k * column_stride), 1);
        element x = with_product(load_element(a, at), l, negated(other));
        if (c == k + 1) x = closed_element(x);
        store_element(a, at, x);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}

// The same of at most SHORT rows. Some work-items make a column of L, each with the root that all need. The others have
// every LANES-th column in registers: they subtract the products of the column before from those further right, and show
// the next one.
//
// What bounds it is the chain of operations from column to column. So those who make a column have a quarter of each 128
// work-items to themselves: on NVIDIA these share a multiprocessor's units with none of the others.
#define SHORT 64
#define QUARTER 32
#define LANES (3 * ITEMS / 4 / SHORT)
#define SLOTS ((SHORT + LANES - 1) / LANES)
#define TOGETHER 2  // slots
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void cholesky_short_block(__global part_in_memory* a,
                                                                                     __global int* info,
                                                                                     block_arguments p) {
  // Of even columns and of odd ones.
  __local part_in_memory shown[2][SHORT * PARTS], known[2][SHORT * PARTS];
  __local int failed;
  const int item = (int)get_local_id(0), n = p.order, quarter = item / QUARTER;
  const int makes_columns = quarter % 4 == 0, number = makes_columns ? quarter / 4 : quarter - quarter / 4 - 1;
  const int lane = makes_columns ? 0 : number / 2, row = number % 2 * QUARTER + item % QUARTER;
  const int is_row = row < n, last_row = row | (QUARTER - 1);
  const long home = p.a.offset + row * p.a.row_stride;
  element mine[SLOTS];
  // Which is written once nobody reads it.
  if (*info) return;
  if (item == 0) failed = 0;
  FOR(i, SLOTS) {
    const int c = lane + i * LANES, is_there = !makes_columns && is_row && c <= row;
    mine[i] = is_there ? load_element(a, home + c * p.a.column_stride) : zero_element();
  }
  if (!makes_columns && lane == 0) store_local(shown[0], row, mine[0]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < n; ++k) {
    // Column k − 1 is L's.
    __local const part_in_memory* const before = known[(k + 1) % 2];
    if (makes_columns && number < 2 && is_row && row >= k) {
      element x = load_local(shown[k % 2], row), square = load_local(shown[k % 2], k);
      if (k > 0) {
        const element l = load_local(before, row), of_pivot = load_local(before, k);
        const element other = negated(conjugated(of_pivot, 1));
        x = closed_element(with_product(x, l, other));
        square = closed_element(with_product(square, of_pivot, other));
      }
      if (!(leading(square.p[0]) > 0) && row == k && failed == 0) failed = p.first + k + 1;
      element pivot;
      const divisor by = divisor_by_root(square.p[0], &pivot);
      x = row == k ? pivot : quotient(x, by);
      store_element(a, home + k * p.a.column_stride, x);
      store_local(known[k % 2], row, x);
    }
    if (!makes_columns) {
      const element l = load_local(before, row);
      FOR(g, (SLOTS + TOGETHER - 1) / TOGETHER) {
        // What becomes of columns that are done, and of what lies above the diagonal, does not matter.
        const int first = lane + g * TOGETHER * LANES, last = first + (TOGETHER - 1) * LANES;
        if (last > k && first <= last_row) {
          FOR(i, TOGETHER) {
            const int slot = g * TOGETHER + i;
            if (k > 0 && slot < SLOTS) {
              const element other = load_local(before, min(first + i * LANES, SHORT - 1));
              mine[slot] = with_product(mine[slot], l, negated(conjugated(other, 1)));
            }
          }
          FOR(i, TOGETHER) {
            const int slot = g * TOGETHER + i;
            if (slot < SLOTS && first + i * LANES == k + 1) store_local(shown[(k + 1) % 2], row, mine[slot]);
          }
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0 && failed) *info = failed;
}
