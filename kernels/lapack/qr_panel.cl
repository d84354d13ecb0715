// A panel of QR, m × n, in one launch: where qr_column.cl ends a launch, work-groups meet. The bits are the same.
//
//   COLUMNS   columns with which a work-group sums, a power of two
//   SPLIT     work-groups of a chunk of CHUNK rows, a power of two; COLUMNS · SPLIT columns are WIDTH or more
//   WIDTH     columns of a panel, at most
//
// A work-group keeps its chunk of its columns in local memory, from beginning to end: those of A, then of V. T, Vᴴ · A
// and the reflector are computed by each for itself; 1 / SPLIT of the chunk's rows of a new column and its vector by
// each, who shows them to the others. So work-groups meet twice a column: when they have shown them, and their largest
// part, and when they have summed. Meanwhile they bring the next column up to date but for its last term.
//
// Where work-groups do not run side by side the launch is given up: the panel is as it was, T and tau are not.
#include "lapack/meeting.cl"
#include "lapack/qr_sums.cl"
#include "number/arguments.cl"

#ifndef COLUMNS
#define COLUMNS 8
#endif
#if COLUMNS < 1 || COLUMNS > 32 || (COLUMNS & (COLUMNS - 1)) != 0
#error "hilo: COLUMNS is no power of two up to 32"
#endif
#ifndef SPLIT
#define SPLIT 8
#endif
#if SPLIT < 1 || SPLIT > 64 || (SPLIT & (SPLIT - 1)) != 0
#error "hilo: SPLIT is no power of two up to 64"
#endif
#ifndef WIDTH
#define WIDTH 64
#endif
#if WIDTH < 1 || WIDTH > COLUMNS * SPLIT
#error "hilo: WIDTH is not between 1 and COLUMNS times SPLIT"
#endif
#define ROWS (CHUNK / SPLIT)  // that a work-group brings up to date, by its last work-items
#define WARP 32

// The largest of all, in all of them. Has a barrier at its beginning and its end.
__attribute__((always_inline)) HILO_FN void find_largest(__local key_word* most, __local key_word* most_below, int item,
                                                         key_word mine, key_word mine_below) {
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
}

