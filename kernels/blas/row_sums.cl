// A matrix times a vector: sums over chunks of its rows, and these added up.
//
//   SHAPE     0 1 2 3 4   a general matrix, a lower or an upper triangle, the lower triangle of a symmetric or of a
//                         Hermitian matrix
//   IS_UNIT   0 1         whether a triangle has ones on the diagonal
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

// Terms of row i.
HILO_FN long first_term(long i) { return SHAPE == 2 ? i : 0; }
HILO_FN long end_of_terms(row_arguments p, long i) { return SHAPE == 1 ? i + 1 : p.columns; }

HILO_FN element entry(__global const part_in_memory* a, row_arguments p, long i, long k) {
#if SHAPE >= 3
  element r = k > i ? load_entry(a, p.a, k, i) : load_entry(a, p.a, i, k);
#if SHAPE == 4 && IS_COMPLEX
  if (k > i) r.p[1] = minus(r.p[1]);
  if (k == i) r.p[1] = part_of_word(0);
#endif
  return r;
#else
  if (IS_UNIT && i == k) return one_element();
  return load_entry(a, p.a, i, k);
#endif
}

// sums[chunk · rows + row], closed, of a matrix whose columns lie side by side: a work-item a row.
__kernel __attribute__((reqd_work_group_size(DIRECT_ROWS, 1, 1))) void sum_rows(__global const part_in_memory* a,
                                                                                __global const part_in_memory* x,
                                                                                __global part_in_memory* sums,
                                                                                row_arguments p) {
  __local part_in_memory factors[64];
  const uint row_blocks = (uint)((p.rows + DIRECT_ROWS - 1) / DIRECT_ROWS);
  const int item = (int)get_local_id(0);
  const long chunk = (uint)get_group_id(0) / row_blocks, k0 = chunk * CHUNK_TERMS;
  const long i = (long)((uint)get_group_id(0) % row_blocks) * DIRECT_ROWS + item;
  if (item < CHUNK_TERMS && k0 + item < p.columns) {
    put_in(factors, item, CHUNK_TERMS, load_whole(x, p.x.offset + (k0 + item) * p.x.stride));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i >= p.rows) return;
  const int begin = (int)max(first_term(i) - k0, 0L), end = (int)min(end_of_terms(p, i) - k0, (long)CHUNK_TERMS);
  if (begin >= end) return;
  element sum = zero_element();
  int k = begin;
  for (; k + BATCH <= end; k += BATCH) {
    element batch[BATCH];
    FOR(b, BATCH) batch[b] = entry(a, p, i, k0 + k + b);
    FOR(b, BATCH) sum = with_term(sum, batch[b], take_from(factors, k + b, CHUNK_TERMS));
  }
  for (; k < end; ++k) sum = with_term(sum, entry(a, p, i, k0 + k), take_from(factors, k, CHUNK_TERMS));
  store_whole(sums, chunk * p.rows + i, closed_element(sum));
}

// The work-item's share of a tile, whose first row is i0 and first column k0 + k; 0 where there is no term.
HILO_FN void load_share(__global const part_in_memory* a, row_arguments p, long i0, long k0, int k, int width,
                        int by_rows, int item, element* mine) {
  FOR(u, TILE_COLUMNS) {
    const long i = i0 + TILE_ROW(item, u, by_rows);
    const int c = k + TILE_COLUMN(item, u, by_rows);
    const int is_term = i < p.rows && c < width && k0 + c >= first_term(i) && k0 + c < end_of_terms(p, i);
    mine[u] = is_term ? entry(a, p, i, k0 + c) : zero_element();
  }
}

// The same of any matrix, by way of tiles.
__kernel __attribute__((reqd_work_group_size(TILE_ROWS, 1, 1))) void sum_rows_of_tiles(__global const part_in_memory* a,
                                                                                       __global const part_in_memory* x,
                                                                                       __global part_in_memory* sums,
                                                                                       row_arguments p) {
  __local part_in_memory factors[64];
  __local part_in_memory tiles[2][TILE_ELEMENTS * PARTS];  // by turns, so that one barrier a tile is enough
  const uint row_blocks = (uint)((p.rows + TILE_ROWS - 1) / TILE_ROWS);
  const int item = (int)get_local_id(0);
  const long chunk = (uint)get_group_id(0) / row_blocks, k0 = chunk * CHUNK_TERMS;
  const long i0 = (long)((uint)get_group_id(0) % row_blocks) * TILE_ROWS, i = i0 + item;
  const int is_mirrored = SHAPE >= 3 && k0 > i0;
  const int by_rows = (p.a.row_stride == 1) != is_mirrored;
  // None of those of a triangle may have a term in this chunk.
  const long last = min(i0 + TILE_ROWS, p.rows) - 1;
  const int is_empty = first_term(i0) >= k0 + CHUNK_TERMS || end_of_terms(p, last) <= k0;
  const int width = is_empty ? 0 : (int)min(p.columns - k0, (long)CHUNK_TERMS);
  if (item < width) put_in(factors, item, CHUNK_TERMS, load_whole(x, p.x.offset + (k0 + item) * p.x.stride));
  const int begin = (int)max(first_term(i) - k0, 0L), end = (int)min(end_of_terms(p, i) - k0, (long)width);
  element sum = zero_element(), mine[TILE_COLUMNS];
  if (width > 0) load_share(a, p, i0, k0, 0, width, by_rows, item, mine);
  for (int k = 0; k < width; k += TILE_COLUMNS) {
    __local part_in_memory* const tile = tiles[k / TILE_COLUMNS & 1];
    FOR(u, TILE_COLUMNS) {
      put_in(tile, TILE_ROW(item, u, by_rows) * TILE_PITCH + TILE_COLUMN(item, u, by_rows), TILE_ELEMENTS, mine[u]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (k + TILE_COLUMNS < width) load_share(a, p, i0, k0, k + TILE_COLUMNS, width, by_rows, item, mine);
    FOR(u, TILE_COLUMNS) {
      if (k + u >= begin && k + u < end) {
        sum = with_term(sum, take_from(tile, item * TILE_PITCH + u, TILE_ELEMENTS),
                        take_from(factors, k + u, CHUNK_TERMS));
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
