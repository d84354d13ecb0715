// How widely exponents spread in each sum of a modular product (docs/modular.md, 1.2): how many entries (i, j) have
// E_ij = min over h of d_ih + d_hj above a level, where d = e - E(x) of A's and of B's elements.
//
// Not E_ij itself is needed but which entries are within a level t, and that is a product of bits: with bit plane c of
// B, bit (h, j) = (d_hj <= c), row i of the answer is the OR over h of row h of plane t - d_ih. 32 entries at a time,
// the terms of least d_ih first, which settle most of them, and no longer than until all are.
#pragma once

#include "modular/scan.cl"

#define PLANE_LINES 32
#define SLICES 7
#define LARGEST_DEFICIT 127

// Bit s of bytes 0 ... 7 of x to bits 0 ... 7 of byte s: an 8 x 8 matrix of bits transposed (Hacker's Delight, 7-3).
static inline ulong transposed_bits(ulong x) {
  ulong t = (x ^ (x >> 7)) & 0x00aa00aa00aa00aaUL;
  x ^= t ^ (t << 7);
  t = (x ^ (x >> 14)) & 0x0000cccc0000ccccUL;
  x ^= t ^ (t << 14);
  t = (x ^ (x >> 28)) & 0x00000000f0f0f0f0UL;
  return x ^ t ^ (t << 28);
}

// masks[plane][term][word], word_pitch words a term, whole uint4; the last plane of `planes` + 1 says which elements are
// not zero. After it settled[word], columns that are idle or beyond the last, and charged[word], uneven ones.
__kernel void make_masks(__global const short* codes, __global const int* exponents, __global const int* uneven,
                         __global const int* balance, __global uint* masks, mask_arguments p) {
  const int lines = p.lines, terms = p.terms, has_uneven = p.has_uneven, is_balanced = p.is_balanced;
  const int planes = p.planes, word_pitch = p.word_pitch;
  int word = (int)get_global_id(0), term = (int)get_global_id(1);
  if (word >= word_pitch || term >= terms) return;
  int first = word * PLANE_LINES;
  int shift = balance_of(balance, is_balanced ? -1 : 0, term);
  codes += term * code_pitch(lines) + first;
  exponents += p.first_exponent;
  uint slice[SLICES] = {0, 0, 0, 0, 0, 0, 0}, is_nonzero = 0;
  for (int block = 0; block < PLANE_LINES; block += 8) {
    ulong deficits = 0;
    for (int b = 0; b < 8; ++b) {
      int line = first + block + b;
      int e = line < lines ? exponents[line] : line_of_zeros;
      int of_element = line < lines ? exponent_of_code(codes[block + b]) : 0;
      int counts = !is_idle(e) && of_element != E_OF_ZERO;
      uint deficit = counts ? (uint)min(e - of_element - shift, LARGEST_DEFICIT) : LARGEST_DEFICIT;
      deficits |= (ulong)deficit << (8 * b);
      is_nonzero |= (uint)counts << (block + b);
    }
    deficits = transposed_bits(deficits);
    for (int s = 0; s < SLICES; ++s) slice[s] |= ((uint)(deficits >> (8 * s)) & 0xffu) << block;
  }
  long at = (long)term * word_pitch + word, plane_pitch = (long)terms * word_pitch;
  for (int c = 0; c < planes; ++c, at += plane_pitch) {
    // d <= c, from the lowest bit on.
    uint is_within = 0xffffffffu;
    for (int s = 0; s < SLICES; ++s) is_within = (c >> s & 1) ? (is_within | ~slice[s]) : (is_within & ~slice[s]);
    masks[at] = is_within;
  }
  masks[at] = is_nonzero;
  if (term != 0) return;
  uint is_settled = 0, is_charged = 0;
  for (int b = 0; b < PLANE_LINES; ++b) {
    int line = first + b;
    is_settled |= (uint)(line >= lines || is_idle(exponents[min(line, lines - 1)])) << b;
    is_charged |= (uint)(has_uneven && line < lines && uneven[min(line, lines - 1)]) << b;
  }
  __global uint* settled = masks + (planes + 1) * plane_pitch;
  settled[word] = is_settled;
  settled[word_pitch + word] = is_charged;
}

