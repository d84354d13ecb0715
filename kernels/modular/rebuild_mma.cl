// rebuild.cl's kernel on a warp's matrix units.
//
//   UNITS    1 ... 4     of 16 moduli
//   BLOCKS   2 ... 6     of 64 bits, which hold M; LIMBS is twice that
//   VECTOR   2 4         words of four columns that a lane loads at a time
//   STEPS    1 2         of these that it computes at a time
//   AHEAD    0 1         whether it loads a row while it computes the one before
//   WARPS    1 2 4 ...   of a work-group
//   TRIANGLE 0 1         see warp_rows.cl
//   ADDS     0 1         where SCALES is 1: alpha = beta = 1
//
// All numbers are shifted to the left, so that M's highest bit is the highest of 32 LIMBS. Four neighbouring lanes, a
// quad, share four neighbouring columns:
//
//   lane t loads       residues of all four modulo 16 u + 4 t ... + 3, u < UNITS: rows of the left matrix
//          gets        bytes 2 BLOCKS t ... + 2 BLOCKS - 1 of each column's sum, a chunk; the right matrix is
//                      M / m, [modulus][byte]
//          exchanges   chunks with the quad
//          rebuilds    column t
//
// Doubles round what is neither next to a tie nor at an end of the range, rounding.cl the rest.

#include "number/doubles.cl"

#include "modular/chunks.cl"
#include "modular/planes.cl"
#include "modular/quick_rounding.cl"
#include "modular/warp_nvidia.cl"

#ifndef VECTOR
#define VECTOR 4
#endif
#if VECTOR != 2 && VECTOR != 4
#error "hilo: VECTOR is none of 2 4"
#endif
#ifndef STEPS
#define STEPS 1
#endif
#if STEPS != 1 && STEPS != 2
#error "hilo: STEPS is none of 1 2"
#endif
#ifndef AHEAD
#define AHEAD 0
#endif
#if AHEAD != 0 && AHEAD != 1
#error "hilo: AHEAD is none of 0 1"
#endif
#ifndef WARPS
#define WARPS 4
#endif
#if WARPS < 1 || WARPS > 32
#error "hilo: WARPS is not in 1 ... 32"
#endif
#ifndef SCALES
#define SCALES 0
#endif
#if SCALES != 0 && SCALES != 1
#error "hilo: SCALES is none of 0 1"
#endif
#ifndef ADDS
#define ADDS 0
#endif
#if ADDS != 0 && ADDS != 1
#error "hilo: ADDS is none of 0 1"
#endif

#define SEGMENT (32 * VECTOR)
#include "modular/warp_rows.cl"

// Weights of all units, and those of the first one alone, which splits.
#define SIGNS PARTS
#define SPLIT_SIGNS (PARTS - 1)
#if PARTS == 2 && SPLIT_MODULI != 16
#error "hilo: what splits is not the first unit"
#endif
#define NUMBERS (STEPS * PARTS)

// alpha and beta, where there are any.
#if SCALES
#define FACTORS , factors f
#define FACTOR_NAMES , f
#else
#define FACTORS
#define FACTOR_NAMES
#endif

// Four words of four columns to four words of four moduli.
static inline void transpose_bytes(uint in0, uint in1, uint in2, uint in3, uint* out) {
  uint low0 = permuted(in0, in1, 0x5140), low1 = permuted(in2, in3, 0x5140);
  uint high0 = permuted(in0, in1, 0x7362), high1 = permuted(in2, in3, 0x7362);
  out[0] = permuted(low0, low1, 0x5410);
  out[1] = permuted(low0, low1, 0x7632);
  out[2] = permuted(high0, high1, 0x5410);
  out[3] = permuted(high0, high1, 0x7632);
}

static inline void load_words(__global const uchar* at, uint* words) {
#if VECTOR == 4
  uint4 x = *(__global const uint4*)at;
  words[0] = x.x;
  words[1] = x.y;
  words[2] = x.z;
  words[3] = x.w;
#else
  uint2 x = *(__global const uint2*)at;
  words[0] = x.x;
  words[1] = x.y;
#endif
}

