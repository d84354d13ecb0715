// Products of bytes modulo small numbers with plain integers, on any device.
//
// A plane is one product modulo one number. Its operands come in panels of as many lines as the tile has, and a panel
// in chunks of 16 terms: a line's 16 bytes of a chunk lie together, and a chunk's lines one after the other:
//
//        a panel of A                  16 bytes of a line
//        +---------------------------+
//        | chunk 0 | chunk 1 | ...   |     [plane][panel][depth / 16][line][16]
//        +---------------------------+
//
//   lines are TILE_ROWS rows of A, TILE_COLUMNS columns of B, here in their order (line_order.clh has another one);
//   C is [first_plane + plane][row][column]
//
//   TILE_ROWS, TILE_COLUMNS   4 ...   a work-group's tile of C
//
// A work-item computes 4 x 4 entries, each as 8 partial sums over every eighth pair of neighbouring terms: all lanes do
// the same on a CPU. Bytes are natural numbers, and sums of depths up to 65536 stay below 2^32 - 2^24.

#include "bytes/reduction.cl"
#include "bytes/sum_test.cl"

#ifndef TILE_ROWS
#define TILE_ROWS 16
#endif
#if TILE_ROWS < 4 || TILE_ROWS > 256
#error "hilo: TILE_ROWS is not in 4 ... 256"
#endif
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 16
#endif
#if TILE_COLUMNS < 4 || TILE_COLUMNS > 256
#error "hilo: TILE_COLUMNS is not in 4 ... 256"
#endif
#if TILE_ROWS % 4 || TILE_COLUMNS % 4
#error "hilo: a tile has whole items"
#endif

#include "bytes/stairs.cl"
#include "bytes/steps.cl"

#define ITEM 4
#define ROW_ITEMS (TILE_ROWS / ITEM)
#define COLUMN_ITEMS (TILE_COLUMNS / ITEM)

inline uint total(uint8 x) {
  uint4 four = x.lo + x.hi;
  uint2 two = four.lo + four.hi;
  return two.x + two.y;
}

__kernel __attribute__((reqd_work_group_size(ROW_ITEMS * COLUMN_ITEMS, 1, 1))) void multiply_bytes(
    __global const uchar* restrict a, __global const uchar* restrict b, __global uchar* restrict c,
    __global const int* restrict modulus, byte_product_arguments p STAIR_ARGUMENTS STEP_ARGUMENTS SUM_TEST_ARGUMENTS) {
  const int row_panels = p.row_panels, column_panels = p.column_panels, depth = p.depth;
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
  const int row = (int)get_local_id(0) / COLUMN_ITEMS * ITEM, column = (int)get_local_id(0) % COLUMN_ITEMS * ITEM;
  a += p.first_of_a;
  b += p.first_of_b;
  c += target * row_panels * TILE_ROWS * GRID * column_panels * TILE_COLUMNS * GRID;
  const size_t group = plane * get_num_groups(0) + get_group_id(0);
  const reduction r = reduction_for(modulus[target]);

  uint8 sum[ITEM][ITEM];
  for (int step = 0; step < STEPS; ++step) {
    const int4 now = STEP(step);
    const size_t factor = plane * FACTORS + STEP_FACTOR(now);
    __global const uchar16* left =
        (__global const uchar16*)(a + (factor * row_panels + row_panel) * p.depth_of_a * TILE_ROWS) + row;
    __global const uchar16* right =
        (__global const uchar16*)(b + (factor * column_panels + column_panel) * p.depth_of_b * TILE_COLUMNS) + column;
    if (STEP_BEGINS(now)) {
      for (int i = 0; i < ITEM; ++i) {
        for (int j = 0; j < ITEM; ++j) sum[i][j] = 0;
      }
    }
    for (int chunk = 0; chunk < depth / 16; ++chunk) {
      ushort16 y[ITEM];
#pragma unroll
      for (int j = 0; j < ITEM; ++j) y[j] = convert_ushort16(right[j]);
#pragma unroll
      for (int i = 0; i < ITEM; ++i) {
        const ushort16 x = convert_ushort16(left[i]);
#pragma unroll
        for (int j = 0; j < ITEM; ++j) {
          // A product fits 16 bits; the two in a word are summed in 32.
          const uint8 pair = as_uint8(x * y[j]);
          sum[i][j] += (pair >> 16) + (pair & 0xFFFF);
        }
      }
      left += TILE_ROWS;
      right += TILE_COLUMNS;
    }

#if SUM_TEST
    if (get_local_id(0) == 0) most = NOTHING_ASKED;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int first_row = (int)row_panel * TILE_ROWS + row, first_column = (int)column_panel * TILE_COLUMNS + column;
    int own = NOTHING_ASKED;
#pragma unroll
    for (int i = 0; i < ITEM; ++i) {
      const float of_row = norm_of_line(row_norms, first_row + i, test.rows);
#pragma unroll
      for (int j = 0; j < ITEM; ++j) {
        const float of_column = norm_of_line(column_norms + test.first_column_norm, first_column + j, test.columns);
        own = max(own, asked_by(of_row + of_column, total(sum[i][j])));
      }
    }
    atomic_max(&most, own);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) tell_asked(figures, test, most);
#else
    const int stores[2] = {now.z, now.w};
    for (int s = 0; s < 2; ++s) {
      const int block = STORE_TO(stores[s]);
      if (block == NO_BLOCK) continue;
      const tile_in_block to =
          tile_of_block(c, block, GRID, (int2)(row_panels, column_panels), (int2)((int)row_panel, (int)column_panel),
                        (int2)(TILE_ROWS, TILE_COLUMNS));
#define SCRATCH_QUAD(tile, i) ((__global uchar4*)(tile) + get_local_id(0) * ITEM + (i))
#pragma unroll
      for (int i = 0; i < ITEM; ++i) {
        uint4 x = (uint4)(total(sum[i][0]), total(sum[i][1]), total(sum[i][2]), total(sum[i][3]));
        __global uchar4* out = IS_SCRATCH(block) ? SCRATCH_QUAD(SCRATCH_TILE(block), i)
                                                 : (__global uchar4*)(to.first + (row + i) * to.pitch + column);
        if (p.accumulates) x += convert_uint4(*out);
        for (int t = 0; STEPPED && t < 2; ++t) {
          const int added = STORE_ADDS(stores[s], t);
          if (added != NO_BLOCK) x += convert_uint4(*SCRATCH_QUAD(SCRATCH_TILE(added), i));
        }
        *out =
            (uchar4)((uchar)reduced(x.x, r), (uchar)reduced(x.y, r), (uchar)reduced(x.z, r), (uchar)reduced(x.w, r));
      }
    }
#endif
  }
}
