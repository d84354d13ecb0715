// Cholesky of one diagonal block by one work-group, the lower triangle. Entries are a − Σ l(i, k) · conj(l(c, k)) by steps
// in increasing order of k, closed when they are known, and quotients by the root of the pivot.
//
//   ITEMS   of the work-group
#include "blas/divisor.cl"
#include "number/arguments.cl"

#ifndef ITEMS
#define ITEMS 256
#endif
#if ITEMS < 128 || ITEMS > 1024 || ITEMS % 64 != 0
#error "hilo: ITEMS is no multiple of 64 from 128 to 1024"
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

// The same of at most SHORT rows, in local memory. The first SHORT work-items make a column of L, each with the root that
// all need, while the others subtract the products of the column before from those further right.
#define SHORT 64
#define LANES (ITEMS / SHORT - 1)
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void cholesky_short_block(__global part_in_memory* a,
                                                                                     __global int* info,
                                                                                     block_arguments p) {
  __local part_in_memory tile[SHORT * SHORT * PARTS];  // column after column
  __local int failed;
  const int item = (int)get_local_id(0), n = p.order, row = item % SHORT, lane = item / SHORT - 1;
  const long home = p.a.offset + row * p.a.row_stride;
  if (item == 0) failed = *info;
  for (int c = lane + 1; c < n; c += LANES + 1) {
    if (row >= c && row < n) store_local(tile, c * SHORT + row, load_element(a, home + c * p.a.column_stride));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (failed) return;
  for (int k = 0; k < n; ++k) {
    const int last = k - 1, is_mine = row < n;
    // Column k − 1 is L's.
    if (lane < 0 && is_mine && row >= k) {
      element x = load_local(tile, k * SHORT + row), square = load_local(tile, k * SHORT + k);
      if (k > 0) {
        const element l = load_local(tile, last * SHORT + row), of_pivot = load_local(tile, last * SHORT + k);
        const element other = negated(conjugated(of_pivot, 1));
        x = closed_element(with_product(x, l, other));
        square = closed_element(with_product(square, of_pivot, other));
      }
      if (!(leading(square.p[0]) > 0) && row == k && failed == 0) failed = p.first + k + 1;
      element pivot = zero_element();
      pivot.p[0] = root_of(square.p[0]);
      x = row == k ? pivot : quotient(x, divisor_of(pivot));
      store_element(a, home + k * p.a.column_stride, x);
      // The pivot's place is read by others still.
      if (row > k) store_local(tile, k * SHORT + row, x);
    }
    for (int c = k + 1 + lane; k > 0 && lane >= 0 && c < n; c += LANES) {
      if (is_mine && row >= c) {
        const element l = load_local(tile, last * SHORT + row), other = load_local(tile, last * SHORT + c);
        const element x = load_local(tile, c * SHORT + row);
        store_local(tile, c * SHORT + row, with_product(x, l, negated(conjugated(other, 1))));
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0 && failed) *info = failed;
}