// A row's residues of the lane's moduli, of which `moduli` are there from its first one, 4 t, on. The others' stay as they
// are.
static inline void load_residues(__global const uchar* from, long plane, int t, int moduli,
                                 uint (*in)[4 * UNITS][VECTOR]) {
#pragma unroll
  for (int i = 0; i < 4 * UNITS; ++i) {
    const int l = 16 * (i / 4) + i % 4, planes = l < SPLIT_MODULI ? SPLIT_PLANES : PLANES;
#pragma unroll
    for (int p = 0; p < planes; ++p) {
      if (l < moduli) load_words(from + (planes_before(l) + p + 4 * t * planes) * plane, in[p][i]);
    }
  }
}

// What a lane has for all rows.
typedef struct {
  int lane, columns;  // columns: from the lane's first one on
  uint weight[SIGNS][UNITS][BLOCKS], split_weight[BLOCKS];
  int exponent[VECTOR];
  uint sign;
  long column_stride;
} lane_constants;

// The first unit's weights or residues with those that others have.
typedef struct {
  uint of[UNITS][BLOCKS];
} joined_weights;
typedef struct {
  uint of[UNITS][4];
} joined_residues;

static inline joined_weights joined(const uint* first, const uint (*others)[BLOCKS]) {
  joined_weights w;
#pragma unroll
  for (int i = 0; i < UNITS * BLOCKS; ++i) {
    w.of[i / BLOCKS][i % BLOCKS] = i < BLOCKS ? first[i] : others[i / BLOCKS][i % BLOCKS];
  }
  return w;
}

static inline joined_residues joined_of(const uint* first, const uint (*others)[4]) {
  joined_residues x;
#pragma unroll
  for (int i = 0; i < UNITS * 4; ++i) x.of[i / 4][i % 4] = i < 4 ? first[i] : others[i / 4][i % 4];
  return x;
}

#if SCALES
// All elements that a lane has at a time, so that they do not wait for each other's operations.
static inline void update_all(ulong (*words)[WORDS], old_element* old, const int* is_wanted, double4 alpha,
                              double4 beta) {
#if ADDS
  ulong sums[NUMBERS][WORDS];
  int all_sure = 1;
#pragma unroll
  for (int i = 0; i < NUMBERS * WORDS; ++i) sums[i / WORDS][i % WORDS] = words[i / WORDS][i % WORDS];
#pragma unroll
  for (int step = 0; step < STEPS; ++step) {
    all_sure &= add_to_words(sums + step * PARTS, &old[step]) | !is_wanted[step];
  }
  if (all_sure) {
#pragma unroll
    for (int i = 0; i < NUMBERS * WORDS; ++i) words[i / WORDS][i % WORDS] = sums[i / WORDS][i % WORDS];
    return;
  }
#endif
#pragma unroll
  for (int step = 0; step < STEPS; ++step) update_words(words + step * PARTS, &old[step], alpha, beta);
}
#endif

