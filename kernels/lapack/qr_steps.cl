// The steps of a column of a panel of QR where the panel lies in memory: sums over a chunk of rows, and what its
// reflector does to a row.
//
//   TILE    columns with which a chunk is summed at a time
#pragma once

#include "lapack/qr_sums.cl"

#ifndef TILE
#define TILE 4
#endif
#if TILE < 1 || TILE > 32
#error "hilo: TILE is not between 1 and 32"
#endif

// Of column j and a chunk of rows below j, in which x is the column times its scale: Σ conj(x) · column k for up to
// TILE columns k from `first` on, of which that of k = j is x too; into `work`, which begins with row j of all columns.
// Has barriers.
__attribute__((always_inline)) HILO_FN void sum_chunk(__global const part_in_memory* a, __global part_in_memory* work,
                                                      qr_arguments p, int j, key_word scale, int chunk, int first,
                                                      __local part_in_memory* left, __local part_in_memory* right,
                                                      __local part_in_memory* chains, int item) {
  const int n = p.columns, columns = min(TILE, n - first), at = IN_COLUMN(item);
  const int row = chunk * CHUNK + item, is_row = row > j && row < p.rows;
  const long row_stride = p.a.row_stride, column_stride = p.a.column_stride, home = p.a.offset + row * row_stride;
  const element x = is_row ? scaled_element(load_element(a, home + j * column_stride), scale) : zero_element();
  store_local(right, at, conjugated(x, 1));
  for (int k = 0; k < columns; ++k) {
    const int column = first + k;
    const element y = column == j ? x : is_row ? load_element(a, home + column * column_stride) : zero_element();
    store_local(left, k * COLUMN_ELEMENTS + at, y);
  }
  // For those who end the column: what one of them changes meanwhile.
  if (chunk == 0 && item < columns) {
    store_element(work, first + item, load_element(a, p.a.offset + j * row_stride + (first + item) * column_stride));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  sum_chains(left, right, chains, columns, j + 1 - chunk * CHUNK, p.rows - chunk * CHUNK, item, CHUNK);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < columns) {
    store_element(work, n + (long)chunk * n + first + item, sum_of_chains(chains, item));
  }
}

// Row `row`, not above row d, of column d, which ends, and of those after it, by `sums` of column d on.
HILO_FN void change_row(__global part_in_memory* a, qr_arguments p, int row, int d, key_word scale, made_reflector made,
                        __local const part_in_memory* sums) {
  const int n = p.columns;
  const long column_stride = p.a.column_stride, home = p.a.offset + row * p.a.row_stride, at = home + d * column_stride;
  const element v =
      row > d ? quotient(scaled_element(load_element(a, at), scale), made.by) : element_of(part_of_word(1));
  store_element(a, at, row > d ? v : element_of(scaled_part(made.h.beta, 1 / scale)));
  for (int k = d + 1; k < n; k += AHEAD) {
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
