// The 49 factors of an operand for two levels of Strassen's algorithm, as factors_mma.cl has those of one: registers do not
// do for all of its 16 blocks. A work-group's eight warps find residues of 8 lines by 16 terms of all blocks modulo eight
// numbers, and leave them in local memory, where each warp takes those modulo one number; neighbouring lanes store
// neighbours.
//
//   OPERAND   0 1   A or B

#ifndef WARPS
#define WARPS 8
#endif
#if WARPS != 8
#error "hilo: WARPS is 8 here"
#endif
#include "modular/residues_mma.clh"

#if PARTS != 1 || WEIGHT_WORDS != 4
#error "hilo: factors are of real elements of at most four limbs"
#endif
#define BLOCKS 16
#define BLOCKS_OF_WARP (BLOCKS / WARPS)
#define SUMMANDS 4
#define word_halves uint_halves

#include "modular/factor_sums.clh"

// Which quarter of the operand's lines and of its terms a block is of.
#define LINE_QUARTER(b) (2 * LINE_HALF((b) / 4) + LINE_HALF((b) % 4))
#define TERM_QUARTER(b) (2 * TERM_HALF((b) / 4) + TERM_HALF((b) % 4))

// Where a line's 16 residues modulo one of eight numbers lie, so that neither who stores nor who loads them waits for
// banks.
#define SLOT_OF_LINE(block, modulus, line) \
  (((block) * PLANES_AT_ONCE + (modulus)) * BAND + ((line) ^ ((modulus) & 6)))

// All factors modulo one number, each `size` after the one before; `residues` are the lane's in the first block, `step`
// before those in the next.
static inline void store_factors(const __local uint* residues, int step, byte_modulus m, __global uint* to, long size) {
  word_halves outer[7][SUMMANDS];
#pragma unroll
  for (int b = 0; b < BLOCKS; ++b) outer[b / SUMMANDS][b % SUMMANDS] = halves_of(residues[b * step]);
#define STORE(f, word) to[(f) * size] = (word)
  FORM_FACTORS_TWICE(outer, m, STORE)
}

// Padded lines and terms are a block's.
__kernel __attribute__((reqd_work_group_size(32 * WARPS, 1, 1))) void factors(
    __global const ulong* restrict x, __global const int* restrict exponents,
    __global const int* restrict balance, __global const uint* restrict table, __global uint* restrict out,
    residue_arguments block) {
  const int padded_lines = block.padded_lines, padded_terms = block.padded_terms, panel_lines = block.panel_lines;
  __local uint4 slots[BLOCKS][ELEMENTS];
  __local uint4 residues[BLOCKS * PLANES_AT_ONCE * BAND];
  const uint lane = (uint)get_local_id(0) % 32, warp = (uint)get_local_id(0) / 32, first_block = warp * BLOCKS_OF_WARP;
  const uint bands = (uint)panel_lines / BAND, chunks = (uint)padded_terms / CHUNK, place = (uint)get_group_id(0);
  const uint band = place % bands, chunk = place / bands % chunks, panel = place / bands / chunks;

#pragma unroll
  for (uint b = first_block; b < first_block + BLOCKS_OF_WARP; ++b) {
    place_integers(x, exponents, balance, &block,
                   (int)(LINE_QUARTER(b) * padded_lines + panel * panel_lines + band * BAND),
                   (int)(TERM_QUARTER(b) * padded_terms + chunk * CHUNK), lane, slots[b]);
  }
  wait_for_warp();

  const long pitch = 4 * block.plane, size = 4L * padded_lines * chunks;
  const __local uint* of_lane = (const __local uint*)(residues + SLOT_OF_LINE(0, warp, lane / 4)) + lane % 4;
  table += block.first_word;
  out += 4 * (block.first_chunk + ((long)panel * chunks + chunk) * panel_lines + band * BAND) + lane + warp * pitch;
#pragma unroll 1
  for (int l = 0; l < block.moduli; l += PLANES_AT_ONCE) {
    const uint weight[1] = {table[lane / 4 * TABLE_STRIDE + lane % 4]};
    __global const uint2* constants = (__global const uint2*)(table + lane % 4 * 2 * TABLE_STRIDE + WEIGHT_WORDS + 2);
    const uint2 first = constants[0], second = constants[TABLE_STRIDE / 2];
#pragma unroll
    for (uint b = first_block; b < first_block + BLOCKS_OF_WARP; ++b) {
      uint4 element[1][CHUNK / 4];
      load_slots(slots[b], 1, lane, element);
      uint of_first[CHUNK / 4], of_second[CHUNK / 4];
      find_residues(element, 1, weight, first, second, of_first, of_second);
      residues[SLOT_OF_LINE(b, lane % 4 * 2, lane / 4)] = vload4(0, of_first);
      residues[SLOT_OF_LINE(b, lane % 4 * 2 + 1, lane / 4)] = vload4(0, of_second);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l + (int)warp < block.moduli) {
      const byte_modulus m = byte_modulus_of((int)table[warp * TABLE_STRIDE + WEIGHT_WORDS + 2]);
      store_factors(of_lane, PLANES_AT_ONCE * BAND * 4, m, out, size);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    table += PLANES_AT_ONCE * TABLE_STRIDE;
    out += PLANES_AT_ONCE * pitch;
  }
}
