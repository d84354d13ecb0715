// What mma.cl and wgmma.cl share. Panels have their lines in quads (line_order.clh).
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

// A tile's place in a plane of row_panels x column_panels tiles: columns of RASTER_ROWS tiles, one after the other, so
// that what a device computes at a time shares its panels.
inline int2 place_of(int tile, int row_panels, int column_panels) {
  const int band = tile / (RASTER_ROWS * column_panels), within = tile % (RASTER_ROWS * column_panels);
  const int rows = min(row_panels - band * RASTER_ROWS, RASTER_ROWS);
  return (int2)(band * RASTER_ROWS + within % rows, within / rows);
}

inline uint local_address(const __local void* p) { return (uint)(size_t)p; }

inline uint permuted(uint x, uint y, uint selector) {
  uint bytes;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(x), "r"(y), "r"(selector));
  return bytes;
}

// The reduction of reduction.cl in three instructions, of a sum below 2^32 as a word. x is made of four bytes x_i, and dp4a
// makes y = c_0 x_0 + ... + c_3 x_3 of them, y = x mod m, where c_i = 256^i mod m is between -m / 2 and m / 2. To y it adds
// the bits of the float F_0 = g m - (m - 1) / 2, so that these are the bits of F = F_0 + y; F_0 is a multiple of 256 for
// the sake of the low byte, and at least 2^23 - y.
//
// Where y = q m + s with 0 <= s < m, F / m - g is (s - (m - 1) / 2) / m away from q, so 1 / (2m) or more from a tie.
// `inverse` is 1 / m, rounded, and |F (m inverse - 1)| < 0.4962 for all moduli of the engine: a fused multiply-add with
// 3 2^22 - g rounds to q. Its low bits give s = y - q m as there.
typedef struct {
  int coefficients, first, modulus;  // bytes c_i; the bits of F_0
  float inverse, shift;              // of the quotient: 3 2^22 - g
} constants;

inline int nearest_to_zero(int x, int m, float inverse) { return x - m * convert_int_rte((float)x * inverse); }

inline constants constants_for(int m) {
  constants k;
  k.modulus = m;
  k.inverse = reduction_for(m).inverse;
  const int c1 = nearest_to_zero(1 << 8, m, k.inverse), c2 = nearest_to_zero(1 << 16, m, k.inverse);
  const int c3 = nearest_to_zero(1 << 24, m, k.inverse);
  k.coefficients = 1 | (c1 & 0xFF) << 8 | (c2 & 0xFF) << 16 | c3 << 24;
  const int least = (1 << 23) - 255 * (min(c1, 0) + min(c2, 0) + min(c3, 0)), half_m = (m - 1) / 2 * (m & 1);
  int inverse_256 = m;  // modulo 8, then 64, then 4096
  inverse_256 *= 2 - m * inverse_256;
  inverse_256 *= 2 - m * inverse_256;
  const int g = half_m * inverse_256 & 0xFF;
  const int g_up = g + 256 * ((least + half_m - g * m + 256 * m - 1) / (256 * m));
  k.first = 0x4B000000 + (g_up * m - half_m - (1 << 23));
  k.shift = (float)(12582912 - g_up);
  return k;
}

// The low byte is x mod m.
inline uint reduced_sum(int x, constants k) {
  int y;
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(y) : "r"(x), "r"(k.coefficients), "r"(k.first));
  return as_uint(y - as_int(fma(as_float(y), k.inverse, k.shift)) * k.modulus);
}

// A sum and a byte of a word.
inline int with_byte(int sum, uint word, int byte) {
  int more;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(more) : "r"(word), "r"(1u << (8 * byte)), "r"(sum));
  return more;
}

// The low bytes of four sums, reduced.
inline uint reduced_word(int x0, int x1, int x2, int x3, constants k) {
  const uint low = permuted(reduced_sum(x0, k), reduced_sum(x1, k), 0x0040);
  const uint high = permuted(reduced_sum(x2, k), reduced_sum(x3, k), 0x0040);
  return permuted(low, high, 0x5410);
}

// A lane's 16 columns of a row, reduced: sum[4 j] and sum[4 j + 1] are two of them.
inline uint4 packed(const int* sum, constants k) {
#define WORD(i) reduced_word(sum[8 * i], sum[8 * i + 1], sum[8 * i + 4], sum[8 * i + 5], k)
  return (uint4)(WORD(0), WORD(1), WORD(2), WORD(3));
#undef WORD
}

// The same of sums with residues of the same entries that are added.
inline uint word_with(int x0, int x1, int x2, int x3, constants k, uint added) {
  return reduced_word(with_byte(x0, added, 0), with_byte(x1, added, 1), with_byte(x2, added, 2), with_byte(x3, added, 3),
                      k);
}
inline uint4 packed_with(const int* sum, constants k, uint4 added) {
#define WORD(i, bytes) word_with(sum[8 * i], sum[8 * i + 1], sum[8 * i + 4], sum[8 * i + 5], k, bytes)
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
