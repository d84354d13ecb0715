// A work-group's part of C by the vector units: a work-item computes ITEM_ROWS x ITEM_COLUMNS of it, in runs that it
// reads and writes at a time, interleaved with those of the others:
//
//        ty * COLUMN_RUN, + GROUP_COLUMNS * COLUMN_RUN, ...
//        +---+---+---+---+
//   tx * | x |   | x |   |     neighbours in a work-group read neighbours in memory
//   ROW_ +---+---+---+---+
//   RUN  | x |   | x |   |     tx of GROUP_ROWS, ty of GROUP_COLUMNS
//        +---+---+---+---+
//
// UNIT_ITEMS is 1.
//
//   ITEM_ROWS, ITEM_COLUMNS     1 2 ...; multiples of the runs
//   COLUMN_RUN, COLUMN_CHUNK    as ROW_RUN and ROW_CHUNK (run.cl)
//   UNIT_DEPTH                  1
//   LOCAL_CHUNKS                0 1   DD: where the sums of closed chunks are, in registers or in local memory
//   BY_OPERATION                0 1   DD: a step's operations one after the other, each for all entries
#pragma once

#include "product/tile_copy.cl"

#include "product/run.cl"
#if !IS_DOUBLE_DOUBLE
#include "product/update_run.cl"
#endif

#ifndef COLUMN_RUN
#define COLUMN_RUN 1
#endif
#if COLUMN_RUN < 1 || COLUMN_RUN > 16
#error "hilo: COLUMN_RUN is not in 1 ... 16"
#endif
#ifndef COLUMN_CHUNK
#define COLUMN_CHUNK number
#endif
#ifndef LOCAL_CHUNKS
#define LOCAL_CHUNKS 0
#endif
#if LOCAL_CHUNKS != 0 && LOCAL_CHUNKS != 1
#error "hilo: LOCAL_CHUNKS is none of 0 1"
#endif
#ifndef BY_OPERATION
#define BY_OPERATION 0
#endif
#if BY_OPERATION != 0 && BY_OPERATION != 1
#error "hilo: BY_OPERATION is none of 0 1"
#endif
#if ITEM_ROWS % ROW_RUN || ITEM_COLUMNS % COLUMN_RUN || (HILO_LANES > 1 && ROW_RUN != HILO_LANES)
#error "hilo: an item has whole runs, and a run whole vectors"
#endif

#define ROW_RUNS (ITEM_ROWS / ROW_RUN)
#define COLUMN_RUNS (ITEM_COLUMNS / COLUMN_RUN)
#define ROW_AT(run) ((tx + (run) * GROUP_ROWS) * ROW_RUN)
#define COLUMN_AT(run) ((ty + (run) * GROUP_COLUMNS) * COLUMN_RUN)
#define ROW_VALUES (ITEM_ROWS / HILO_LANES)

typedef union {
  ROW_CHUNK all;
  number each[ROW_RUN];
} row_chunk;
typedef union {
  COLUMN_CHUNK all;
  number each[COLUMN_RUN];
} column_chunk;

typedef struct {
  value sum[ROW_VALUES][ITEM_COLUMNS];
#if IS_DOUBLE_DOUBLE && LOCAL_CHUNKS
  __local numbers* chunks;
#elif IS_DOUBLE_DOUBLE
  numbers chunks[ROW_VALUES * ITEM_COLUMNS];
#endif
} sums;

#define FOR_SUMS FOR(i, ROW_VALUES) FOR(j, ITEM_COLUMNS)

// In local memory those of an entry lie side by side.
#if LOCAL_CHUNKS
#define CHUNKS_OF(i, j) chunks[((i) * ITEM_COLUMNS + (j)) * ITEMS]
#else
#define CHUNKS_OF(i, j) chunks[(i) * ITEM_COLUMNS + (j)]
#endif

static inline void clear(sums* s) {
  FOR_SUMS s->sum[i][j] = zero_value();
#if IS_DOUBLE_DOUBLE
  FOR_SUMS s->CHUNKS_OF(i, j) = to_pair(zero_value());
#endif
}

// The operands of a step.
typedef struct {
  value a[ROW_VALUES], b[ITEM_COLUMNS];
} fragments;

#if STAGES
#define OPERAND const __local
#else
#define OPERAND __global const
#endif

