// Products of bytes modulo small numbers with the warpgroup matrix units of NVIDIA's sm_90a; plain.cl draws the
// layout. Instructions in comments are bound late (src/opencl/late_bound.hpp): the compiler knows sm_90 only.
//
//   TILE_COLUMNS   128 256   a work-group's tile of C; TILE_ROWS is 128
//   STAGES         4 ...     slabs of 64 terms in the ring where no panel stays; with KEEPS 9 at the most
//   LEAD           1 ... STAGES - 1   slabs of a tile that the second warpgroup is ahead of the first; with KEEPS below 8
//   KEEPS          0 1       see kept_panels.clh
//   RASTER_ROWS    1 ...     see nvidia.cl
//
// A work-group computes tile after tile. One item beside those that multiply copies slabs of panels, which are
// contiguous, into a ring of stages; each of two warpgroups multiplies 64 rows by them. While one of these reduces and
// stores its sums, the other multiplies: where the ring holds a step's slabs, they take turns to multiply all of them,
// else the first is LEAD slabs behind the second. Without this they fall into step.
//
// Copying takes power, which limits large products. Of few slabs one operand's panel stays for a run of tiles, its slabs
// arrive with those of its first tile, and the ring has the other's alone (kept_panels.clh).
//
//   full[s]    the slab in stage s has arrived
//   empty[s]   the 8 warps that multiply are done with it
//   turn[w]    the other warpgroup's 4 warps have all slabs of a step under way
//   ahead      the second warpgroup has its lead in a step, where it counts: with more slabs than stages
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
#include "bytes/steps.cl"

#ifndef STAGES
#define STAGES 4
#endif
#if STAGES < 4 || STAGES > 16
#error "hilo: STAGES is not in 4 ... 16"
#endif
#ifndef LEAD
#define LEAD 1
#endif
#if LEAD < 1 || LEAD >= STAGES
#error "hilo: LEAD is not in 1 ... STAGES - 1"
#endif

// How often a work-group looks whether the others are where it is.
#define MOST_LOOKS 4096

#define SLAB 64
#define MULTIPLIERS 256
#if STEPPED || TILE_COLUMNS == 256
// Storing sums takes more registers than all warps have alike: those that multiply have those of the others, too. A
// warpgroup gives and takes them as a whole.
#define ITEMS (MULTIPLIERS + 128)
#define GIVE_REGISTERS() asm volatile("//@setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory")
#define TAKE_REGISTERS() asm volatile("//@setmaxnreg.inc.sync.aligned.u32 232;" ::: "memory")
#else
#define ITEMS (MULTIPLIERS + 32)
#define GIVE_REGISTERS()
#define TAKE_REGISTERS()
#endif
#define GROUP_ROWS 64
#define LEFT_SLAB (TILE_ROWS * SLAB)
#define RIGHT_SLAB (TILE_COLUMNS * SLAB)
#define STAGE (LEFT_SLAB + RIGHT_SLAB)

#include "bytes/kept_panels.clh"
#include "bytes/wgmma.clh"

#define SUMS (TILE_COLUMNS / 2)
// Slabs whose products are under way while the next one's are begun: of few columns with one a warpgroup's units wait
// for it, of many the ring has a slab back sooner.
#define IN_FLIGHT (TILE_COLUMNS == 256 ? 1 : 2)

typedef struct {
  int plane, row, column;  // panels
#if KEEPS
  int slot;  // of the first slab of a panel of columns that stays
#endif
#if STEPPED
  int4 step;
#endif
  constants k;
} job_of_tile;

