// Sums over vectors in the order of docs/linear-algebra.md, and the largest element.
//
// Real term t of a vector is in column t mod COLUMNS; a chunk has 64 or, in S, D, C and Z, 256 rows. A work-item sums a
// column of a chunk, a launch after it adds up chunks.
//
//   TERMS   what is summed: 0 conj(x) · y, 1 x · y, 2 x · x, 3 |x|, 4 (x · 2^exponent)²
//   LANES   4 16    super-chunks that add_up takes side by side
//   KEEPS_LOADS_AHEAD   0 1   whether a barrier keeps the compiler from loading terms one by one as they are added
#include "blas/operators.cl"
#include "number/arguments.cl"

#ifndef TERMS
#define TERMS 0
#endif
#if TERMS != 0 && TERMS != 1 && TERMS != 2 && TERMS != 3 && TERMS != 4
#error "hilo: TERMS is none of 0 1 2 3 4"
#endif
#ifndef LANES
#define LANES 4
#endif
#if LANES != 4 && LANES != 16
#error "hilo: LANES is none of 4 16"
#endif

#ifndef KEEPS_LOADS_AHEAD
#define KEEPS_LOADS_AHEAD 0
#endif
#if KEEPS_LOADS_AHEAD != 0 && KEEPS_LOADS_AHEAD != 1
#error "hilo: KEEPS_LOADS_AHEAD is none of 0 1"
#endif

#define CHUNK 4096
#define COLUMNS (IS_DOUBLE_DOUBLE ? 64 : 16)
#define ROWS (CHUNK / COLUMNS)
#define ITEMS 64
// What is left of a chunk when its launch ends, and sums: those of complex products have two parts.
#define WIDTH (IS_DOUBLE_DOUBLE ? COLUMNS : 1)
#define SUMS (IS_COMPLEX && TERMS < 2 ? 2 : 1)
#define BATCH 8         // terms that are loaded at a time
#define BATCH_OF_SUMS 4

// Real terms of x and y: of complex products both parts of y.
typedef struct {
  part_in_memory x;
#if TERMS < 2
  part_in_memory y[PARTS];
#endif
} factors_of_term;

HILO_FN factors_of_term load_term(__global const part_in_memory* x, __global const part_in_memory* y, sum_arguments p,
                                  long t) {
  const long i = t / PARTS;
  const int is_im = (int)(t % PARTS);
  factors_of_term f;
  f.x = x[(p.x.offset + i * p.x.stride) * PARTS + is_im];
#if TERMS < 2
  const long at = (p.y.offset + i * p.y.stride) * PARTS;
#if IS_COMPLEX
  f.y[0] = y[at + is_im];
  f.y[1] = y[at + 1 - is_im];
#else
  f.y[0] = y[at];
#endif
#endif
  return f;
}

#if TERMS == 4
HILO_FN part brought_near_one(part x, int exponent) {
  const key_word first = ldexp((key_word)1, exponent / 2), second = ldexp((key_word)1, exponent - exponent / 2);
#if IS_DOUBLE_DOUBLE
  x.hi = x.hi * first * second;
  x.lo = x.lo * first * second;
  return x;
#else
  return x * first * second;
#endif
}
#endif

// The factors of sum s: of the real part of conj(x) · y (re, re), (im, im), of the imaginary one (re, im), (im, −re);
// of x · y the second one's sign is changed in the other sum.
HILO_FN part first_factor(factors_of_term f, int exponent) {
#if TERMS == 4
  return brought_near_one(part_of(f.x), exponent);
#else
  return part_of(f.x);
#endif
}
HILO_FN part second_factor(factors_of_term f, int s, int is_im, int exponent) {
#if TERMS < 2
  const part y = part_of(f.y[s]);
#if IS_COMPLEX
  return is_im && (s == 1) == (TERMS == 0) ? minus(y) : y;
#else
  return y;
#endif
#else
  return first_factor(f, exponent);
#endif
}

#if IS_DOUBLE_DOUBLE
HILO_FN part with_term(part sum, factors_of_term f, int s, int is_im, int exponent) {
#if TERMS == 3
  const part a = absolute(part_of(f.x));
  const dd t = two_sum(sum.hi, a.hi);
  return fast_two_sum(t.hi, (sum.lo + a.lo) + t.lo);
#else
  const part a = first_factor(f, exponent), b = second_factor(f, s, is_im, exponent);
  const dd r = gather(sum, two_prod(a.hi, b.hi), a, b);
  return fast_two_sum(r.hi, r.lo);
#endif
}
HILO_FN part with_part(part sum, part x) { return add_finite(sum, x); }
#else
HILO_FN part with_term(part sum, factors_of_term f, int s, int is_im, int exponent) {
#if TERMS == 3
  return sum + fabs(f.x);
#else
  return sum + first_factor(f, exponent) * second_factor(f, s, is_im, exponent);
#endif
}
HILO_FN part with_part(part sum, part x) { return sum + x; }
#endif