static inline void load_fragments(fragments* f, OPERAND number* left, OPERAND number* right, int step, int item) {
  const int tx = item % GROUP_ROWS, ty = item / GROUP_ROWS;
  FOR(run, ROW_RUNS) {
    OPERAND number* at = left + step * LEFT_PITCH + ROW_AT(run);
#if HILO_LANES > 1
    f->a[run] = value_of(*(OPERAND numbers*)at);
#else
    row_chunk x;
    x.all = *(OPERAND ROW_CHUNK*)at;
    FOR(e, ROW_RUN) f->a[run * ROW_RUN + e] = broadcast(x.each[e]);
#endif
  }
  FOR(run, COLUMN_RUNS) {
    column_chunk x;
    x.all = *(OPERAND COLUMN_CHUNK*)(right + step * RIGHT_PITCH + COLUMN_AT(run));
    FOR(e, COLUMN_RUN) f->b[run * COLUMN_RUN + e] = broadcast(x.each[e]);
  }
}

#if IS_DOUBLE_DOUBLE && BY_OPERATION && HILO_FMA
// step_fma for all entries. One that follows another with an operand of its own need not read this operand again, and
// reading them is what an NVIDIA device with all its FP64 units takes longest for.
#define FOR_ALL(x, f) FOR_SUMS x[i][j] = f
static inline void multiply_fragments(sums* s, const fragments* f) {
  real p[ROW_VALUES][ITEM_COLUMNS], t[ROW_VALUES][ITEM_COLUMNS], r[ROW_VALUES][ITEM_COLUMNS];
  real x[ROW_VALUES][ITEM_COLUMNS], y[ROW_VALUES][ITEM_COLUMNS], lo[ROW_VALUES][ITEM_COLUMNS];
  FOR_ALL(p, mul(f->a[i].hi, f->b[j].hi));
  FOR_ALL(lo, fma(f->a[i].hi, f->b[j].lo, s->sum[i][j].lo));
  FOR_ALL(t, s->sum[i][j].hi + p[i][j]);
  FOR_ALL(lo, fma(f->a[i].lo, f->b[j].hi, lo[i][j]));
  FOR_ALL(r, t[i][j] - s->sum[i][j].hi);
  FOR_ALL(x, t[i][j] - r[i][j]);
  FOR_ALL(x, s->sum[i][j].hi - x[i][j]);
  FOR_ALL(y, fms(f->a[i].hi, f->b[j].hi, r[i][j]));
  FOR_ALL(lo, spare_add(lo[i][j], x[i][j]));
  FOR_SUMS {
    s->sum[i][j].hi = t[i][j];
    s->sum[i][j].lo = spare_add(lo[i][j], y[i][j]);
  }
}
#else
static inline void multiply_fragments(sums* s, const fragments* f) {
  FOR_SUMS s->sum[i][j] = multiply_add(s->sum[i][j], f->a[i], f->b[j]);
}
#endif

#if IS_DOUBLE_DOUBLE
static inline void renormalise(sums* s) { FOR_SUMS s->sum[i][j] = fast_two_sum(s->sum[i][j].hi, s->sum[i][j].lo); }

static inline void close_chunk(sums* s) {
  FOR_SUMS {
    const value chunk = two_sum(s->sum[i][j].hi, s->sum[i][j].lo);
    s->CHUNKS_OF(i, j) = to_pair(add_finite(from_pair(s->CHUNKS_OF(i, j)), chunk));
    s->sum[i][j] = zero_value();
  }
}

// To the panel at `to` of a plane with columns of `stride` numbers, HILO_LANES of them at a time.
static inline void store_partial(const sums* s, __global number* to, long stride, int item) {
  const int tx = item % GROUP_ROWS, ty = item / GROUP_ROWS;
  FOR(j, ITEM_COLUMNS) {
    __global number* column = to + (COLUMN_AT(j / COLUMN_RUN) + j % COLUMN_RUN) * stride;
    FOR(i, ROW_VALUES) {
      const int row = ROW_AT(i * HILO_LANES / ROW_RUN) + i * HILO_LANES % ROW_RUN;
      *(__global numbers*)(column + row) = s->CHUNKS_OF(i, j);
    }
  }
}
#else
// The panel's entries of C.
static inline void store(const sums* s, part_of_c c, number alpha, number beta, int item) {
  const int tx = item % GROUP_ROWS, ty = item / GROUP_ROWS;
  FOR(j, ITEM_COLUMNS) {
    const int column = COLUMN_AT(j / COLUMN_RUN) + j % COLUMN_RUN;
    FOR(run, ROW_RUNS) {
      number sum[ROW_RUN];
#if HILO_LANES > 1
      split_lanes(s->sum[run][j], sum);
#else
      FOR(e, ROW_RUN) sum[e] = number_of(s->sum[run * ROW_RUN + e][j]);
#endif
      const int2 rows = rows_of_column(c, column) - ROW_AT(run);
      update_run(c.at + column * c.stride + ROW_AT(run), sum, rows, c.is_aligned, alpha, beta);
    }
  }
}
#endif
