// T of I − V · T · Vᴴ = H1 · H2 … , V unit lower trapezoidal, of m × n: the sums vᴴ · v by chunks of rows as in
// qr_column.cl, what T's columns are made of, and T.
//
// `work` holds elements: −tau · vᴴ · v of vectors k < j at j · n + k, and from n² on their sums over chunk c, at
// (c · n + j) · n + k.
#include "lapack/qr_sums.cl"

#define TILE 8    // vectors of a work-group, on either side
#define ITEMS (TILE * TILE)

HILO_FN element entry_of(__global const part_in_memory* v, matrix_view view, int i, int j) {
  return conjugated(load_element(v, view.offset + i * view.row_stride + j * view.column_stride), view.conjugate);
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void sum_pairs(__global const part_in_memory* v,
                                                                           __global part_in_memory* work,
                                                                           qr_arguments p) {
  __local part_in_memory left[TILE * (CHAIN + 1) * PARTS], right[TILE * (CHAIN + 1) * PARTS];
  const int item = (int)get_local_id(0), chunk = (int)get_group_id(0), n = p.columns;
  const int first_k = (int)get_group_id(1) * TILE, first_j = (int)get_group_id(2) * TILE;
  if (first_k > first_j) return;
  const int k = first_k + item % TILE, j = first_j + item / TILE, is_pair = k < j && j < n;
  element all = zero_element();
  for (int chain = 0; chain < CHUNK; chain += CHAIN) {
    const int begin = chunk * CHUNK + chain;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = item; e < TILE * CHAIN; e += ITEMS) {
      const int r = e % CHAIN, c = e / CHAIN, row = min(begin + r, p.rows - 1), at = c * (CHAIN + 1) + r;
      store_local(left, at, entry_of(v, p.a, row, min(first_k + c, n - 1)));
      store_local(right, at, conjugated(entry_of(v, p.a, row, min(first_j + c, n - 1)), 1));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int end = is_pair ? min(CHAIN, p.rows - begin) : 0;
    element sum = zero_element();
    for (int r = max(j + 1 - begin, 0); r < end; ++r) {
      sum = with_product(sum, load_local(left, (k - first_k) * (CHAIN + 1) + r),
                         load_local(right, (j - first_j) * (CHAIN + 1) + r));
    }
    all = with_sum(all, closed_element(sum));
  }
  if (is_pair) store_element(work, (long)n * n + ((long)chunk * n + j) * n + k, closed_element(all));
}

__kernel void end_pairs(__global const part_in_memory* v, __global const part_in_memory* tau,
                        __global part_in_memory* work, qr_arguments p) {
  const int k = (int)get_global_id(0), j = (int)get_global_id(1), n = p.columns;
  if (k >= j || j >= n) return;
  element all = zero_element();
  for (int begin = 0; begin < CHUNKS(p.rows); begin += FOLD) {
    element sum = zero_element();
    for (int c = begin; c < min(begin + FOLD, CHUNKS(p.rows)); ++c) {
      sum = with_sum(sum, load_element(work, (long)n * n + ((long)c * n + j) * n + k));
    }
    all = with_sum(all, closed_element(sum));
  }
  const element x = plus(conjugated(entry_of(v, p.a, j, k), 1), conjugated(closed_element(all), 1));
  store_element(work, (long)j * n + k, negated(times(load_element(tau, p.first + j), x)));
}

// A row of T each.
__kernel void make_triangle(__global part_in_memory* t, __global const part_in_memory* tau,
                            __global const part_in_memory* work, qr_arguments p) {
  const int i = (int)get_global_id(0), n = p.columns;
  if (i >= n) return;
  const long home = p.t.offset + i * p.t.row_stride;
  for (int j = i; j < n; ++j) {
    const element factor = load_element(tau, p.first + j);
    element x = j == i ? factor : zero_element();
    if (j > i && !is_zero(factor)) {
      for (int k = i; k < j; ++k) {
        x = with_product(x, load_element(t, home + k * p.t.column_stride), load_element(work, (long)j * n + k));
      }
      x = closed_element(x);
    }
    store_element(t, home + j * p.t.column_stride, x);
  }
}
