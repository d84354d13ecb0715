// The first look at the operands of a modular product: the magnitude of every element, E of the largest of each line,
// and lines whose sum few terms make.
//
// Magnitudes are kept as codes of 16 bits, of A line by line and of B term by term, whatever the layout of the matrices:
// what follows reads them and not the matrices. They are whole groups of 16, of zeros beyond the last term. Exponents are
// those of A's lines and then of B's.
#pragma once

#include "modular/number.cl"
#include "product/triangle.cl"

#define TILE_LINES 32
#define TILE_TERMS 64
#define SCAN_ITEMS 256
// Shorts of a term in local memory.
#define TILE_PITCH (TILE_LINES + 2)
#define TILE_ELEMENTS (TILE_LINES * TILE_TERMS / SCAN_ITEMS)

// Elements stay in registers only where loops are unrolled, and short: what takes longer than a look comes after them.
#define FOR_EACH_ELEMENT(r) _Pragma("unroll") for (int r = 0; r < TILE_ELEMENTS; ++r)

static inline long code_pitch(int count) { return ((long)count + 15) & ~15L; }

static inline int of_line(int largest_code) {
  return largest_code == E_OF_ZERO ? line_of_zeros : largest_code == E_OF_BAD ? line_is_bad : largest_code >> 4;
}

static inline int is_idle(int line_exponent) { return line_exponent == line_of_zeros || line_exponent == line_is_bad; }

// What figures are that have seen nothing.
static inline int empty_figure(int i) {
  const int is_largest = i == figure_largest || i == figure_largest + 1 || i == figure_balance + 1 || i == figure_asked;
  return i == figure_balance ? 0x7fffffff : is_largest ? line_of_zeros : 0;
}

// Before a scan that is not first: lines and terms of zeros, sums of nothing, and figures.
__kernel void initialise(__global int* figures, __global int* exponents, __global int* terms_of_a,
                         __global int* terms_of_b, __global uint* norms, initialise_arguments p) {
  int i = (int)get_global_id(0);
  if (i < p.norm_words) norms[i] = 0;
  if (i < p.lines) exponents[i] = line_of_zeros;
  if (i < p.terms) {
    terms_of_a[i] = line_of_zeros;
    terms_of_b[i] = line_of_zeros;
  }
  if (i < figure_count) figures[i] = empty_figure(i);
}

// Eight codes of a tile from x[0] on.
static inline uint4 eight_codes(const __local short* x, int step) {
  short code[8];
  for (int i = 0; i < 8; ++i) code[i] = x[i * step];
  return as_uint4(vload8(0, code));
}

