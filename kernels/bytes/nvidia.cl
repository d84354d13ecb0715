// What mma.cl and wgmma.cl share. Panels have their lines in quads (line_order.clh), and what products leave of sums are
// residues times a number (ByteTile::is_montgomery).
//
//   RASTER_ROWS   1 ...   rows of tiles in a band of a plane (place_of) where tiles come in no runs (runs.clh)
#pragma once

#include "bytes/line_order.clh"
#include "bytes/reduction.cl"
#include "bytes/residue_sums.cl"
#include "bytes/sum_test.cl"

#ifndef RASTER_ROWS
#define RASTER_ROWS 1
#endif
#if RASTER_ROWS < 1 || RASTER_ROWS > 1024
#error "hilo: RASTER_ROWS is not in 1 ... 1024"
#endif

// A tile's place in a plane of row_panels x column_panels tiles: columns of band_rows tiles, one after the other, so
// that what a device computes at a time shares its panels.
inline int2 place_of(int tile, int row_panels, int column_panels, int band_rows) {
  const int band = tile / (band_rows * column_panels), within = tile % (band_rows * column_panels);
  const int rows = min(row_panels - band * band_rows, band_rows);
  return (int2)(band * band_rows + within % rows, within / rows);
}

inline uint local_address(const __local void* p) { return (uint)(size_t)p; }

inline uint permuted(uint x, uint y, uint selector) {
  uint bytes;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(x), "r"(y), "r"(selector));
  return bytes;
}

// Montgomery's reduction, in two instructions, of a sum x below 2^32 - 2^24 as a word, modulo an odd m: q = x m^-1 modulo
// 2^32 makes q m = x + 2^32 t with 0 <= t < m, and t = -2^-32 x modulo m is what is left of x. Of q the upper half h will
// do: 2^16 h m is above q m - 2^16 m, so h m + m is above 2^16 t and below 2^16 t + x / 2^16 + m, hence below 2^16 (t + 1).
// For m = 256 the same instructions leave x: 255 (2^8 x) + 255 2^8 = 2^16 x + 2^8 (255 - x), x being its low byte.
typedef struct {
  int modulus;
  uint inverse;              // m^-1
  uint coefficients, first;  // bytes 0 and m, m
} constants;

inline constants constants_for(int m) {
  constants k;
  k.modulus = m;
  const uint n = (uint)m;
  k.inverse = n;  // modulo 8, then 64, 4096, 2^24
#pragma unroll
  for (int i = 0; i < 4; ++i) k.inverse *= 2 - n * k.inverse;
  k.coefficients = n << 8;
  k.first = n;
  if (m == 256) {
    k.inverse = 1u << 24;
    k.coefficients = 255u << 8;
    k.first = 255u << 8;
  }
  return k;
}

// Bits 16 to 23 are what is left of x.
inline uint reduced_sum(int x, constants k) {
  uint y;
  asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(y) : "r"((uint)x * k.inverse), "r"(k.coefficients), "r"(k.first));
  return y;
}

// What is left of other sums times this is congruent to them: -2^32, or 1. It is found before sums are stored, once: with
// each word it took a third of that time, and one more constant of a tile would put others into memory.
inline uint factor_of_added(constants k) {
  const uint n = (uint)k.modulus;
  return n == 256 ? 1 : n - (0u - n) % n;
}

// A sum and a byte of a word times a factor.
inline int with_byte(int sum, uint word, int byte, uint factor) {
  int more;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(more) : "r"(word), "r"(factor << (8 * byte)), "r"(sum));
  return more;
}

// What is left of four sums.
inline uint reduced_word(int x0, int x1, int x2, int x3, constants k) {
  const uint low = permuted(reduced_sum(x0, k), reduced_sum(x1, k), 0x0062);
  const uint high = permuted(reduced_sum(x2, k), reduced_sum(x3, k), 0x0062);
  return permuted(low, high, 0x5410);
}

// What is left of a lane's 16 columns of a row: sum[4 j] and sum[4 j + 1] are two of them.
inline uint4 packed(const int* sum, constants k) {
#define WORD(i) reduced_word(sum[8 * i], sum[8 * i + 1], sum[8 * i + 4], sum[8 * i + 5], k)
  return (uint4)(WORD(0), WORD(1), WORD(2), WORD(3));
#undef WORD
}

// The same of sums that go on from what is left of others, times f = factor_of_added(k).
inline uint word_with(int x0, int x1, int x2, int x3, constants k, uint added, uint f) {
  return reduced_word(with_byte(x0, added, 0, f), with_byte(x1, added, 1, f), with_byte(x2, added, 2, f),
                      with_byte(x3, added, 3, f), k);
}
inline uint4 packed_with(const int* sum, constants k, uint4 added, uint f) {
#define WORD(i, bytes) word_with(sum[8 * i], sum[8 * i + 1], sum[8 * i + 4], sum[8 * i + 5], k, bytes, f)
  return (uint4)(WORD(0, added.x), WORD(1, added.y), WORD(2, added.z), WORD(3, added.w));
#undef WORD
}

// Rows of a lane are at every eighth place from place + lane / 4 on, place a multiple of 16; from one to the next are so
// many rows, as long as they stay in a block of 64.
inline int row_of_lane(int place, int lane) { return line_of_place(place + lane / 4, true); }
#define ROW_STEP 2

// A lane's columns of 64 in a row.
inline __global uint4* columns_of_lane(__global uchar* row, int lane) { return (__global uint4*)row + lane % 4; }

#if SUM_TEST
#define LANE_COLUMNS 16
// Norms of a lane's columns of 64 from `column` on.
inline void load_norms_of_lane(__global const float* norms, int column, int columns, int lane, float* of_columns) {
#pragma unroll
  for (int c = 0; c < LANE_COLUMNS; ++c) {
    of_columns[c] = norm_of_line(norms, column + LANE_COLUMNS * (lane % 4) + c, columns);
  }
}

// The most that these columns of a row ask for; `sum` as packed() takes it.
inline int most_asked(float of_row, const float* of_columns, const int* sum) {
  int most = NOTHING_ASKED;
#pragma unroll
  for (int c = 0; c < LANE_COLUMNS; ++c) {
    most = max(most, asked_by(of_row + of_columns[c], (uint)sum[c / 2 * 4 + c % 2]));
  }
  return most;
}

inline void tell_most_of_warp(__global int* figures, sum_test_arguments test, int most, int lane) {
  int of_warp;
  asm volatile("redux.sync.max.s32 %0, %1, 0xffffffff;" : "=r"(of_warp) : "r"(most));
  if (lane == 0) tell_asked(figures, test, of_warp);
}
#endif
