// A matrix times a vector: sums over chunks of its rows, and these added up.
//
//   SHAPE         0 1 2 3 4   a general matrix, a lower or an upper triangle, the lower triangle of a symmetric or of a
//                             Hermitian matrix
//   IS_UNIT       0 1         whether a triangle has ones on the diagonal
//   IS_UNROLLED   0 1         see number/loops.cl
#include "blas/row_terms.cl"

#ifndef SHAPE
#define SHAPE 0
#endif
#if SHAPE != 0 && SHAPE != 1 && SHAPE != 2 && SHAPE != 3 && SHAPE != 4
#error "hilo: SHAPE is none of 0 1 2 3 4"
#endif
#ifndef IS_UNIT
#define IS_UNIT 0
#endif
#if IS_UNIT != 0 && IS_UNIT != 1
#error "hilo: IS_UNIT is none of 0 1"
#endif
#define DIRECT_ROWS 128

// y of a triangle is x: of the row of blocks that has terms of all chunks, work-groups keep x as it was before.
#define KEEPS_X (SHAPE == 1 || SHAPE == 2)
HILO_FN void bring_factor(__global const part_in_memory* x, __global part_in_memory* before, row_arguments p, long k,
                          int is_kept, __local part_in_memory* factors, int index) {
  const element factor = load_whole(x, p.x.offset + k * p.x.stride);
  put_in(factors, index, CHUNK_TERMS, factor);
  if (KEEPS_X && is_kept) store_whole(before, k, factor);
}

// Terms of row i.
HILO_FN long first_term(long i) { return SHAPE == 2 ? i : 0; }
HILO_FN long end_of_terms(row_arguments p, long i) { return SHAPE == 1 ? i + 1 : p.columns; }

// Entry (i, k) as it lies in memory, and what it is then.
HILO_FN element stored(__global const part_in_memory* a, row_arguments p, long i, long k) {
  const long row = SHAPE >= 3 ? max(i, k) : i, column = SHAPE >= 3 ? min(i, k) : k;
  return load_whole(a, p.a.offset + row * p.a.row_stride + column * p.a.column_stride);
}
HILO_FN element meant(element x, row_arguments p, long i, long k) {
  if (IS_UNIT && i == k) return one_element();
  x = conjugated(x, p.a.conjugate);
#if SHAPE == 4 && IS_COMPLEX
  if (k > i) x.p[1] = minus(x.p[1]);
  if (k == i) x.p[1] = part_of_word(0);
#endif
  return x;
}
HILO_FN element entry(__global const part_in_memory* a, row_arguments p, long i, long k) {
  return meant(stored(a, p, i, k), p, i, k);
}

// sums[chunk · rows + row], closed, of a matrix whose columns lie side by side: a work-item a row.
__kernel __attribute__((reqd_work_group_size(DIRECT_ROWS, 1, 1))) void sum_rows(__global const part_in_memory* a,
                                                                                __global const part_in_memory* x,
                                                                                __global part_in_memory* sums,
                                                                                __global part_in_memory* before,
                                                                                row_arguments p) {
  __local part_in_memory factors[64];
  const uint row_blocks = (uint)((p.rows + DIRECT_ROWS - 1) / DIRECT_ROWS);
  const int item = (int)get_local_id(0);
  const long chunk = (uint)get_group_id(0) / row_blocks, k0 = chunk * CHUNK_TERMS;
  const uint row_block = (uint)get_group_id(0) % row_blocks;
  const long i = (long)row_block * DIRECT_ROWS + item;
  if (item < CHUNK_TERMS && k0 + item < p.columns) {
    bring_factor(x, before, p, k0 + item, row_block == (SHAPE == 1 ? row_blocks - 1 : 0), factors, item);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i >= p.rows) return;
  const int begin = (int)max(first_term(i) - k0, 0L), end = (int)min(end_of_terms(p, i) - k0, (long)CHUNK_TERMS);
  if (begin >= end) return;
  element sum = zero_element();
  for (int k = begin; k < end; k += BATCH) {
    element batch[BATCH];
    FOR(b, BATCH) batch[b] = stored(a, p, i, k0 + min(k + b, end - 1));
    const int has_all = k + BATCH <= end;
    FOR(b, BATCH) {
      if (has_all || k + b < end) {
        sum = with_term(sum, meant(batch[b], p, i, k0 + k + b), take_from(factors, k + b, CHUNK_TERMS));
      }
    }
  }
  store_whole(sums, chunk * p.rows + i, closed_element(sum));
}

// The work-item's share of a tile, whose first row is i0 and first column k0.
HILO_FN void load_share(__global const part_in_memory* a, row_arguments p, long i0, long k0, int by_rows, int item,
                        element* mine) {
  FOR(u, TILE_COLUMNS) {
    const long i = min(i0 + TILE_ROW(item, u, by_rows), p.rows - 1);
    mine[u] = stored(a, p, i, clamp(k0 + TILE_COLUMN(item, u, by_rows), first_term(i), end_of_terms(p, i) - 1));
  }
}
HILO_FN void put_share(__local part_in_memory* tile, row_arguments p, long i0, long k0, int by_rows, int item,
                       const element* mine) {
  FOR(u, TILE_COLUMNS) {
    const int r = TILE_ROW(item, u, by_rows), c = TILE_COLUMN(item, u, by_rows);
    put_in(tile, r * TILE_PITCH + c, TILE_ELEMENTS, meant(mine[u], p, i0 + r, k0 + c));
  }
}