// A segment of a row; the lane's first column is at `element` of C.
static inline void rebuild_row(const lane_constants* k, const modulus_product* m, uint (*in)[4 * UNITS][VECTOR],
                               int row_exponent, __local uint (*exchanges)[CHUNK_WORDS][128], __global ulong* c,
                               long element FACTORS WANTED) {
  const int quad = k->lane / 4, t = k->lane % 4;
#pragma unroll
  for (int first = 0; first < VECTOR; first += STEPS) {
#if SCALES
    // On its way while residues are put together.
    old_element old[STEPS];
    int is_wanted[STEPS];
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
      const int further = 4 * (first + step);
      is_wanted[step] = IS_WANTED(further, k->columns);
      set_none(&old[step]);
      if (is_wanted[step]) load_old(c, element + further * k->column_stride, beta_of(f), &old[step]);
    }
#endif
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
      uint residues[PLANES][UNITS][4];
#pragma unroll
      for (int i = 0; i < PLANES * UNITS; ++i) {
        uint(*from)[VECTOR] = &in[i / UNITS][4 * (i % UNITS)];
        const int s = first + step;
        transpose_bytes(from[0][s], from[1][s], from[2][s], from[3][s], residues[i / UNITS][i % UNITS]);
      }
#pragma unroll
      for (int part = 0; part < PARTS; ++part) {
        __local uint(*exchange)[128] = exchanges[step * PARTS + part];
        uint sum[2][BLOCKS][4];
#pragma unroll
        for (int i = 0; i < 8 * BLOCKS; ++i) sum[i / (4 * BLOCKS)][i / 4 % BLOCKS][i % 4] = 0;
#if PARTS == 2
        // Of the first unit, whose two planes are x and y, x + y and (x - y) / r; of others p1 - p2 and p3 - p1 - p2.
        if (part == 0) {
          const joined_weights w = joined(k->weight[0][0], k->weight[1]);
          ADD_PRODUCTS(sum, residues[0], k->weight[0], 0, exchange);
          ADD_PRODUCTS(sum, residues[1], w.of, 0, exchange);
        } else {
          const joined_weights w = joined(k->weight[1][0], k->weight[0]), v = joined(k->split_weight, k->weight[1]);
          const joined_residues x = joined_of(residues[0][0], residues[2]), y = joined_of(residues[1][0], residues[0]);
          ADD_PRODUCTS(sum, x.of, w.of, 0, exchange);
          ADD_PRODUCTS(sum, y.of, v.of, 0, exchange);
          ADD_PRODUCTS(sum, residues[1], k->weight[1], 1, exchange);
        }
#else
        ADD_PRODUCTS(sum, residues[0], k->weight[0], 0, exchange);
#endif
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          uint chunk[CHUNK_WORDS];
          chunk_of(sum[e / 2], e % 2, chunk);
          // 16 bytes an entry, swapped so that neither writing nor reading them hits a bank twice.
#pragma unroll
          for (int i = 0; i < CHUNK_WORDS; ++i) exchange[i][4 * ((4 * quad + e) ^ quad / 2) + t] = chunk[i];
        }
      }
    }
    wait_for_warp();
    uint x[NUMBERS][LIMBS + 1];
    ulong words[NUMBERS][WORDS];
    int is_sure[NUMBERS], all_sure = 1;
#pragma unroll
    for (int i = 0; i < NUMBERS; ++i) {
      uint4 chunks[CHUNK_WORDS];
#pragma unroll
      for (int w = 0; w < CHUNK_WORDS; ++w) {
        chunks[w] = *(__local const uint4*)(exchanges[i][w] + 4 * (k->lane ^ quad / 2));
      }
      join_chunks(chunks, x[i]);
      reduce(x[i], m);
      is_sure[i] = round_quickly(x[i], row_exponent + k->exponent[first + i / PARTS], k->sign, words[i]);
      all_sure &= is_sure[i];
    }
    // Before the next chunks, what others may still read.
    wait_for_warp();
    if (!all_sure) {
#pragma unroll
      for (int i = 0; i < NUMBERS; ++i) {
        if (!is_sure[i]) round_slowly(x[i], row_exponent + k->exponent[first + i / PARTS], k->sign, words[i]);
      }
    }
#if SCALES
    update_all(words, old, is_wanted, alpha_of(f), beta_of(f));
#endif
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
      const int further = 4 * (first + step);
      if (!IS_WANTED(further, k->columns)) continue;
      const long at = element + further * k->column_stride;
#if PARTS * WORDS == 1
      c[at] = words[step][0];
#else
      __global ulong2* out = (__global ulong2*)c + at * (PARTS * WORDS / 2);
#pragma unroll
      for (int i = 0; i < PARTS * WORDS; i += 2) {
        const int other = i + 1, part = step * PARTS;
        out[i / 2] = (ulong2)(words[part + i / WORDS][i % WORDS], words[part + other / WORDS][other % WORDS]);
      }
#endif
      if (is_bad(row_exponent) || is_bad(k->exponent[first + step])) spoil(c, at);
    }
  }
}