#define COUNT_ITEMS 256
#define MOST_QUADS 32
#define CHUNK_TERMS 1024
#define AT_ONCE 8
// Terms among which those of least deficit are found.
#define LOOKED_AT 2048
// Of a term that is zero: above all that count.
#define DEFICIT_OF_ZERO 0xffff

#define LEVEL_EXPECTED 0
#define LEVEL_BEFORE 1

// Its index is not known before, and what is so read of a struct of arguments would be copied first.
static inline int threshold_of(level_test test, int level) {
  switch (level) {
    case 0: return test.thresholds[0];
    case 1: return test.thresholds[1];
    case 2: return test.thresholds[2];
    case 3: return test.thresholds[3];
    case 4: return test.thresholds[4];
    case 5: return test.thresholds[5];
    case 6: return test.thresholds[6];
    default: return test.thresholds[7];
  }
}

// By the sample; `levels` where there is none.
static inline int expected_level(volatile __global const int* figures, level_test test) {
  int level = 0;
  while (level < test.levels && (ulong)(uint)figures[level] * (ulong)test.sample_step > (uint)test.limit) ++level;
  return level;
}

// What a launch has to count, and whether that is still worth it; `levels` where it is not. No count goes on for long
// beyond the limit, so that none overflows.
static inline int level_to_count(volatile __global const int* figures, level_test test, int is_sample, int what) {
  int level = is_sample ? what : expected_level(figures, test);
  if (!is_sample && what == LEVEL_BEFORE) {
    if (level == 0 || (uint)figures[level - 1] > (uint)test.limit) return test.levels;
    --level;
  }
  int figure = is_sample ? level : figure_beyond + what;
  return level < test.levels && (uint)figures[figure] > (uint)test.limit ? test.levels : level;
}

// A row of A's deficits.
typedef struct {
  __global const short* codes;
  __global const int* balance;
  int e, sign;
} deficit_row;

static inline int deficit_of(deficit_row row, int term) {
  int of_element = exponent_of_code(row.codes[term]);
  return of_element == E_OF_ZERO ? DEFICIT_OF_ZERO : row.e - of_element - balance_of(row.balance, row.sign, term);
}

// 128 columns of the bit planes.
typedef struct {
  __global const uint4* masks;
  long plane_pitch;
  int quad_pitch;
  // Deficits up to the threshold settle an entry; in the columns of `extra` the surcharge is taken off it first.
  int threshold, surcharge;
  uint4 extra;
  int has_extra;
} mask_column;

static inline uint4 settled_by(mask_column m, int term, int deficit) {
  int plane = m.threshold - deficit;
  uint4 none = (uint4)(0u);
  if (plane < 0) return none;
  __global const uint4* at = m.masks + (long)term * m.quad_pitch;
  uint4 bits = at[plane * m.plane_pitch];
  if (!m.has_extra) return bits;
  uint4 less = plane >= m.surcharge ? at[(plane - m.surcharge) * m.plane_pitch] : none;
  return (bits & ~m.extra) | (less & m.extra);
}

static inline int is_any(uint4 x) { return (x.x | x.y | x.z | x.w) != 0; }

// The bits of a group's quads that are wanted, and the work of its items: they share the quads that have any.
typedef struct {
  int quads;       // of the group
  int open;        // quads with wanted bits
  int own, slice;  // the item's quad, or -1, and its share of the terms
  int slices;
} share;

