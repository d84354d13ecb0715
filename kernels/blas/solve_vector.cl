// x = A⁻¹ · x, A a lower triangle: a launch a block of CHUNK_TERMS unknowns. Work-group g adds what the block of unknowns
// before `block` is of the rows of block + g to their totals; the first one then solves its block. So each row gets
// closed chunks in increasing order.
//
//   IS_UNIT   0 1   whether the triangle has ones on the diagonal
#include "blas/divisor.cl"
#include "blas/row_terms.cl"

#ifndef IS_UNIT
#define IS_UNIT 0
#endif
#if IS_UNIT != 0 && IS_UNIT != 1
#error "hilo: IS_UNIT is none of 0 1"
#endif

// The work-item's share of the tile of rows i0 … and columns k0 …, where the triangle has none the nearest entry.
HILO_FN void load_share(__global const part_in_memory* a, solve_arguments p, long i0, long k0, int item, element* mine) {
  const int by_rows = p.a.row_stride == 1 || p.a.row_stride == -1;
  FOR(u, TILE_COLUMNS) {
    const long i = min(i0 + min(TILE_ROW(item, u, by_rows), CHUNK_TERMS - 1), p.order - 1);
    const long k = min(k0 + TILE_COLUMN(item, u, by_rows), i);
    mine[u] = load_whole(a, p.a.offset + i * p.a.row_stride + k * p.a.column_stride);
  }
}
HILO_FN void put_share(__local part_in_memory* tile, solve_arguments p, int item, const element* mine) {
  const int by_rows = p.a.row_stride == 1 || p.a.row_stride == -1;
  FOR(u, TILE_COLUMNS) {
    put_in(tile, TILE_ROW(item, u, by_rows) * TILE_PITCH + TILE_COLUMN(item, u, by_rows), TILE_ELEMENTS,
           conjugated(mine[u], p.a.conjugate));
  }
}

__kernel __attribute__((reqd_work_group_size(TILE_ROWS, 1, 1))) void solve_vector(__global const part_in_memory* a,
                                                                                  __global part_in_memory* x,
                                                                                  __global part_in_memory* totals,
                                                                                  solve_arguments p) {
  __local part_in_memory tiles[2][TILE_ELEMENTS * PARTS];  // by turns, so that one barrier a tile is enough
  __local part_in_memory factors[2][64];                   // unknowns of the block before, and of this one
  const int item = (int)get_local_id(0);
  const long i0 = (p.block + (long)get_group_id(0)) * CHUNK_TERMS, i = i0 + item;
  const int is_there = item < CHUNK_TERMS && i < p.order;
  element mine[TILE_COLUMNS];

  const long before = (p.block - 1) * CHUNK_TERMS;
  const int known = p.block > 0 ? CHUNK_TERMS : 0;
  // What the unknowns of this block wait for is there before their turn.
  const int order = get_group_id(0) == 0 ? (int)min(p.order - i0, (long)CHUNK_TERMS) : 0;
  element total = zero_element(), sum = zero_element(), rest = zero_element();
  if (is_there) total = load_whole(totals, i);
  if (item < order) rest = load_whole(x, p.x.offset + i * p.x.stride);
  if (item < known) put_in(factors[0], item, CHUNK_TERMS, load_whole(x, p.x.offset + (before + item) * p.x.stride));
  load_share(a, p, i0, known ? before : i0, item, mine);
#if !IS_UNIT
  divisor by;
  if (item < order) by = divisor_of(load_entry(a, p.a, i, i));
#endif
  for (int k = 0; k < known; k += TILE_COLUMNS) {
    __local part_in_memory* const tile = tiles[k / TILE_COLUMNS & 1];
    put_share(tile, p, item, mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (k + TILE_COLUMNS < known) {
      load_share(a, p, i0, before + k + TILE_COLUMNS, item, mine);
    } else if (order > 0) {
      load_share(a, p, i0, i0, item, mine);
    }
    FOR(u, TILE_COLUMNS) {
      sum = with_term(sum, take_from(tile, item * TILE_PITCH + u, TILE_ELEMENTS),
                      take_from(factors[0], k + u, CHUNK_TERMS));
    }
  }
  if (known) total = add_chunk(total, closed_element(sum));
  if (is_there && order == 0) store_whole(totals, i, total);

  sum = zero_element();
  if (order > 0) put_share(tiles[0], p, item, mine);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int j = 0; j < order; ++j) {
    const int next = j / TILE_COLUMNS * TILE_COLUMNS + TILE_COLUMNS, turn = j / TILE_COLUMNS & 1;
    const element factor = take_from(tiles[turn], item * TILE_PITCH + j % TILE_COLUMNS, TILE_ELEMENTS);
    if (j % TILE_COLUMNS == 0 && next < order) load_share(a, p, i0, i0 + next, item, mine);
    if (item == j) {
      total = add_chunk(total, closed_element(sum));
      if (!is_finite_element(total)) {
        element plain = zero_element();
        for (long t = 0; t < i; ++t) {
          const element y = t < i0 ? load_whole(x, p.x.offset + t * p.x.stride)
                                   : take_from(factors[1], (int)(t - i0), CHUNK_TERMS);
          plain = with_leading_words(plain, load_entry(a, p.a, i, t), y);
        }
        total = replaced(total, plain);
      }
      rest = add_elements(rest, negated(total));
#if !IS_UNIT
      rest = quotient(rest, by);
#endif
      put_in(factors[1], j, CHUNK_TERMS, rest);
    }
    if (j % TILE_COLUMNS == TILE_COLUMNS - 1) put_share(tiles[1 - turn], p, item, mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item > j) sum = with_term(sum, factor, take_from(factors[1], j, CHUNK_TERMS));
  }
  if (item < order) store_whole(x, p.x.offset + i * p.x.stride, rest);
}
