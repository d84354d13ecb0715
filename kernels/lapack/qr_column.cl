// A panel of QR, m × n, two launches a column: sum_column makes sums over chunks of rows, end_column the reflector of
// them, and the next column. Sums are those of CHUNK rows each, from the panel's first on, by steps from 0 on, and
// added in this order; so the bits do not depend on ROWS, TILE or the number of groups.
//
//   ROWS    rows of a work-group of end_column, a power of two
//   WIDTH   columns of a panel, at most
//   TILE    columns of a work-group of sum_column
//
// `work` holds elements: entry (k, c) of Vᴴ · A at k · n + c; from n² on row j as column j's sums found it, with column
// j's own entry scaled; from n² + n on the sums of chunk c with column k at c · n + k. `marks`: the scale of a column,
// whether it is R's already, and of each work-group's rows the largest part, and the largest but for that which may
// stay.
#ifndef ROWS
#define ROWS 128
#endif
#if ROWS < 1 || (ROWS & (ROWS - 1)) != 0
#error "hilo: ROWS is no power of two"
#endif
#ifndef WIDTH
#define WIDTH 64
#endif
#if WIDTH < 1 || WIDTH > 1024
#error "hilo: WIDTH is not between 1 and 1024"
#endif
#ifndef TILE
#define TILE 4
#endif
#if TILE < 1 || TILE > 32
#error "hilo: TILE is not between 1 and 32"
#endif
#include "lapack/reflector.cl"
#include "number/arguments.cl"

