// What sums over rows of a matrix are made of, docs/linear-algebra.md, "A matrix and vectors": steps, chunks, and tiles of
// 64 rows and TILE_COLUMNS columns in local memory, which are loaded along whichever lines of the matrix lie side by side.
// What is loaded for a tile is loaded whether it is a term or not, the nearest entry in its place, and looked at when it is
// put there: so no load waits for the one before.
//
//   TILE_COLUMNS   4 8
#pragma once

#include "blas/operators.cl"
#include "number/arguments.cl"

#ifndef TILE_COLUMNS
#define TILE_COLUMNS 8
#endif
#if TILE_COLUMNS != 4 && TILE_COLUMNS != 8
#error "hilo: TILE_COLUMNS is none of 4 8"
#endif
#define CHUNK_TERMS (64 / PARTS)
#define TILE_ROWS 64
#define TILE_PITCH (TILE_COLUMNS + 1)
#define BATCH 8

#if IS_DOUBLE_DOUBLE
HILO_FN part step_of_dot(part sum, part a, part x) {
  const dd r = gather(sum, two_prod(a.hi, x.hi), a, x);
  return fast_two_sum(r.hi, r.lo);
}
HILO_FN part with_chunk(part total, part chunk) { return add_finite(total, chunk); }
HILO_FN int is_finite_part(part x) { return !is_not_finite(x.hi); }
#else
HILO_FN part step_of_dot(part sum, part a, part x) { return sum + a * x; }
HILO_FN part with_chunk(part total, part chunk) { return total + chunk; }
HILO_FN int is_finite_part(part x) { return 1; }
#endif

// sum + a · x.
HILO_FN element with_term(element sum, element a, element x) {
#if IS_COMPLEX
  sum.p[0] = step_of_dot(sum.p[0], a.p[0], x.p[0]);
  sum.p[1] = step_of_dot(sum.p[1], a.p[0], x.p[1]);
  sum.p[0] = step_of_dot(sum.p[0], minus(a.p[1]), x.p[1]);
  sum.p[1] = step_of_dot(sum.p[1], a.p[1], x.p[0]);
#else
  sum.p[0] = step_of_dot(sum.p[0], a.p[0], x.p[0]);
#endif
  return sum;
}
HILO_FN element add_chunk(element total, element chunk) {
  FOR_PARTS total.p[part_] = with_chunk(total.p[part_], chunk.p[part_]);
  return total;
}
HILO_FN int is_finite_element(element x) {
  int r = 1;
  FOR_PARTS r &= is_finite_part(x.p[part_]);
  return r;
}

// The plain sum of leading words.
HILO_FN element with_leading_words(element sum, element a, element x) {
#if IS_DOUBLE_DOUBLE
  sum.p[0].hi += a.p[0].hi * x.p[0].hi;
#if IS_COMPLEX
  sum.p[0].hi += -a.p[1].hi * x.p[1].hi;
  sum.p[1].hi += a.p[0].hi * x.p[1].hi;
  sum.p[1].hi += a.p[1].hi * x.p[0].hi;
#endif
#endif
  return sum;
}
// In the place of parts that are not finite.
HILO_FN element replaced(element total, element plain) {
  FOR_PARTS {
    if (!is_finite_part(total.p[part_])) total.p[part_] = plain.p[part_];
  }
  return total;
}

HILO_FN element one_element(void) {
  element r = zero_element();
  r.p[0] = part_of_word(1);
  return r;
}
HILO_FN element load_entry(__global const part_in_memory* a, matrix_view v, long i, long k) {
  return conjugated(load_whole(a, v.offset + i * v.row_stride + k * v.column_stride), v.conjugate);
}

// A tile and a chunk of x: each part of elements by itself, whose banks are others' then.
HILO_FN void put_in(__local part_in_memory* tile, int index, int pitch, element x) {
  FOR_PARTS tile[part_ * pitch + index] = in_memory(x.p[part_]);
}
HILO_FN element take_from(__local const part_in_memory* tile, int index, int pitch) {
  element r;
  FOR_PARTS r.p[part_] = part_of(tile[part_ * pitch + index]);
  return r;
}
#define TILE_ELEMENTS (TILE_ROWS * TILE_PITCH)
// Row and column of element u of a work-item's share of a tile.
#define TILE_ROW(item, u, by_rows) ((by_rows) ? (item) : ((u) * TILE_ROWS + (item)) / TILE_COLUMNS)
#define TILE_COLUMN(item, u, by_rows) ((by_rows) ? (u) : ((u) * TILE_ROWS + (item)) % TILE_COLUMNS)
