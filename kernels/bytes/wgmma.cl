// Products of bytes modulo small numbers with the warpgroup matrix units of NVIDIA's sm_90a; plain.cl draws the
// layout. Instructions in comments are bound late (src/opencl/late_bound.hpp): the compiler knows sm_90 only.
//
//   TILE_COLUMNS   128 256   a work-group's tile of C; TILE_ROWS is 128
//   STAGES         2 ...     slabs of 64 terms in local memory
//   LEAD           1 ... STAGES - 1   slabs of a tile that the second warpgroup is ahead of the first
//   RASTER_ROWS    1 ...     see nvidia.cl
//
// A work-group computes tile after tile. One item of its last warp copies slabs of panels, which are contiguous, into
// a ring of stages; each of two warpgroups multiplies 64 rows by them. While one of these reduces and stores its sums,
// the other multiplies on, as the first is LEAD slabs behind the second. Without this they fall into step.
//
//   full[s]    the slab in stage s has arrived
//   empty[s]   the 8 warps that multiply are done with it
//   ahead      the second warpgroup has its lead in a tile
//   job[s]     of the tile whose first slab is in stage s

#include "bytes/nvidia.cl"
#include "product/bulk_copy.cl"

#ifndef TILE_ROWS
#define TILE_ROWS 128
#endif
#if TILE_ROWS != 128
#error "hilo: TILE_ROWS is none of 128"
#endif
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 128
#endif
#if TILE_COLUMNS != 128 && TILE_COLUMNS != 256
#error "hilo: TILE_COLUMNS is none of 128 256"
#endif

#include "bytes/stairs.cl"

#ifndef STAGES
#define STAGES 4
#endif
#if STAGES < 2 || STAGES > 16
#error "hilo: STAGES is not in 2 ... 16"
#endif
#ifndef LEAD
#define LEAD 1
#endif
#if LEAD < 1 || LEAD >= STAGES
#error "hilo: LEAD is not in 1 ... STAGES - 1"
#endif

#define SLAB 64
#define MULTIPLIERS 256
#define ITEMS (MULTIPLIERS + 32)
#define GROUP_ROWS 64
#define LEFT_SLAB (TILE_ROWS * SLAB)
#define RIGHT_SLAB (TILE_COLUMNS * SLAB)
#define STAGE (LEFT_SLAB + RIGHT_SLAB)
#define SUMS (TILE_COLUMNS / 2)

typedef struct {
  int plane, row, column;  // panels
  constants k;
} job_of_tile;

// Lists of operands: ten numbers, eight sums.
#define TEN(t) "%" #t "0,%" #t "1,%" #t "2,%" #t "3,%" #t "4,%" #t "5,%" #t "6,%" #t "7,%" #t "8,%" #t "9,"
#define SIXTY_FOUR "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9," TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) "%60,%61,%62,%63"
#define TWO(s, i) "+r"((s)[i]), "+r"((s)[(i) + 1])
#define EIGHT(s, i) TWO(s, i), TWO(s, i + 2), TWO(s, i + 4), TWO(s, i + 6)
#define HALF_OF_SUMS(s, i)                                                                             \
  EIGHT(s, i), EIGHT(s, i + 8), EIGHT(s, i + 16), EIGHT(s, i + 24), EIGHT(s, i + 32), EIGHT(s, i + 40), \
      EIGHT(s, i + 48), EIGHT(s, i + 56)
#if TILE_COLUMNS == 256
#define ALL_SUMS(s) HALF_OF_SUMS(s, 0), HALF_OF_SUMS(s, 64)
#define WGMMA                                                                                                   \
  "//@wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 {" SIXTY_FOUR ",%64,%65,%66,%67,%68,%69," TEN(7) TEN(8) \
  TEN(9) TEN(10) TEN(11) "%120,%121,%122,%123,%124,%125,%126,%127}, %128, %129, 1;"
#else
#define ALL_SUMS(s) HALF_OF_SUMS(s, 0)
#define WGMMA "//@wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8 {" SIXTY_FOUR "}, %64, %65, 1;"
#endif

// sum += x y
#define MULTIPLY(sum, x, y) asm volatile(WGMMA : ALL_SUMS(sum) : "l"(x), "l"(y))

