// A panel of QR, m × n, in one launch: where qr_column.cl ends a launch, work-groups meet. The bits are the same.
//
//   COLUMNS   columns of a work-group, at most
//   WIDTH     columns of a panel, at most
//
// A chunk of CHUNK rows has p.split work-groups, a power of two, each of which keeps every p.split-th column of it in
// local memory, from beginning to end; one more, which has no rows, makes T. Work-groups meet twice a column: when the
// column has been shown with its largest part, and when they have summed. Each finds the reflector by itself, brings
// the next column up to date, if it is its own, shows it, and the others of its columns while it waits.
//
// What is shown are words with tags, by the number of the column, which others look at until they are there: that takes
// less time than to count arrivals. It is shown in one of several slots, by turns. A group that shows something of
// column i has seen something of column i − p.split from all others with rows, and waits for the one that makes T, so
// that nobody needs what it writes over.
//
// Where work-groups do not run side by side the launch is given up: the panel is as it was, T and tau are not, and
// qr_panel_alone.cl takes it. Launches after that are over at once.
#define SHOWN 1
#include "lapack/tagged.cl"
#include "lapack/warp.cl"
#include "lapack/qr_sums.cl"

#ifndef COLUMNS
#define COLUMNS 8
#endif
#if COLUMNS < 1 || COLUMNS > 32
#error "hilo: COLUMNS is not between 1 and 32"
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

// A word, an element, or both, where they are not 0.
HILO_FN int see_both(volatile __global ulong2* of_word, ulong* word, volatile __global ulong2* of_element, element* x,
                     uint tag, launch by) {
  volatile __global ulong2* const from = of_word ? of_word : of_element;
  volatile __global ulong2* const next = of_element ? of_element : of_word;
  const int step = of_element ? 1 : 0;
  ulong2 pair, pairs[WORDS];
  for (int i = 0; from; ++i) {
    pair = look_at_tagged(from);
    for (int w = 0; w < WORDS; ++w) pairs[w] = look_at_tagged(next + w * step);
    int are_there = (uint)pair.y == tag;
    for (int w = 0; w < WORDS; ++w) are_there &= (uint)pairs[w].y == tag;
    if (are_there) break;
    if (is_over(i, by)) return 1;
  }
  if (of_word) *word = pair.x;
  for (int w = 0; of_element && w < WORDS; ++w) set_word(x, w, pairs[w].x);
  return 0;
}

// Lines of memory that all work-groups look at are not to be the same.
#define KEY_STRIDE 8

// shown: p.slots slots, each of which has one word of KEY_STRIDE for every chunk, the key of what its column has below
// the diagonal, and above it that of all its parts; the column; row j of all columns; the sums of chunk c with column k
// at c · n + k.
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
  __local int is_given_up, key, size, all_sizes, is_any;
  const int item = (int)get_local_id(0), group = (int)get_group_id(0), groups = p.groups, n = p.columns, m = p.rows;
  const int split = p.split, shift = 31 - (int)clz(split), chunk = group >> shift, side = group & (split - 1);
  const int makes_t = group == groups - 1, own = makes_t ? 0 : (n - side + split - 1) >> shift, at = IN_COLUMN(item);
  const int chunks = CHUNKS(m);
  const int row = chunk * CHUNK + item, is_row = !makes_t && row < m;
  const long home = p.a.offset + row * p.a.row_stride;
  const long of_column = (long)chunks * KEY_STRIDE, of_row = of_column + (long)m * WORDS, of_sums = of_row + n * WORDS;
  const long of_slot = of_sums + (long)chunks * n * WORDS;
  volatile __global int *const seen_for_t = state + 1, *const arrivals = state + 2 + 2 * p.first;
  volatile __global int* const ends = arrivals + 1;
  const launch by = {ends, groups, p.looks};

  for (int c = 0; c < own; ++c) {
    const element x = is_row ? load_element(a, home + (c * split + side) * p.a.column_stride) : zero_element();
    store_local(tile, c * COLUMN_ELEMENTS + at, x);
  }
  if (item == 0) is_given_up = state[0] != 0;
  volatile __global ulong2 *slot = shown, *slot_d = shown;
  key_word scale = 1;
  int is_made = 0, turn = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_given_up) return;

  for (int j = 0; j <= n; ++j) {
    const int d = j - 1, is_column = j < n, is_own = is_column && !makes_t && (j & (split - 1)) == side;
    const int column_j = (j >> shift) * COLUMN_ELEMENTS;
    const uint tag = (uint)p.first + j + 1, tag_d = tag - 1;
    if (item == 0) key = size = all_sizes = is_any = 0;
#if !COUNTED
    // What it has seen is seldom too little.
    const int needed_by_t = item == CHUNK - 1 && is_column && j + 2 > p.slots ? (int)p.first + j + 2 - p.slots : 0;
    int seen_by_t = needed_by_t > 0 ? *seen_for_t : 0;
#endif
    // Column d ends: its reflector, and what that does to those of the group after it, or to T.
    const int after = d < side ? 0 : ((d - side) >> shift) + 1;
    const columns_to_add added = {max(d, 0), makes_t ? 0 : side + after * split, makes_t ? 1 : split,
                                  makes_t ? j : 1 + own - after};
    const chunk_sums sums_d = {slot_d + of_sums, tag_d, by, n};
    int is_lost = 0;
    for (int i = CHUNK - 1 - item; is_made && i < added.count; i += CHUNK) {
      element x = zero_element();
      is_lost |= see_element(slot_d + of_row + column_of(added, i) * WORDS, &x, tag_d, by);
      store_local(row_d, i, x);
    }
    is_lost |= add_chunks(sums_d, is_made ? m : 0, added, SIDE(WIDTH), folded, sums, item, CHUNK);
    const made_reflector made = make_reflector(row_d, scale, is_made, added.count, makes_t, sums, item, CHUNK);
    const int is_changed = is_made && is_row && row >= d;
    element v = element_of(part_of_word(1));
    if (is_changed && row > d) v = quotient(conjugated(load_local(right, at), 1), made.by);
    if (is_lost) is_given_up = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_given_up) return;
    // Column j is up to date, and shown.
    if (is_own) {
      int mine = 0;
      if (is_row) {
        element x = load_local(tile, column_j + at);
        if (is_changed) x = closed_element(with_product(x, v, load_local(sums, 1)));
        store_local(tile, column_j + at, x);
        if (row > j && split > 1) show_element(slot + of_column + (long)row * WORDS, x, 0, tag);
        mine = key_below(x, row, j);
        if (row == j) size = size_key(x.p[0]);
      }
      mine = largest_of_warp(mine);
      if (mine > 0 && speaks_for_warp(item)) atomic_max(&key, mine);
    }
