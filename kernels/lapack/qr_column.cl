// A panel of QR, m × n, two launches a column: sum_column makes sums over chunks of rows, end_column the reflector of
// them, and the next column. Sums are those of CHUNK rows each, from the panel's first on, by steps from 0 on, and
// added in this order; so the bits do not depend on ROWS, TILE or the number of groups.
//
//   ROWS    rows of a work-group of end_column, a power of two
//   WIDTH   columns of a panel, at most
//   TILE    columns of a work-group of sum_column
//
// `work` holds elements: entry (k, c) of Vᴴ · A at k · n + c; from n² on row j as column j's sums found it, with column
// j's own entry scaled; then the column after the one whose sums are made, but for the last of its terms; then the sums
// of chunk c with column k at c · n + k. `marks`: the scale of a column, whether it is R's already, and of each
// work-group's rows the largest part, and the largest but for that which may stay.
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
#include "lapack/qr_sums.cl"
#include "number/arguments.cl"

#define SUM_ELEMENTS (TILE * (CHUNK + 1) > 2 * WIDTH ? TILE * (CHUNK + 1) : 2 * WIDTH)

#define ROW_AT(p) ((long)(p).columns * (p).columns)
#define OPEN_AT(p) (ROW_AT(p) + (p).columns)
#define SUMS_AT(p) (OPEN_AT(p) + (p).rows)

