// What the sum test of a modular product multiplies (docs/modular.md, 1.3): magnitudes as bytes, and norms. Products of
// bytes tell what comes of them (bytes/sum_test.cl).
#pragma once

#include "bytes/line_order.clh"
#include "bytes/sum_test.cl"
#include "modular/scan.cl"

#define NORM_UNIT 12
#define BYTE_UNIT 5
#define CHUNK 16

// Codes of 16 terms of a line from `term` on, E_OF_ZERO beyond the last.
static inline void load_codes(__global const short* codes, int is_b, int lines, int terms, int line, int term,
                              short* code) {
  int count = min(terms - term, CHUNK);
  if (is_b) {
    for (int i = 0; i < CHUNK; ++i) code[i] = i < count ? codes[(long)(term + i) * lines + line] : (short)E_OF_ZERO;
    return;
  }
  // Whole groups of eight.
  __global const short8* eights = (__global const short8*)(codes + line * code_pitch(terms) + term);
  short8 none = (short8)(E_OF_ZERO);
  vstore8(count > 0 ? eights[0] : none, 0, code);
  vstore8(count > 8 ? eights[1] : none, 1, code);
  for (int i = 0; i < CHUNK; ++i) code[i] = i < count ? code[i] : (short)E_OF_ZERO;
}

// ceil((nu+ 2^(12 - e))^2), nu+ being the number of five bits above the magnitude: (17 + bits)^2 2^(14 - 2d), which is at
// most 2^24.
static inline uint square_above(int code, int e) {
  const int d = e - (code >> 4), by = min(2 * d, 30);
  const uint root = 17 + (code & 15), square = root * root << 2 * (NORM_UNIT - 5);
  return code == E_OF_ZERO || NORM_UNIT - d <= -1000 ? 0 : (square + ((1u << by) - 1)) >> by;
}

// min(127, floor(nu 2^shift)), nu being the magnitude's first five bits.
static inline int magnitude_byte(int code, int shift) {
  if (code == E_OF_ZERO) return 0;
  int by = shift - 5 + (code >> 4), bits = 16 + (code & 15);
  return by >= 0 ? min(bits << min(by, 8), 127) : bits >> min(-by, 31);
}