// Multiplies the next slab of a tile, its number `slab`.
#define MULTIPLY_SLAB(begins)                                                                          \
  do {                                                                                                 \
    wait(full + 8 * stage, parity);                                                                    \
    asm volatile("//@wgmma.fence.sync.aligned;" ::: "memory");                                         \
    _Pragma("unroll") for (int part = 0; part < SLAB / 32; ++part) {                                   \
      /* Two chunks a part; addresses count 16 bytes. */                                               \
      const ulong x = left_at + ((uint)LEFT_SLOT(slab) * (LEFT_SLAB / 16) + 2 * part * TILE_ROWS); \
      const ulong y = right_at + ((uint)RIGHT_SLOT(slab) * (RIGHT_SLAB / 16) + 2 * part * TILE_COLUMNS); \
      if ((begins) && part == 0) {                                                                     \
        BEGIN(sum, x, y);                                                                              \
      } else {                                                                                         \
        MULTIPLY(sum, x, y);                                                                           \
      }                                                                                                \
    }                                                                                                  \
    asm volatile("//@wgmma.commit_group.sync.aligned;" ::: "memory");                                  \
    asm volatile("//@wgmma.wait_group.sync.aligned %0;" ::"n"(IN_FLIGHT) : "memory");                  \
    if (slab >= IN_FLIGHT && lane == 0) arrive(empty + 8 * STAGE_BEFORE(stage, IN_FLIGHT));            \
    if (slab == LEAD && item == MULTIPLIERS / 2) arrive(ahead);                                        \
    if (++stage == stages) stage = 0, parity ^= 1;                                                     \
  } while (0)

