// What the sum test of a modular product multiplies (docs/modular.md, 1.3): magnitudes as bytes, and norms. Products of
// bytes tell what comes of them (bytes/sum_test.cl).
#pragma once

#include "bytes/line_order.clh"
#include "bytes/sum_test.cl"
#include "modular/scan.cl"

#define CHUNK 16

// Codes of 16 terms of a line from `term` on, which exist beyond the last one too.
static inline int16 load_codes(__global const short* codes, int is_b, int lines, int terms, int line, int term) {
  if (!is_b) {
    __global const uint4* eights = (__global const uint4*)(codes + line * code_pitch(terms) + term);
    return (int16)(convert_int8(as_short8(eights[0])), convert_int8(as_short8(eights[1])));
  }
  int code[CHUNK];
  codes += term * code_pitch(lines) + line;
  for (int i = 0; i < CHUNK; ++i) code[i] = codes[i * code_pitch(lines)];
  return vload16(0, code);
}

static inline uint sum_of(uint16 x) {
  const uint8 eight = x.lo + x.hi;
  const uint4 four = eight.lo + eight.hi;
  const uint2 two = four.lo + four.hi;
  return two.x + two.y;
}

// The sum of ceil((nu+ 2^(12 - e))^2), nu+ being the number of five bits above a magnitude: (17 + bits)^2 2^(14 - 2d),
// which is at most 2^24, and 0 of zeros and where d is 1012 or more.
static inline uint squares_above(int16 codes, int e) {
  // 16 d + 15 - bits.
  const int16 below = 16 * e + 15 - codes;
  const int16 root = (below & 15) - 32;
  const int16 square = -(root * root << 2 * (norm_unit - 5)) >> min((below >> 3) & ~1, 30);
  const int none = min(16 * (1000 + norm_unit), 16 * e + 15 - E_OF_ZERO);
  return -sum_of(as_uint16(below < none ? square : (int16)(0)));
}

// min(127, floor(nu 2^shift)), nu being the first five bits of magnitudes.
static inline uint4 magnitude_bytes(int16 codes, int shift) {
  // Of 16 times a place and five bits from 2^3 on, where the byte's are from 2^8 on.
  const int16 place = clamp(codes + 16 * (shift + 3), 3 * 16, 12 * 16 - 1);
  const int16 bits = ((place & 15) | 16) << (place >> 4);
  const uint16 byte = as_uint16(min(bits, 0x7fff)) & 0xff00;
  return byte.s048c >> 8 | byte.s159d | byte.s26ae << 8 | byte.s37bf << 16;
}

// Of lines of A and then of B: norms[line], floats, and behind them the sums of squares that they are made of,
// squares[0][line] and squares[1][line]. These += the low 16 bits and the others of sums of squares of so many terms. A
// or B by the third index (b_is_a: A for both), items along lines, chunks_at_once chunks of 16 terms each. The figures
// of lines, too, and their exponents from those of `parts` parts of them, exponents_of_parts[part][line]; of one
// part that may be the same memory.
__kernel void sum_squares(__global const short* codes_of_a, __global const short* codes_of_b,
                          __global const int* exponents_of_parts, __global int* exponents, __global uint* norms,
                          __global int* figures, square_arguments p) {
  const int lines_of_a = p.lines_of_a, lines_of_b = p.lines_of_b, terms = p.terms, chunks_at_once = p.chunks_at_once;
  int is_b = (int)get_global_id(2), line = (int)get_global_id(0);
  int first = (int)get_global_id(1) * chunks_at_once * CHUNK, lines = is_b ? lines_of_b : lines_of_a;
  if (line >= lines) return;
  int at = (is_b ? lines_of_a : 0) + line, e = exponents_of_parts[at];
  for (int i = 1; i < p.parts; ++i) e = max(e, exponents_of_parts[i * (lines_of_a + lines_of_b) + at]);
  for (int o = is_b, to = at; first == 0 && o <= (is_b | p.b_is_a); ++o, to += lines) {
    exponents[to] = e;
    summarise(e, o, figures);
  }
  if (is_idle(e)) return;
  uint sum = 0;
  for (int term = first; term < min(first + chunks_at_once * CHUNK, terms); term += CHUNK) {
    sum += squares_above(load_codes(is_b ? codes_of_b : codes_of_a, is_b, lines, terms, line, term), e);
  }
  __global uint* squares = norms + lines_of_a + lines_of_b;
  atomic_add(squares + at, sum & 0xffff);
  atomic_add(squares + lines_of_a + lines_of_b + at, sum >> 16);
}

