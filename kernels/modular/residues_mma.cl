// Residues of an operand's elements with NVIDIA's mma.sync, from compute capability 8.0 on.
//
//   WARPS   1 2 4 ...   of a work-group, each for itself
//
// A warp takes 8 lines of a panel by 16 terms. Their integers go to local memory, from where ldmatrix reads the 8 lines
// of a term without conflicts between banks. A product of 16 integers, those of two terms, by 8 moduli sums up bytes
// times weights; of each a lane gets one line and two moduli, so that eight products give it the 16 bytes of a chunk,
// and 8 lanes write 128 bytes in a row.

#include "modular/residues.cl"

#ifndef WARPS
#define WARPS 4
#endif
#if WARPS < 1 || WARPS > 32
#error "hilo: WARPS is not in 1 ... 32"
#endif

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define BAND 8
#define ELEMENTS (BAND * CHUNK)
#define EACH (ELEMENTS / 32)
#define PLANES_AT_ONCE 8
// Of 16 bytes.
#define STEPS (WEIGHT_WORDS / 4)

// Shifts by any number of bits.
static inline ulong to_left(ulong x, int bits) {
  ulong y;
  asm("shl.b64 %0, %1, %2;" : "=l"(y) : "l"(x), "r"(bits));
  return y;
}

static inline ulong to_right(long x, int bits) {
  ulong y;
  asm("shr.s64 %0, %1, %2;" : "=l"(y) : "l"(x), "r"(bits));
  return y;
}

static inline uint permuted(uint x, uint y, uint selector) {
  uint bytes;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(x), "r"(y), "r"(selector));
  return bytes;
}

static inline void wait_for_warp(void) { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }

static inline uint local_address(const __local void* p) { return (uint)(size_t)p; }

// Four blocks of 8 lines of 16 bytes; lane l names line l % 8 of block l / 8.
static inline uint4 load_blocks(uint address) {
  uint4 x;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
               : "r"(address)
               : "memory");
  return x;
}

// Sums of products of 16 bytes: 16 rows of x, 8 columns of y.
static inline void add_products(uint* sum, uint x0, uint x1, uint y) {
  asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
      : "r"(x0), "r"(x1), "r"(y));
}

// An element's words, or zeros; volatile lest one load waits for another's use.
static inline void fetch_element(__global const ulong* x, int is_there, ulong* words) {
#if ELEMENT_WORDS == 1
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; mov.u64 %0, 0; @p ld.global.nc.u64 %0, [%1];}"
               : "=&l"(words[0])
               : "l"(x), "r"(is_there));
#else
#pragma unroll
  for (int i = 0; i < ELEMENT_WORDS; i += 2) {
    asm volatile(
        "{.reg .pred p; setp.ne.s32 p, %3, 0; mov.u64 %0, 0; mov.u64 %1, 0; @p ld.global.nc.v2.u64 {%0, %1}, [%2];}"
        : "=&l"(words[i]), "=&l"(words[i + 1])
        : "l"(x + i), "r"(is_there));
  }
#endif
}

// Adds x * 2^place; place is at least 0, and at most 64 where there are no more than four limbs.
static inline void add_shifted(integer* sum, long x, int place) {
  uint carry = 0;
#pragma unroll
  for (int i = 0; i < LIMBS; ++i) {
    ulong two = i < 2 ? to_left(x, place) : to_right(x, i / 2 * 64 - place);
#if LIMBS > 4
    if (i >= 2 && place >= i / 2 * 64) two = to_left(x, place - i / 2 * 64);
#endif
    ulong s = (ulong)sum->limb[i] + (uint)(i % 2 ? two >> 32 : two) + carry;
    sum->limb[i] = (uint)s;
    carry = (uint)(s >> 32);
  }
}

// Where powers of two are doubles, and scaled words too unless they are next to nothing.
#define IS_IN_RANGE(shift) ((uint)((shift) + 1000) < 2000)
static inline double power_of_two(int exponent) { return as_double((ulong)(uint)(exponent + 1023) << 52); }

// A normal number is significand_of(word) * 2^place_of(word, 0).
static inline int place_of(ulong word, int shift) { return biased_exponent(word) - 1075 + shift; }
static inline double significand_of(ulong word) {
  return as_double((word & (WORD_SIGN | WORD_FRACTION)) | 0x4330000000000000UL);
}

#if LIMBS > 4 || WORDS == 1
// Adds the integer nearest to word * 2^shift.
static inline void add_rounded(integer* sum, ulong word, int shift) {
  const int place = place_of(word, shift);
  const double x = place > 0 ? significand_of(word) : as_double(word) * power_of_two(shift);
  add_shifted(sum, convert_long_rte(x), max(place, 0));
}
#endif

