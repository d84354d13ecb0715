// A panel of QR, m × n, in one launch: where qr_column.cl ends a launch, work-groups meet. The bits are the same.
//
//   COLUMNS   columns of a work-group, at most
//   WIDTH     columns of a panel, at most
//
// A chunk of CHUNK rows has p.split work-groups, a power of two, each of which keeps every p.split-th column of it in
// local memory, from beginning to end; one more, which has no rows, makes T. A chunk's work-groups show each other the
// column, and all of them meet when they have summed: each finds the reflector by itself, brings the next column up to
// date, if it is its own, shows it, and the others of its columns while it waits.
//
// What is shown are words with tags, by the number of the column, which others look at until they are there: that takes
// less time than to count arrivals. It is shown in one of several slots, by turns. A group that shows something of
// column i has seen something of column i − p.split from all others with rows, and waits for the one that makes T, so
// that nobody needs what it writes over.
//
// Where work-groups do not run side by side the launch is given up: the panel is as it was, T and tau are not, and
// qr_panel_alone.cl takes it. Launches after that are over at once.
#define SHOWN 1
#include "blas/warp.cl"
#include "lapack/tagged.cl"
#include "lapack/qr_sums.cl"

#ifndef COLUMNS
#define COLUMNS 8
#endif
#if COLUMNS < 1 || COLUMNS > 64
#error "hilo: COLUMNS is not between 1 and 64"
#endif
#ifndef WIDTH
#define WIDTH 64
#endif
#if WIDTH < 1 || WIDTH > 1024
#error "hilo: WIDTH is not between 1 and 1024"
#endif
// Whether the group without rows has room for T, by columns of WIDTH elements.
#define IS_T_IN_TILE (WIDTH * WIDTH <= COLUMNS * COLUMN_ELEMENTS)

#if IS_T_IN_TILE
HILO_FN void add_to_own_triangle(__local part_in_memory* t, int d, element tau, __local const part_in_memory* with_v,
                                 int is_made, int item, int items) {
  for (int i = item; i <= d; i += items) {
    element x = i < d ? zero_element() : tau;
    const int end = is_made ? d : i;
    int k = i;
    for (; k + AHEAD <= end; k += AHEAD) {
      element l[AHEAD], r[AHEAD];
      FOR_AHEAD l[b] = load_local(t, i + (k + b) * WIDTH);
      FOR_AHEAD r[b] = load_local(with_v, k + b);
      FOR_AHEAD x = with_product(x, l[b], r[b]);
    }
    for (; k < end; ++k) x = with_product(x, load_local(t, i + k * WIDTH), load_local(with_v, k));
    if (i < d) x = closed_element(x);
    store_local(t, i + d * WIDTH, x);
  }
}
#endif

// An element that others show. 1 where the launch is given up.
HILO_FN int see_element(volatile __global ulong2* from, element* x, uint tag, launch by) {
  ulong2 pairs[WORDS];
  if (wait_for_tagged(from, pairs, WORDS, tag, by)) return 1;
  for (int w = 0; w < WORDS; ++w) set_word(x, w, pairs[w].x);
  return 0;
}

