// Sums over chunks of rows of a symmetric or Hermitian matrix, of which the lower triangle is read, once. A work-group
// takes a tile of CHUNK_TERMS rows and as many columns into local memory. Half of its work-items sum rows of the tile, the
// others its columns, which are a chunk of the rows above. A work-group takes a tile after the other, and has the
// next one's entries on their way while it sums.
//
//   IS_HERMITIAN   0 1
//   IS_UNROLLED    0 1   see number/loops.cl
#include "blas/row_terms.cl"

#ifndef IS_HERMITIAN
#define IS_HERMITIAN 0
#endif
#if IS_HERMITIAN != 0 && IS_HERMITIAN != 1
#error "hilo: IS_HERMITIAN is none of 0 1"
#endif
#if !IS_UNROLLED
#define UNROLLED
#elif IS_COMPLEX
#define UNROLLED _Pragma("unroll 4")
#else
#define UNROLLED _Pragma("unroll 8")
#endif
#define SIDE CHUNK_TERMS
#define SHARE (SIDE / 2)  // lines of a tile that a work-item loads
#define PITCH (SIDE + 1)
#define SQUARE (SIDE * PITCH)

HILO_FN element mirrored(element x) {
#if IS_HERMITIAN && IS_COMPLEX
  x.p[1] = minus(x.p[1]);
#endif
  return x;
}

// A tile: its first row and column, and how many it has, 0 of none.
typedef struct {
  long i0, k0;
  int height, width, is_diagonal;
} tile_place;

// Rows of tiles b and blocks − 1 − b have blocks + 1 tiles together.
HILO_FN tile_place place_of_tile(row_arguments p, uint blocks, uint tile, int by_rows) {
  const uint pair = tile / (blocks + 1), number = tile % (blocks + 1);
  const int is_upper = number >= blocks - pair;
  // Groups that run at the same time have lines that lie near each other: along rows, or by the other diagonal's mirror
  // image along columns.
  const uint along = is_upper ? pair : blocks - 1 - pair, across = is_upper ? number - (blocks - pair) : number;
  const uint row = by_rows ? blocks - 1 - across : along, column = by_rows ? blocks - 1 - along : across;
  // The row in the middle is its own pair.
  const int is_there = !(is_upper && 2 * pair + 1 == blocks);
  tile_place t;
  t.i0 = (long)row * SIDE;
  t.k0 = (long)column * SIDE;
  t.is_diagonal = row == column;
  t.height = is_there ? (int)min(p.rows - t.i0, (long)SIDE) : 0;
  t.width = t.is_diagonal ? t.height : is_there * SIDE;
  return t;
}

