// A work-group's part of C by NVIDIA's matrix units for double, from compute capability 8.0 on: a warp computes
// ITEM_ROWS x ITEM_COLUMNS of it by products of 16 x 8 entries and UNIT_DEPTH terms. UNIT_ITEMS is 32,
// ROW_RUN 2 in D and 1 in Z.
//
//   ITEM_ROWS, ITEM_COLUMNS     multiples of 16
//   UNIT_DEPTH                  4 8 16
//   UNIT_ROWS                   8 16   rows that an instruction takes: 16, and UNIT_DEPTH terms, from compute
//                               capability 9.0 on; before that 8, and 4 terms
//
// Lane 4g + t gives rows g and g + 8 of a unit's left operand and column g of its right one, terms t, t + 4, ..., and
// gets rows g and g + 8, columns 2t and 2t + 1. Which of a panel's lines these are is free: in D two lines side by
// side are read at a time, rows 2g and 2g + 1, columns 2g and 2g + 1 of two units; in Z a line is 16 bytes itself.
#pragma once

#ifndef WORD
#define WORD double
#endif
#ifndef WORD_BYTES
#define WORD_BYTES 8
#endif
#ifndef UNIT_DEPTH
#define UNIT_DEPTH 4
#endif
#ifndef UNIT_ITEMS
#define UNIT_ITEMS 32
#endif
#ifndef ITEM_ROWS
#define ITEM_ROWS 32
#endif
#ifndef ITEM_COLUMNS
#define ITEM_COLUMNS 32
#endif
#ifndef GROUP_ROWS
#define GROUP_ROWS 2
#endif
#ifndef GROUP_COLUMNS
#define GROUP_COLUMNS 2
#endif

#include "product/tile_copy.cl"
#include "product/update_run.cl"

#ifndef UNIT_ROWS
#define UNIT_ROWS 16
#endif
#if UNIT_ROWS != 8 && UNIT_ROWS != 16
#error "hilo: UNIT_ROWS is none of 8 16"
#endif
#if UNIT_DEPTH == 1 || ITEM_ROWS % 16 || ITEM_COLUMNS % 16
#error "hilo: a warp has whole units"
#endif

#define ROW_UNITS (ITEM_ROWS / 16)
#define COLUMN_UNITS (ITEM_COLUMNS / 8)
#define QUADS (UNIT_DEPTH / 4)

#if UNIT_ROWS == 8
// The same operands and sums as one instruction's for all: each takes its part of them.
#define MULTIPLY(c, a, b)                                                                           \
  FOR(quad, QUADS) FOR(lower, 2)                                                                    \
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" \
      : "+d"((c)[2 * lower]), "+d"((c)[2 * lower + 1])                                              \
      : "d"((a)[2 * quad + lower]), "d"((b)[quad]))
#else
#define CONCATENATED(d) JOINED(MULTIPLY_, d)
#define MULTIPLY CONCATENATED(UNIT_DEPTH)
#define MULTIPLY_4(c, a, b)                                                                                  \
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" \
      : "+d"((c)[0]), "+d"((c)[1]), "+d"((c)[2]), "+d"((c)[3])                                               \
      : "d"((a)[0]), "d"((a)[1]), "d"((b)[0]))
#define MULTIPLY_8(c, a, b)                                                                                   \
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "      \
      "{%0,%1,%2,%3};"                                                                                        \
      : "+d"((c)[0]), "+d"((c)[1]), "+d"((c)[2]), "+d"((c)[3])                                                \
      : "d"((a)[0]), "d"((a)[1]), "d"((a)[2]), "d"((a)[3]), "d"((b)[0]), "d"((b)[1]))
#define MULTIPLY_16(c, a, b)                                                                                 \
  asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, " \
      "{%12,%13,%14,%15}, {%0,%1,%2,%3};"                                                                    \
      : "+d"((c)[0]), "+d"((c)[1]), "+d"((c)[2]), "+d"((c)[3])                                               \
      : "d"((a)[0]), "d"((a)[1]), "d"((a)[2]), "d"((a)[3]), "d"((a)[4]), "d"((a)[5]), "d"((a)[6]), "d"((a)[7]), \
        "d"((b)[0]), "d"((b)[1]), "d"((b)[2]), "d"((b)[3]))
#endif

typedef struct {
  double sum[1 + IS_COMPLEX][ROW_UNITS][COLUMN_UNITS][4];
} sums;

#define FOR_UNITS FOR(i, ROW_UNITS) FOR(j, COLUMN_UNITS)