#if COUNTED
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#else
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (item == 0 && is_column) {
      if (is_own) show_tagged(slot + chunk * KEY_STRIDE, (ulong)max(key, size) << 32 | (uint)key, tag);
#if COUNTED
      arrive(arrivals);
#else
      if (makes_t) *seen_for_t = (int)p.first + j;
#endif
    }
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

    // The largest part of column j, and the group's rows of it.
#if COUNTED
    if (is_column && item % 32 == 0 && wait_for(arrivals, (2 * j + 1) * groups, ends, groups, p.looks)) is_given_up = 1;
    AFTER_FIRST_LANE;
#else
    for (int i = 0; seen_by_t < needed_by_t && !is_given_up; ++i) {
      seen_by_t = *seen_for_t;
      if (is_over(i, by)) is_given_up = 1;
    }
#endif
    const int is_below = is_column && is_row && row > j, is_shown = is_below && !is_own;
    element x = zero_element();
    ulong word = 0;
    if (is_column && !is_given_up) {
      if (see_both(item < chunks ? slot + item * KEY_STRIDE : 0, &word,
                   is_shown ? slot + of_column + (long)row * WORDS : 0, &x, tag, by)) {
        is_given_up = 1;
      }
      if ((uint)word != 0) is_any = 1;
    }
    const int largest = largest_of_warp((int)(word >> 32));
    if (largest > 0 && speaks_for_warp(item)) atomic_max(&all_sizes, largest);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_given_up) return;

    // The sums with column j.
    if (is_column) {
      is_made = is_any;
      scale = scale_of(all_sizes);
    }
    if (is_own && is_below) x = load_local(tile, column_j + at);
    x = is_below ? scaled_element(x, scale) : zero_element();
    store_local(right, at, conjugated(x, 1));
    if (is_own && is_below) store_local(tile, column_j + at, x);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int sums_made = is_column ? own : 0;
    sum_chains(tile, right, chains, sums_made, j + 1 - chunk * CHUNK, m - chunk * CHUNK, item, CHUNK);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < sums_made) {
      const int k = item * split + side;
      show_element(slot + of_sums + ((long)chunk * n + k) * WORDS, sum_of_chains(chains, item), 0, tag);
      const int in_column = item * COLUMN_ELEMENTS + IN_COLUMN(j % CHUNK);
      if (chunk == j / CHUNK) show_element(slot + of_row + k * WORDS, load_local(tile, in_column), 0, tag);
    }
#if COUNTED
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (item == 0 && is_column) arrive(arrivals);
    if (is_column && item % 32 == 0 && wait_for(arrivals, (2 * j + 2) * groups, ends, groups, p.looks)) is_given_up = 1;
#endif
    slot_d = slot;
    turn = turn + 1 < p.slots ? turn + 1 : 0;
    slot = shown + turn * of_slot;
#if COUNTED
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_given_up) return;
#endif
  }

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