// A work-item's entries of a tile, every second one of a line; past the matrix or beside the triangle the nearest ones.
__attribute__((always_inline)) HILO_FN void load_share(__global const part_in_memory* a, row_arguments p, tile_place t,
                                                       int by_rows, int place, int parity, element* mine) {
  if (t.height == SIDE && !t.is_diagonal) {
    const long along = by_rows ? p.a.row_stride : p.a.column_stride;
    const long across = by_rows ? p.a.column_stride : p.a.row_stride;
    long at = p.a.offset + t.i0 * p.a.row_stride + t.k0 * p.a.column_stride + place * along + parity * across;
    FOR(b, SHARE) {
      mine[b] = load_whole(a, at);
      at += 2 * across;
    }
  } else {
    FOR(b, SHARE) {
      const int line = parity + 2 * b;
      const long i = min(t.i0 + (by_rows ? place : line), p.rows - 1), k = min(t.k0 + (by_rows ? line : place), i);
      mine[b] = load_whole(a, p.a.offset + i * p.a.row_stride + k * p.a.column_stride);
    }
  }
}
__attribute__((always_inline)) HILO_FN void put_share(__local part_in_memory* tile, row_arguments p, int by_rows,
                                                      int place, int parity, const element* mine) {
  // A work-item has every second entry of a row and of its mirror image, a column, or of a column and a row.
  const int in_row = place * PITCH + parity, in_column = parity * PITCH + place;
  if (by_rows) {
    FOR(b, SHARE) put_in(tile, in_row + 2 * b, SQUARE, conjugated(mine[b], p.a.conjugate));
  } else {
    FOR(b, SHARE) put_in(tile, in_column + 2 * b * PITCH, SQUARE, conjugated(mine[b], p.a.conjugate));
  }
}
// Of a tile on the diagonal, the triangle's entries.
__attribute__((always_inline)) HILO_FN void put_triangle(__local part_in_memory* tile, row_arguments p, int by_rows,
                                                         int place, int parity, const element* mine) {
  FOR(b, SHARE) {
    const int line = parity + 2 * b, r = by_rows ? place : line, c = by_rows ? line : place;
    if (r < c) continue;
    element x = conjugated(mine[b], p.a.conjugate);
#if IS_HERMITIAN && IS_COMPLEX
    if (r == c) x.p[1] = part_of_word(0);
#endif
    put_in(tile, r * PITCH + c, SQUARE, x);
    if (r > c) put_in(tile, c * PITCH + r, SQUARE, mirrored(x));
  }
}
// x of a tile's rows or columns, or the nearest.
HILO_FN element load_factor(__global const part_in_memory* x, row_arguments p, long first, int place) {
  return load_whole(x, p.x.offset + min(first + place, p.rows - 1) * p.x.stride);
}

// sums[chunk · rows + row], closed.
__kernel __attribute__((reqd_work_group_size(2 * SIDE, 1, 1))) void sum_symmetric_tiles(
    __global const part_in_memory* a, __global const part_in_memory* x, __global part_in_memory* sums,
    row_arguments p) {
  __local part_in_memory tile[SQUARE * PARTS];
  __local part_in_memory factors[2 * SIDE * PARTS];  // of columns, then of rows
  const uint blocks = (uint)((p.rows + SIDE - 1) / SIDE), tiles = (blocks + 1) / 2 * (blocks + 1),
             groups = (uint)get_num_groups(0);
  const int by_rows = p.a.row_stride == 1;
  const int item = (int)get_local_id(0), place = item % SIDE, sums_columns = item / SIDE;
  tile_place t = place_of_tile(p, blocks, (uint)get_group_id(0), by_rows);
  element mine[SHARE];
  load_share(a, p, t, by_rows, place, sums_columns, mine);
  element factor = load_factor(x, p, sums_columns ? t.i0 : t.k0, place);
  for (uint number = (uint)get_group_id(0); number < tiles; number += groups) {
    if (t.is_diagonal) {
      put_triangle(tile, p, by_rows, place, sums_columns, mine);
    } else {
      put_share(tile, p, by_rows, place, sums_columns, mine);
    }
    put_in(factors + sums_columns * SIDE * PARTS, place, SIDE, factor);
    const tile_place next = place_of_tile(p, blocks, min(number + groups, tiles - 1), by_rows);
    if (number + groups < tiles) {
      load_share(a, p, next, by_rows, place, sums_columns, mine);
      factor = load_factor(x, p, sums_columns ? next.i0 : next.k0, place);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    element sum = zero_element();
    if (!sums_columns) {
      UNROLLED for (int k = 0; k < t.width; ++k) {
        sum = with_term(sum, take_from(tile, place * PITCH + k, SQUARE), take_from(factors, k, SIDE));
      }
      if (place < t.height) store_whole(sums, t.k0 / SIDE * p.rows + t.i0 + place, closed_element(sum));
    } else if (!t.is_diagonal) {
      UNROLLED for (int k = 0; k < t.height; ++k) {
        sum = with_term(sum, mirrored(take_from(tile, k * PITCH + place, SQUARE)),
                        take_from(factors + SIDE * PARTS, k, SIDE));
      }
      if (place < t.width) store_whole(sums, t.i0 / SIDE * p.rows + t.k0 + place, closed_element(sum));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    t = next;
  }
}