__attribute__((always_inline)) static inline share share_of(int quads, const __local uint4* wanted, __local int* flags) {
  share s;
  s.quads = quads;
  if ((int)get_local_id(0) < quads) flags[get_local_id(0)] = is_any(wanted[get_local_id(0)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint open = 0;
  for (int q = 0; q < quads; ++q) open |= (uint)flags[q] << q;
  s.open = popcount(open);
  int width = 1;
  while (width < s.open) width *= 2;
  int item = (int)get_local_id(0), place = item % width;
  s.slice = item / width;
  s.slices = COUNT_ITEMS / width;
  s.own = -1;
  if (place < s.open) {
    for (; place > 0; --place) open &= open - 1;
    s.own = 31 - clz(open & -open);
  }
  return s;
}

// Takes away what the items have found. Every item calls it.
__attribute__((always_inline)) static inline void take_away(share s, uint4 found, __local uint4* gathered, __local uint4* wanted) {
  int item = (int)get_local_id(0), width = COUNT_ITEMS / s.slices;
  gathered[item] = found;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_way = COUNT_ITEMS / 2; half_way >= width; half_way /= 2) {
    if (item < half_way) gathered[item] |= gathered[item + half_way];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item < width && s.own >= 0) wanted[s.own] &= ~gathered[item];
  barrier(CLK_LOCAL_MEM_FENCE);
}

// A work-group takes a row of the answer and `quads` times 128 columns of it. is_sample: row group * sample_step, the level
// by the third index; counts go to figures[level]. Otherwise all rows, LEVEL_EXPECTED or LEVEL_BEFORE by the third index;
// the count goes to figures[figure_beyond] or the figure after it, and beyond[row][word] has the entries that have a
// nonzero product and spread beyond the threshold: of the expected level, or of the one before where there are no others.
__kernel __attribute__((reqd_work_group_size(COUNT_ITEMS, 1, 1))) void count_beyond(
    __global const short* codes, __global const int* exponents, __global const int* uneven,
    __global const int* balance, __global const uint4* masks, __global uint4* beyond, volatile __global int* figures,
    count_arguments p) {
  const level_test test = p.test;
  const int terms = p.terms, has_uneven = p.has_uneven, is_balanced = p.is_balanced, is_sample = p.is_sample;
  const int quad_pitch = p.quad_pitch, quads = p.quads;
  __local uint4 gathered[COUNT_ITEMS], wanted[MOST_QUADS];
  __local ushort deficits[CHUNK_TERMS];
  __local int best_terms[2 * COUNT_ITEMS];
  __local int level, flags[MOST_QUADS];
  int item = (int)get_local_id(0), what = (int)get_group_id(2);
  int line = (int)get_group_id(0) * (is_sample ? test.sample_step : 1);
  int first_quad = (int)get_group_id(1) * quads;
  if (item == 0) level = level_to_count(figures, test, is_sample, what);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (level >= test.levels) return;
  deficit_row row = {codes + line * code_pitch(terms), balance, exponents[line], is_balanced};
  int is_uneven = has_uneven && uneven[line];
  mask_column m;
  m.plane_pitch = (long)terms * quad_pitch;
  __global const uint4* settled = masks + (test.planes + 1) * m.plane_pitch;
  __global const uint4* charged = settled + quad_pitch;
  m.quad_pitch = quad_pitch;
  m.threshold = threshold_of(test, level) - (is_uneven ? test.surcharge : 0);
  m.surcharge = test.surcharge;
  if (item < quads) {
    int is_inside = first_quad + item < quad_pitch && !is_idle(row.e);
    wanted[item] = is_inside ? ~settled[first_quad + item] : (uint4)(0u);
  }

  // First terms of little deficit, two of each item's: they settle most.
  int least = DEFICIT_OF_ZERO, second = DEFICIT_OF_ZERO, at_least = 0, at_second = 0;
  for (int h = item; h < min(terms, LOOKED_AT); h += COUNT_ITEMS) {
    int d = deficit_of(row, h);
    int is_least = d < least, is_second = d < second;
    second = is_least ? least : is_second ? d : second;
    at_second = is_least ? at_least : is_second ? h : at_second;
    least = is_least ? d : least;
    at_least = is_least ? h : at_least;
  }
  deficits[item] = (ushort)least;
  deficits[item + COUNT_ITEMS] = (ushort)second;
  best_terms[item] = at_least;
  best_terms[item + COUNT_ITEMS] = at_second;
  barrier(CLK_LOCAL_MEM_FENCE);

  // Then all terms. Then those that have a nonzero product at all: other entries are exactly 0 and spread nowhere.
  uint4 open = (uint4)(0u);
  for (int pass = 0; pass < 3; ++pass) {
    if (pass == 2 && item < quads) open = wanted[item];
    int count = pass == 0 ? 2 * COUNT_ITEMS : CHUNK_TERMS;
    for (int first = 0; first < (pass == 0 ? 1 : terms); first += CHUNK_TERMS) {
      share s = share_of(quads, wanted, flags);
      if (s.open == 0) break;
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int i = item; pass > 0 && i < CHUNK_TERMS; i += COUNT_ITEMS) {
        deficits[i] = (ushort)(first + i < terms ? deficit_of(row, first + i) : DEFICIT_OF_ZERO);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      uint4 found = (uint4)(0u), own = s.own >= 0 ? wanted[s.own] : found;
      m.masks = masks + first_quad + max(s.own, 0);
      m.extra = s.own >= 0 && has_uneven && !is_uneven ? charged[first_quad + s.own] : (uint4)(0u);
      m.has_extra = is_any(m.extra);
      for (int i = s.slice; i < count && is_any(own & ~found); i += AT_ONCE * s.slices) {
        uint4 bits[AT_ONCE];
        for (int j = 0; j < AT_ONCE; ++j) {
          int at = min(i + j * s.slices, count - 1), d = deficits[at];
          bits[j] = (uint4)(0u);
          if (pass < 2) {
            bits[j] = settled_by(m, pass == 0 ? best_terms[at & (2 * COUNT_ITEMS - 1)] : first + at, d);
          } else if (d != DEFICIT_OF_ZERO) {
            bits[j] = m.masks[test.planes * m.plane_pitch + (long)(first + at) * quad_pitch];
          }
        }
        for (int j = 0; j < AT_ONCE; ++j) found |= bits[j];
      }
      take_away(s, found, gathered, wanted);
    }
  }
  int is_owner = item < quads && first_quad + item < quad_pitch;
  if (is_owner) open &= ~wanted[item];
  int is_kept = !is_sample && (what == LEVEL_EXPECTED || test.levels == 1);
  if (is_owner && is_kept) beyond[line * (long)quad_pitch + first_quad + item] = open;
  uint4 bits = popcount(open);
  int count = (int)(bits.x + bits.y + bits.z + bits.w);
  // What other items add must not decide whether this one does: PoCL's loops over items take that for unchanging.
  if (is_owner && count) {
    atomic_add(figures + (is_sample ? level : figure_beyond + what), count);
  }
}

// Whether the direct engine has to compute an entry because its row or its column is bad, or because it may overflow.
static inline int is_unscalable(int e, int f, int most_exponent) {
  if (e == line_is_bad || f == line_is_bad) return 1;
  return e != line_of_zeros && f != line_of_zeros && e + f > most_exponent;
}

// Entries for the direct engine, in any order: (row, column) at positions, their count in *count.
__kernel void list_direct(__global const int* exponents, __global const uint* beyond, __global int2* positions,
                          volatile __global int* count, list_arguments p) {
  const int columns = p.columns, word_pitch = p.word_pitch;
  int word = (int)get_global_id(0), row = (int)get_global_id(1);
  if (word * PLANE_LINES >= columns || row >= p.rows) return;
  uint bits = word_pitch ? beyond[row * (long)word_pitch + word] : 0;
  if (!bits && !p.has_unscalable) return;
  int e = exponents[row];
  for (int b = 0; b < min(PLANE_LINES, columns - word * PLANE_LINES); ++b) {
    int column = word * PLANE_LINES + b;
    if (!is_wanted(p.triangle, row, column)) continue;
    if (!(bits >> b & 1) && !is_unscalable(e, exponents[p.rows + column], p.most_exponent)) continue;
    int at = atomic_inc(count);
    if (at < p.most) positions[at] = (int2)(row, column);
  }
}
