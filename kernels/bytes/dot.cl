// Products of bytes modulo small numbers, four products at a time; plain.cl draws the layout.
//
//   TILE_ROWS, TILE_COLUMNS   64 128   a work-group's tile of C
//   DOT                       0 1 2    four products by shifts, by cl_khr_integer_dot_product, by NVIDIA's dp4a
//
// A work-group of 16 x 16 holds a chunk of 16 terms of its panels in local memory, while the next one is on its way
// through registers. A work-item computes every 16th row and groups of four columns, which are 64 apart:
//
//        columns 4 tx ... 4 tx + 3, 64 + 4 tx ...
//        +----+----+
//   rows |xxxx|xxxx|     ty, ty + 16, ...
//        +----+----+
//        |xxxx|xxxx|

#include "bytes/reduction.cl"
#include "bytes/sum_test.cl"

#ifndef TILE_ROWS
#define TILE_ROWS 64
#endif
#if TILE_ROWS != 64 && TILE_ROWS != 128
#error "hilo: TILE_ROWS is none of 64 128"
#endif
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 64
#endif
#if TILE_COLUMNS != 64 && TILE_COLUMNS != 128
#error "hilo: TILE_COLUMNS is none of 64 128"
#endif

#include "bytes/stairs.cl"
#include "bytes/steps.cl"

#ifndef DOT
#define DOT 0
#endif
#if DOT < 0 || DOT > 2
#error "hilo: DOT is not in 0 ... 2"
#endif

#define GROUP 16
#define ITEMS (GROUP * GROUP)
#define ITEM_ROWS (TILE_ROWS / GROUP)
#define ITEM_COLUMNS (TILE_COLUMNS / GROUP)
#define LINES (TILE_ROWS + TILE_COLUMNS)
#define COLUMN(j) (tx * 4 + (j) % 4 + (j) / 4 * 4 * GROUP)
// Where column c waits in local memory: COLUMN(j) at tx + GROUP j, so that neighbours read neighbours.
#define SLOT(c) (TILE_ROWS + (c) % 4 * GROUP + (c) / 4 % GROUP + (c) / (4 * GROUP) * (4 * GROUP))