// A warp for a segment of every stride-th row. The product's planes are [plane][row][column], `pitch` columns a row;
// weights are [sign][unit][block][lane]; panel.scale.bits is the place of the bits 144 from the top.
__kernel __attribute__((reqd_work_group_size(32 * WARPS, 1, 1))) void rebuild(
    __global const uchar* restrict product, __global const int* restrict exponents,
    __global const uint* restrict weights, __global ulong* c, rebuild_arguments panel,
    modulus_product m FACTORS WANTED_ARGUMENTS) {
  const matrix_view view = panel.view;
  const int moduli = panel.moduli, padded_rows = panel.padded_rows, pitch = panel.pitch;
  __local uint exchanges[WARPS][NUMBERS][CHUNK_WORDS][128] __attribute__((aligned(16)));
  const int warp = (int)get_local_id(0) / 32, place = (int)get_group_id(0) * WARPS + warp;
#if TRIANGLE
  const warp_rows own = rows_of_warp(place, panel, wanted);
  const int segment = own.segment, rows = own.end, columns = panel.columns, stride = own.stride;
  int row = own.row;
  if (row >= rows) return;
#else
  const int rows = panel.rows, columns = panel.columns, stride = panel.stride;
  const int segments = (columns + SEGMENT - 1) / SEGMENT;
  int row = place / segments;
  if (row >= stride) return;
  const int segment = place % segments;
#endif

  lane_constants k;
  k.lane = (int)get_local_id(0) % 32;
  const int t = k.lane % 4, loaded_column = segment * SEGMENT + 4 * VECTOR * (k.lane / 4);
  const int column = loaded_column + t;
  k.columns = columns - column;
  k.sign = panel.scale.negates ? 0x80000000u : 0u;
  k.column_stride = view.column_stride;
#pragma unroll
  for (int i = 0; i < SIGNS * UNITS * BLOCKS; ++i) {
    k.weight[i / (UNITS * BLOCKS)][i / BLOCKS % UNITS][i % BLOCKS] = weights[32 * i + k.lane];
  }
#pragma unroll
  for (int i = 0; i < SPLIT_SIGNS * BLOCKS; ++i) {
    k.split_weight[i] = weights[32 * (SIGNS * UNITS * BLOCKS + i) + k.lane];
  }
  __global const int* row_exponents = exponents + panel.first_row_exponent;
  __global const int* column_exponents = exponents + panel.first_column_exponent;
#pragma unroll
  for (int s = 0; s < VECTOR; ++s) {
    k.exponent[s] = column_exponents[min(column + 4 * s, columns - 1)] - panel.scale.bits;
  }

  const long plane = (long)padded_rows * pitch;
  const int loads = loaded_column < pitch ? moduli - 4 * t : 0;
  __global const uchar* from = product + (long)row * pitch + loaded_column;
  uint in[PLANES][4 * UNITS][VECTOR], ahead[PLANES][4 * UNITS][VECTOR];
#pragma unroll
  for (int i = 0; i < PLANES * 4 * UNITS * VECTOR; ++i) (&in[0][0][0])[i] = (&ahead[0][0][0])[i] = 0;
  load_residues(from, plane, t, loads, in);
  int exponent = row_exponents[row];
  long element = view.offset + row * view.row_stride + column * view.column_stride;
  for (;;) {
    const int has_next = row + stride < rows;
    const int next_exponent = row_exponents[row + (has_next ? stride : 0)];
    from += (long)stride * pitch;
    if (AHEAD) load_residues(from, plane, t, has_next ? loads : 0, ahead);
#if ADDS
    // Registers hold what C has of this row alone; that of the next one is brought to the cache meanwhile. (One
    // condition for all columns: with one for each this gains nothing.)
    if (has_next) {
      const long next_element = element + stride * view.row_stride;
#pragma unroll
      for (int s = 0; s < VECTOR; ++s) {
        if (4 * s < k.columns) bring_to_cache(c + (next_element + 4 * s * k.column_stride) * (PARTS * WORDS));
      }
    }
#endif
#if TRIANGLE
    const int2 some = columns_of_row(row, column, k.columns, wanted);
    rebuild_row(&k, &m, in, exponent, exchanges[warp], c, element FACTOR_NAMES, some);
#else
    rebuild_row(&k, &m, in, exponent, exchanges[warp], c, element FACTOR_NAMES);
#endif
    if (!has_next) break;
    if (!AHEAD) load_residues(from, plane, t, loads, in);
#pragma unroll
    for (int i = 0; AHEAD && i < PLANES * 4 * UNITS * VECTOR; ++i) (&in[0][0][0])[i] = (&ahead[0][0][0])[i];
    exponent = next_exponent;
    row += stride;
    element += stride * view.row_stride;
  }
}