// The integer nearest to the number of these words times 2^shift, if *is_done. Where hi is even lo is rounded for
// itself, ties too.
static inline integer rounded_quick(const ulong* words, int shift, int* is_done) {
  integer sum = {{0}};
#if WORDS == 1
  add_rounded(&sum, words[0], shift);
  *is_done = IS_IN_RANGE(shift);
#else
  const int place = place_of(words[0], shift), is_even = place > 0;
  const int is_zero = as_double(words[0]) == 0.0 && as_double(words[1]) == 0.0;
  const long hi = convert_long_rte(significand_of(words[0]));
  add_shifted(&sum, is_even ? hi : 0, place);
#if LIMBS <= 4
  const double lo = as_double(words[1]) * power_of_two(shift);
  add_shifted(&sum, convert_long_rte(lo), 0);
  *is_done = IS_IN_RANGE(shift) && place <= 64 && (is_zero || (is_even && fabs(lo) < 0x1p63));
#else
  add_rounded(&sum, words[1], shift);
  *is_done = IS_IN_RANGE(shift) && (is_zero || is_even);
#endif
#endif
  return sum;
}

// The same where hi is odd or has bits after the point: if hi = RN(hi + lo), lo decides ties only.
static inline integer rounded_small(const ulong* words, int shift, int* is_done) {
  integer sum = {{0}};
  *is_done = 0;
#if WORDS == 2
  const double hi = as_double(words[0]) * power_of_two(shift), lo = as_double(words[1]) * power_of_two(shift);
  *is_done = IS_IN_RANGE(shift) && place_of(words[0], shift) <= 0 && hi + lo == hi;
  double whole = rint(hi);
  const double rest = hi - whole;
  if (fabs(rest) == 0.5 && rest * lo > 0.0) whole += 2.0 * rest;
  add_shifted(&sum, convert_long_rte(whole), 0);
#endif
  return sum;
}

// The integers of an element's parts to its slots.
static inline void store_planes(__local uint4* slot, const integer* part) {
#pragma unroll
  for (int p = 0; p < PLANES; ++p) {
    const integer x = raised(p < PARTS ? part[p] : sum_of(part[0], part[PARTS - 1]));
#pragma unroll
    for (int j = 0; j < STEPS; ++j) {
      uint four[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) four[i] = 4 * j + i < LIMBS ? x.limb[4 * j + i] : 4 * j + i == LIMBS;
      slot[(p * STEPS + j) * ELEMENTS] = (uint4)(four[0], four[1], four[2], four[3]);
    }
  }
}

// What is congruent to a sum, in the low byte. Sums stay below 2^22, so as floats they are that many units of the least
// subnormal: 3 + sum / m * 2^-22 has their quotient in the last places, the nearest integer, as none is nearer to half
// a modulus than 1 / (2 m). The bits of 3 are a multiple of 256.
static inline uint residue_of(uint sum, uint2 modulus) {
  return sum - as_uint(fma(as_float(sum), as_float(modulus.y), 3.0f)) * modulus.x;
}

static inline uint four_residues(uint x0, uint x1, uint x2, uint x3, uint2 modulus) {
  const uint low = permuted(residue_of(x0, modulus), residue_of(x1, modulus), 0x0040);
  const uint high = permuted(residue_of(x2, modulus), residue_of(x3, modulus), 0x0040);
  return permuted(low, high, 0x5410);
}

// Slots of lines are swapped within a term, by its last bits.
#define COLUMN(line, term) ((line) ^ (term) % BAND)

// Sums over one integer's bytes made small, so that those over another's do not reach 2^22.
static inline void reduce_sums(uint* sum, uint2 first, uint2 second) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const uint2 modulus = i % 2 ? second : first;
    sum[i] = modulus.x + (uint)((int)(residue_of(sum[i], modulus) << 24) >> 24);
  }
}

