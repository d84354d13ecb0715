// The product of a panel of A by a panel of B, which a work-group computes, in S, D, C, Z and DD (ZDD is a product in
// DD to it: operands_dd.cl).
//
// Operands lie where they are, or in panels that pack.cl made: left_panel apart, a panel's steps left_stride apart.
//
//   DEPTH              steps of a tile: with STAGES a multiple of COPY_STEPS, and of 2 UNIT_DEPTH where operands are
//                      fetched ahead; in DD of RENORMALISE_EVERY
//   STAGES             0   operands straight from global memory, in panels (straight_from_memory.clh)
//                      1   one tile in local memory
//                      2   the next one on its way through registers (through_registers.clh), or with ASYNC
//                      3 4 ... with ASYNC, all but one on their way (past_registers.clh), or all (whole_tiles.clh)
//   FETCHES_AHEAD      0 1   with ASYNC: operands come to registers UNIT_DEPTH steps ahead (fetched_ahead.clh)
//   UNROLL             0 1 2 ...   blocks of UNIT_DEPTH steps that are unrolled at a time; 0: all of a tile
//   RASTER_ROWS        1 2 ...   panels computed side by side before the next column of panels begins: what a device
//                      computes at a time shares its operands
//   SKIPS              0 1   work-groups end at once of whose panel nothing is wanted; PoCL 3.1 writes behind its memory
//                      where one returns before barriers
//
// In DD the order of summation is docs/error-bounds.md's, and none of the other parameters can change a bit: chunks of
// 64 steps (DEPTH divides them), and work-group z computes super-chunk z of 4096 steps, plane z of what
// direct/finish.cl adds.

#include "number/arguments.cl"
#include "product/tile_copy.cl"
#include "product/triangle.cl"
#if ASYNC == 2
#include "product/bulk_copy.cl"
#endif
#if UNIT_DEPTH > 1
#include "product/matrix_unit.cl"
#else
#include "product/vector_unit.cl"
#endif

#ifndef RASTER_ROWS
#define RASTER_ROWS 1
#endif
#if RASTER_ROWS < 1 || RASTER_ROWS > 1024
#error "hilo: RASTER_ROWS is not in 1 ... 1024"
#endif
#ifndef SKIPS
#define SKIPS 0
#endif
#if SKIPS != 0 && SKIPS != 1
#error "hilo: SKIPS is none of 0 1"
#endif
#ifndef FETCHES_AHEAD
#define FETCHES_AHEAD 0
#endif
#if FETCHES_AHEAD != 0 && FETCHES_AHEAD != 1
#error "hilo: FETCHES_AHEAD is none of 0 1"
#endif

#ifndef UNROLL
#define UNROLL 0
#endif
#if UNROLL < 0 || UNROLL > 128
#error "hilo: UNROLL is not in 0 ... 128"
#endif

#define CHUNK 64
#define SUPERCHUNK 4096
#define BLOCKS (DEPTH / UNIT_DEPTH)
#if UNROLL
#define PRAGMA(text) _Pragma(#text)
#define UNROLLED(count) PRAGMA(unroll count)
#define FOR_BLOCKS UNROLLED(UNROLL) for (int block = 0; block < BLOCKS; ++block)
#else
#define FOR_BLOCKS FOR(block, BLOCKS)
#endif

static inline int2 panel_of(int group, int row_panels, int column_panels) {
  const int band = group / (RASTER_ROWS * column_panels), within = group % (RASTER_ROWS * column_panels);
  const int rows = min(row_panels - band * RASTER_ROWS, RASTER_ROWS);
  return (int2)(band * RASTER_ROWS + within % rows, within / rows);
}

#if IS_DOUBLE_DOUBLE
#define AFTER_STEP(step) \
  if ((step) % RENORMALISE_EVERY == RENORMALISE_EVERY - 1) renormalise(&sum);
#define AFTER_TILE(tile) \
  if ((tile) % (CHUNK / DEPTH) == CHUNK / DEPTH - 1 || (tile) == tiles - 1) close_chunk(&sum);
#define IS_WHOLE(tile) (steps_in_all - (tile) * DEPTH >= DEPTH)
#else
#define AFTER_STEP(step)
#define AFTER_TILE(tile)
#define IS_WHOLE(tile) 1
#endif