// shown: p.slots slots, each of which has the column; row j of all columns; the sums of chunk c with column k at
// c · n + k, beside the tag of that with the column itself the keys of what the chunk has of it below the diagonal, and
// of all its parts; and such sums again, with the column scaled.
// state: panels that were given up, columns that T's group has seen, and of each panel, by its first column, how many
// arrivals at meetings there were, and the state of the launch (meeting.cl), all 0 before.
__kernel __attribute__((reqd_work_group_size(CHUNK, 1, 1))) void qr_panel(__global part_in_memory* a,
                                                                          __global part_in_memory* t,
                                                                          __global part_in_memory* tau,
                                                                          volatile __global ulong2* shown,
                                                                          volatile __global int* state,
                                                                          qr_arguments p) {
  __local part_in_memory tile[COLUMNS * COLUMN_ELEMENTS * PARTS], right[COLUMN_ELEMENTS * PARTS];
  __local part_in_memory chains[COLUMNS * (FOLD + 1) * PARTS];
  __local part_in_memory sums[(WIDTH + 1) * PARTS], row_d[(WIDTH + 1) * PARTS];
  __local part_in_memory folded[SIDE(WIDTH) * (WIDTH + 1) * PARTS];
  __local int is_given_up, key, size, all_keys[2];
  const int item = (int)get_local_id(0), group = (int)get_group_id(0), groups = p.groups, n = p.columns, m = p.rows;
  const int split = p.split, shift = 31 - (int)clz(split), chunk = group >> shift, side = group & (split - 1);
  const int makes_t = group == groups - 1, own = makes_t ? 0 : (n - side + split - 1) >> shift, at = IN_COLUMN(item);
  const int row = chunk * CHUNK + item, is_row = !makes_t && row < m;
  const long home = p.a.offset + row * p.a.row_stride, all_sums = (long)CHUNKS(m) * n * WORDS;
  const long of_row = (long)m * WORDS, of_sums = of_row + n * WORDS, of_slot = of_sums + 2 * all_sums;
  volatile __global int *const seen_for_t = state + 1, *const arrivals = state + 2 + 2 * p.first;
  volatile __global int* const ends = arrivals + 1;
  const launch by = {ends, groups, p.looks};

  for (int c = 0; c < own; ++c) {
    const element x = is_row ? load_element(a, home + (c * split + side) * p.a.column_stride) : zero_element();
    store_local(tile, c * COLUMN_ELEMENTS + at, x);
  }
  if (item == 0) is_given_up = state[0] != 0;
  key_word scale = 1;
  int is_made = 0, is_lost = 0, turn = 0, after = 0;
#if COUNTED
  int meetings = 0;
#endif
  columns_to_add added = {0, 0, 1, 1};
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_given_up) return;

  for (int j = 0; j <= n; ++j) {
    const int d = j - 1, is_column = j < n, is_own = is_column && !makes_t && (j & (split - 1)) == side;
    const int column_j = (j >> shift) * COLUMN_ELEMENTS;
    const uint tag = (uint)p.first + j + 1;
    volatile __global ulong2* const slot = shown + turn * of_slot;
    turn = turn + 1 < p.slots ? turn + 1 : 0;
#if !COUNTED
    // What it has seen is seldom too little.
    const int needed_by_t = item == CHUNK - 1 && is_column && j + 2 > p.slots ? (int)p.first + j + 2 - p.slots : 0;
    int seen_by_t = needed_by_t > 0 ? *seen_for_t : 0;
#endif
    // Column d ends: its reflector, and what that does to those of the group after it, or to T.
    if (item == 0) key = size = 0;
    if (is_lost) is_given_up = 1;
    const made_reflector made = make_reflector(row_d, scale, is_made, added.count, makes_t, sums, item, CHUNK);
    const int is_changed = is_made && is_row && row >= d;
    element v = element_of(part_of_word(1));
    if (is_changed && row > d) v = quotient(conjugated(load_local(right, at), 1), made.by);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_given_up) return;
    if (item < 2) all_keys[item] = 0;
    // Column j is up to date, and shown.
    if (is_own) {
      int mine = 0;
      if (is_row) {
        element x = load_local(tile, column_j + at);
        if (is_changed) x = closed_element(with_product(x, v, load_local(sums, 1)));
        store_local(tile, column_j + at, x);
        if (row > j && split > 1) show_element(slot + (long)row * WORDS, x, 0, tag);
        mine = key_below(x, row, j);
        if (row == j) size = size_key(x.p[0]);
      }
      mine = largest_of_warp(mine);
      if (mine > 0 && speaks_for_warp(item)) atomic_max(&key, mine);
    }
#if COUNTED
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (item == 0 && is_column) arrive(arrivals);
#else
    if (item == 0 && is_column && makes_t) *seen_for_t = (int)p.first + j;
