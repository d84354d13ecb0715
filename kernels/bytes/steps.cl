// Products of blocks by Strassen's algorithm (src/gemm/modular/block_products.hpp): a work-group takes all steps of a
// tile, and leaves the tile of every block of C.
//
//   STEPPED   0 1   whether it does; without, there is one step, and C is one block
//
// A plane of an operand has `factors` of so many panels each, and C grid x grid blocks. Sums go on from step to step. What
// an item stores in scratch blocks it alone adds again.
#pragma once

#include "number/arguments.cl"

#ifndef STEPPED
#define STEPPED 0
#endif
#if STEPPED != 0 && STEPPED != 1
#error "hilo: STEPPED is none of 0 1"
#endif

#if STEPPED
#define STEP_ARGUMENTS , step_arguments blocks, __global const int4* restrict steps, __global uchar* scratch
#define STEPS blocks.factors
#define FACTORS blocks.factors
#define GRID blocks.grid
#define STEP(i) steps[i]
#else
#define STEP_ARGUMENTS
#define STEPS 1
#define FACTORS 1
#define GRID 1
#define STEP(i) ((int4)(0, 1, 0xffff00, 0xffffff))
#endif

// A step as in memory: its factor, whether sums begin, two stores.
#define STEP_FACTOR(s) ((s).x)
#define STEP_BEGINS(s) ((s).y)
#define STORE_TO(store) ((store) & 0xff)
#define STORE_ADDS(store, i) (((store) >> (8 + 8 * (i))) & 0xff)
#define NO_BLOCK 0xff

// Where a tile of a block begins, and how far its rows are apart.
typedef struct {
  __global uchar* first;
  size_t pitch;
} tile_in_block;

// `panels` are those of a block's rows and columns, `panel` is the tile's, and tiles have so many rows and columns.
static inline tile_in_block tile_of_block(__global uchar* plane_of_c, int block, int grid, int2 panels, int2 panel,
                                          int2 tile) {
  tile_in_block t;
  t.pitch = (size_t)panels.y * grid * tile.y;
  t.first = plane_of_c + ((size_t)(block / grid) * panels.x + panel.x) * tile.x * t.pitch +
            ((size_t)(block % grid) * panels.y + panel.y) * tile.y;
  return t;
}

#if STEPPED
// Scratch tiles are a work-group's own, in whatever order its items like. Before them is a count, 0 at the beginning.
#define SCRATCH_HEAD 256
static inline __global uchar* scratch_tile(__global uchar* scratch, step_arguments blocks, size_t group, int block,
                                           int tile_bytes) {
  return scratch + SCRATCH_HEAD + (group * blocks.scratch + (block - blocks.grid * blocks.grid)) * tile_bytes;
}
#define IS_SCRATCH(block) ((block) >= GRID * GRID)
#define SCRATCH_TILE(block) scratch_tile(scratch, blocks, group, block, TILE_ROWS * TILE_COLUMNS)
#else
#define IS_SCRATCH(block) 0
#define SCRATCH_TILE(block) ((__global uchar*)0)
#endif
