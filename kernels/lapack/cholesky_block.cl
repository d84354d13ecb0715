// Cholesky of one diagonal block by one work-group, the lower triangle, where it lies. Entries are a − Σ l(i, k) · conj(l(c,
// k)) by steps in increasing order of k, closed when they are known, and quotients by the root of the pivot.
#include "blas/element.cl"
#include "number/arguments.cl"

#define ITEMS 256

// *info: the first column, counted from 1, whose pivot is not positive; what comes after it is of no particular value.
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