#if DOT == 0
inline uint add_dot(uint x, uint y, uint sum) {
  const uchar4 u = as_uchar4(x), v = as_uchar4(y);
  return sum + (uint)(u.x * v.x) + (uint)(u.y * v.y) + (uint)(u.z * v.z) + (uint)(u.w * v.w);
}
#elif DOT == 1
#define add_dot(x, y, sum) ((sum) + dot_4x8packed_uu_uint(x, y))
#else
inline uint add_dot(uint x, uint y, uint sum) {
  uint next;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(next) : "r"(x), "r"(y), "r"(sum));
  return next;
}
#endif

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void multiply_bytes(
    __global const uchar* restrict a, __global const uchar* restrict b, __global uchar* restrict c,
    __global const int* restrict modulus, byte_product_arguments p STAIR_ARGUMENTS STEP_ARGUMENTS SUM_TEST_ARGUMENTS) {
  const int row_panels = p.row_panels, column_panels = p.column_panels, depth = p.depth;
  __local uint4 tile[2][LINES];
#if SUM_TEST
  __local int most;
#endif
#if STAIRS
  const int2 place = place_on_stairs(p, stairs, (int)get_group_id(0));
  const size_t row_panel = place.x, column_panel = place.y;
#else
  const size_t row_panel = get_group_id(0) / column_panels, column_panel = get_group_id(0) % column_panels;
#endif
  const size_t plane = get_group_id(1), target = p.first_plane + plane;
  const int item = (int)get_local_id(0), tx = item % GROUP, ty = item / GROUP;
  uint sum[ITEM_ROWS][ITEM_COLUMNS];
  // One line of the chunk for each item; with 64 x 64 half of the items have none.
  const int slot = item < TILE_ROWS ? item : SLOT(item - TILE_ROWS);
  const int chunks = depth / 16;
  c += target * row_panels * TILE_ROWS * GRID * column_panels * TILE_COLUMNS * GRID;
  const size_t group = plane * get_num_groups(0) + get_group_id(0);
  const reduction r = reduction_for(modulus[target]);
  for (int step = 0; step < STEPS; ++step) {
    const int4 now = STEP(step);
    const size_t factor = plane * FACTORS + STEP_FACTOR(now);
    __global const uint4* left =
        (__global const uint4*)(a + p.first_of_a + (factor * row_panels + row_panel) * p.depth_of_a * TILE_ROWS);
    __global const uint4* right =
        (__global const uint4*)(b + p.first_of_b + (factor * column_panels + column_panel) * p.depth_of_b * TILE_COLUMNS);
    if (STEP_BEGINS(now)) {
#pragma unroll
      for (int i = 0; i < ITEM_ROWS; ++i) {
#pragma unroll
        for (int j = 0; j < ITEM_COLUMNS; ++j) sum[i][j] = 0;
      }
    }
    uint4 next = 0;
    if (item < LINES) next = item < TILE_ROWS ? left[item] : right[item - TILE_ROWS];
#if STEPPED
    // Others may still read what the step before left in local memory.
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (int chunk = 0; chunk < chunks; ++chunk) {
      __local uint4* stage = tile[chunk & 1];
      if (item < LINES) stage[slot] = next;
      barrier(CLK_LOCAL_MEM_FENCE);
      left += TILE_ROWS;
      right += TILE_COLUMNS;
      if (item < LINES && chunk + 1 < chunks) next = item < TILE_ROWS ? left[item] : right[item - TILE_ROWS];
      uint4 x[ITEM_ROWS];
#pragma unroll
      for (int i = 0; i < ITEM_ROWS; ++i) x[i] = stage[ty + i * GROUP];
#pragma unroll
      for (int j = 0; j < ITEM_COLUMNS; ++j) {
        const uint4 y = stage[TILE_ROWS + tx + j * GROUP];
#pragma unroll
        for (int i = 0; i < ITEM_ROWS; ++i) {
          sum[i][j] = add_dot(x[i].x, y.x, sum[i][j]);
          sum[i][j] = add_dot(x[i].y, y.y, sum[i][j]);
          sum[i][j] = add_dot(x[i].z, y.z, sum[i][j]);
          sum[i][j] = add_dot(x[i].w, y.w, sum[i][j]);
        }
      }
    }

#if SUM_TEST
    if (item == 0) most = NOTHING_ASKED;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int first_row = (int)row_panel * TILE_ROWS, first_column = (int)column_panel * TILE_COLUMNS;
    float of_row[ITEM_ROWS];
    int own = NOTHING_ASKED;
#pragma unroll
    for (int i = 0; i < ITEM_ROWS; ++i) of_row[i] = norm_of_line(row_norms, first_row + ty + i * GROUP, test.rows);
#pragma unroll
    for (int j = 0; j < ITEM_COLUMNS; ++j) {
      const float of_column = norm_of_line(column_norms + test.first_column_norm, first_column + COLUMN(j), test.columns);
#pragma unroll
      for (int i = 0; i < ITEM_ROWS; ++i) own = max(own, asked_by(of_row[i] + of_column, sum[i][j]));
    }
    atomic_max(&most, own);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) tell_asked(figures, test, most);
#else
    const int stores[2] = {now.z, now.w};
#pragma unroll
    for (int store = 0; store < 2; ++store) {
      const int block = STORE_TO(stores[store]);
      if (block == NO_BLOCK) continue;
      const tile_in_block to =
          tile_of_block(c, block, GRID, (int2)(row_panels, column_panels), (int2)((int)row_panel, (int)column_panel),
                        (int2)(TILE_ROWS, TILE_COLUMNS));
#define SCRATCH_QUAD(tile) ((__global uchar4*)(tile) + (i * (ITEM_COLUMNS / 4) + j / 4) * ITEMS + item)
#pragma unroll
      for (int i = 0; i < ITEM_ROWS; ++i) {
#pragma unroll
        for (int j = 0; j < ITEM_COLUMNS; j += 4) {
          uint4 s = (uint4)(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
          __global uchar4* out = IS_SCRATCH(block)
                                     ? SCRATCH_QUAD(SCRATCH_TILE(block))
                                     : (__global uchar4*)(to.first + (ty + i * GROUP) * to.pitch + COLUMN(j));
          if (p.accumulates) s += convert_uint4(*out);
          for (int t = 0; STEPPED && t < 2; ++t) {
            const int added = STORE_ADDS(stores[store], t);
            if (added != NO_BLOCK) s += convert_uint4(*SCRATCH_QUAD(SCRATCH_TILE(added)));
          }
          *out =
              (uchar4)((uchar)reduced(s.x, r), (uchar)reduced(s.y, r), (uchar)reduced(s.z, r), (uchar)reduced(s.w, r));
        }
      }
    }
#endif
  }
}