static inline uint squares_of_chunk(__global const short* codes, int is_b, int lines, int terms, int line, int term,
                                    int e) {
  short code[CHUNK];
  load_codes(codes, is_b, lines, terms, line, term, code);
  uint sum = 0;
  for (int i = 0; i < CHUNK; ++i) sum += square_above(code[i], e);
  return sum;
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

// A line of A or of B; `last` is the last operand that has it.
typedef struct {
  int is_b, last, line, lines, e, shift;
  float norm;
} magnitude_line;

static inline magnitude_line magnitude_line_of(magnitude_arguments p, int is_b, int line,
                                               __global const int* exponents) {
  magnitude_line x;
  x.is_b = is_b;
  x.last = is_b | p.b_is_a;
  x.line = line;
  x.lines = is_b ? p.lines_of_b : p.lines_of_a;
  x.e = line < x.lines ? exponents[(is_b ? p.lines_of_a : 0) + line] : LINE_OF_ZEROS;
  x.norm = NORM_OF_IDLE;
  x.shift = 0;
  return x;
}

// Its norm, scaled by 2^shift to longest_norm or down to half of it.
static inline void set_norm(magnitude_line* x, ulong squares, int longest_norm) {
  if (is_idle(x->e)) return;
  const float norm = root_above(squares);
  x->shift = max(-ceil_log2_of_ratio(norm, (float)longest_norm), 0);
  x->norm = norm * power_of_two(x->shift);
}

// Norms of lines, exponents less the shift, and the largest of both to figures.
static inline void tell_norm(magnitude_arguments p, magnitude_line x, __global int* scaled, __global float* norms,
                             __global int* figures) {
  int at = (x.is_b ? p.lines_of_a : 0) + x.line;
  for (int o = x.is_b; x.line < x.lines && o <= x.last; ++o, at += x.lines) {
    norms[at] = x.norm;
    scaled[at] = x.e - x.shift;
    if (x.norm > 0.0f && (int)x.norm > figures[FIGURE_NORM + o]) atomic_max(figures + FIGURE_NORM + o, (int)x.norm);
    if (x.shift > figures[FIGURE_SHIFT + o]) atomic_max(figures + FIGURE_SHIFT + o, x.shift);
  }
}

// And whether they are bad, or the largest.
static inline void tell_exponent(magnitude_line x, __global int* figures) {
  for (int o = x.is_b; x.line < x.lines && o <= x.last; ++o) summarise(x.e, o, figures);
}

// Its bytes of chunk `first` and every step-th one before `end`.
static inline void put_magnitudes(magnitude_arguments p, magnitude_line x, __global const short* codes,
                                  __global char16* bytes, int first, int step, int end) {
  const int is_of_a = !x.is_b && x.line < p.padded_a, is_of_b = x.last && x.line < p.padded_b;
  const int tile_of_a = p.tile_of_a, tile_of_b = p.tile_of_b, place = place_of_line(x.line, p.in_quads);
  __global char16* bytes_of_a = bytes + (long)(place / tile_of_a) * p.chunks * tile_of_a + place % tile_of_a;
  __global char16* bytes_of_b =
      bytes + (long)p.padded_a * p.chunks + (long)(place / tile_of_b) * p.chunks * tile_of_b + place % tile_of_b;
  for (int chunk = first; chunk < end; chunk += step) {
    short code[CHUNK];
    char byte[CHUNK];
    if (!is_idle(x.e)) load_codes(codes, x.is_b, x.lines, p.terms, x.line, chunk * CHUNK, code);
    for (int i = 0; i < CHUNK; ++i) {
      byte[i] = is_idle(x.e) ? 0 : (char)magnitude_byte(code[i], BYTE_UNIT - x.e + x.shift);
    }
    if (is_of_a) bytes_of_a[(long)chunk * tile_of_a] = vload16(0, byte);
    if (is_of_b) bytes_of_b[(long)chunk * tile_of_b] = vload16(0, byte);
  }
}

// What the kernels below leave: bytes of A and B in panels of tile lines and `chunks` chunks of 16 terms as
// bytes/plain.cl draws them, lines in_quads or in order, zeros beyond the last line and term, B's behind A's; norms of
// A's lines and then of B's, and what tell_norm() and tell_exponent() do. The third index says whether an item's lines
// are B's; b_is_a: A's items do B's work too, and are the only ones.

// All of it, where lines are many and terms are few: a work-group takes GROUP_LINES lines with all their terms.
#define GROUP_LINES 16
#define GROUP_PARTS 16

__kernel __attribute__((reqd_work_group_size(GROUP_LINES * GROUP_PARTS, 1, 1))) void magnitudes_of_lines(
    __global const short* codes_of_a, __global const short* codes_of_b, __global const int* exponents,
    __global char16* bytes, __global int* scaled, __global float* norms, __global int* figures,
    magnitude_arguments p) {
  __local ulong squares[GROUP_PARTS][GROUP_LINES];
  const int own = (int)get_local_id(0) % GROUP_LINES, part = (int)get_local_id(0) / GROUP_LINES;
  const int is_b = (int)get_global_id(2), first_line = (int)get_group_id(0) * GROUP_LINES;
  if (first_line >= max(is_b ? 0 : p.padded_a, is_b | p.b_is_a ? p.padded_b : 0)) return;
  __global const short* codes = is_b ? codes_of_b : codes_of_a;
  magnitude_line x = magnitude_line_of(p, is_b, first_line + own, exponents);
  ulong sum = 0;
  for (int chunk = part; !is_idle(x.e) && chunk * CHUNK < p.terms; chunk += GROUP_PARTS) {
    sum += squares_of_chunk(codes, is_b, x.lines, p.terms, x.line, chunk * CHUNK, x.e);
  }
  squares[part][own] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  ulong of_line = 0;
  for (int i = 0; i < GROUP_PARTS; ++i) of_line += squares[i][own];
  set_norm(&x, of_line, p.longest_norm);
  if (part == 0) {
    tell_norm(p, x, scaled, norms, figures);
    tell_exponent(x, figures);
  }
  put_magnitudes(p, x, codes, bytes, part, GROUP_PARTS, p.chunks);
}

// In two steps, by items along lines that take chunks_at_once chunks of one: sums of squares, behind the norms in
// squares[0][line] and squares[1][line], += the low 16 bits and the others of sums of squares of so many terms ...
__kernel void sum_squares(__global const short* codes_of_a, __global const short* codes_of_b,
                          __global const int* exponents, __global uint* norms, __global int* figures,
                          magnitude_arguments p) {
  const int is_b = (int)get_global_id(2), line = (int)get_global_id(0), all = p.lines_of_a + p.lines_of_b;
  const int first = (int)get_global_id(1) * p.chunks_at_once * CHUNK;
  const magnitude_line x = magnitude_line_of(p, is_b, line, exponents);
  if (line >= x.lines) return;
  if (first == 0) tell_exponent(x, figures);
  if (is_idle(x.e)) return;
  ulong sum = 0;
  for (int term = first; term < min(first + p.chunks_at_once * CHUNK, p.terms); term += CHUNK) {
    sum += squares_of_chunk(is_b ? codes_of_b : codes_of_a, is_b, x.lines, p.terms, line, term, x.e);
  }
  __global uint* squares = norms + all + (is_b ? p.lines_of_a : 0) + line;
  atomic_add(squares, (uint)(sum & 0xffff));
  atomic_add(squares + all, (uint)(sum >> 16));
}

// ... and all else.
__kernel void magnitudes(__global const short* codes_of_a, __global const short* codes_of_b,
                         __global const int* exponents, __global char16* bytes, __global int* scaled,
                         __global float* norms, __global int* figures, magnitude_arguments p) {
  const int is_b = (int)get_global_id(2), line = (int)get_global_id(0), all = p.lines_of_a + p.lines_of_b;
  const int first = (int)get_global_id(1) * p.chunks_at_once;
  magnitude_line x = magnitude_line_of(p, is_b, line, exponents);
  if (!is_idle(x.e)) {
    __global const uint* squares = (__global const uint*)norms + all + (is_b ? p.lines_of_a : 0) + line;
    set_norm(&x, squares[0] + ((ulong)squares[all] << 16), p.longest_norm);
  }
  if (first == 0) tell_norm(p, x, scaled, norms, figures);
  put_magnitudes(p, x, is_b ? codes_of_b : codes_of_a, bytes, first, 1, min(first + p.chunks_at_once, p.chunks));
}

// Words of lines of A and of B, one after the other.
__kernel void join_lines(__global const int* of_a, __global const int* of_b, __global int* both, int lines_of_a,
                         int lines_of_b) {
  int i = (int)get_global_id(0);
  if (i < lines_of_a) both[i] = of_a[i];
  if (i < lines_of_b) both[lines_of_a + i] = of_b[i];
}