// work: V and R column after column, then the sums of chunk c with column k at c · n + k, which groups show each other;
// then of each group T, column after column, and Vᴴ · A, row after row. marks: of each group's rows the largest part,
// and the largest but for that which may stay. state: how many arrivals at meetings there were, and the state of the
// launch (meeting.cl), both 0 before.
__kernel __attribute__((reqd_work_group_size(CHUNK, 1, 1))) void qr_panel(
    __global part_in_memory* a, __global part_in_memory* t, __global part_in_memory* tau, __global part_in_memory* work,
    volatile __global key_word* marks, volatile __global int* state, qr_arguments p) {
  __local part_in_memory tile[COLUMNS * (CHUNK + 1) * PARTS], right[CHUNK * PARTS];
  __local part_in_memory sums[WIDTH * PARTS], of_t[WIDTH * PARTS], products[WIDTH * PARTS], factors[WIDTH * PARTS];
  __local part_in_memory next_products[WIDTH * PARTS], last[PARTS];
  __local key_word most[CHUNK], most_below[CHUNK];
  __local int is_given_up;
  const int item = (int)get_local_id(0), group = (int)get_group_id(0), groups = p.groups, n = p.columns, m = p.rows;
  const int chunk = group / SPLIT, first = group % SPLIT * COLUMNS, writes = group == 0;
  const int its_row = chunk * CHUNK + item;  // of the chunk
  const int own_row = item - (CHUNK - ROWS), row = chunk * CHUNK + group % SPLIT * ROWS + own_row;
  const int is_row = own_row >= 0 && row < m;
  const long row_stride = p.a.row_stride, column_stride = p.a.column_stride, home = p.a.offset + row * row_stride;
  volatile __global part_in_memory* const shown = work;
  const long sums_at = (long)m * n, t_at = sums_at + CHUNKS(m) * (long)n + 2L * group * n * n;
  const long products_at = t_at + (long)n * n;
  volatile __global int* const arrivals = state + 2 * p.first;
  volatile __global int* const ends = arrivals + 1;
  const element one = element_of(part_of_word(1));

  for (int k = 0; k < COLUMNS; ++k) {
    const int is_there = its_row < m && first + k < n;
    const long at = p.a.offset + its_row * row_stride + (first + k) * column_stride;
    store_local(tile, k * (CHUNK + 1) + item, is_there ? load_element(a, at) : zero_element());
  }
  if (item == 0) is_given_up = 0;
  element open = is_row ? load_element(a, home) : zero_element();
  key_word scale = 1;
  int is_made = 0, is_diagonal = 0;
  part diagonal = part_of_word(0);
  barrier(CLK_LOCAL_MEM_FENCE);

  for (int j = 0; j <= n; ++j) {
    const int d = j - 1, next = j + 1, is_column = j < n;
    // Column d ends: its reflector, T's column, v.
    for (int k = item; is_made && k < n; k += CHUNK) {
      store_local(sums, k, sum_of_chunks(shown, sums_at + k, n, j / CHUNK, CHUNKS(m)));
    }
    for (int l = item; l < d; l += CHUNK) {
      if (is_column) store_local(products, l, load_element(work, products_at + (long)l * n + j));
      if (next < n) store_local(next_products, l, load_element(work, products_at + (long)l * n + next));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    reflector h = {part_of_word(0), zero_element(), one};
    if (is_made) {
      h = reflector_of(scaled_element(load_shared(shown, d + (long)d * m), scale), load_local(sums, d));
    }
    const divisor by = divisor_of(h.divisor), by_conjugate = divisor_of(conjugated(h.divisor, 1));
    for (int k = item; d >= 0 && k < n; k += CHUNK) {
      element x = zero_element();
      if (is_made && k < d) {
        const element v = load_shared(shown, d + (long)k * m);
        x = plus(conjugated(v, 1), quotient(conjugated(load_local(sums, k), 1), by));
        x = negated(times(h.tau, x));
      } else if (is_made && k > d) {
        const element of_row = load_element(a, p.a.offset + d * row_stride + k * column_stride);
        x = plus(of_row, quotient(load_local(sums, k), by_conjugate));
      }
      if (k != d) store_local(sums, k, x);
      if (k == j) store_local(products, d, x);
      if (k == next) store_local(next_products, d, x);
      if (k > d) store_element(work, products_at + (long)d * n + k, x);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i <= d; i += CHUNK) {
      element x = h.tau;
      if (i < d) x = closed_element(add_terms(zero_element(), work, t_at + i, n, 0, sums, i, is_made ? d : 0));
      store_local(of_t, i, x);
      store_element(work, t_at + i + (long)d * n, x);
      if (writes) store_element(t, p.t.offset + i * p.t.row_stride + d * p.t.column_stride, x);
    }
    if (d >= 0 && writes && item == 0) store_element(tau, p.first + d, h.tau);
    element v = one;
    if (d >= 0 && is_row && row > d) {
      v = load_shared(shown, row + (long)d * m);
      if (is_made) v = quotient(scaled_element(v, scale), by);
      store_shared(shown, row + (long)d * m, v);
    }
    // For later: others read column d's entry still.
    is_diagonal = is_made && is_row && row == d;
    diagonal = scaled_part(h.beta, 1 / scale);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    // Entry d of Tᴴ · (Vᴴ · column j), and all of them for the next column.
    if (item == 0 && d >= 0 && is_column) {
      element y = zero_element();
      for (int l = 0; l <= d; ++l) y = with_product(y, conjugated(load_local(of_t, l), 1), load_local(products, l));
      store_local(last, 0, negated(closed_element(y)));
    }
    for (int e = item - WARP; e >= 0 && e <= d && next < n; e += CHUNK - WARP) {
      const element y = add_terms(zero_element(), work, t_at + (long)e * n, 1, 1, next_products, 0, e + 1);
      store_local(factors, e, negated(closed_element(y)));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // Column j's last term.
    key_word mine = 0, mine_below = 0;
    if (is_column && is_row) {
      element x = open;
      if (row >= d && d >= 0) x = with_product(x, v, load_local(last, 0));
      if (d >= 0) x = closed_element(x);
      store_shared(shown, row + (long)j * m, x);
      for (int w = 0; row >= j && w < PARTS; ++w) {
        const key_word size = size_of(x.p[w]);
        mine = fmax(mine, size);
        if (row > j || w > 0) mine_below = fmax(mine_below, size);
      }
    }
    find_largest(most, most_below, item, mine, mine_below);
    if (item == 0 && is_column) {
      marks[2 * group] = most[0];
      marks[2 * group + 1] = most_below[0];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (item == 0 && is_column) {
      arrive(arrivals);
      if (wait_for(arrivals, (2 * j + 1) * groups, ends, groups, p.looks)) is_given_up = 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_given_up) return;

    // The sums with column j.
    mine = 0;
    mine_below = 0;
    for (int g = item; is_column && g < groups; g += CHUNK) {
      mine = fmax(mine, marks[2 * g]);
      mine_below = fmax(mine_below, marks[2 * g + 1]);
    }
    find_largest(most, most_below, item, mine, mine_below);
    scale = scale_of(most[0]);
    is_made = most_below[0] != 0;
    if (is_column && is_diagonal) store_shared(shown, row + (long)d * m, element_of(diagonal));
    const int is_below = is_column && its_row > j && its_row < m;
    const element x = is_below ? scaled_element(load_shared(shown, its_row + (long)j * m), scale) : zero_element();
    store_local(right, item, conjugated(x, 1));
    if (is_column && j >= first && j < first + COLUMNS) store_local(tile, (j - first) * (CHUNK + 1) + item, x);
    if (is_below && d >= first && d < first + COLUMNS) {
      store_local(tile, (d - first) * (CHUNK + 1) + item, load_shared(shown, its_row + (long)d * m));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // A part of a sum each: its chain of steps is most of the time.
    const int k = item / PARTS, part_ = item % PARTS;
    if (is_column && k < COLUMNS && first + k < n) {
      const int begin = max(next - chunk * CHUNK, 0), end = min(m - chunk * CHUNK, CHUNK);
      part sum = part_of_word(0);
      for (int i = begin; i < end; ++i) {
        const element l = load_local(tile, k * (CHUNK + 1) + i), r = load_local(right, i);
        sum = step_of(sum, l.p[0], r.p[part_]);
#if IS_COMPLEX
        sum = step_of(sum, part_ == 0 ? minus(l.p[1]) : l.p[1], r.p[1 - part_]);
#endif
      }
      shown[(sums_at + (long)chunk * n + first + k) * PARTS + part_] = in_memory(closed(sum));
    }
    if (is_row && next < n) {
      open = load_element(a, home + next * column_stride);
      // Its row of V, which it wrote itself.
      open = add_terms(open, work, row, m, 0, factors, 0, min(row, j));
      if (row < j) open = with_product(open, one, load_local(factors, row));
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (item == 0 && is_column) {
      arrive(arrivals);
      if (wait_for(arrivals, (2 * j + 2) * groups, ends, groups, p.looks)) is_given_up = 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_given_up) return;
  }

  // All or none write.
  if (item == 0) {
    arrive(ends);
    for (int i = 0; !is_given_up; ++i) {
      const int seen = look(ends);
      if (seen >= GIVEN_UP)
        is_given_up = 1;
      else if (seen >= groups)
        break;
      else if (i >= p.looks)
        is_given_up = give_up(ends, groups);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_given_up) return;
  for (int k = 0; k < n; ++k) {
    if (is_row) {
      const int is_last = is_diagonal && k == row;
      store_element(a, home + k * column_stride,
                    is_last ? element_of(diagonal) : load_shared(shown, row + (long)k * m));
    }
  }
}