static inline void clear(sums* s) {
  FOR_UNITS FOR(e, 4) {
    s->sum[0][i][j][e] = 0.0;
    if (IS_COMPLEX) s->sum[IS_COMPLEX][i][j][e] = 0.0;
  }
}

// Without the unit for double sums, which is busy.
static inline double negated(double x) { return as_double(as_ulong(x) ^ 0x8000000000000000UL); }

// The operands of UNIT_DEPTH steps; the words of complex ones apart.
typedef struct {
  double a[ROW_UNITS][2 * QUADS], b[COLUMN_UNITS][QUADS];
#if IS_COMPLEX
  double a_im[ROW_UNITS][2 * QUADS], b_im[COLUMN_UNITS][QUADS];
#endif
} fragments;

static inline void load_fragments(fragments* f, const __local number* left, const __local number* right, int step,
                                  int item) {
  const int warp = item / 32, g = item % 32 / 4, t = item % 4;
  left += (step + t) * LEFT_PITCH + warp % GROUP_ROWS * ITEM_ROWS;
  right += (step + t) * RIGHT_PITCH + warp / GROUP_ROWS * ITEM_COLUMNS;
#if IS_COMPLEX
  FOR(i, ROW_UNITS) FOR(quad, QUADS) FOR(lower, 2) {
    const number x = left[4 * quad * LEFT_PITCH + 16 * i + 8 * lower + g];
    f->a[i][2 * quad + lower] = x.x;
    f->a_im[i][2 * quad + lower] = CONJUGATES_LEFT ? negated(x.y) : x.y;
  }
  FOR(j, COLUMN_UNITS) FOR(quad, QUADS) {
    const number x = right[4 * quad * RIGHT_PITCH + 8 * j + g];
    f->b[j][quad] = x.x;
    f->b_im[j][quad] = CONJUGATES_RIGHT ? negated(x.y) : x.y;
  }
#else
  FOR(i, ROW_UNITS) FOR(quad, QUADS) {
    const double2 x = *(const __local double2*)(left + 4 * quad * LEFT_PITCH + 16 * i + 2 * g);
    f->a[i][2 * quad] = x.x;
    f->a[i][2 * quad + 1] = x.y;
  }
  FOR(j, COLUMN_UNITS / 2) FOR(quad, QUADS) {
    const double2 x = *(const __local double2*)(right + 4 * quad * RIGHT_PITCH + 16 * j + 2 * g);
    f->b[2 * j][quad] = x.x;
    f->b[2 * j + 1][quad] = x.y;
  }
#endif
}

static inline void multiply_fragments(sums* s, fragments* f) {
  FOR_UNITS MULTIPLY(s->sum[0][i][j], f->a[i], f->b[j]);
#if IS_COMPLEX
  FOR_UNITS MULTIPLY(s->sum[1][i][j], f->a[i], f->b_im[j]);
  FOR_UNITS MULTIPLY(s->sum[1][i][j], f->a_im[i], f->b[j]);
  FOR(i, ROW_UNITS) FOR(e, 2 * QUADS) f->a_im[i][e] = negated(f->a_im[i][e]);
  FOR_UNITS MULTIPLY(s->sum[0][i][j], f->a_im[i], f->b_im[j]);
#endif
}

// The panel's entries of C.
static inline void store(const sums* s, part_of_c c, number alpha, number beta, int item) {
  const int warp = item / 32, g = item % 32 / 4, t = item % 4;
  const int first_row = warp % GROUP_ROWS * ITEM_ROWS, first_column = warp / GROUP_ROWS * ITEM_COLUMNS;
  FOR(j, COLUMN_UNITS) FOR(odd, 2) {
#if IS_COMPLEX
    const int column = first_column + 8 * j + 2 * t + odd;
#else
    const int column = first_column + 8 * (j - j % 2) + 4 * t + 2 * odd + j % 2;
#endif
    const int2 rows = rows_of_column(c, column);
    FOR(i, ROW_UNITS) {
#if IS_COMPLEX
      FOR(lower, 2) {
        const int row = first_row + 16 * i + 8 * lower + g;
        const number sum = (number)(s->sum[0][i][j][2 * lower + odd], s->sum[IS_COMPLEX][i][j][2 * lower + odd]);
        update_run(c.at + column * c.stride + row, &sum, rows - row, c.is_aligned, alpha, beta);
      }
#else
      const int row = first_row + 16 * i + 2 * g;
      const number sum[2] = {s->sum[0][i][j][odd], s->sum[0][i][j][2 + odd]};
      update_run(c.at + column * c.stride + row, sum, rows - row, c.is_aligned, alpha, beta);
#endif
    }
  }
}
