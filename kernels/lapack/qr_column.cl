// A panel of QR, m × n, two launches a column: sum_column makes sums over chunks of rows, end_column the reflector of
// them, and brings the columns after it up to date. Sums are those of CHAIN rows each, from the panel's first on, by
// steps from 0 on; FOLD neighbours are added so, FOLD of these sums again, and all of those. So the bits do not depend
// on ROWS, TILE or the number of groups.
//
//   ROWS    rows of a work-group of end_column, a power of two
//   WIDTH   columns of a panel, at most
//   TILE    columns of a work-group of sum_column (qr_steps.cl)
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
#include "lapack/qr_steps.cl"

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
  __local part_in_memory sums[(WIDTH + 1) * PARTS], row_d[(WIDTH + 1) * PARTS];
  __local part_in_memory folded[SIDE(WIDTH) * (WIDTH + 1) * PARTS];
  __local int key;
  const int item = (int)get_local_id(0), group = (int)get_group_id(0), row = group * ROWS + item;
  const int n = p.columns, j = (int)p.column, d = j - 1, makes_t = group == p.groups - 1;
  const int is_row = !makes_t && row < p.rows;
  const long home = p.a.offset + row * p.a.row_stride;
  const int is_made = d >= 0 && keys[d] != 0;
  const key_word scale = is_made ? scale_of_column(keys, d, load_element(work, d)) : 1;
  const columns_to_add added = {d, makes_t ? 0 : j, 1, makes_t ? j : 1 + n - j};
  const chunk_sums chunks = {work + n * PARTS, n};
  if (item == 0) key = 0;
  for (int i = item; is_made && i < added.count; i += ROWS) {
    store_local(row_d, i, load_element(work, column_of(added, i)));
  }
  add_chunks(chunks, is_made ? p.rows : 0, added, SIDE(WIDTH), folded, sums, item, ROWS);
  const made_reflector made = make_reflector(row_d, scale, is_made, added.count, makes_t, sums, item, ROWS);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (makes_t && d >= 0) {
    add_to_triangle(t, p.t, d, made.h.tau, sums + PARTS, is_made, item, ROWS);
    if (item == 0) store_element(tau, p.first + d, made.h.tau);
  }
  if (is_made && is_row && row >= d) change_row(a, p, row, d, scale, made, sums);
  if (is_row && j < n) {
    const int mine = key_below(load_element(a, home + j * p.a.column_stride), row, j);
    if (mine > 0) atomic_max(&key, mine);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0 && key > 0) atomic_max(keys + j, key);
}

// Of column j = p.column, a chunk of rows and TILE columns.
__kernel __attribute__((reqd_work_group_size(CHUNK, 1, 1))) void sum_column(__global const part_in_memory* a,
                                                                            __global part_in_memory* work,
                                                                            __global const int* keys, qr_arguments p) {
  __local part_in_memory left[TILE * COLUMN_ELEMENTS * PARTS], right[COLUMN_ELEMENTS * PARTS];
  __local part_in_memory chains[TILE * (FOLD + 1) * PARTS];
  const int j = (int)p.column;
  const long diagonal = p.a.offset + j * (p.a.row_stride + p.a.column_stride);
  sum_chunk(a, work, p, j, scale_of_column(keys, j, load_element(a, diagonal)), (int)get_group_id(0),
            (int)get_group_id(1) * TILE, left, right, chains, (int)get_local_id(0));
}
