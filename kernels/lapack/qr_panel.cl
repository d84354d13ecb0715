// A panel of QR, m × n, in one launch: where qr_column.cl ends a launch, work-groups meet. The bits are the same.
//
//   COLUMNS   columns of a work-group, a power of two
//   SPLIT     work-groups of a chunk of CHUNK rows, a power of two; COLUMNS · SPLIT columns are WIDTH or more
//   WIDTH     columns of a panel, at most
//
// A work-group keeps its chunk of every SPLIT-th column in local memory, from beginning to end; one more, which has no
// rows, makes T. Work-groups meet twice a column: when the column has been shown with its largest part, and when they
// have summed. Each finds the reflector by itself, brings the next column up to date, if it is its own, shows it, and
// the others of its columns while it waits.
//
// Where work-groups do not run side by side the launch is given up: the panel is as it was, T and tau are not.
#include "lapack/meeting.cl"
#include "lapack/qr_sums.cl"

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

// work: of the column whose sums are made what its owners show, and its row in all columns; then the sums of chunk c
// with column k at c · n + k. state: how many arrivals at meetings there were, and the state of the launch (meeting.cl),
// then the key of what is below each column's diagonal, all 0 before.
__kernel __attribute__((reqd_work_group_size(CHUNK, 1, 1))) void qr_panel(
    __global part_in_memory* a, __global part_in_memory* t, __global part_in_memory* tau,
    volatile __global part_in_memory* work, volatile __global int* state, qr_arguments p) {
  __local part_in_memory tile[COLUMNS * COLUMN_ELEMENTS * PARTS], right[COLUMN_ELEMENTS * PARTS];
  __local part_in_memory chains[COLUMNS * (FOLD + 1) * PARTS];
  __local part_in_memory sums[(WIDTH + 1) * PARTS], folded[SIDE(WIDTH) * (WIDTH + 1) * PARTS];
  __local int is_given_up, key;
  const int item = (int)get_local_id(0), group = (int)get_group_id(0), groups = p.groups, n = p.columns, m = p.rows;
  const int chunk = group / SPLIT, side = group % SPLIT, makes_t = group == groups - 1;
  const int own = makes_t ? 0 : (n - side + SPLIT - 1) / SPLIT, at = IN_COLUMN(item);
  const int row = chunk * CHUNK + item, is_row = !makes_t && row < m;
  const long home = p.a.offset + row * p.a.row_stride;
  volatile __global part_in_memory* const row_of_all = work + (long)m * PARTS;
  volatile __global part_in_memory* const sums_of_chunks = row_of_all + n * PARTS;
  volatile __global int *const arrivals = state + 3 * p.first, *const ends = arrivals + 1, *const keys = ends + 1;

  for (int c = 0; c < own; ++c) {
    const element x = is_row ? load_element(a, home + (c * SPLIT + side) * p.a.column_stride) : zero_element();
    store_local(tile, c * COLUMN_ELEMENTS + at, x);
  }
  if (item == 0) is_given_up = 0;
  key_word scale = 1;
  int is_made = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  for (int j = 0; j <= n; ++j) {
    const int d = j - 1, is_column = j < n, is_own = is_column && !makes_t && j % SPLIT == side;
    if (item == 0) key = 0;
    // Column d ends: its reflector, and what that does to those of the group after it, or to T.
    const int after = d < side ? 0 : (d - side) / SPLIT + 1;
    const columns_to_add added = {max(d, 0), makes_t ? 0 : side + after * SPLIT, makes_t ? 1 : SPLIT,
                                  makes_t ? j : 1 + own - after};
    add_chunks(sums_of_chunks, n, is_made ? m : 0, added, SIDE(WIDTH), folded, sums, item, CHUNK);
    const made_reflector made = make_reflector(row_of_all, scale, is_made, added, makes_t, sums, item, CHUNK);
    const int is_changed = is_made && is_row && row >= d;
    element v = element_of(part_of_word(1));
    if (is_changed && row > d) v = quotient(conjugated(load_local(right, at), 1), made.by);
    barrier(CLK_LOCAL_MEM_FENCE);
    // Column j is up to date, and shown.
    if (is_own && is_row) {
      element x = load_local(tile, j / SPLIT * COLUMN_ELEMENTS + at);
      if (is_changed) x = closed_element(with_product(x, v, load_local(sums, 1)));
      store_local(tile, j / SPLIT * COLUMN_ELEMENTS + at, x);
      store_shared(work, row, x);
      const int mine = key_below(x, row, j);
      if (mine > 0) atomic_max(&key, mine);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (item == 0 && is_column) {
      if (is_own) atomic_max(keys + j, key);
      arrive(arrivals);
    }
    for (int i = 1 + is_own; is_changed && i < added.count; ++i) {
      const int of_column = (after + i - 1) * COLUMN_ELEMENTS + at;
      store_local(tile, of_column, closed_element(with_product(load_local(tile, of_column), v, load_local(sums, i))));
    }
    if (is_changed && d % SPLIT == side) {
      const element x = row > d ? v : element_of(scaled_part(made.h.beta, 1 / scale));
      store_local(tile, d / SPLIT * COLUMN_ELEMENTS + at, x);
    }
    if (makes_t && d >= 0) {
      add_to_triangle(t, p.t, d, made.h.tau, sums + PARTS, is_made, item, CHUNK);
      if (item == 0) store_element(tau, p.first + d, made.h.tau);
    }
    if (item == 0 && is_column && wait_for(arrivals, (2 * j + 1) * groups, ends, groups, p.looks)) is_given_up = 1;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_given_up) return;

    // The sums with column j.
    if (is_column) {
      const int below = keys[j];
      is_made = below != 0;
      scale = scale_of(max(below, size_key(load_shared(work, j).p[0])));
    }
    const int is_below = is_column && is_row && row > j;
    const element x = is_below ? scaled_element(load_shared(work, row), scale) : zero_element();
    store_local(right, at, conjugated(x, 1));
    if (is_own && is_below) store_local(tile, j / SPLIT * COLUMN_ELEMENTS + at, x);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int sums_made = is_column ? own : 0;
    sum_chains(tile, right, chains, sums_made, j + 1 - chunk * CHUNK, m - chunk * CHUNK, item, CHUNK);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < sums_made) {
      const int k = item * SPLIT + side;
      store_shared(sums_of_chunks, (long)chunk * n + k, sum_of_chains(chains, item));
      const int in_column = item * COLUMN_ELEMENTS + IN_COLUMN(j % CHUNK);
      if (chunk == j / CHUNK) store_shared(row_of_all, k, load_local(tile, in_column));
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
  for (int c = 0; c < own; ++c) {
    const element x = load_local(tile, c * COLUMN_ELEMENTS + at);
    if (is_row) store_element(a, home + (c * SPLIT + side) * p.a.column_stride, x);
  }
}
