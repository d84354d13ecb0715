// Products of bytes modulo small numbers with NVIDIA's mma.sync, from compute capability 8.0 on; plain.cl draws the
// layout.
//
//   TILE_ROWS, TILE_COLUMNS   64 128 256   a work-group's tile of C, a warp 64 x 64 of it
//   STAGES                    2 3 4 ...    slabs of 64 terms in local memory, all but one on their way there
//   RASTER_ROWS               1 ...        see nvidia.cl
//
// A slab of a panel is contiguous, and 8 lines of a chunk are the 128 bytes that ldmatrix reads at a time, from all
// banks.

#include "bytes/nvidia.cl"

#ifndef TILE_ROWS
#define TILE_ROWS 128
#endif
#if TILE_ROWS != 64 && TILE_ROWS != 128 && TILE_ROWS != 256
#error "hilo: TILE_ROWS is none of 64 128 256"
#endif
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 128
#endif
#if TILE_COLUMNS != 64 && TILE_COLUMNS != 128 && TILE_COLUMNS != 256
#error "hilo: TILE_COLUMNS is none of 64 128 256"
#endif

#include "bytes/stairs.cl"
#include "bytes/steps.cl"

#ifndef STAGES
#define STAGES 4
#endif
#if STAGES < 2 || STAGES > 16
#error "hilo: STAGES is not in 2 ... 16"
#endif

#define SLAB 64
#define WARP 64
#define COLUMN_WARPS (TILE_COLUMNS / WARP)
#define ITEMS (TILE_ROWS / WARP * COLUMN_WARPS * 32)
#define LEFT_SLAB (TILE_ROWS * SLAB)
#define RIGHT_SLAB (TILE_COLUMNS * SLAB)
#define STAGE (LEFT_SLAB + RIGHT_SLAB)
#define LEFT_BLOCKS (WARP / 16)
#define RIGHT_BLOCKS (WARP / 8)

inline void copy_slab(uint to, __global const uchar* left, __global const uchar* right, int item) {
#pragma unroll
  for (int at = 0; at < LEFT_SLAB; at += 16 * ITEMS) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + at + 16 * item), "l"(left + at + 16 * item)
                 : "memory");
  }
#pragma unroll
  for (int at = 0; at < RIGHT_SLAB; at += 16 * ITEMS) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + LEFT_SLAB + at + 16 * item),
                 "l"(right + at + 16 * item)
                 : "memory");
  }
}

// Four blocks of 8 lines of 16 bytes; lane l names line l % 8 of block l / 8.
inline uint4 load_blocks(uint address) {
  uint4 x;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
               : "r"(address)
               : "memory");
  return x;
}

