// C − A · B as sums that others end: by steps in increasing order of terms, none of them closed. A work-item has a row of
// TOGETHER columns.
#include "blas/element.cl"
#include "number/arguments.cl"
#include "number/loops.cl"

#define ITEMS 64
#define TOGETHER (8 / PARTS)
#define TERMS 64  // of B that local memory has at a time
#define AHEAD 4   // entries of A that are under way

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void subtract_open_product(
    __global const part_in_memory* a, __global const part_in_memory* b, __global part_in_memory* c, open_arguments p) {
  __local part_in_memory factors[TERMS * TOGETHER * PARTS];
  const int item = (int)get_local_id(0), row = (int)get_group_id(0) * ITEMS + item;
  const int first = (int)get_group_id(1) * TOGETHER;
  // Of A and B the last row or column in place of those that are not there.
  const long home = p.c.offset + row * p.c.row_stride, of_a = p.a.offset + min(row, p.rows - 1) * p.a.row_stride;
  element x[TOGETHER];
  FOR(t, TOGETHER) {
    const int is_there = row < p.rows && first + t < p.columns;
    x[t] = is_there ? load_element(c, home + (first + t) * p.c.column_stride) : zero_element();
  }
  for (int begin = 0; begin < p.terms; begin += TERMS) {
    const int count = min(p.terms - begin, TERMS);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = item; e < TERMS * TOGETHER; e += ITEMS) {
      const int k = e % TERMS, t = e / TERMS;
      const long at = (begin + min(k, count - 1)) * p.b.row_stride + min(first + t, p.columns - 1) * p.b.column_stride;
      store_local(factors, k * TOGETHER + t, load_element(b, p.b.offset + at));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int k = 0;
    for (; k + AHEAD <= count; k += AHEAD) {
      element l[AHEAD];
      FOR(i, AHEAD) l[i] = negated(load_element(a, of_a + (begin + k + i) * p.a.column_stride));
      FOR(i, AHEAD) {
        FOR(t, TOGETHER) x[t] = with_product(x[t], l[i], load_local(factors, (k + i) * TOGETHER + t));
      }
    }
    for (; k < count; ++k) {
      const element l = negated(load_element(a, of_a + (begin + k) * p.a.column_stride));
      FOR(t, TOGETHER) x[t] = with_product(x[t], l, load_local(factors, k * TOGETHER + t));
    }
  }
  FOR(t, TOGETHER) {
    if (row < p.rows && first + t < p.columns) store_element(c, home + (first + t) * p.c.column_stride, x[t]);
  }
}
