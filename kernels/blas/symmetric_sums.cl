// Sums over chunks of rows of a symmetric or Hermitian matrix, of which the lower triangle is read, once. A work-group
// takes a tile of CHUNK_TERMS rows and as many columns into local memory. Half of its work-items sum rows of the tile, the
// others its columns, which are a chunk of the rows above.
//
//   IS_HERMITIAN   0 1
//   LOADS          8 16 32   entries that a work-item has on their way at a time
#include "blas/row_terms.cl"

#ifndef IS_HERMITIAN
#define IS_HERMITIAN 0
#endif
#if IS_HERMITIAN != 0 && IS_HERMITIAN != 1
#error "hilo: IS_HERMITIAN is none of 0 1"
#endif
#ifndef LOADS
#define LOADS 16
#endif
#if LOADS != 8 && LOADS != 16 && LOADS != 32
#error "hilo: LOADS is none of 8 16 32"
#endif
#define SIDE CHUNK_TERMS
#define SHARE (SIDE / 2)  // lines of a tile that a work-item loads
#define AT_ONCE (LOADS < SHARE ? LOADS : SHARE)
#define PITCH (SIDE + 1)
#define SQUARE (SIDE * PITCH)

HILO_FN element mirrored(element x) {
#if IS_HERMITIAN && IS_COMPLEX
  x.p[1] = minus(x.p[1]);
#endif
  return x;
}

// sums[chunk · rows + row], closed. Rows of tiles b and blocks − 1 − b have blocks + 1 tiles together.
__kernel __attribute__((reqd_work_group_size(2 * SIDE, 1, 1))) void sum_symmetric_tile(
    __global const part_in_memory* a, __global const part_in_memory* x, __global part_in_memory* sums,
    row_arguments p) {
  __local part_in_memory tile[SQUARE * PARTS];
  __local part_in_memory factors[2][SIDE * PARTS];  // of rows and of columns
  const uint blocks = (uint)((p.rows + SIDE - 1) / SIDE), pair = (uint)get_group_id(0) / (blocks + 1),
             number = (uint)get_group_id(0) % (blocks + 1);
  const int is_upper = number >= blocks - pair;
  const int by_rows = p.a.row_stride == 1;
  // Groups that run at the same time have lines that lie near each other: along rows, or by the other diagonal's mirror
  // image along columns.
  const long along = is_upper ? pair : blocks - 1 - pair, across = is_upper ? number - (blocks - pair) : number;
  const long block_row = by_rows ? blocks - 1 - across : along, block_column = by_rows ? blocks - 1 - along : across;
  // The row in the middle is its own pair.
  const int is_there = !(is_upper && 2 * pair + 1 == blocks), is_diagonal = block_row == block_column;
  const long i0 = block_row * SIDE, k0 = block_column * SIDE;
  const int item = (int)get_local_id(0), place = item % SIDE, sums_columns = item / SIDE;
  const int height = is_there ? (int)min(p.rows - i0, (long)SIDE) : 0, width = is_diagonal ? height : is_there * SIDE;

  const long first = sums_columns ? i0 : k0;
  if (place < (sums_columns ? height : width)) {
    put_in(factors[sums_columns], place, SIDE, load_whole(x, p.x.offset + (first + place) * p.x.stride));
  }
  for (int line = sums_columns; line < SIDE * is_there; line += 2 * AT_ONCE) {
    element batch[AT_ONCE];
    FOR(b, AT_ONCE) {
      const int r = by_rows ? place : line + 2 * b, c = by_rows ? line + 2 * b : place;
      const long i = min(i0 + r, p.rows - 1);
      batch[b] = load_whole(a, p.a.offset + i * p.a.row_stride + min(k0 + c, i) * p.a.column_stride);
    }
    FOR(b, AT_ONCE) {
      const int r = by_rows ? place : line + 2 * b, c = by_rows ? line + 2 * b : place;
      if (!is_diagonal || r >= c) {
        element x = conjugated(batch[b], p.a.conjugate);
#if IS_HERMITIAN && IS_COMPLEX
        if (is_diagonal && r == c) x.p[1] = part_of_word(0);
#endif
        put_in(tile, r * PITCH + c, SQUARE, x);
        if (is_diagonal && r > c) put_in(tile, c * PITCH + r, SQUARE, mirrored(x));
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  element sum = zero_element();
  if (!sums_columns) {
    _Pragma("unroll 8") for (int k = 0; k < width; ++k) {
      sum = with_term(sum, take_from(tile, place * PITCH + k, SQUARE), take_from(factors[0], k, SIDE));
    }
    if (place < height) store_whole(sums, block_column * p.rows + i0 + place, closed_element(sum));
  } else if (!is_diagonal) {
    _Pragma("unroll 8") for (int k = 0; k < height; ++k) {
      sum = with_term(sum, mirrored(take_from(tile, k * PITCH + place, SQUARE)), take_from(factors[1], k, SIDE));
    }
    if (place < width) store_whole(sums, block_row * p.rows + k0 + place, closed_element(sum));
  }
}