// sums[(chunk · SUMS + s) · WIDTH + column]
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void sum_chunks(__global const part_in_memory* x,
                                                                            __global const part_in_memory* y,
                                                                            __global part_in_memory* sums,
                                                                            sum_arguments p) {
  const int item = (int)get_local_id(0), column = item % COLUMNS, is_im = column % PARTS;
  const long chunk = (long)get_group_id(0) * (ITEMS / COLUMNS) + item / COLUMNS;
  const long terms = p.size * PARTS, first = chunk * CHUNK + column;
  const int rows = first < terms ? (int)min((terms - first + COLUMNS - 1) / COLUMNS, (long)ROWS) : 0;
  part sum[SUMS];
  FOR(s, SUMS) sum[s] = part_of_word(0);
  const long first_of_group = (long)get_group_id(0) * (ITEMS / COLUMNS) * CHUNK;
  const int rows_of_group = (int)min((terms - first_of_group + COLUMNS - 1) / COLUMNS, (long)ROWS);
  for (int row = 0; row < rows_of_group; row += BATCH) {
    factors_of_term batch[BATCH];
    FOR(b, BATCH) if (row + b < rows) batch[b] = load_term(x, y, p, first + (long)(row + b) * COLUMNS);
#if KEEPS_LOADS_AHEAD
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    FOR(b, BATCH) {
      if (row + b < rows) {
        FOR(s, SUMS) sum[s] = with_term(sum[s], batch[b], s, is_im, p.exponent);
      }
    }
  }
#if IS_DOUBLE_DOUBLE
  if (rows > 0 || first - column < terms) {
    FOR(s, SUMS) sums[(chunk * SUMS + s) * WIDTH + column] = in_memory(closed(sum[s]));
  }
#else
  // Upper halves of a chunk's columns are added to the lower ones.
  __local part shared[SUMS * ITEMS];
  FOR(s, SUMS) shared[s * ITEMS + item] = sum[s];
  for (int upper = COLUMNS / 2; upper > 0; upper /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (column < upper) {
      FOR(s, SUMS) shared[s * ITEMS + item] += shared[s * ITEMS + item + upper];
    }
  }
  if (column == 0 && first < terms) {
    FOR(s, SUMS) sums[chunk * SUMS + s] = shared[s * ITEMS + item];
  }
#endif
}

// Sum s of super-chunk `super` in a column, its parts in increasing order.
HILO_FN part sum_of_super(__global const part_in_memory* parts, total_arguments p, long super, int s, int column) {
  const long begin = super * p.parts_of_super, end = min(begin + p.parts_of_super, p.parts);
  part sum = part_of(parts[(begin * SUMS + s) * WIDTH + column]);
  // Those that come next are on their way.
  part_in_memory batch[BATCH_OF_SUMS], next[BATCH_OF_SUMS];
  FOR(b, BATCH_OF_SUMS) if (begin + 1 + b < end) batch[b] = parts[((begin + 1 + b) * SUMS + s) * WIDTH + column];
  for (long i = begin + 1; i < end; i += BATCH_OF_SUMS) {
    FOR(b, BATCH_OF_SUMS) if (i + BATCH_OF_SUMS + b < end) next[b] = parts[((i + BATCH_OF_SUMS + b) * SUMS + s) * WIDTH + column];
    FOR(b, BATCH_OF_SUMS) if (i + b < end) sum = with_part(sum, part_of(batch[b]));
    FOR(b, BATCH_OF_SUMS) batch[b] = next[b];
  }
  return sum;
}

// Super-chunks from chunks, where there are many.
__kernel void add_chunks(__global const part_in_memory* parts, __global part_in_memory* supers, total_arguments p) {
  const long item = (long)get_global_id(0), column = item % WIDTH, s = item / WIDTH % SUMS,
             super = item / (WIDTH * SUMS);
  if (super * p.parts_of_super >= p.parts) return;
  supers[(super * SUMS + s) * WIDTH + column] = in_memory(sum_of_super(parts, p, super, (int)s, (int)column));
}