// A work-group takes TILE_LINES lines and `tiles` tiles of TILE_TERMS terms of A or B, by the third index. Neighbouring
// items read neighbours in memory, and write neighbours of `codes`: [line][term] of A, [term][line] of B. b_is_a: A's
// groups do B's work too, and are the only ones. Lines' exponents begin as those of zeros, unless a group has all terms.
// is_first: nothing was set beforehand, and each group has its place for exponents, exponents[group][line]; sums of
// squares of lines (sums.cl) and figures begin here.
__kernel __attribute__((reqd_work_group_size(SCAN_ITEMS, 1, 1))) void scan(
    __global const ulong* a, __global short* codes_of_a, __global const ulong* b, __global short* codes_of_b,
    __global int* exponents, __global uint* norms, __global int* figures, scan_arguments p) {
  const int terms = p.terms, tiles = p.tiles, keeps_codes = (int)p.keeps_codes, b_is_a = (int)p.b_is_a;
  const int is_first = (int)p.is_first, group = (int)get_group_id(1), all_lines = p.lines_of_a + p.lines_of_b;
  __local short tile[TILE_TERMS][TILE_PITCH];
  __local short partial[SCAN_ITEMS / TILE_LINES][TILE_LINES];
  const int is_b = (int)get_global_id(2), item = (int)get_local_id(0);
  const int first_line = (int)get_group_id(0) * TILE_LINES, lines = is_b ? p.lines_of_b : p.lines_of_a;
  if (first_line >= lines) return;
  const int first_word = (is_b ? p.lines_of_a : 0) + first_line, words = min(lines - first_line, TILE_LINES);
  if (is_first && group == 0) {
    // Items beyond the last word write it, too: conditions of their own are not safe here (docs/opencl.md).
    const int word = min(item, words - 1), figure = min(item, figure_count - 1);
    for (int o = is_b, at = first_word + word; o <= (is_b | b_is_a); ++o, at += lines) {
      norms[all_lines + at] = norms[2 * all_lines + at] = 0;
    }
    if (first_word == 0) figures[figure] = empty_figure(figure);
  }
  __global const ulong* x = is_b ? b : a;
  const matrix_view view = is_b ? p.b : p.a;
  // An item's elements are so many terms of a line apart, or so many lines.
  const int by_terms = view.row_stride < view.column_stride;
  const int line_in_tile = by_terms ? item % TILE_LINES : item / TILE_TERMS;
  const int term_in_tile = by_terms ? item / TILE_LINES : item % TILE_TERMS;
  const int distance = by_terms ? SCAN_ITEMS / TILE_LINES : SCAN_ITEMS / TILE_TERMS;
  const long step = distance * (by_terms ? view.column_stride : view.row_stride);
  const int step_in_tile = distance * (by_terms ? TILE_PITCH : 1);
  __local short* own_tile = &tile[term_in_tile][line_in_tile];
  // Lines outside take the last one's place.
  const int part = item / TILE_LINES, own = min(item % TILE_LINES, lines - 1 - first_line);
  int largest = E_OF_ZERO;
  for (int t = 0; t < tiles; ++t) {
    const int first_term = (group * tiles + t) * TILE_TERMS;
    const int line = first_line + line_in_tile, term = first_term + term_in_tile;
    // Of the item's elements so many are inside. The first one is read for the others, or the last of the matrix.
    const int left = by_terms ? terms - term : lines - line;
    const int inside = term < terms && line < lines ? (left + distance - 1) / distance : 0;
    const long at = view.offset + min(line, lines - 1) * view.row_stride + min(term, terms - 1) * view.column_stride;
    __global const ulong* from = x + PARTS * WORDS * at;
    // Loads go ahead of what becomes of them.
    raw_element raw[TILE_ELEMENTS];
    FOR_EACH_ELEMENT(r) raw[r] = load_element(from, r < inside ? r * step : 0);
    uint open = 0;
    FOR_EACH_ELEMENT(r) {
      int is_done = 1;
      const int code = quick_code_of_element(raw[r], &is_done);
      own_tile[r * step_in_tile] = (short)(r < inside ? code : E_OF_ZERO);
      open |= (uint)(!is_done & (r < inside)) << r;
    }
    for (int r = 0; open >> r; ++r) {
      if (open >> r & 1) own_tile[r * step_in_tile] = (short)code_of_element(load_element(from, r * step));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = part; i < TILE_TERMS; i += SCAN_ITEMS / TILE_LINES) largest = max(largest, (int)tile[i][own]);
    if (keeps_codes && !is_b) {
      const int of_tile = item / (TILE_TERMS / 8), to_line = first_line + of_tile;
      const int from_term = item % (TILE_TERMS / 8) * 8, to_term = first_term + from_term;
      if (to_line < lines && to_term < code_pitch(terms)) {
        *(__global uint4*)(codes_of_a + to_line * code_pitch(terms) + to_term) =
            eight_codes(&tile[from_term][of_tile], TILE_PITCH);
      }
    }
    if (keeps_codes && (is_b | b_is_a)) {
      const int of_tile = item / (TILE_LINES / 8), to_term = first_term + of_tile;
      const int from_line = item % (TILE_LINES / 8) * 8, to_line = first_line + from_line;
      if (to_line < code_pitch(lines) && to_term < code_pitch(terms)) {
        *(__global uint4*)(codes_of_b + to_term * code_pitch(lines) + to_line) =
            eight_codes(&tile[of_tile][from_line], 1);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  partial[part][item % TILE_LINES] = (short)largest;
  barrier(CLK_LOCAL_MEM_FENCE);
  // PoCL's loops over items leave out conditions that tell items apart, so that others than those of part 0 write, too:
  // all have the line's largest.
  for (int q = 0; q < SCAN_ITEMS / TILE_LINES; ++q) largest = max(largest, (int)partial[q][own]);
  if (part == 0) {
    const int at = first_word + own + (is_first ? group * all_lines : 0);
    if (is_first || tiles * TILE_TERMS >= terms) {
      exponents[at] = of_line(largest);
      if (b_is_a) exponents[lines + at] = of_line(largest);
    } else {
      atomic_max(exponents + at, of_line(largest));
      if (b_is_a) atomic_max(exponents + lines + at, of_line(largest));
    }
  }
}

// The balance of a term with the sign that its operand takes it with: 1 for A, -1 for B, 0 where there is none.
static inline int balance_of(__global const int* balance, int sign, int term) { return sign ? sign * balance[term] : 0; }

#define UNEVEN_LINES 8
#define UNEVEN_TERMS (SCAN_ITEMS / UNEVEN_LINES)
#define UNEVEN_REPEATS 8

// What an element adds at least, and what it adds: ceil(|x| 2^(20 - e)). `exponent` is that of |x| 2^(20 - e).
static inline ulong least_summand(int exponent) {
  return exponent <= -1000 ? 0 : 1UL << max(exponent - 1, 0);
}
static inline ulong summand(ulong mantissa, int exponent) {
  int shift = 53 - exponent;
  return exponent <= -1000 ? 0 : shift > 63 ? 1 : (mantissa + (1UL << shift) - 1) >> shift;
}

// Whether some line of the group has not reached `least` yet; that of each line goes to is_below. Every item calls it,
// with its share `sum` of line own.
__attribute__((always_inline)) static inline int has_low_line(ulong sum, int own, int place, int counts, ulong least, __local ulong* partial,
                               volatile __local int* is_low, __global int* is_below) {
  int item = (int)get_local_id(0);
  partial[place * UNEVEN_LINES + own] = sum;
  if (item == 0) *is_low = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_way = UNEVEN_TERMS / 2; half_way > 0; half_way /= 2) {
    int at = place * UNEVEN_LINES + own;
    if (place < half_way) partial[at] += partial[at + half_way * UNEVEN_LINES];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (place == 0 && counts) {
    int is_line_low = partial[own] < least;
    *is_below = is_line_low;
    if (is_line_low) *is_low = 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  int result = *is_low;
  barrier(CLK_LOCAL_MEM_FENCE);
  return result;
}

// uneven[line] = 1 where the sum of a line that is not idle stays below `least`, of A or B by the third index.
// is_balanced: terms are taken with their balance. By exponents alone, which leave few that may be and are not.
__kernel __attribute__((reqd_work_group_size(SCAN_ITEMS, 1, 1))) void guess_uneven(
    __global const short* codes_of_a, __global int* uneven_of_a, __global const short* codes_of_b,
    __global int* uneven_of_b, __global const int* exponents, __global const int* balance, uneven_arguments p) {
  const int terms = p.terms, is_balanced = p.is_balanced;
  const ulong least = (ulong)p.least;
  __local ulong partial[UNEVEN_TERMS * UNEVEN_LINES];
  __local int is_low;
  int is_b = (int)get_global_id(2), item = (int)get_local_id(0);
  int first_line = (int)get_group_id(0) * UNEVEN_LINES, lines = is_b ? p.lines_of_b : p.lines_of_a;
  if (first_line >= lines) return;
  __global const short* codes = is_b ? codes_of_b : codes_of_a;
  __global int* uneven = is_b ? uneven_of_b : uneven_of_a;
  int own = is_b ? item % UNEVEN_LINES : item / UNEVEN_TERMS, place = is_b ? item / UNEVEN_LINES : item % UNEVEN_TERMS;
  int line = first_line + own, sign = !is_balanced ? 0 : is_b ? -1 : 1;
  int e = line < lines ? exponents[(is_b ? p.lines_of_a : 0) + line] : line_of_zeros, counts = !is_idle(e);
  if (place == 0 && line < lines) uneven[line] = 0;
  ulong sum = 0;
  for (int first = 0; first < terms; first += UNEVEN_TERMS * UNEVEN_REPEATS) {
    for (int r = 0; r < UNEVEN_REPEATS; ++r) {
      int term = first + r * UNEVEN_TERMS + place;
      if (!counts || term >= terms) continue;
      int of_element = exponent_of_code(codes[is_b ? term * code_pitch(lines) + line : line * code_pitch(terms) + term]);
      if (of_element != E_OF_ZERO) sum += least_summand(of_element + sum_unit - e + balance_of(balance, sign, term));
    }
    if (!has_low_line(sum, own, place, counts, least, partial, &is_low, uneven + line)) break;
  }
}

// The same by the elements; has_guess: for groups of lines of which guess_uneven has left one.
__kernel __attribute__((reqd_work_group_size(SCAN_ITEMS, 1, 1))) void find_uneven(
    __global const ulong* a, __global int* uneven_of_a, __global const ulong* b, __global int* uneven_of_b,
    __global const int* exponents, __global const int* balance, uneven_arguments p) {
  const int terms = p.terms, is_balanced = p.is_balanced, has_guess = (int)p.has_guess;
  const ulong least = (ulong)p.least;
  __local ulong partial[UNEVEN_TERMS * UNEVEN_LINES];
  __local int is_low, is_left;
  int is_b = (int)get_global_id(2), item = (int)get_local_id(0);
  int first_line = (int)get_group_id(0) * UNEVEN_LINES, lines = is_b ? p.lines_of_b : p.lines_of_a;
  if (first_line >= lines) return;
  __global int* uneven = is_b ? uneven_of_b : uneven_of_a;
  if (item == 0) {
    is_left = !has_guess;
    for (int i = first_line; has_guess && i < min(first_line + UNEVEN_LINES, lines); ++i) is_left |= uneven[i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!is_left) return;
  __global const ulong* x = is_b ? b : a;
  matrix_view view = is_b ? p.b : p.a;
  int along_lines = view.row_stride < view.column_stride, sign = !is_balanced ? 0 : is_b ? -1 : 1;
  int own = along_lines ? item % UNEVEN_LINES : item / UNEVEN_TERMS;
  int place = along_lines ? item / UNEVEN_LINES : item % UNEVEN_TERMS;
  int line = first_line + own;
  int e = line < lines ? exponents[(is_b ? p.lines_of_a : 0) + line] : line_of_zeros, counts = !is_idle(e);
  if (place == 0 && line < lines) uneven[line] = 0;
  ulong sum = 0;
  for (int first = 0; first < terms; first += UNEVEN_TERMS * UNEVEN_REPEATS) {
    for (int r = 0; r < UNEVEN_REPEATS; ++r) {
      int term = first + r * UNEVEN_TERMS + place;
      if (!counts || term >= terms) continue;
      long at = view.offset + line * view.row_stride + term * view.column_stride;
      rounded_number v = rounded_element(load_element(x, at));
      if (v.exponent == E_OF_ZERO) continue;
      sum += summand(v.mantissa, v.exponent + sum_unit - e + balance_of(balance, sign, term));
    }
    if (!has_low_line(sum, own, place, counts, least, partial, &is_low, uneven + line)) break;
  }
}

// The largest exponent of each line with its terms balanced, and how far below the old one the lowest of them is.
__kernel void balance_lines(__global const short* codes, __global const int* exponents, __global const int* balance,
                            __global int* balanced, __global int* figures, balance_arguments p) {
  const long line_pitch = p.line_pitch, term_pitch = p.term_pitch;
  const int terms = p.terms, sign = p.sign;
  int line = (int)get_global_id(0);
  if (line >= p.lines) return;
  int e = exponents[p.first_exponent + line], largest = E_OF_ZERO;
  balanced += p.first_exponent;
  balanced[line] = e;
  if (is_idle(e)) return;
  for (int term = 0; term < terms; ++term) {
    int of_element = exponent_of_code(codes[line * line_pitch + term * term_pitch]);
    if (of_element != E_OF_ZERO) largest = max(largest, of_element + balance_of(balance, sign, term));
  }
  balanced[line] = largest;
  atomic_max(figures + figure_narrowed, e - largest);
}

#define LINES_AT_ONCE 64

// Whether no more than `limit` entries are beyond level 0: of a sample of rows, that many times as many, and then of all.
static inline int first_level_holds(__global const int* figures, uint limit, int sample_step) {
  return (ulong)(uint)figures[0] * (ulong)sample_step <= limit && (uint)figures[figure_beyond] <= limit;
}

static inline int below_largest(int code, int line_exponent) {
  int of_element = exponent_of_code(code), relative = of_element - line_exponent;
  return line_exponent == line_is_bad || of_element == E_OF_ZERO || relative <= -1000 ? line_of_zeros : relative;
}

// largest[term] = max over the lines of E - e, which is no more than 0; elements far below their line's largest are
// left out. Nothing to do where level 0 holds. The first groups take A, items along terms and LINES_AT_ONCE
// lines each, the others a term of B each, items along its lines.
__kernel __attribute__((reqd_work_group_size(LINES_AT_ONCE, 1, 1))) void largest_of_terms(
    __global const short* codes_of_a, __global int* largest_of_a, __global const short* codes_of_b,
    __global int* largest_of_b, __global const int* exponents, __global const int* figures, term_arguments p) {
  const int lines_of_a = p.lines_of_a, lines_of_b = p.lines_of_b, terms = p.terms;
  __local int partial[LINES_AT_ONCE];
  int group = (int)get_group_id(0), item = (int)get_local_id(0);
  if (first_level_holds(figures, (uint)p.limit, p.sample_step)) return;
  int across = (terms + LINES_AT_ONCE - 1) / LINES_AT_ONCE;
  int groups_of_a = across * ((lines_of_a + LINES_AT_ONCE - 1) / LINES_AT_ONCE);
  int is_a = group < groups_of_a, most = line_of_zeros;
  int term = is_a ? group % across * LINES_AT_ONCE + item : group - groups_of_a;
  if (is_a) {
    int first = group / across * LINES_AT_ONCE;
    for (int line = first; term < terms && line < min(first + LINES_AT_ONCE, lines_of_a); ++line) {
      most = max(most, below_largest(codes_of_a[line * code_pitch(terms) + term], exponents[line]));
    }
    if (most != line_of_zeros) atomic_max(largest_of_a + term, most);
  } else {
    for (int line = item; line < lines_of_b; line += LINES_AT_ONCE) {
      most = max(most, below_largest(codes_of_b[term * code_pitch(lines_of_b) + line], exponents[lines_of_a + line]));
    }
  }
  partial[item] = most;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_a || item != 0) return;
  for (int i = 1; i < LINES_AT_ONCE; ++i) most = max(most, partial[i]);
  largest_of_b[term] = most;
}

static inline void summarise(int e, int operand, __global int* figures) {
  if (e == line_is_bad) {
    atomic_inc(figures + figure_bad + operand);
  } else if (e != line_of_zeros && e > figures[figure_largest + operand]) {
    atomic_max(figures + figure_largest + operand, e);
  }
}

// The figures of lines, and what brings each term of A and of B to the same size (`terms` is 0 where nobody asks).
__kernel void finish_scan(__global const int* exponents, __global const int* largest_of_a,
                          __global const int* largest_of_b, __global int* balance, __global int* figures,
                          term_arguments p) {
  int i = (int)get_global_id(0);
  if (i < p.lines_of_a) summarise(exponents[i], 0, figures);
  if (i < p.lines_of_b) summarise(exponents[p.lines_of_a + i], 1, figures);
  if (i >= p.terms || first_level_holds(figures, (uint)p.limit, p.sample_step)) return;
  int a = largest_of_a[i], b = largest_of_b[i];
  int shift = a == line_of_zeros || b == line_of_zeros ? 0 : (b - a) >> 1;
  balance[i] = shift;
  if (shift < figures[figure_balance]) atomic_min(figures + figure_balance, shift);
  if (shift > figures[figure_balance + 1]) atomic_max(figures + figure_balance + 1, shift);
}

static inline int last_bit(ulong x) { return unit_exponent(x) + 63 - (int)clz(significand(x) & -significand(x)); }

// The most bits that the integers of an operand's lines need: e - the exponent of the last bit set.
__kernel void count_bits(__global const ulong* x, __global const int* exponents, __global int* figures,
                         bit_arguments p) {
  const matrix_view view = p.view;
  int along_lines = view.row_stride < view.column_stride;
  int line = (int)get_global_id(along_lines ? 0 : 1), first = (int)get_global_id(along_lines ? 1 : 0);
  int step = (int)get_global_size(along_lines ? 1 : 0);
  if (line >= p.lines || is_idle(exponents[p.first_exponent + line])) return;
  int e = exponents[p.first_exponent + line], most = 0;
  for (int term = first; term < p.terms; term += step) {
    long at = view.offset + line * view.row_stride + term * view.column_stride;
    for (int w = 0; w < PARTS * WORDS; ++w) {
      ulong word = x[at * (PARTS * WORDS) + w];
      if (word & ~WORD_SIGN) most = max(most, e - last_bit(word));
    }
  }
  if (most) atomic_max(figures + figure_bits + p.operand, most);
}