// Ends column j − 1, j = p.column: its reflector, v, and T's column; then brings column j up to date. Every group
// computes what is not by rows for itself, group 0 writes it down.
__kernel __attribute__((reqd_work_group_size(ROWS, 1, 1))) void end_column(__global part_in_memory* a,
                                                                           __global part_in_memory* t,
                                                                           __global part_in_memory* tau,
                                                                           __global part_in_memory* work,
                                                                           __global key_word* marks, qr_arguments p) {
  __local part_in_memory first[WIDTH * PARTS], second[WIDTH * PARTS];
  __local key_word most[ROWS], most_below[ROWS];
  const int item = (int)get_local_id(0), group = (int)get_group_id(0), row = group * ROWS + item;
  const int n = p.columns, j = p.column, d = j - 1, is_row = row < p.rows, writes = group == 0;
  const long row_stride = p.a.row_stride, column_stride = p.a.column_stride, home = p.a.offset + row * row_stride;
  const long row_of_work = (long)n * n, sums = row_of_work + n;
  const int is_made = d >= 0 && marks[1] == 0;
  const key_word scale = is_made ? marks[0] : 1;

  for (int k = item; is_made && k < n; k += ROWS) {
    element sum = zero_element();
    for (int c = (d + 1) / CHUNK; c < CHUNKS(p.rows); ++c) sum = plus(sum, load_element(work, sums + (long)c * n + k));
    store_local(first, k, sum);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  reflector h = {part_of_word(0), zero_element(), element_of(part_of_word(1))};
  if (is_made) h = reflector_of(load_element(work, row_of_work + d), load_local(first, d));
  // Of columns before, what T's column is made of; of those after, entries of Vᴴ · A.
  const divisor by = divisor_of(h.divisor), by_conjugate = divisor_of(conjugated(h.divisor, 1));
  for (int k = item; d >= 0 && k < n; k += ROWS) {
    element x = zero_element();
    if (is_made && k < d) {
      const element v = load_element(a, p.a.offset + d * row_stride + k * column_stride);
      x = plus(conjugated(v, 1), quotient(conjugated(load_local(first, k), 1), by));
      x = negated(times(h.tau, x));
    } else if (is_made && k > d) {
      x = plus(load_element(work, row_of_work + k), quotient(load_local(first, k), by_conjugate));
    }
    if (k != d) store_local(first, k, x);
    if (k > d && writes) store_element(work, (long)d * n + k, x);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i <= d; i += ROWS) {
    element x = i == d ? h.tau : zero_element();
    for (int k = i; is_made && k < d; ++k) {
      const element l = load_element(t, p.t.offset + i * p.t.row_stride + k * p.t.column_stride);
      x = with_product(x, l, load_local(first, k));
    }
    if (i < d) x = closed_element(x);
    store_local(second, i, x);
    if (writes) store_element(t, p.t.offset + i * p.t.row_stride + d * p.t.column_stride, x);
  }
  if (d >= 0 && writes && item == 0) store_element(tau, p.first + d, h.tau);
  const element one = element_of(part_of_word(1));
  element v = one;
  if (d >= 0 && is_row && row >= d) {
    const long at = home + d * column_stride;
    if (row > d) {
      v = load_element(a, at);
      if (is_made) v = quotient(scaled_element(v, scale), by);
    }
    if (is_made) store_element(a, at, row > d ? v : scaled_element(element_of(h.beta), 1 / scale));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  // Tᴴ · (Vᴴ · column j); the last of its entries alone is of T's new column.
  for (int e = item; j < n && e <= d; e += ROWS) {
    element y = zero_element();
    for (int l = 0; l <= e; ++l) {
      const long at = p.t.offset + l * p.t.row_stride + e * p.t.column_stride;
      const element of_t = e == d ? load_local(second, l) : load_element(t, at);
      const element w = l == d ? load_local(first, j) : load_element(work, (long)l * n + j);
      y = with_product(y, conjugated(of_t, 1), w);
    }
    store_local(first, e, negated(closed_element(y)));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  key_word mine = 0, mine_below = 0;
  if (j < n && is_row) {
    element x = load_element(a, home + j * column_stride);
    for (int k = 0; k <= min(row, d); ++k) {
      const element l = k == row ? one : k == d ? v : load_element(a, home + k * column_stride);
      x = with_product(x, l, load_local(first, k));
    }
    if (d >= 0) {
      x = closed_element(x);
      store_element(a, home + j * column_stride, x);
    }
    for (int w = 0; row >= j && w < PARTS; ++w) {
      const key_word size = size_of(x.p[w]);
      mine = fmax(mine, size);
      if (row > j || w > 0) mine_below = fmax(mine_below, size);
    }
  }
  most[item] = mine;
  most_below[item] = mine_below;
  for (int half_way = ROWS / 2; half_way > 0; half_way /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < half_way) {
      most[item] = fmax(most[item], most[item + half_way]);
      most_below[item] = fmax(most_below[item], most_below[item + half_way]);
    }
  }
  if (item == 0) {
    marks[2 + 2 * group] = most[0];
    marks[3 + 2 * group] = most_below[0];
  }
}

// Of column j = p.column and a chunk of rows below j, in which x is the column times its scale: Σ conj(x) · column k
// for TILE columns k, of which that of k = j is x too.
__kernel __attribute__((reqd_work_group_size(CHUNK, 1, 1))) void sum_column(__global const part_in_memory* a,
                                                                            __global part_in_memory* work,
                                                                            __global key_word* marks, qr_arguments p) {
  __local part_in_memory left[TILE * (CHUNK + 1) * PARTS], right[CHUNK * PARTS];
  __local key_word most[CHUNK], most_below[CHUNK];
  const int item = (int)get_local_id(0), n = p.columns, j = p.column, first = (int)get_group_id(1) * TILE;
  const int is_first = get_group_id(0) == 0;
  const int chunk = (j + 1) / CHUNK + (int)get_group_id(0), row = chunk * CHUNK + item,
            is_row = row > j && row < p.rows;
  const long row_stride = p.a.row_stride, column_stride = p.a.column_stride, home = p.a.offset + row * row_stride;
  key_word mine = 0, mine_below = 0;
  for (int g = item; g < p.groups; g += CHUNK) {
    mine = fmax(mine, marks[2 + 2 * g]);
    mine_below = fmax(mine_below, marks[3 + 2 * g]);
  }
  most[item] = mine;
  most_below[item] = mine_below;
  for (int half_way = CHUNK / 2; half_way > 0; half_way /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < half_way) {
      most[item] = fmax(most[item], most[item + half_way]);
      most_below[item] = fmax(most_below[item], most_below[item + half_way]);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const key_word scale = scale_of(most[0]);
  if (is_first && first == 0 && item == 0) {
    marks[0] = scale;
    marks[1] = most_below[0] == 0;
  }

  const element x = is_row ? scaled_element(load_element(a, home + j * column_stride), scale) : zero_element();
  store_local(right, item, conjugated(x, 1));
  for (int k = 0; k < TILE; ++k) {
    const int column = first + k, is_there = is_row && column < n && column != j;
    store_local(left, k * (CHUNK + 1) + item,
                column == j ? x
                : is_there  ? load_element(a, home + column * column_stride)
                            : zero_element());
  }
  if (is_first && item < TILE && first + item < n) {
    const int column = first + item;
    const element of_row = load_element(a, p.a.offset + j * row_stride + column * column_stride);
    store_element(work, (long)n * n + column, column == j ? scaled_element(of_row, scale) : of_row);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  // A part of a sum each: its chain of steps is most of the time.
  const int k = item / PARTS, part_ = item % PARTS;
  const int begin = max(j + 1 - chunk * CHUNK, 0), end = min(p.rows - chunk * CHUNK, CHUNK);
  if (k < TILE && first + k < n && chunk < CHUNKS(p.rows)) {
    part sum = part_of_word(0);
    for (int i = begin; i < end; ++i) {
      const element l = load_local(left, k * (CHUNK + 1) + i), r = load_local(right, i);
      sum = step_of(sum, l.p[0], r.p[part_]);
#if IS_COMPLEX
      sum = step_of(sum, part_ == 0 ? minus(l.p[1]) : l.p[1], r.p[1 - part_]);
#endif
    }
    work[((long)n * n + n + (long)chunk * n + first + k) * PARTS + part_] = in_memory(closed(sum));
  }
}