#define STAGE_BEFORE(stage, i) ((stage) >= (i) ? (stage) - (i) : (stage) + stages - (i))

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void multiply_bytes(
    __global const uchar* restrict a, __global const uchar* restrict b, __global uchar* restrict c,
    __global const int* restrict modulus, byte_product_arguments p STAIR_ARGUMENTS STEP_ARGUMENTS SUM_TEST_ARGUMENTS) {
  const int first_plane = p.first_plane, planes = p.planes;
  const int row_panels = p.row_panels, column_panels = p.column_panels, depth = p.depth;
  __local char ring[RING_BYTES] __attribute__((aligned(1024)));
  __local ulong barriers[2 * MOST_STAGES + 3];
  __local job_of_tile job[MOST_STAGES];
  const uint full = local_address(barriers), empty = full + 8 * MOST_STAGES;
  const uint turn = full + 16 * MOST_STAGES, ahead = turn + 16;
  const int stages = RING_STAGES;
  const uint left_slabs = local_address(ring), right_slabs = left_slabs + LEFT_SLOTS * LEFT_SLAB;
  const int item = (int)get_local_id(0);
#if STAIRS
  const int tiles = stairs.tiles;
#else
  const int tiles = row_panels * column_panels;
#endif
  const int slabs = depth / SLAB;
  if (item == 0) {
    for (int s = 0; s < MOST_STAGES; ++s) {
      begin_barrier(full + 8 * s, 1);
      begin_barrier(empty + 8 * s, MULTIPLIERS / 32);
    }
    begin_barrier(turn, MULTIPLIERS / 64);
    begin_barrier(turn + 8, MULTIPLIERS / 64);
    begin_barrier(ahead, 1);
    show_barriers();
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  int stage = 0;
  uint parity = 0;
  if (item >= MULTIPLIERS) {
    GIVE_REGISTERS();
    if (item > MULTIPLIERS) return;
    int work = (int)get_group_id(0) * RUN, m = modulus[first_plane + work / tiles];
#if STEPPED
    int meets = 1;
#endif
#if STAIRS
    const staircase s = staircase_of_tiles(p, stairs);
    stair_band band = stair_band_from(s, 0, 0);
#endif
#if KEEPS
    // Of columns two panels may have room.
    const int has_two = KEPT(KEEPS_RIGHT) && 2 * slabs <= KEPT_RIGHT_SLABS;
    int kept_plane = -1, kept_panel = 0, slot = 0, tiles_of_panel = 0;
#endif
    while (work < planes * tiles) {
      const int plane = work / tiles;
#if STAIRS
      // Bands follow each other, so that few are looked at.
      band = stair_band_of(s, band, work % tiles);
      const stair_place on_stairs = stair_place_of(s, band, stairs.is_upper, work % tiles);
      const int2 place = (int2)(on_stairs.row, on_stairs.column);
#elif KEEPS
      const int is_across = KEPT(KEEPS_LEFT), band_rows = KEPT(KEEPS_NONE) ? RASTER_ROWS : p.run;
      int2 place = place_of(work % tiles, is_across ? column_panels : row_panels,
                            is_across ? row_panels : column_panels, band_rows);
      if (is_across) place = place.yx;
#else
      const int2 place = place_of(work % tiles, row_panels, column_panels, RASTER_ROWS);
#endif
      job_of_tile here;
      here.plane = plane;
      here.row = place.x;
      here.column = place.y;
      here.k = constants_for(m);
#if STEPPED
      const int here_work = work;
#endif
#if KEEPS
      const int panel = KEPT(KEEPS_LEFT) ? place.x : place.y;
      const int stays = !KEPT(KEEPS_NONE) && plane == kept_plane && panel == kept_panel;
      // A new panel of columns takes the place of one whose slabs were last multiplied so many slabs ago: in the tile
      // before, or where two have room before all tiles of the other one. One of rows has more slabs than the ring.
      const int back = slabs * (has_two ? tiles_of_panel + 1 : 1);
      if (!stays) {
        if (has_two && kept_plane >= 0) slot = slabs - slot;
        kept_plane = plane;
        kept_panel = panel;
        tiles_of_panel = 0;
      }
      ++tiles_of_panel;
      here.slot = slot;
      const int keeps_left = stays && KEPT(KEEPS_LEFT), has_right = !(stays && KEPT(KEEPS_RIGHT));
      const int waits = KEPT(KEEPS_RIGHT) && !stays && back < stages;
#else
      const int has_right = 1;
#endif
      // The next modulus is on its way while slabs are copied.
      work = next_tile(work, RUN, (int)get_num_groups(0));
      if (work < planes * tiles) m = modulus[first_plane + work / tiles];
#if STEPPED
      // Work-groups that take a round's tiles, and halves of steps that others are through with before this round.
      const int round = here_work / (int)get_num_groups(0);
      const uint takers = (uint)min((int)get_num_groups(0), planes * tiles - round * (int)get_num_groups(0));
      uint halves = (uint)round * (uint)STEPS * (uint)get_num_groups(0);
#endif
      for (int step = 0; step < STEPS; ++step) {
        const int4 now = STEP(step);
#if STEPPED
        here.step = now;
#endif
        const size_t factor = (size_t)plane * FACTORS + STEP_FACTOR(now);
        __global const uchar* left = a + p.first_of_a + (factor * row_panels + place.x) * p.depth_of_a * TILE_ROWS;
        __global const uchar* right = b + p.first_of_b + (factor * column_panels + place.y) * p.depth_of_b * TILE_COLUMNS;
#if STEPPED
        // Panels are shared in the cache by work-groups that need them at about the same time. So none is more than half a
        // step ahead of another, if all are computed at a time; otherwise it gives up looking.
        for (int looks = 0; meets && *(volatile __global uint*)scratch < halves;) meets = ++looks < MOST_LOOKS;
        halves += takers;
#endif
        for (int slab = 0; slab < slabs; ++slab) {
#if STEPPED
          if (slab == slabs / 2) atomic_inc((volatile __global uint*)scratch);
#endif
          const uint arrival = full + 8 * stage;
          wait(empty + 8 * stage, parity ^ 1);
#if KEEPS
          if (waits) wait(empty + 8 * STAGE_BEFORE(stage, back), stage >= back ? parity : parity ^ 1);
          const int has_left = !keeps_left || IS_PASSING(slab);
#else
          const int has_left = 1;
#endif
          if (slab == 0) job[stage] = here;
          expect(arrival, (has_left ? LEFT_SLAB : 0) + (has_right ? RIGHT_SLAB : 0));
          if (has_left) copy(left_slabs + LEFT_SLOT(slab) * LEFT_SLAB, left, LEFT_SLAB, arrival);
          if (has_right) copy(right_slabs + RIGHT_SLOT(slab) * RIGHT_SLAB, right, RIGHT_SLAB, arrival);
          left += LEFT_SLAB;
          right += RIGHT_SLAB;
          if (++stage == stages) stage = 0, parity ^= 1;
        }
      }
    }
    return;
  }

  TAKE_REGISTERS();
  const int warpgroup = item / 128, lane = item % 32, row = row_of_lane(item / 32 * 16, lane);
  const ulong left_at = descriptor(left_slabs + warpgroup * GROUP_ROWS * 16, TILE_ROWS);
  const ulong right_at = descriptor(right_slabs, TILE_COLUMNS);
  // Who has its turn wants all slabs in the ring, as the other frees none meanwhile. With more slabs than stages, no
  // warpgroup is a whole step ahead of the other, so that none is two phases behind.
  const bool takes_turns = slabs <= stages;
  uint turn_parity = 0;
#define COLUMN_BLOCKS (TILE_COLUMNS / 64)
#define FOR_BLOCKS(i) _Pragma("unroll") for (int i = 0; i < 2 * COLUMN_BLOCKS; ++i)
#define BLOCK_SUMS(i) (sum + 32 * ((i) % COLUMN_BLOCKS) + 2 * ((i) / COLUMN_BLOCKS))
#if STEPPED
  const size_t group = get_group_id(0);
#define SCRATCH_QUAD(block, i) ((__global uint4*)SCRATCH_TILE(block) + (i) * MULTIPLIERS + item)
// What a store adds, by the lane's blocks of columns: names, as the compiler would leave an array in memory.
#if TILE_COLUMNS == 256
#define EACH_BLOCK(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)
#else
#define EACH_BLOCK(f) f(0) f(1) f(2) f(3)
#endif
#define DECLARE_ADDED(i) uint4 added##i;
#define NONE_ADDED(i) added##i = (uint4)(0, 0, 0, 0);
#define FIRST_ADDED(i) added##i = *SCRATCH_QUAD(one, i);
#define SECOND_ADDED(i) added##i = byte_sum(added##i, *SCRATCH_QUAD(two, i), byte_modulus_of(here.k.modulus));
#define LOAD_ADDED(store)                                                   \
  do {                                                                      \
    const int one = STORE_ADDS(store, 0), two = STORE_ADDS(store, 1);       \
    if (one == NO_BLOCK) {                                                  \
      EACH_BLOCK(NONE_ADDED)                                                \
    } else {                                                                \
      EACH_BLOCK(FIRST_ADDED)                                               \
    }                                                                       \
    if (two != NO_BLOCK) {                                                  \
      EACH_BLOCK(SECOND_ADDED)                                              \
    }                                                                       \
  } while (0)
#define STORE_WORDS(i, what)                                                     \
  {                                                                              \
    const uint4 words = what;                                                    \
    if (is_scratch) {                                                            \
      *SCRATCH_QUAD(block, i) = words;                                           \
    } else {                                                                     \
      *columns_of_lane(ROW(to, i), lane) = words;                                \
    }                                                                            \
  }
#define STORE(i) STORE_WORDS(i, packed(BLOCK_SUMS(i), here.k))
#define STORE_WITH(i) STORE_WORDS(i, packed_with(BLOCK_SUMS(i), here.k, added##i, of_added))
#endif
  int sum[SUMS];
#if SUM_TEST
  int most = NOTHING_ASKED;
#endif
  int steps_left = tiles_of_group(planes * tiles, RUN, (int)get_num_groups(0), (int)get_group_id(0)) * STEPS;
  for (; steps_left > 0; --steps_left) {
    if (takes_turns) {
      // The first warpgroup begins.
      wait(turn + 8 * warpgroup, turn_parity ^ (warpgroup == 0));
    } else if (warpgroup == 0) {
      wait(ahead, turn_parity);
    }
    turn_parity ^= 1;
    wait(full + 8 * stage, parity);
    const job_of_tile here = job[stage];
#if STEPPED
    // On their way while slabs are multiplied.
    EACH_BLOCK(DECLARE_ADDED)
    LOAD_ADDED(here.step.z);
#endif
    int slab = 0;
#if STEPPED
    if (!STEP_BEGINS(here.step)) {
      MULTIPLY_SLAB(false);
    } else
#endif
    {
      MULTIPLY_SLAB(true);
    }
    for (slab = 1; slab < slabs; ++slab) MULTIPLY_SLAB(false);
    // All warps say so: one that is late would else find the other's next phase over, too.
    if (takes_turns && lane == 0) arrive(turn + 8 * (1 - warpgroup));
    asm volatile("//@wgmma.wait_group.sync.aligned 0;" : ALL_SUMS(sum)::"memory");
#pragma unroll
    for (int i = IN_FLIGHT; i > 0; --i) {
      if (slabs >= i && lane == 0) arrive(empty + 8 * STAGE_BEFORE(stage, i));
    }

#if SUM_TEST
#pragma unroll
    for (int block = 0; block < COLUMN_BLOCKS; ++block) {
      float of_columns[LANE_COLUMNS];
      load_norms_of_lane(column_norms + test.first_column_norm, here.column * TILE_COLUMNS + 64 * block, test.columns,
                         lane, of_columns);
#pragma unroll
      for (int i = block; i < 2 * COLUMN_BLOCKS; i += COLUMN_BLOCKS) {
        const int line = here.row * TILE_ROWS + row + ROW_STEP * (i / COLUMN_BLOCKS);
        most = max(most, most_asked(norm_of_line(row_norms, line, test.rows), of_columns, BLOCK_SUMS(i)));
      }
    }
#else
    // The lane's two rows, 64 columns each.
#define ROW(tile, i) \
  ((tile).first + (row + ROW_STEP * ((i) / COLUMN_BLOCKS)) * (tile).pitch + 64 * ((i) % COLUMN_BLOCKS))
    __global uchar* plane_of_c = c + (size_t)(first_plane + here.plane) * row_panels * TILE_ROWS * GRID * column_panels *
                                         TILE_COLUMNS * GRID;
#define TILE_OF(block)                                                                                          \
  tile_of_block(plane_of_c, block, GRID, (int2)(row_panels, column_panels), (int2)(here.row, here.column),      \
                (int2)(TILE_ROWS, TILE_COLUMNS))
#if STEPPED
    const uint of_added = factor_of_added(here.k);
    int store = here.step.z;
#pragma unroll 1
    for (;;) {
      const int block = STORE_TO(store);
      const int is_scratch = IS_SCRATCH(block);
      const tile_in_block to = TILE_OF(block);
      if (STORE_ADDS(store, 0) == NO_BLOCK && STORE_ADDS(store, 1) == NO_BLOCK) {
        EACH_BLOCK(STORE)
      } else {
        EACH_BLOCK(STORE_WITH)
      }
      if (store == here.step.w || STORE_TO(here.step.w) == NO_BLOCK) break;
      store = here.step.w;
      LOAD_ADDED(store);
    }
#else
    uint4 words[2 * COLUMN_BLOCKS];
    const tile_in_block to = TILE_OF(0);
    if (p.accumulates) {
      const uint of_added = factor_of_added(here.k);
      FOR_BLOCKS(i) words[i] = packed_with(BLOCK_SUMS(i), here.k, *columns_of_lane(ROW(to, i), lane), of_added);
    } else {
      FOR_BLOCKS(i) words[i] = packed(BLOCK_SUMS(i), here.k);
    }
    FOR_BLOCKS(i) *columns_of_lane(ROW(to, i), lane) = words[i];
#endif
#endif
  }
#if SUM_TEST
  tell_most_of_warp(figures, test, most, lane);
#endif
}