// Ends column j − 1, j = p.column: its reflector, v, and T's column; then brings column j up to date. Every group
// computes what is not by rows for itself, group 0 writes it down.
__kernel __attribute__((reqd_work_group_size(ROWS, 1, 1))) void end_column(__global part_in_memory* a,
                                                                           __global part_in_memory* t,
                                                                           __global part_in_memory* tau,
                                                                           __global part_in_memory* work,
                                                                           __global key_word* marks, qr_arguments p) {
  __local part_in_memory first[WIDTH * PARTS], second[WIDTH * PARTS], products[WIDTH * PARTS], last[PARTS];
  __local key_word most[ROWS], most_below[ROWS];
  const int item = (int)get_local_id(0), group = (int)get_group_id(0), row = group * ROWS + item;
  const int n = p.columns, j = (int)p.column, d = j - 1, is_row = row < p.rows, writes = group == 0;
  const long row_stride = p.a.row_stride, column_stride = p.a.column_stride, home = p.a.offset + row * row_stride;
  const int is_made = d >= 0 && marks[1] == 0;
  const key_word scale = is_made ? marks[0] : 1;
  const element one = element_of(part_of_word(1));

  for (int k = item; is_made && k < n; k += ROWS) {
    store_local(first, k, sum_of_chunks(work, SUMS_AT(p) + k, n, j / CHUNK, CHUNKS(p.rows)));
  }
  for (int l = item; j < n && l < d; l += ROWS) store_local(products, l, load_element(work, (long)l * n + j));
  barrier(CLK_LOCAL_MEM_FENCE);
  reflector h = {part_of_word(0), zero_element(), one};
  if (is_made) h = reflector_of(load_element(work, ROW_AT(p) + d), load_local(first, d));
  // Of columns before, what T's column is made of; of those after, entries of Vᴴ · A.
  const divisor by = divisor_of(h.divisor), by_conjugate = divisor_of(conjugated(h.divisor, 1));
  for (int k = item; d >= 0 && k < n; k += ROWS) {
    element x = zero_element();
    if (is_made && k < d) {
      const element v = load_element(a, p.a.offset + d * row_stride + k * column_stride);
      x = plus(conjugated(v, 1), quotient(conjugated(load_local(first, k), 1), by));
      x = negated(times(h.tau, x));
    } else if (is_made && k > d) {
      x = plus(load_element(work, ROW_AT(p) + k), quotient(load_local(first, k), by_conjugate));
    }
    if (k != d) store_local(first, k, x);
    if (k == j) store_local(products, d, x);
    if (k > d && writes) store_element(work, (long)d * n + k, x);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i <= d; i += ROWS) {
    const long at = p.t.offset + i * p.t.row_stride;
    element x = h.tau;
    if (i < d) {
      x = add_terms(zero_element(), t, at, p.t.column_stride, 0, first, i, is_made ? d : 0);
      x = closed_element(x);
    }
    store_local(second, i, x);
    if (writes) store_element(t, at + d * p.t.column_stride, x);
  }
  if (d >= 0 && writes && item == 0) store_element(tau, p.first + d, h.tau);
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
  // Entry d of Tᴴ · (Vᴴ · column j), and the column's last term.
  if (item == 0 && d >= 0 && j < n) {
    element y = zero_element();
    for (int l = 0; l <= d; ++l) y = with_product(y, conjugated(load_local(second, l), 1), load_local(products, l));
    store_local(last, 0, negated(closed_element(y)));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  key_word mine = 0, mine_below = 0;
  if (j < n && is_row) {
    element x;
    if (d >= 0) {
      x = load_element(work, OPEN_AT(p) + row);
      if (row >= d) x = with_product(x, v, load_local(last, 0));
      x = closed_element(x);
      store_element(a, home + j * column_stride, x);
    } else {
      x = load_element(a, home);
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
// for TILE columns k, of which that of k = j is x too. Work-groups behind the last of these meanwhile bring their rows
// of column j + 1 up to date with the reflectors before j.
__kernel __attribute__((reqd_work_group_size(CHUNK, 1, 1))) void sum_column(__global const part_in_memory* a,
                                                                            __global const part_in_memory* t,
                                                                            __global part_in_memory* work,
                                                                            __global key_word* marks, qr_arguments p) {
  __local part_in_memory left[SUM_ELEMENTS * PARTS], right[CHUNK * PARTS];
  __local key_word most[CHUNK], most_below[CHUNK];
  const int item = (int)get_local_id(0), n = p.columns, j = (int)p.column, next = j + 1;
  const int chunk = (int)get_group_id(0), first = (int)get_group_id(1) * TILE, is_early = first >= n;
  const int row = chunk * CHUNK + item, is_row = row > j && row < p.rows;
  const long row_stride = p.a.row_stride, column_stride = p.a.column_stride, home = p.a.offset + row * row_stride;
  // Of those that are early, Vᴴ · column j + 1 and then −Tᴴ times it.
  __local part_in_memory *const products = left, *const factors = left + WIDTH * PARTS;
  for (int l = item; is_early && l < j; l += CHUNK) store_local(products, l, load_element(work, (long)l * n + next));
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
  for (int e = item; is_early && e < j; e += CHUNK) {
    const element y =
        add_terms(zero_element(), t, p.t.offset + e * p.t.column_stride, p.t.row_stride, 1, products, 0, e + 1);
    store_local(factors, e, negated(closed_element(y)));
  }
  if (!is_early) {
    const element x = is_row ? scaled_element(load_element(a, home + j * column_stride), scale) : zero_element();
    store_local(right, item, conjugated(x, 1));
    for (int k = 0; k < TILE; ++k) {
      const int column = first + k, is_there = is_row && column < n && column != j;
      store_local(left, k * (CHUNK + 1) + item,
                  column == j ? x
                  : is_there  ? load_element(a, home + column * column_stride)
                              : zero_element());
    }
    // For those who end the column: what is changed meanwhile.
    const int column = first + item, is_published = chunk == CHUNKS(p.rows) - 1 && item < TILE && column < n;
    if (is_published) {
      const element of_row = load_element(a, p.a.offset + j * row_stride + column * column_stride);
      store_element(work, ROW_AT(p) + column, column == j ? scaled_element(of_row, scale) : of_row);
    }
    if (is_published && column == 0) {
      marks[0] = scale;
      marks[1] = most_below[0] == 0;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_early && row < p.rows) {
    element x = load_element(a, home + next * column_stride);
    x = add_terms(x, a, home, column_stride, 0, factors, 0, min(row, j));
    if (row < j) x = with_product(x, element_of(part_of_word(1)), load_local(factors, row));
    store_element(work, OPEN_AT(p) + row, x);
  }
  // A part of a sum each: its chain of steps is most of the time.
  const int k = item / PARTS, part_ = item % PARTS;
  if (k < TILE && first + k < n) {
    const int begin = max(next - chunk * CHUNK, 0), end = min(p.rows - chunk * CHUNK, CHUNK);
    part sum = part_of_word(0);
    for (int i = begin; i < end; ++i) {
      const element l = load_local(left, k * (CHUNK + 1) + i), r = load_local(right, i);
      sum = step_of(sum, l.p[0], r.p[part_]);
#if IS_COMPLEX
      sum = step_of(sum, part_ == 0 ? minus(l.p[1]) : l.p[1], r.p[1 - part_]);
#endif
    }
    work[(SUMS_AT(p) + (long)chunk * n + first + k) * PARTS + part_] = in_memory(closed(sum));
  }
}