// Where a slab lies, as the units want it: 8 lines of a chunk are 128 bytes, the next chunk is all lines further on.
inline ulong descriptor(uint address, uint lines) {
  return (address & 0x3FFFF) >> 4 | (ulong)lines << 16 | (ulong)(128 >> 4) << 32;
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void multiply_bytes(
    __global const char* restrict a, __global const char* restrict b, __global uchar* restrict c,
    __global const int* restrict modulus, byte_product_arguments p STAIR_ARGUMENTS) {
  const int first_plane = p.first_plane, planes = p.planes;
  const int row_panels = p.row_panels, column_panels = p.column_panels, depth = p.depth;
  __local char ring[STAGES * STAGE] __attribute__((aligned(1024)));
  __local ulong barriers[2 * STAGES + 1];
  __local job_of_tile job[STAGES];
  const uint base = local_address(ring), full = local_address(barriers), empty = full + 8 * STAGES;
  const uint ahead = full + 16 * STAGES;
  const int item = (int)get_local_id(0);
#if STAIRS
  const int tiles = stairs.tiles;
#else
  const int tiles = row_panels * column_panels;
#endif
  const int slabs = depth / SLAB;
  if (item == 0) {
    for (int s = 0; s < STAGES; ++s) {
      begin_barrier(full + 8 * s, 1);
      begin_barrier(empty + 8 * s, MULTIPLIERS / 32);
    }
    begin_barrier(ahead, 1);
    show_barriers();
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  int stage = 0;
  uint parity = 0;
  if (item >= MULTIPLIERS) {
    if (item > MULTIPLIERS) return;
    int work = (int)get_group_id(0), m = modulus[first_plane + work / tiles];
#if STAIRS
    const staircase s = staircase_of_tiles(p, stairs);
    stair_band band = stair_band_from(s, 0, 0);
#endif
    while (work < planes * tiles) {
      const int plane = work / tiles;
#if STAIRS
      // Bands follow each other, so that few are looked at.
      band = stair_band_of(s, band, work % tiles);
      const stair_place on_stairs = stair_place_of(s, band, stairs.is_upper, work % tiles);
      const int2 place = (int2)(on_stairs.row, on_stairs.column);
#else
      const int2 place = place_of(work % tiles, row_panels, column_panels);
#endif
      const job_of_tile here = {plane, place.x, place.y, constants_for(m)};
      // The next modulus is on its way while slabs are copied.
      work += (int)get_num_groups(0);
      if (work < planes * tiles) m = modulus[first_plane + work / tiles];
      __global const char* left = a + p.first_of_a + ((size_t)plane * row_panels + place.x) * p.depth_of_a * TILE_ROWS;
      __global const char* right =
          b + p.first_of_b + ((size_t)plane * column_panels + place.y) * p.depth_of_b * TILE_COLUMNS;
      for (int slab = 0; slab < slabs; ++slab) {
        const uint to = base + stage * STAGE, arrival = full + 8 * stage;
        wait(empty + 8 * stage, parity ^ 1);
        if (slab == 0) job[stage] = here;
        expect(arrival, STAGE);
        copy(to, left, LEFT_SLAB, arrival);
        copy(to + LEFT_SLAB, right, RIGHT_SLAB, arrival);
        left += LEFT_SLAB;
        right += RIGHT_SLAB;
        if (++stage == STAGES) stage = 0, parity ^= 1;
      }
    }
    return;
  }

  const int group = item / 128, lane = item % 32, warp_row = item / 32 * 16;
  const ulong left_at = descriptor(base + group * GROUP_ROWS * 16, TILE_ROWS);
  const ulong right_at = descriptor(base + LEFT_SLAB, TILE_COLUMNS);
  // With at least as many slabs as stages, no warpgroup is a whole tile ahead of the other.
  const bool takes_turns = slabs >= STAGES;
  uint turn = 0;
  for (int work = (int)get_group_id(0); work < planes * tiles; work += (int)get_num_groups(0)) {
    if (group == 0 && takes_turns) wait(ahead, turn);
    turn ^= 1;
    wait(full + 8 * stage, parity);
    const job_of_tile here = job[stage];
    int sum[SUMS];
#pragma unroll
    for (int i = 0; i < SUMS; ++i) sum[i] = start_for(here.k);
    uint done = 0;
    for (int slab = 0; slab < slabs; ++slab) {
      wait(full + 8 * stage, parity);
      asm volatile("//@wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
      for (int step = 0; step < SLAB / 32; ++step) {
        // Two chunks a step; addresses count 16 bytes.
        const uint at = stage * (STAGE / 16);
        MULTIPLY(sum, left_at + (at + 2 * step * TILE_ROWS), right_at + (at + 2 * step * TILE_COLUMNS));
      }
      asm volatile("//@wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("//@wgmma.wait_group.sync.aligned 1;" ::: "memory");
      if (slab > 0 && lane == 0) arrive(done);
      if (slab == LEAD && item == MULTIPLIERS / 2) arrive(ahead);
      done = empty + 8 * stage;
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
    asm volatile("//@wgmma.wait_group.sync.aligned 0;" : ALL_SUMS(sum)::"memory");
    if (lane == 0) arrive(done);

    const size_t columns = (size_t)column_panels * TILE_COLUMNS;
    const size_t panel = (size_t)(first_plane + here.plane) * row_panels + here.row;
    __global uchar* out = c + (panel * TILE_ROWS + warp_row + lane / 4) * columns + here.column * TILE_COLUMNS;
#define BLOCKS (TILE_COLUMNS / 64)
#define FOR_BLOCKS(i) _Pragma("unroll") for (int i = 0; i < 2 * BLOCKS; ++i)
#define BLOCK(i) (out + 8 * ((i) / BLOCKS) * columns + 64 * ((i) % BLOCKS))
#define BLOCK_SUMS(i) (sum + 32 * ((i) % BLOCKS) + 2 * ((i) / BLOCKS))
    if (p.accumulates) {
      FOR_BLOCKS(i) add_quad(BLOCK(i), BLOCK_SUMS(i), lane % 4);
    }
    uint4 words[2 * BLOCKS];
    FOR_BLOCKS(i) words[i] = packed(BLOCK_SUMS(i), here.k);
    FOR_BLOCKS(i) store_quad(BLOCK(i), words[i], lane % 4);
  }
}