// All of them, and what is left of the columns; one work-group.
__kernel __attribute__((reqd_work_group_size(WIDTH* LANES, 1, 1))) void add_up(__global const part_in_memory* parts,
                                                                               __global part_in_memory* result,
                                                                               total_arguments p) {
  __local part_in_memory shared[LANES * WIDTH];
  const int item = (int)get_local_id(0), column = item % WIDTH, lane = item / WIDTH;
  const long supers = (p.parts + p.parts_of_super - 1) / p.parts_of_super;
  for (int s = 0; s < SUMS; ++s) {
    part total = part_of_word(0);
    for (long base = 0; base < supers; base += LANES) {
      if (base + lane < supers) shared[item] = in_memory(sum_of_super(parts, p, base + lane, s, column));
      barrier(CLK_LOCAL_MEM_FENCE);
      if (lane == 0) {
        for (int l = 0; l < LANES; ++l) {
          if (base + l >= supers) break;
          const part of_lane = part_of(shared[l * WIDTH + column]);
          total = base + l == 0 ? of_lane : with_part(total, of_lane);
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0) shared[column] = in_memory(total);
    for (int upper = WIDTH / 2; upper > 0; upper /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (item < upper) shared[item] = in_memory(with_part(part_of(shared[item]), part_of(shared[item + upper])));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) result[s] = shared[0];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

#if IS_DOUBLE_DOUBLE
// The sums of leading words in increasing order; one work-group, of which one work-item adds what all have brought.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void add_leading_words(__global const part_in_memory* x,
                                                                                   __global const part_in_memory* y,
                                                                                   __global part_in_memory* result,
                                                                                   sum_arguments p) {
  __local double shared[SUMS * ITEMS];
  const int item = (int)get_local_id(0);
  const long terms = p.size * PARTS;
  double sum[SUMS];
  FOR(s, SUMS) sum[s] = 0.0;
  for (long first = 0; first < terms; first += ITEMS) {
    if (first + item < terms) {
      const factors_of_term f = load_term(x, y, p, first + item);
      FOR(s, SUMS) {
#if TERMS == 3
        shared[s * ITEMS + item] = fabs(f.x.x);
#else
        const int is_im = (int)((first + item) % PARTS);
        shared[s * ITEMS + item] = first_factor(f, p.exponent).hi * second_factor(f, s, is_im, p.exponent).hi;
#endif
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
      for (int i = 0; i < ITEMS && first + i < terms; ++i) {
        FOR(s, SUMS) sum[s] += shared[s * ITEMS + i];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0) {
    FOR(s, SUMS) result[s] = in_memory(part_of_word(sum[s]));
  }
}
#endif

// By |re| + |im|, or, where parts are compared one by one, by the larger of both (TERMS = 4); NaN before all others.
HILO_FN part size_of_element(element x) {
  part r = absolute(x.p[0]);
#if IS_COMPLEX
  const part im = absolute(x.p[1]);
#if TERMS == 4
  const int keeps = leading(r) != leading(r) || leading(r) > leading(im);
  if (!keeps) r = im;
#else
  r = plus(r, im);
#endif
#endif
  return r;
}
HILO_FN int comes_before(part x, long x_index, part y, long y_index) {
  const int x_is_nan = leading(x) != leading(x), y_is_nan = leading(y) != leading(y);
  if (x_index < 0) return 0;
  if (y_index < 0) return 1;
  if (x_is_nan || y_is_nan) return x_is_nan && (!y_is_nan || x_index < y_index);
  return is_larger(x, y) || (!is_larger(y, x) && x_index < y_index);
}

#define SEEKERS 256
// The largest element of a work-group's, and where it is.
__kernel __attribute__((reqd_work_group_size(SEEKERS, 1, 1))) void find_largest(__global const part_in_memory* x,
                                                                                __global part_in_memory* sizes,
                                                                                __global long* indices,
                                                                                sum_arguments p) {
  __local part_in_memory shared[SEEKERS];
  __local long places[SEEKERS];
  const int item = (int)get_local_id(0);
  const long apart = (long)p.groups * SEEKERS;
  part best = part_of_word(0);
  long place = -1;
  for (long i = (long)get_group_id(0) * SEEKERS + item; i < p.size; i += 4 * apart) {
    element batch[4];
    FOR(b, 4) if (i + b * apart < p.size) batch[b] = load_whole(x, p.x.offset + (i + b * apart) * p.x.stride);
    FOR(b, 4) {
      if (i + b * apart < p.size) {
        const part m = size_of_element(batch[b]);
        if (comes_before(m, i + b * apart, best, place)) {
          best = m;
          place = i + b * apart;
        }
      }
    }
  }
  shared[item] = in_memory(best);
  places[item] = place;
  for (int upper = SEEKERS / 2; upper > 0; upper /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < upper &&
        comes_before(part_of(shared[item + upper]), places[item + upper], part_of(shared[item]), places[item])) {
      shared[item] = shared[item + upper];
      places[item] = places[item + upper];
    }
  }
  if (item == 0) {
    sizes[get_group_id(0)] = shared[0];
    indices[get_group_id(0)] = places[0];
  }
}
