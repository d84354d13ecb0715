// A panel of QR that qr_panel.cl gave up, where it lies, by one work-group: slow, with its bits.
//
//   WIDTH   columns of a panel, at most
#include "lapack/qr_steps.cl"

#ifndef WIDTH
#define WIDTH 64
#endif
#if WIDTH < 1 || WIDTH > 1024
#error "hilo: WIDTH is not between 1 and 1024"
#endif

// work: row j of column j's sums, then sums as qr_column.cl has them. state: the panels taken alone, and more
// (qr_panel.cl). Nothing to do where all groups wrote.
__kernel __attribute__((reqd_work_group_size(CHUNK, 1, 1))) void qr_panel_alone(
    __global part_in_memory* a, __global part_in_memory* t, __global part_in_memory* tau, __global part_in_memory* work,
    __global int* state, qr_arguments p) {
  __local part_in_memory left[TILE * COLUMN_ELEMENTS * PARTS], right[COLUMN_ELEMENTS * PARTS];
  __local part_in_memory chains[TILE * (FOLD + 1) * PARTS];
  __local part_in_memory sums[(WIDTH + 1) * PARTS], row_d[(WIDTH + 1) * PARTS];
  __local part_in_memory folded[SIDE(WIDTH) * (WIDTH + 1) * PARTS];
  __local int key;
  const int item = (int)get_local_id(0), n = p.columns, m = p.rows;
  const int is_given_up = state[3 + 2 * p.first] != p.groups, columns = is_given_up ? n : 0;
  const chunk_sums chunks = {work + n * PARTS, n};
  if (item == 0 && is_given_up) ++state[0];
  for (int j = 0; j < columns; ++j) {
    if (item == 0) key = 0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int row = j + item; row < m; row += CHUNK) {
      const long at = p.a.offset + row * p.a.row_stride + j * p.a.column_stride;
      const int mine = key_below(load_element(a, at), row, j);
      if (mine > 0) atomic_max(&key, mine);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int is_made = key != 0;
    const element alpha = load_element(a, p.a.offset + j * (p.a.row_stride + p.a.column_stride));
    const key_word scale = is_made ? scale_of(max(key, size_key(alpha.p[0]))) : 1;
    for (int chunk = 0; chunk < CHUNKS(m); ++chunk) {
      for (int first = 0; first < n; first += TILE) {
        sum_chunk(a, work, p, j, scale, chunk, first, left, right, chains, item);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      }
    }
    // For T first, then for the columns.
    for (int of_columns = 0; of_columns < 2; ++of_columns) {
      const columns_to_add added = {j, of_columns ? j + 1 : 0, 1, of_columns ? n - j : j + 1};
      for (int i = item; i < added.count; i += CHUNK) {
        store_local(row_d, i, load_element(work, column_of(added, i)));
      }
      add_chunks(chunks, is_made ? m : 0, added, SIDE(WIDTH), folded, sums, item, CHUNK);
      const made_reflector made = make_reflector(row_d, scale, is_made, added.count, !of_columns, sums, item, CHUNK);
      barrier(CLK_LOCAL_MEM_FENCE);
      if (!of_columns) {
        add_to_triangle(t, p.t, j, made.h.tau, sums + PARTS, is_made, item, CHUNK);
        if (item == 0) store_element(tau, p.first + j, made.h.tau);
      }
      for (int row = j + item; of_columns && is_made && row < m; row += CHUNK) {
        change_row(a, p, row, j, scale, made, sums);
      }
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
  }
}
