// The seven factors of an operand for one level of Strassen's algorithm with NVIDIA's matrix units: residues of the same
// place of its four blocks, and their sums, from registers.
//
//   OPERAND   0 1   A or B

#include "modular/residues_mma.clh"

#if PARTS != 1 || WEIGHT_WORDS != 4
#error "hilo: factors are of real elements of at most four limbs"
#endif

#define BLOCKS 4
#define FACTORS 7
#define SUMMANDS 1
#define WORDS_OF_CHUNK (CHUNK / 4)
#define word_halves uint_halves

#include "modular/factor_sums.clh"

// Sums of the blocks' residues modulo m, each factor `size` after the one before.
static inline void store_factors(const uint (*blocks)[WORDS_OF_CHUNK], uint m, __global uint4* to, long size) {
  const byte_modulus modulus = byte_modulus_of((int)m);
  uint factor[FACTORS][WORDS_OF_CHUNK];
#pragma unroll
  for (int i = 0; i < WORDS_OF_CHUNK; ++i) {
    word_halves x[FACTORS][SUMMANDS];
#pragma unroll
    for (int b = 0; b < BLOCKS; ++b) x[b][0] = halves_of(blocks[b][i]);
    form_sums(x, 1, modulus);
#pragma unroll
    for (int f = 0; f < FACTORS; ++f) factor[f][i] = f < FACTORS_UNCHANGED ? blocks[f][i] : joined(x[f][0]);
  }
#pragma unroll
  for (int f = 0; f < FACTORS; ++f) to[f * size] = vload4(0, factor[f]);
}

// Padded lines and terms are a block's.
__kernel __attribute__((reqd_work_group_size(32 * WARPS, 1, 1))) void factors(
    __global const ulong* restrict x, __global const int* restrict exponents,
    __global const int* restrict balance, __global const uint* restrict table, __global uint4* restrict out,
    residue_arguments block) {
  const int padded_lines = block.padded_lines, padded_terms = block.padded_terms, panel_lines = block.panel_lines;
  __local uint4 all_slots[WARPS][BLOCKS * ELEMENTS];
  const uint lane = (uint)get_local_id(0) % 32, warp = (uint)get_local_id(0) / 32;
  __local uint4* slots = all_slots[warp];
  const uint bands = (uint)panel_lines / BAND, chunks = (uint)padded_terms / CHUNK;
  const uint place = (uint)get_group_id(0) * WARPS + warp;
  const uint band = place % bands, chunk = place / bands % chunks, panel = place / bands / chunks;
  if (panel * (uint)panel_lines >= (uint)padded_lines) return;

#pragma unroll 1
  for (int b = 0; b < BLOCKS; ++b) {
    place_integers(x, exponents, balance, &block,
                   LINE_HALF(b) * padded_lines + (int)(panel * panel_lines + band * BAND),
                   TERM_HALF(b) * padded_terms + (int)(chunk * CHUNK), lane, slots + b * ELEMENTS);
  }
  wait_for_warp();
  const long pitch = block.plane, size = (long)padded_lines * chunks;
  out += block.first_chunk + ((long)panel * chunks + chunk) * panel_lines + band * BAND + lane / 4 + lane % 4 * 2 * pitch;
  table += block.first_word;
  __global const uint* weights = table + lane / 4 * TABLE_STRIDE + lane % 4;
  __global const uint2* constants = (__global const uint2*)(table + lane % 4 * 2 * TABLE_STRIDE + WEIGHT_WORDS + 2);
#pragma unroll 1
  for (int l = 0; l < block.moduli; l += PLANES_AT_ONCE) {
    const uint weight[1] = {weights[0]};
    const uint2 first = constants[0], second = constants[TABLE_STRIDE / 2];
    uint x_of[BLOCKS][WORDS_OF_CHUNK], y_of[BLOCKS][WORDS_OF_CHUNK];
#pragma unroll
    for (int b = 0; b < BLOCKS; ++b) {
      // Once more for each eight moduli: registers do not do for all.
      uint4 element[1][CHUNK / 4];
      load_slots(slots + b * ELEMENTS, 1, lane, element);
      find_residues(element, 1, weight, first, second, x_of[b], y_of[b]);
    }
    const int left = block.moduli - l - (int)(lane % 4 * 2);
    if (left > 0) store_factors(x_of, first.x, out, size);
    if (left > 1) store_factors(y_of, second.x, out + pitch, size);
    weights += PLANES_AT_ONCE * TABLE_STRIDE;
    constants += PLANES_AT_ONCE * TABLE_STRIDE / 2;
    out += PLANES_AT_ONCE * pitch;
  }
}