// The tile in local memory; the last one of DD has no steps past the matrix, as they would renormalise.
#define MULTIPLY_TILE(tile, left, right)                                                                            \
  if (IS_WHOLE(tile)) {                                                                                             \
    FOR_BLOCKS {                                                                                                    \
      fragments of;                                                                                                 \
      load_fragments(&of, left, right, block * UNIT_DEPTH, item);                                                   \
      multiply_fragments(&sum, &of);                                                                                \
      AFTER_STEP(block)                                                                                             \
    }                                                                                                               \
  } else {                                                                                                          \
    for (int step = 0; step < steps_in_all - (tile) * DEPTH; ++step) {                                              \
      fragments of;                                                                                                 \
      load_fragments(&of, left, right, step, item);                                                                 \
      multiply_fragments(&sum, &of);                                                                                \
      AFTER_STEP(step)                                                                                              \
    }                                                                                                               \
  }                                                                                                                 \
  AFTER_TILE(tile)

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void multiply_panels(__global const number* restrict a,
                                                                          __global const number* restrict b,
                                                                          __global number* restrict c, shape s,
                                                                          number alpha, number beta) {
  const int item = (int)get_local_id(0);
  const size_t plane = get_group_id(1);
  // Of a triangular operand the panels of most steps come first.
  const int group = ENDS_EARLY(s.zeros) ? (int)get_num_groups(0) - 1 - (int)get_group_id(0) : (int)get_group_id(0);
  const int2 panel = panel_of(group, (s.rows + PANEL_ROWS - 1) / PANEL_ROWS,
                              (s.columns + PANEL_COLUMNS - 1) / PANEL_COLUMNS);
  const int first_row = panel.x * PANEL_ROWS, first_column = panel.y * PANEL_COLUMNS;
#if SKIPS
  if (s.triangle) {
    const int row = s.row0 + (s.triangle == LOWER ? min(first_row + PANEL_ROWS, s.rows) - 1 : first_row);
    const int last_column = min(first_column + PANEL_COLUMNS, s.columns) - 1;
    const int column = s.column0 + (s.triangle == UPPER ? last_column : first_column);
    if (!is_wanted(s.triangle, row, column / s.parts)) return;
  }
#endif
  source left = {a + s.left + plane * s.left_batch + panel.x * s.left_panel, s.left_stride, s.rows - first_row};
  source right = {b + s.right + plane * s.right_batch + panel.y * s.right_panel, s.right_stride,
                  s.columns - first_column};
#if IS_DOUBLE_DOUBLE
  const int steps_in_all = min(s.steps - (int)plane * SUPERCHUNK, SUPERCHUNK);
#else
  const int line = s.zeros == LEFT_ENDS || s.zeros == LEFT_BEGINS ? s.row0 + first_row : s.column0 + first_column;
  const int lines = s.zeros == LEFT_ENDS ? PANEL_ROWS : PANEL_COLUMNS;
  const int skipped = BEGINS_LATE(s.zeros) ? line / DEPTH : 0;
  const int steps_in_all = (ENDS_EARLY(s.zeros) ? min(s.steps, line + lines) : s.steps) - skipped * DEPTH;
#endif
  const int tiles = (steps_in_all + DEPTH - 1) / DEPTH;
  const long left_tile = !STAGES || LEFT_PACKED ? DEPTH * PANEL_ROWS : LEFT_TOGETHER ? DEPTH * s.left_stride : DEPTH;
  const long right_tile =
      !STAGES || RIGHT_PACKED ? DEPTH * PANEL_COLUMNS : RIGHT_TOGETHER ? DEPTH * s.right_stride : DEPTH;
#if !IS_DOUBLE_DOUBLE
  left.at += skipped * left_tile;
  right.at += skipped * right_tile;
#endif

  sums sum;
#if IS_DOUBLE_DOUBLE && LOCAL_CHUNKS
  __local numbers chunks[ROW_VALUES * ITEM_COLUMNS * ITEMS];
  sum.chunks = chunks + item;
#endif
  clear(&sum);
#if STAGES
  __local number left_tiles[STAGES][DEPTH * LEFT_PITCH] __attribute__((aligned(16)));
  __local number right_tiles[STAGES][DEPTH * RIGHT_PITCH] __attribute__((aligned(16)));
  int steps = steps_in_all;  // from the next tile to be copied on
  if (BEGINS_WITH_OWN(LEFT_PACKED)) left.at += item * LEFT_COPY;
  if (BEGINS_WITH_OWN(RIGHT_PACKED)) right.at += item * RIGHT_COPY;
#define NEXT_TILE         \
  left.at += left_tile;   \
  right.at += right_tile; \
  steps -= DEPTH;
#endif

#if STAGES == 0
#include "product/straight_from_memory.clh"
#elif ASYNC == 0
#include "product/through_registers.clh"
#elif ASYNC == 2
#include "product/whole_tiles.clh"
#elif FETCHES_AHEAD
#include "product/fetched_ahead.clh"
#else
#include "product/past_registers.clh"
#endif

#if IS_DOUBLE_DOUBLE
  store_partial(&sum, c + plane * s.c_batch + first_column * s.c_stride + first_row, s.c_stride, item);
#else
  const part_of_c part = {c + s.c + plane * s.c_batch + first_column * s.c_stride + first_row, s.c_stride,
                          s.rows - first_row, s.columns - first_column, s.is_c_aligned,
                          s.triangle, s.column0 + first_column - s.row0 - first_row};
  store(&sum, part, alpha, beta, item);
#endif
}