#define MULTIPLY(c, a, b0, b1)                                                                                  \
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
      : "+r"((c)[0]), "+r"((c)[1]), "+r"((c)[2]), "+r"((c)[3])                                                  \
      : "r"((a).x), "r"((a).y), "r"((a).z), "r"((a).w), "r"(b0), "r"(b1))

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void multiply_bytes(
    __global const uchar* restrict a, __global const uchar* restrict b, __global uchar* restrict c,
    __global const int* restrict modulus, byte_product_arguments p STAIR_ARGUMENTS STEP_ARGUMENTS SUM_TEST_ARGUMENTS) {
  const int row_panels = p.row_panels, column_panels = p.column_panels, depth = p.depth;
  __local char ring[STAGES * STAGE] __attribute__((aligned(128)));
#if STAIRS
  const int2 place = place_on_stairs(p, stairs, (int)get_group_id(0));
#else
  const int2 place = place_of((int)get_group_id(0), row_panels, column_panels, RASTER_ROWS);
#endif
  const size_t plane = get_group_id(1), target = p.first_plane + plane;
  const int item = (int)get_local_id(0), lane = item % 32, warp = item / 32;
  const int warp_row = warp / COLUMN_WARPS * WARP, warp_column = warp % COLUMN_WARPS * WARP;
  const int row = row_of_lane(warp_row, lane);
  const uint base = local_address(ring);
  // Blocks of A: lines 0 ... 7 and 8 ... 15 of a chunk, then of the next; of B: both chunks of 8 lines, then of 8 more.
  const uint left_at = 16 * (lane / 16 * TILE_ROWS + warp_row + lane % 16);
  const uint right_at =
      LEFT_SLAB + 16 * (lane / 8 % 2 * TILE_COLUMNS + warp_column + lane / 16 * 8 + lane % 8);

  const constants k = constants_for(modulus[target]);
  c += target * row_panels * TILE_ROWS * GRID * column_panels * TILE_COLUMNS * GRID;
  const size_t group = plane * get_num_groups(0) + get_group_id(0);
  const int slabs = depth / SLAB;
  int sum[LEFT_BLOCKS][4 * RIGHT_BLOCKS];
  for (int number = 0; number < STEPS; ++number) {
    const int4 now = STEP(number);
    const size_t factor = plane * FACTORS + STEP_FACTOR(now);
    __global const uchar* left = a + p.first_of_a + (factor * row_panels + place.x) * p.depth_of_a * TILE_ROWS;
    __global const uchar* right = b + p.first_of_b + (factor * column_panels + place.y) * p.depth_of_b * TILE_COLUMNS;
    if (STEP_BEGINS(now)) {
#pragma unroll
      for (int i = 0; i < LEFT_BLOCKS; ++i) {
#pragma unroll
        for (int j = 0; j < 4 * RIGHT_BLOCKS; ++j) sum[i][j] = 0;
      }
    }
#if STEPPED
    // Others may still read what the step before left in local memory.
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#pragma unroll
    for (int slab = 0; slab < STAGES - 1; ++slab) {
      if (slab < slabs) copy_slab(base + slab * STAGE, left + slab * LEFT_SLAB, right + slab * RIGHT_SLAB, item);
      asm volatile("cp.async.commit_group;" ::: "memory");
    }
    left += (STAGES - 1) * LEFT_SLAB;
    right += (STAGES - 1) * RIGHT_SLAB;
    int stage = 0, free_stage = STAGES - 1;
    for (int slab = 0; slab < slabs; ++slab) {
      asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
      barrier(CLK_LOCAL_MEM_FENCE);
      if (slab + STAGES - 1 < slabs) copy_slab(base + free_stage * STAGE, left, right, item);
      asm volatile("cp.async.commit_group;" ::: "memory");
      left += LEFT_SLAB;
      right += RIGHT_SLAB;
      const uint here = base + stage * STAGE;
#pragma unroll
      for (int step = 0; step < SLAB / 32; ++step) {
        uint4 x[LEFT_BLOCKS], y[RIGHT_BLOCKS / 2];
#pragma unroll
        for (int i = 0; i < LEFT_BLOCKS; ++i) x[i] = load_blocks(here + left_at + 32 * step * TILE_ROWS + 256 * i);
#pragma unroll
        for (int j = 0; j < RIGHT_BLOCKS / 2; ++j) {
          y[j] = load_blocks(here + right_at + 32 * step * TILE_COLUMNS + 256 * j);
        }
#pragma unroll
        for (int i = 0; i < LEFT_BLOCKS; ++i) {
#pragma unroll
          for (int j = 0; j < RIGHT_BLOCKS / 2; ++j) {
            MULTIPLY(&sum[i][8 * j], x[i], y[j].x, y[j].y);
            MULTIPLY(&sum[i][8 * j + 4], x[i], y[j].z, y[j].w);
          }
        }
      }
      stage = stage == STAGES - 1 ? 0 : stage + 1;
      free_stage = free_stage == STAGES - 1 ? 0 : free_stage + 1;
    }

#define LANE_ROWS (2 * LEFT_BLOCKS)
#define FOR_ROWS(i) _Pragma("unroll") for (int i = 0; i < LANE_ROWS; ++i)
#define ROW_SUMS(i) (&sum[(i) / 2][2 * ((i) % 2)])
#define ROW(tile, i) ((tile).first + (row + ROW_STEP * (i)) * (tile).pitch + warp_column)
#define TILE_OF(block) \
  tile_of_block(c, block, GRID, (int2)(row_panels, column_panels), place, (int2)(TILE_ROWS, TILE_COLUMNS))
#if SUM_TEST
    float of_columns[LANE_COLUMNS];
    load_norms_of_lane(column_norms + test.first_column_norm, place.y * TILE_COLUMNS + warp_column, test.columns, lane,
                       of_columns);
    int most = NOTHING_ASKED;
    FOR_ROWS(i) {
      const float of_row = norm_of_line(row_norms, place.x * TILE_ROWS + row + ROW_STEP * i, test.rows);
      most = max(most, most_asked(of_row, of_columns, ROW_SUMS(i)));
    }
    tell_most_of_warp(figures, test, most, lane);
#elif STEPPED
    const uint of_added = factor_of_added(k);
#pragma unroll 1
    for (int s = 0; s < 2; ++s) {
      const int store = s == 0 ? now.z : now.w, block = STORE_TO(store);
      if (block == NO_BLOCK) break;
#define SCRATCH_QUAD(block, i) ((__global uint4*)SCRATCH_TILE(block) + (i) * ITEMS + item)
      const int one = STORE_ADDS(store, 0), two = STORE_ADDS(store, 1);
      const tile_in_block to = TILE_OF(block);
      FOR_ROWS(i) {
        uint4 added = one != NO_BLOCK ? *SCRATCH_QUAD(one, i) : (uint4)(0, 0, 0, 0);
        if (two != NO_BLOCK) added = byte_sum(added, *SCRATCH_QUAD(two, i), byte_modulus_of(k.modulus));
        const uint4 words = packed_with(ROW_SUMS(i), k, added, of_added);
        if (IS_SCRATCH(block)) {
          *SCRATCH_QUAD(block, i) = words;
        } else {
          *columns_of_lane(ROW(to, i), lane) = words;
        }
      }
    }
#else
    const tile_in_block to = TILE_OF(0);
    if (p.accumulates) {
      const uint of_added = factor_of_added(k);
      FOR_ROWS(i) {
        __global uint4* columns = columns_of_lane(ROW(to, i), lane);
        *columns = packed_with(ROW_SUMS(i), k, *columns, of_added);
      }
    } else {
      FOR_ROWS(i) *columns_of_lane(ROW(to, i), lane) = packed(ROW_SUMS(i), k);
    }
#endif
  }
}
