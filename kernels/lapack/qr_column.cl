// A panel of QR, m × n, two launches a column: sum_column makes sums over chunks of rows, end_column the reflector of
// them, and brings the columns after it up to date. Sums are those of CHAIN rows each, from the panel's first on, by
// steps from 0 on; FOLD neighbours are added so, FOLD of these sums again, and all of those. So the bits do not depend
// on ROWS, TILE or the number of groups.
//
//   ROWS    rows of a work-group of end_column, a power of two
//   WIDTH   columns of a panel, at most
//   TILE    columns of a work-group of sum_column
//
// `work` holds elements: row j as column j's sums found it, then the sums of chunk c with column k at c · n + k. `keys`:
// that of what is below each column's diagonal, all 0 before.
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

// The power of two that column j is multiplied by, whose diagonal has alpha.
HILO_FN key_word scale_of_column(__global const int* keys, int j, element alpha) {
  return scale_of(max(keys[j], size_key(alpha.p[0])));
}

// Ends column j − 1, j = p.column: its reflector, v, and the columns after it. Every group finds the reflector for
// itself; the last, which has no rows, makes T's column.
__kernel __attribute__((reqd_work_group_size(ROWS, 1, 1))) void end_column(__global part_in_memory* a,
                                                                           __global part_in_memory* t,
                                                                           __global part_in_memory* tau,
                                                                           __global part_in_memory* work,
                                                                           __global int* keys, qr_arguments p) {
  __local part_in_memory sums[(WIDTH + 1) * PARTS], folded[SIDE(WIDTH) * (WIDTH + 1) * PARTS];
  __local int key;
  const int item = (int)get_local_id(0), group = (int)get_group_id(0), row = group * ROWS + item;
  const int n = p.columns, j = (int)p.column, d = j - 1, makes_t = group == p.groups - 1;
  const int is_row = !makes_t && row < p.rows;
  const long column_stride = p.a.column_stride, home = p.a.offset + row * p.a.row_stride;
  const int is_made = d >= 0 && keys[d] != 0, is_changed = is_made && is_row && row >= d;
  const key_word scale = is_made ? scale_of_column(keys, d, load_element(work, d)) : 1;
  const columns_to_add added = {d, makes_t ? 0 : j, 1, makes_t ? j : 1 + n - j};
  if (item == 0) key = 0;
  add_chunks(work + n * PARTS, n, is_made ? p.rows : 0, added, SIDE(WIDTH), folded, sums, item, ROWS);
  const made_reflector made = make_reflector(work, scale, is_made, added, makes_t, sums, item, ROWS);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (makes_t && d >= 0) {
    add_to_triangle(t, p.t, d, made.h.tau, sums + PARTS, is_made, item, ROWS);
    if (item == 0) store_element(tau, p.first + d, made.h.tau);
  }
  if (is_changed) {
    const long at = home + d * column_stride;
    const element v =
        row > d ? quotient(scaled_element(load_element(a, at), scale), made.by) : element_of(part_of_word(1));
    store_element(a, at, row > d ? v : element_of(scaled_part(made.h.beta, 1 / scale)));
    for (int k = j; k < n; k += AHEAD) {
      element x[AHEAD];
      FOR_AHEAD x[b] = load_element(a, home + min(k + b, n - 1) * column_stride);
      FOR_AHEAD {
        const element y = load_local(sums, min(k + b, n - 1) - d);
        x[b] = closed_element(with_product(x[b], v, y));
      }
      FOR_AHEAD {
        if (k + b < n) store_element(a, home + (k + b) * column_stride, x[b]);
      }
    }
  }
  if (is_row && j < n) {
    const int mine = key_below(load_element(a, home + j * column_stride), row, j);
    if (mine > 0) atomic_max(&key, mine);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0 && key > 0) atomic_max(keys + j, key);
}

// Of column j = p.column and a chunk of rows below j, in which x is the column times its scale: Σ conj(x) · column k
// for TILE columns k, of which that of k = j is x too.
__kernel __attribute__((reqd_work_group_size(CHUNK, 1, 1))) void sum_column(__global const part_in_memory* a,
                                                                            __global part_in_memory* work,
                                                                            __global const int* keys, qr_arguments p) {
  __local part_in_memory left[TILE * COLUMN_ELEMENTS * PARTS], right[COLUMN_ELEMENTS * PARTS];
  __local part_in_memory chains[TILE * (FOLD + 1) * PARTS];
  const int item = (int)get_local_id(0), n = p.columns, j = (int)p.column, at = IN_COLUMN(item);
  const int chunk = (int)get_group_id(0), first = (int)get_group_id(1) * TILE, columns = min(TILE, n - first);
  const int row = chunk * CHUNK + item, is_row = row > j && row < p.rows;
  const long row_stride = p.a.row_stride, column_stride = p.a.column_stride, home = p.a.offset + row * row_stride;
  const long row_j = p.a.offset + j * row_stride;
  const key_word scale = scale_of_column(keys, j, load_element(a, row_j + j * column_stride));
  const element x = is_row ? scaled_element(load_element(a, home + j * column_stride), scale) : zero_element();
  store_local(right, at, conjugated(x, 1));
  for (int k = 0; k < columns; ++k) {
    const int column = first + k;
    const element y = column == j ? x : is_row ? load_element(a, home + column * column_stride) : zero_element();
    store_local(left, k * COLUMN_ELEMENTS + at, y);
  }
  // For those who end the column: what one of them changes meanwhile.
  if (chunk == 0 && item < columns) {
    store_element(work, first + item, load_element(a, row_j + (first + item) * column_stride));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  sum_chains(left, right, chains, columns, j + 1 - chunk * CHUNK, p.rows - chunk * CHUNK, item, CHUNK);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < columns) {
    store_element(work, n + (long)chunk * n + first + item, sum_of_chains(chains, item));
  }
}