#endif
    for (int i = 1 + is_own; is_changed && i < added.count; ++i) {
      const int in_tile = (after + i - 1) * COLUMN_ELEMENTS + at;
      store_local(tile, in_tile, closed_element(with_product(load_local(tile, in_tile), v, load_local(sums, i))));
    }
    if (is_changed && (d & (split - 1)) == side) {
      const element x = row > d ? v : element_of(scaled_part(made.h.beta, 1 / scale));
      store_local(tile, (d >> shift) * COLUMN_ELEMENTS + at, x);
    }
    if (makes_t && d >= 0) {
#if IS_T_IN_TILE
      add_to_own_triangle(tile, d, made.h.tau, sums + PARTS, is_made, item, CHUNK);
#else
      add_to_triangle(t, p.t, d, made.h.tau, sums + PARTS, is_made, item, CHUNK);
#endif
      if (item == 0) store_element(tau, p.first + d, made.h.tau);
    }

    // The group's rows of column j.
#if COUNTED
    if (is_column) ++meetings;
    if (is_column && item % 32 == 0 && wait_for(arrivals, meetings * groups, ends, groups, p.looks)) is_lost = 1;
    AFTER_FIRST_LANE;
#else
    for (int i = 0; seen_by_t < needed_by_t && !is_lost; ++i) {
      seen_by_t = *seen_for_t;
      is_lost = is_over(i, by);
    }
#endif
    const int is_below = is_column && is_row && row > j;
    element x = zero_element();
    if (is_below) {
      if (is_own) x = load_local(tile, column_j + at);
      else is_lost |= see_element(slot + (long)row * WORDS, &x, tag, by);
    }

    // The sums with column j; once more with its power of two, where that is not 1.
    after = j < side ? 0 : ((j - side) >> shift) + 1;
    added.first = j;
    added.next = makes_t ? 0 : side + after * split;
    added.step = makes_t ? 1 : split;
    added.count = makes_t ? j + 1 : 1 + own - after;
    const int sums_made = is_column ? own : 0;
    scale = 1;
    for (int round = 0, rounds = is_column; round < rounds; ++round) {
      x = scaled_element(x, scale);
      store_local(right, at, conjugated(x, 1));
      if (is_own && is_below) store_local(tile, column_j + at, x);
      barrier(CLK_LOCAL_MEM_FENCE);
      sum_chains(tile, right, chains, sums_made, j + 1 - chunk * CHUNK, m - chunk * CHUNK, item, CHUNK);
      barrier(CLK_LOCAL_MEM_FENCE);
      if (item < sums_made) {
        const int k = item * split + side;
        const uint keys = k == j ? (uint)max(key, size) << 16 | (uint)key : 0;
        show_element(slot + of_sums + round * all_sums + ((long)chunk * n + k) * WORDS, sum_of_chains(chains, item),
                     keys, tag);
        const int in_column = item * COLUMN_ELEMENTS + IN_COLUMN(j % CHUNK);
        if (chunk == j / CHUNK) show_element(slot + of_row + k * WORDS, load_local(tile, in_column), 0, tag);
      }
#if COUNTED
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      if (item == 0) arrive(arrivals);
      ++meetings;
      if (item % 32 == 0 && wait_for(arrivals, meetings * groups, ends, groups, p.looks)) is_lost = 1;
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#endif
      for (int i = CHUNK - 1 - item; round == 0 && i < added.count; i += CHUNK) {
        element of_row_j = zero_element();
        is_lost |= see_element(slot + of_row + column_of(added, i) * WORDS, &of_row_j, tag, by);
        store_local(row_d, i, of_row_j);
      }
      const chunk_sums by_chunks = {slot + of_sums + round * all_sums, tag, by, n, j, all_keys};
      is_lost |= add_chunks(by_chunks, m, added, SIDE(WIDTH), folded, sums, item, CHUNK);
      if (round == 0) {
        is_made = all_keys[1] != 0;
        scale = scale_of(all_keys[0]);
        if (is_made && scale != 1) rounds = 2;
      }
    }
  }

  barrier(CLK_LOCAL_MEM_FENCE);
#if IS_T_IN_TILE
  for (int i = item; makes_t && i < n * n; i += CHUNK) {
    const int r = i % n, c = i / n;
    const long to = p.t.offset + r * p.t.row_stride + c * p.t.column_stride;
    if (r <= c) store_element(t, to, load_local(tile, r + c * WIDTH));
  }
#endif
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
    if (is_row) store_element(a, home + (c * split + side) * p.a.column_stride, x);
  }
}
