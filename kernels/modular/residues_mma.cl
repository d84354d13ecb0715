// Residues of an operand's elements with NVIDIA's matrix units.
//
// A launch finds those of both operands, or of one: work-groups from `second_group` on are the second one's.

#include "modular/residues_mma.clh"

#if FOR_BOTH
#define SECOND_OPERAND
#else
#define SECOND_OPERAND                                                                   \
  , __global const ulong *restrict second_x, __global const uint *restrict second_table, \
      __global uint4 *restrict second_out, residue_arguments second, uint second_group
#endif

// The residues of the integers at slots, of so many together; `to` is where the lane's first plane has its line, planes
// are pitch apart, and their weights in the table are those of all integers.
__attribute__((always_inline)) static inline void store_residues(const __local uint4* slots, int integers, uint lane,
                                                                  __global const uint* table, int planes,
                                                                  __global uint4* to, long pitch) {
  const int steps = integers * STEPS, stride = integers * WEIGHT_WORDS + 4;
  uint4 element[SPLIT_PLANES * STEPS][CHUNK / 4];
  load_slots(slots, steps, lane, element);
  __global const uint* weights = table + lane / 4 * stride + lane % 4;
  __global const uint2* constants =
      (__global const uint2*)(table + lane % 4 * 2 * stride + integers * WEIGHT_WORDS + 2);
#pragma unroll 1
  for (int l = 0; l < planes; l += PLANES_AT_ONCE) {
    uint weight[SPLIT_PLANES * STEPS];
#pragma unroll
    for (int j = 0; j < steps; ++j) weight[j] = weights[4 * j];
    const uint2 first = constants[0], second = constants[stride / 2];
    uint x[CHUNK / 4], y[CHUNK / 4];
    find_residues(element, steps, weight, first, second, x, y);
    const int left = planes - l - (int)(lane % 4 * 2);
    if (left > 0) to[0] = (uint4)(x[0], x[1], x[2], x[3]);
    if (left > 1) to[pitch] = (uint4)(y[0], y[1], y[2], y[3]);
    weights += PLANES_AT_ONCE * stride;
    constants += PLANES_AT_ONCE * stride / 2;
    to += PLANES_AT_ONCE * pitch;
  }
}

// Of an element's integers all planes of the moduli of a block; `to` is the lane's line in its first plane.
static inline void store_all(const __local uint4* slots, uint lane, __global const uint* table,
                             const residue_arguments* block, __global uint4* to, long plane) {
  const long first = lane % 4 * 2;
#if PARTS == 2
  store_residues(slots, 2, lane, table + block->first_split_word, SPLIT_PLANES * (int)block->split, to + first * plane,
                 plane);
  to += SPLIT_PLANES * block->split * plane;
#endif
#pragma unroll 1
  for (int p = 0; p < PLANES; ++p) {
    store_residues(slots + p * STEPS * ELEMENTS, 1, lane, table + block->first_word, block->moduli,
                   to + (PLANES * first + p) * plane, PLANES * plane);
  }
}

// `lines` and `terms` are those there are, what is padded is 0. Terms begin at first_term of the view, lines with it.
__kernel __attribute__((reqd_work_group_size(32 * WARPS, 1, 1))) void residues(
    __global const ulong* restrict x, __global const int* restrict exponents,
    __global const int* restrict balance, __global const uint* restrict table, __global uint4* restrict out,
    residue_arguments first OTHER_OPERAND(__global const) SECOND_OPERAND) {
#if FOR_BOTH
  const uint group = (uint)get_group_id(0);
  const residue_arguments block = first;
  __global const ulong* const its_x = x;
  __global const uint* const its_table = table;
  __global uint4* its_out = out;
#else
  const int is_second = (uint)get_group_id(0) >= second_group;
  const uint group = (uint)get_group_id(0) - (is_second ? second_group : 0);
  __global const ulong* const its_x = is_second ? second_x : x;
  __global const uint* const its_table = is_second ? second_table : table;
  __global uint4* its_out = is_second ? second_out : out;
  // Not `first = second`: with NVIDIA's driver 580 such a kernel fails on memory that is not its own.
  residue_arguments block = first;
  if (is_second) block = second;
#endif
  const int padded_lines = block.padded_lines, padded_terms = block.padded_terms, panel_lines = block.panel_lines;
  __local uint4 all_slots[WARPS][PLANES * STEPS * ELEMENTS];
  const uint lane = (uint)get_local_id(0) % 32, warp = (uint)get_local_id(0) / 32;
  __local uint4* slots = all_slots[warp];
  // Bands of a chunk, chunks of a panel, panels: as they lie in memory.
  const uint bands = (uint)panel_lines / BAND, chunks = (uint)padded_terms / CHUNK;
  const uint place = group * WARPS + warp;
  const uint band = place % bands, chunk = place / bands % chunks, panel = place / bands / chunks;
#if FOR_BOTH
  const uint band_line = panel * (uint)panel_lines + band * BAND;
  if (band_line >= (uint)max(padded_lines, other.padded_lines)) return;
#else
  if (panel * (uint)panel_lines >= (uint)padded_lines) return;
#endif

  place_integers(its_x, exponents, balance, &block, (int)(panel * panel_lines + band * BAND), (int)(chunk * CHUNK), lane, slots);
  wait_for_warp();

  const uint first_line = lane / 4;
#if FOR_BOTH
  if (band_line < (uint)other.padded_lines) {
    const uint panel_lines_there = (uint)other.panel_lines, other_panel = band_line / panel_lines_there;
    other_out += ((long)other_panel * chunks + chunk) * panel_lines_there + band_line % panel_lines_there + first_line;
    store_all(slots, lane, other_table, &block, other_out, (long)other.padded_lines * chunks);
  }
  if (band_line >= (uint)padded_lines) return;
#endif
  its_out += block.first_chunk + ((long)panel * chunks + chunk) * panel_lines + band * BAND + first_line;
  store_all(slots, lane, its_table, &block, its_out, block.plane);
}