// The residues of the integers at slots, of so many together; `to` is where the lane's first plane has its line, planes
// are pitch apart, and their weights in the table are those of all integers.
__attribute__((always_inline)) static inline void store_residues(const __local uint4* slots, int integers, uint lane,
                                                                  __global const uint* table, int planes,
                                                                  __global uint4* to, long pitch) {
  const int steps = integers * STEPS, stride = integers * WEIGHT_WORDS + 4;
  uint4 element[SPLIT_PLANES * STEPS][CHUNK / 4];
#pragma unroll
  for (int j = 0; j < steps; ++j) {
#pragma unroll
    for (int g = 0; g < CHUNK / 4; ++g) {
      const uint term = 4 * g + lane / 8;
      element[j][g] = load_blocks(local_address(slots + j * ELEMENTS + term * BAND + COLUMN(lane % BAND, term)));
    }
  }
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
#pragma unroll
    for (int g = 0; g < CHUNK / 4; ++g) {
      uint low[4] = {0, 0, 0, 0}, high[4] = {0, 0, 0, 0};
#pragma unroll
      for (int j = 0; j < steps; ++j) {
        if (LIMBS > 6 && j == STEPS) {
          reduce_sums(low, first, second);
          reduce_sums(high, first, second);
        }
        add_products(low, element[j][g].x, element[j][g].y, weight[j]);
        add_products(high, element[j][g].z, element[j][g].w, weight[j]);
      }
      x[g] = four_residues(low[0], low[2], high[0], high[2], first);
      y[g] = four_residues(low[1], low[3], high[1], high[3], second);
    }
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
    residue_arguments block OTHER_OPERAND(__global const)) {
  const matrix_view view = block.view;
  const int lines = block.lines, first_term = block.first_term, terms = block.terms;
  const int padded_lines = block.padded_lines, padded_terms = block.padded_terms, panel_lines = block.panel_lines;
  const int bits = block.bits, sign = block.sign;
  __local uint4 all_slots[WARPS][PLANES * STEPS * ELEMENTS];
  const uint lane = (uint)get_local_id(0) % 32, warp = (uint)get_local_id(0) / 32;
  __local uint4* slots = all_slots[warp];
  // Bands of a chunk, chunks of a panel, panels: as they lie in memory.
  const uint bands = (uint)panel_lines / BAND, chunks = (uint)padded_terms / CHUNK;
  const uint place = (uint)get_group_id(0) * WARPS + warp;
  const uint band = place % bands, chunk = place / bands % chunks, panel = place / bands / chunks;
#if FOR_BOTH
  const uint band_line = panel * (uint)panel_lines + band * BAND;
  if (band_line >= (uint)max(padded_lines, other.padded_lines)) return;
#else
  if (panel * (uint)panel_lines >= (uint)padded_lines) return;
#endif

  // A lane has four elements; neighbouring lanes have neighbours in memory.
  const uint has_line = view.row_stride <= view.column_stride;
  const uint line_at = has_line ? lane % BAND : lane / CHUNK, line_step = has_line ? 0 : 32 / CHUNK;
  const uint term_at = has_line ? lane / BAND : lane % CHUNK, term_step = has_line ? 32 / BAND : 0;
  const int line = (int)(panel * panel_lines + band * BAND + line_at), term = (int)(chunk * CHUNK + term_at);
#define LINE(i) (line + (i) * (int)line_step)
#define TERM(i) (term + (i) * (int)term_step)
#define IS_INSIDE(i) (LINE(i) < lines && TERM(i) < terms)
#define SLOT(i)                               \
  (slots + (term_at + (i) * term_step) * BAND + \
   (COLUMN(line_at, term_at) ^ COLUMN((i) * line_step, (i) * term_step)))
  x += (view.offset + line * view.row_stride + (first_term + term) * view.column_stride) * ELEMENT_WORDS;
  const long step = (line_step * view.row_stride + term_step * view.column_stride) * ELEMENT_WORDS;
  exponents += block.first_exponent;
  balance += first_term;

  ulong words[EACH][ELEMENT_WORDS];
  int shift[EACH];
#pragma unroll
  for (int i = 0; i < EACH; ++i) fetch_element(x + i * step, IS_INSIDE(i), words[i]);
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    const int e = exponents[min(LINE(i), lines - 1)];
    shift[i] = e == LINE_OF_ZEROS || !IS_INSIDE(i) ? 0 : bits - e;
  }
  if (sign) {
#pragma unroll
    for (int i = 0; i < EACH; ++i) shift[i] += sign * balance[min(TERM(i), terms - 1)];
  }
  uint open = 0;
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    integer part[PARTS];
#pragma unroll
    for (int p = 0; p < PARTS; ++p) {
      int is_done;
      if (p) negate(words[i] + WORDS, (int)view.conjugate);
      part[p] = rounded_quick(words[i] + p * WORDS, shift[i], &is_done);
      open |= (uint)!is_done << i;
    }
    store_planes(SLOT(i), part);
  }
  // Once more what takes longer, all of it in one place.
#pragma unroll 1
  for (int i = 0; open >> i; ++i) {
    if (!(open >> i & 1)) continue;
    const int s = bits - exponents[LINE(i)] + (sign ? sign * balance[TERM(i)] : 0);
    ulong again[ELEMENT_WORDS];
    fetch_element(x + i * step, 1, again);
    integer part[PARTS];
#pragma unroll
    for (int p = 0; p < PARTS; ++p) {
      int is_done;
      if (p) negate(again + WORDS, (int)view.conjugate);
      part[p] = rounded_quick(again + p * WORDS, s, &is_done);
      if (!is_done) part[p] = rounded_small(again + p * WORDS, s, &is_done);
      if (!is_done) part[p] = rounded_fixed(again + p * WORDS, s);
    }
    store_planes(SLOT(i), part);
  }
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
  out += block.first_chunk + ((long)panel * chunks + chunk) * panel_lines + band * BAND + first_line;
  store_all(slots, lane, table, &block, out, block.plane);
}