// The least n with x <= y 2^n, both positive; very large for a y of 0, and very small for an x below 0.
static inline int ceil_log2_of_ratio(float x, float y) { return (as_int(x) - as_int(y) + 0x7fffff) >> 23; }

static inline float power_of_two(int n) { return as_float((n + 127) << 23); }

// ceil(sqrt(x)), whatever sqrt rounds to, for x below 2^41.
static inline float root_above(ulong x) {
  ulong root = (ulong)sqrt((float)x);
  while (root * root < x) ++root;
  while (root > 0 && (root - 1) * (root - 1) >= x) --root;
  return (float)root;
}

// Bytes of A or of B, by the third index, in panels of tile lines and `chunks` chunks of 16 terms as bytes/plain.cl
// draws them, lines in_quads or in order, zeros beyond the last line and term: items along lines, chunks_at_once chunks
// each; B's follow A's. Norms of lines, scaled by 2^shift to longest_norm or down to half of it, and exponents less the
// shift; the largest of both to figures. b_is_a: A's items do B's work too, and are the only ones.
__kernel void magnitudes(__global const short* codes_of_a, __global const short* codes_of_b,
                         __global const int* exponents, __global uint4* bytes, __global int* scaled,
                         __global float* norms, __global int* figures, magnitude_arguments p) {
  const int lines_of_a = p.lines_of_a, lines_of_b = p.lines_of_b, terms = p.terms;
  const int chunks = p.chunks, chunks_at_once = p.chunks_at_once;
  int is_b = (int)get_global_id(2), line = (int)get_global_id(0), first = (int)get_global_id(1) * chunks_at_once;
  const int last = is_b | p.b_is_a, lines = is_b ? lines_of_b : lines_of_a;
  const int is_of_a = !is_b && line < p.padded_a, is_of_b = last && line < p.padded_b;
  if (!is_of_a && !is_of_b) return;
  const int tile_of_a = p.tile_of_a, tile_of_b = p.tile_of_b, place = place_of_line(line, p.in_quads);
  __global uint4* bytes_of_a = bytes + (long)(place / tile_of_a) * chunks * tile_of_a + place % tile_of_a;
  __global uint4* bytes_of_b =
      bytes + (long)p.padded_a * chunks + (long)(place / tile_of_b) * chunks * tile_of_b + place % tile_of_b;
  __global const uint* squares = (__global const uint*)norms + lines_of_a + lines_of_b;
  int at = (is_b ? lines_of_a : 0) + line, shift = 0;
  int e = line < lines ? exponents[at] : line_of_zeros;
  float norm = NORM_OF_IDLE;
  if (!is_idle(e)) {
    norm = root_above(squares[at] + ((ulong)squares[lines_of_a + lines_of_b + at] << 16));
    shift = max(-ceil_log2_of_ratio(norm, (float)p.longest_norm), 0);
    norm *= power_of_two(shift);
  }
  for (int o = is_b; first == 0 && line < lines && o <= last; ++o, at += lines) {
    norms[at] = norm;
    scaled[at] = e - shift;
    if (norm > 0.0f && (int)norm > figures[figure_norm + o]) atomic_max(figures + figure_norm + o, (int)norm);
    if (shift > figures[figure_shift + o]) atomic_max(figures + figure_shift + o, shift);
  }
  for (int chunk = first; chunk < min(first + chunks_at_once, chunks); ++chunk) {
    uint4 of_chunk = (uint4)(0);
    if (!is_idle(e) && chunk * CHUNK < terms) {
      const int16 codes = load_codes(is_b ? codes_of_b : codes_of_a, is_b, lines, terms, line, chunk * CHUNK);
      of_chunk = magnitude_bytes(codes, magnitude_unit - e + shift);
    }
    if (is_of_a) bytes_of_a[(long)chunk * tile_of_a] = of_chunk;
    if (is_of_b) bytes_of_b[(long)chunk * tile_of_b] = of_chunk;
  }
}

// Words of lines of A and of B, one after the other.
__kernel void join_lines(__global const int* of_a, __global const int* of_b, __global int* both, int lines_of_a,
                         int lines_of_b) {
  int i = (int)get_global_id(0);
  if (i < lines_of_a) both[i] = of_a[i];
  if (i < lines_of_b) both[lines_of_a + i] = of_b[i];
}