// The same of any matrix, by way of tiles.
__kernel __attribute__((reqd_work_group_size(TILE_ROWS, 1, 1))) void sum_rows_of_tiles(__global const part_in_memory* a,
                                                                                       __global const part_in_memory* x,
                                                                                       __global part_in_memory* sums,
                                                                                       __global part_in_memory* before,
                                                                                       row_arguments p) {
  __local part_in_memory factors[64];
  __local part_in_memory tiles[2][TILE_ELEMENTS * PARTS];  // by turns, so that one barrier a tile is enough
  const uint row_blocks = (uint)((p.rows + TILE_ROWS - 1) / TILE_ROWS);
  const int item = (int)get_local_id(0);
  const uint chunks = (uint)((p.columns + CHUNK_TERMS - 1) / CHUNK_TERMS), group = (uint)get_group_id(0);
  // Groups that run at the same time have lines that lie near each other.
  const int has_columns = p.a.row_stride == 1;
  const long k0 = (long)(has_columns ? group / row_blocks : group % chunks) * CHUNK_TERMS, chunk = k0 / CHUNK_TERMS;
  const uint row_block = has_columns ? group % row_blocks : group / chunks;
  const long i0 = (long)row_block * TILE_ROWS, i = i0 + item;
  const int is_mirrored = SHAPE >= 3 && k0 > i0;
  const int by_rows = has_columns != is_mirrored;
  // None of those of a triangle may have a term in this chunk.
  const long last = min(i0 + TILE_ROWS, p.rows) - 1;
  const int is_empty = first_term(i0) >= k0 + CHUNK_TERMS || end_of_terms(p, last) <= k0;
  const int width = is_empty ? 0 : (int)min(p.columns - k0, (long)CHUNK_TERMS);
  if (item < width) {
    bring_factor(x, before, p, k0 + item, row_block == (SHAPE == 1 ? row_blocks - 1 : 0), factors, item);
  }
  const int begin = (int)max(first_term(i) - k0, 0L), end = (int)min(end_of_terms(p, i) - k0, (long)width);
  element sum = zero_element(), mine[TILE_COLUMNS];
  if (width > 0) load_share(a, p, i0, k0, by_rows, item, mine);
  for (int k = 0; k < width; k += TILE_COLUMNS) {
    __local part_in_memory* const tile = tiles[k / TILE_COLUMNS & 1];
    put_share(tile, p, i0, k0 + k, by_rows, item, mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (k + TILE_COLUMNS < width) load_share(a, p, i0, k0 + k + TILE_COLUMNS, by_rows, item, mine);
    if (begin <= k && k + TILE_COLUMNS <= end) {
      FOR(u, TILE_COLUMNS) {
        sum = with_term(sum, take_from(tile, item * TILE_PITCH + u, TILE_ELEMENTS),
                        take_from(factors, k + u, CHUNK_TERMS));
      }
    } else {
      for (int c = max(begin, k); c < min(end, k + TILE_COLUMNS); ++c) {
        sum = with_term(sum, take_from(tile, item * TILE_PITCH + c - k, TILE_ELEMENTS),
                        take_from(factors, c, CHUNK_TERMS));
      }
    }
  }
  if (i < p.rows && begin < end) store_whole(sums, chunk * p.rows + i, closed_element(sum));
}

// y = alpha · (sums of chunks) + beta · y.
__kernel void finish_rows(__global const part_in_memory* a, __global const part_in_memory* x,
                          __global const part_in_memory* sums, __global part_in_memory* y, scalar alpha, scalar beta,
                          row_arguments p) {
  const long i = (long)get_global_id(0);
  if (i >= p.rows) return;
  const long first = first_term(i), end = end_of_terms(p, i);
  const long last_chunk = (end + CHUNK_TERMS - 1) / CHUNK_TERMS;
  element total = zero_element();
  // Those that come next are on their way.
  element batch[BATCH], next[BATCH];
  const long c0 = first / CHUNK_TERMS;
  FOR(b, BATCH) if (c0 + b < last_chunk) batch[b] = load_whole(sums, (c0 + b) * p.rows + i);
  for (long c = c0; c < last_chunk; c += BATCH) {
    FOR(b, BATCH) if (c + BATCH + b < last_chunk) next[b] = load_whole(sums, (c + BATCH + b) * p.rows + i);
    FOR(b, BATCH) if (c + b < last_chunk) total = add_chunk(total, batch[b]);
    FOR(b, BATCH) batch[b] = next[b];
  }
  if (!is_finite_element(total)) {
    element plain = zero_element();
    for (long k = first; k < end; ++k) {
      plain = with_leading_words(plain, entry(a, p, i, k), load_whole(x, p.x.offset + k * p.x.stride));
    }
    total = replaced(total, plain);
  }
  if (p.scales) total = multiply_elements(element_of(alpha), total);
  const long at = p.y.offset + i * p.y.stride;
  if (p.reads_y) {
    const element before = load_whole(y, at);
    total = add_elements(total, p.scales_y ? multiply_elements(element_of(beta), before) : before);
  }
  store_whole(y, at, total);
}
