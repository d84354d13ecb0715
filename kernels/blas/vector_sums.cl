// Sums over vectors in the order of docs/linear-algebra.md, in one launch: the work-group that arrives last at a counter goes
// on with what all of them have left, so that none waits for another. Counters are 0 before a launch and after it.
//
// Real term t of a vector is in column t mod COLUMNS; a chunk has 64 or, in S, D, C and Z, 256 rows. A work-item sums a
// column of a chunk.
//
//   TERMS    what is summed: 0 conj(x) · y, 1 x · y, 2 x · x, 3 |x|, 4 (x · 2^exponent)²
//   BATCH    4 8 16       terms that a work-item has on their way while it adds as many
//   RUN      16 32 64     chunks of a super-chunk that are added up when they are there, while others are summed; of FEW
//                         chunks, which all end at the same time, a super-chunk's at once
//   SUPERS   4 8 16 32    super-chunks that take turns: their last chunks are the last ones to be summed
//   KEEPS_LOADS_AHEAD     0 1   whether a barrier keeps the compiler from loading terms one by one as they are added
//   HAS_SHORT_ADDRESSES   0 1   whether whole chunks of neighbours are summed by a text of their own, without strides
#include "blas/operators.cl"
#include "blas/meeting.cl"
#include "number/arguments.cl"

#ifndef TERMS
#define TERMS 0
#endif
#if TERMS != 0 && TERMS != 1 && TERMS != 2 && TERMS != 3 && TERMS != 4
#error "hilo: TERMS is none of 0 1 2 3 4"
#endif
#ifndef BATCH
#define BATCH (TERMS > 1 ? 16 : IS_COMPLEX ? 4 : 8)
#endif
#if BATCH != 4 && BATCH != 8 && BATCH != 16
#error "hilo: BATCH is none of 4 8 16"
#endif
#ifndef RUN
#define RUN 16
#endif
#if RUN != 16 && RUN != 32 && RUN != 64
#error "hilo: RUN is none of 16 32 64"
#endif
#ifndef FEW
#define FEW 512
#endif
#ifndef SUPERS
#define SUPERS 16
#endif
#if SUPERS != 4 && SUPERS != 8 && SUPERS != 16 && SUPERS != 32
#error "hilo: SUPERS is none of 4 8 16 32"
#endif
#ifndef KEEPS_LOADS_AHEAD
#define KEEPS_LOADS_AHEAD 0
#endif
#if KEEPS_LOADS_AHEAD != 0 && KEEPS_LOADS_AHEAD != 1
#error "hilo: KEEPS_LOADS_AHEAD is none of 0 1"
#endif
#ifndef HAS_SHORT_ADDRESSES
#define HAS_SHORT_ADDRESSES KEEPS_LOADS_AHEAD
#endif
#if HAS_SHORT_ADDRESSES != 0 && HAS_SHORT_ADDRESSES != 1
#error "hilo: HAS_SHORT_ADDRESSES is none of 0 1"
#endif

#define CHUNK 4096
#define COLUMNS (IS_DOUBLE_DOUBLE ? 64 : 16)
#define ROWS (CHUNK / COLUMNS)
#define ITEMS 64
#define CHUNKS_OF_GROUP (ITEMS / COLUMNS)
#define CHUNKS_OF_SUPER 64
// What is left of a chunk, and sums: those of complex products have two parts.
#define WIDTH (IS_DOUBLE_DOUBLE ? COLUMNS : 1)
#define SUMS (IS_COMPLEX && TERMS < 2 ? 2 : 1)
#define LINE (SUMS * WIDTH)
#define BATCH_OF_SUMS 4

// Real terms of x and y: of complex products both parts of y.
typedef struct {
  part_in_memory x;
#if TERMS < 2
  part_in_memory y[PARTS];
#endif
} factors_of_term;

// A part of elements in memory: the first one of a vector, and how many parts the next element is away.
typedef struct {
  __global const part_in_memory *x, *y;
  long x_step, y_step;
} terms_in_memory;

HILO_FN terms_in_memory terms_from(__global const part_in_memory* x, __global const part_in_memory* y,
                                   sum_arguments p) {
  const terms_in_memory t = {x + p.x.offset * PARTS, y + p.y.offset * PARTS, p.x.stride * PARTS, p.y.stride * PARTS};
  return t;
}
// A part of element i.
HILO_FN factors_of_term load_term(terms_in_memory t, long i, int is_im) {
  factors_of_term f;
  f.x = t.x[i * t.x_step + is_im];
#if TERMS < 2
#if IS_COMPLEX
  f.y[0] = t.y[i * t.y_step + is_im];
  f.y[1] = t.y[i * t.y_step + 1 - is_im];
#else
  f.y[0] = t.y[i * t.y_step];
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
  const part a = magnitude_of_part(part_of(f.x));
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

// Terms of BATCH rows; of those that are not there the last one's.
HILO_FN void load_rows(terms_in_memory t, long first, int row, int rows, int is_whole, int is_im,
                       factors_of_term* batch) {
  FOR(b, BATCH) {
    batch[b] = load_term(t, first + (is_whole ? row + b : min(row + b, rows - 1)) * (COLUMNS / PARTS), is_im);
  }
}
HILO_FN void add_rows(const factors_of_term* batch, int rows, int is_whole, int is_im, int exponent, part* sum) {
  FOR(b, BATCH) if (is_whole || b < rows) {
    FOR(s, SUMS) sum[s] = with_term(sum[s], batch[b], s, is_im, exponent);
  }
}

#if KEEPS_LOADS_AHEAD
#define LOADS_COME_FIRST barrier(CLK_LOCAL_MEM_FENCE)
#else
#define LOADS_COME_FIRST
#endif

// Sums of a column, which has `rows` rows, and no column of the group's more than rows_of_group; is_whole where these
// are all there are in a chunk.
__attribute__((always_inline)) HILO_FN void sum_column(terms_in_memory t, long first, int is_im, int rows,
                                                       int rows_of_group, int is_whole, int exponent, part* sum) {
  factors_of_term batch[BATCH], next[BATCH];
  if (rows > 0) load_rows(t, first, 0, rows, is_whole, is_im, batch);
  _Pragma("unroll 1") for (int row = 0; row < rows_of_group; row += 2 * BATCH) {
    if (row + BATCH < rows) load_rows(t, first, row + BATCH, rows, is_whole, is_im, next);
    LOADS_COME_FIRST;
    add_rows(batch, rows - row, is_whole, is_im, exponent, sum);
    if (row + 2 * BATCH < rows) load_rows(t, first, row + 2 * BATCH, rows, is_whole, is_im, batch);
    LOADS_COME_FIRST;
    add_rows(next, rows - row - BATCH, is_whole, is_im, exponent, sum);
  }
}

typedef union {
  part_in_memory all;
  int words[sizeof(part_in_memory) / 4];
} part_words;

HILO_FN void show(volatile __global part_in_memory* to, part_in_memory x) {
#if BY_ATOMICS
  part_words w;
  w.all = x;
  show_words((volatile __global int*)to, w.words, sizeof w / 4);
#else
  *to = x;
#endif
}
HILO_FN part_in_memory see(volatile __global part_in_memory* from) {
#if BY_ATOMICS
  part_words w;
  see_words((volatile __global int*)from, w.words, sizeof w / 4);
  return w.all;
#else
  return *from;
#endif
}

// Parts first … end of a line are added, in increasing order, to what `to` has of those before; it has the sum then.
HILO_FN void add_parts(volatile __global part_in_memory* parts, volatile __global part_in_memory* to, long first,
                       long end, int column, part* sum) {
  FOR(s, SUMS) sum[s] = part_of(see((first > 0 ? to : parts) + s * WIDTH + column));
  const long begin = first > 0 ? first : 1;
  part_in_memory batch[BATCH_OF_SUMS][SUMS], next[BATCH_OF_SUMS][SUMS];
  FOR(b, BATCH_OF_SUMS) FOR(s, SUMS) batch[b][s] = see(parts + min(begin + b, end - 1) * LINE + s * WIDTH + column);
  _Pragma("unroll 1") for (long i = begin; i < end; i += BATCH_OF_SUMS) {
    if (i + BATCH_OF_SUMS < end) {
      FOR(b, BATCH_OF_SUMS) FOR(s, SUMS) {
        next[b][s] = see(parts + min(i + BATCH_OF_SUMS + b, end - 1) * LINE + s * WIDTH + column);
      }
    }
    FOR(b, BATCH_OF_SUMS) if (i + b < end) {
      FOR(s, SUMS) sum[s] = with_part(sum[s], part_of(batch[b][s]));
    }
    FOR(b, BATCH_OF_SUMS) FOR(s, SUMS) batch[b][s] = next[b][s];
  }
  FOR(s, SUMS) show(to + s * WIDTH + column, in_memory(sum[s]));
}

// sums: a line of LINE parts for the total, of which the first SUMS are the result in the end, then one for each
// super-chunk and one for each chunk. arrivals: CHUNKS_OF_SUPER / RUN of each super-chunk, then one for SUPERS of them.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void sum_vectors(__global const part_in_memory* x,
                                                                             __global const part_in_memory* y,
                                                                             volatile __global part_in_memory* sums,
                                                                             volatile __global int* arrivals,
                                                                             sum_arguments p) {
  __local part_in_memory shared[SUMS * ITEMS];
  __local int answer;
  const long terms = p.size * PARTS, chunks = (terms + CHUNK - 1) / CHUNK,
             supers = (chunks + CHUNKS_OF_SUPER - 1) / CHUNKS_OF_SUPER;
  const int groups_of_turn = SUPERS * CHUNKS_OF_SUPER / CHUNKS_OF_GROUP;
  const uint turn = (uint)get_group_id(0) / groups_of_turn, place = (uint)get_group_id(0) % groups_of_turn;
  const uint width = (uint)min(supers - (long)turn * SUPERS, (long)SUPERS);
  const long super = (long)turn * SUPERS + place % width;
  const int in_super = (int)(place / width) * CHUNKS_OF_GROUP;
  const long first_chunk = super * CHUNKS_OF_SUPER + in_super;
  const int is_there = first_chunk < chunks;

  const int item = (int)get_local_id(0), column = item % COLUMNS, is_im = column % PARTS;
  const long chunk = first_chunk + item / COLUMNS, first = chunk * CHUNK + column;
  const int rows = first < terms ? (int)min((terms - first + COLUMNS - 1) / COLUMNS, (long)ROWS) : 0;
  const int rows_of_group =
      is_there ? (int)min((terms - first_chunk * CHUNK + COLUMNS - 1) / COLUMNS, (long)ROWS) : 0;
  part sum[SUMS];
  FOR(s, SUMS) sum[s] = part_of_word(0);
  terms_in_memory t = terms_from(x, y, p);
  const int is_whole = (first_chunk + CHUNKS_OF_GROUP) * CHUNK <= terms;
  if (HAS_SHORT_ADDRESSES & is_whole & (p.x.stride == 1) & ((TERMS > 1) | (p.y.stride == 1))) {
    t.x_step = t.y_step = PARTS;
    sum_column(t, first / PARTS, is_im, ROWS, ROWS, 1, (int)p.exponent, sum);
  } else {
    sum_column(t, first / PARTS, is_im, rows, rows_of_group, 0, (int)p.exponent, sum);
  }

  volatile __global part_in_memory* const of_supers = sums + LINE;
  volatile __global part_in_memory* const of_chunks = of_supers + supers * LINE;
#if IS_DOUBLE_DOUBLE
  if (is_there) {
    FOR(s, SUMS) show(of_chunks + chunk * LINE + s * WIDTH + column, in_memory(closed(sum[s])));
  }
#else
  // Upper halves of a chunk's columns are added to the lower ones.
  FOR(s, SUMS) shared[s * ITEMS + item] = sum[s];
  for (int upper = COLUMNS / 2; upper > 0; upper /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (column < upper) {
      FOR(s, SUMS) shared[s * ITEMS + item] += shared[s * ITEMS + item + upper];
    }
  }
  if (column == 0 && first < terms) {
    FOR(s, SUMS) show(of_chunks + chunk * LINE + s, shared[s * ITEMS + item]);
  }
#endif

  // A line of parts in runs: each waits for its parts, and for the run before. First the super-chunk's chunks, then all
  // super-chunks.
  volatile __global part_in_memory* parts = of_chunks + super * CHUNKS_OF_SUPER * LINE;
  volatile __global part_in_memory* to = of_supers + super * LINE;
  volatile __global int* arrived = arrivals + super * (CHUNKS_OF_SUPER / RUN);
  long count = min(chunks - super * CHUNKS_OF_SUPER, (long)CHUNKS_OF_SUPER);
  int length = chunks <= FEW ? CHUNKS_OF_SUPER : RUN, at_once = CHUNKS_OF_GROUP, is_total = 0, has_all = 0;
  long run = in_super / length;
  for (int goes_on = is_there; goes_on;) {
    const long begin = run * length, end = min(begin + length, count);
    goes_on = is_last(arrived + run, (int)((end - begin + at_once - 1) / at_once) + (run > 0), &answer);
    if (goes_on) {
      if (item < WIDTH) add_parts(parts, to, begin, end, item, sum);
      ++run;
      if (end == count) {
        has_all = is_total;
        goes_on = !has_all;
        is_total = 1;
        parts = of_supers;
        to = sums;
        arrived = arrivals + supers * (CHUNKS_OF_SUPER / RUN);
        count = supers;
        run = turn;
        length = SUPERS;
        at_once = 1;
      }
    }
  }
  if (has_all && item < WIDTH) {
    FOR(s, SUMS) shared[s * WIDTH + item] = in_memory(sum[s]);
  }
  for (int upper = has_all ? WIDTH / 2 : 0; upper > 0; upper /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < upper) {
      FOR(s, SUMS) {
        shared[s * WIDTH + item] =
            in_memory(with_part(part_of(shared[s * WIDTH + item]), part_of(shared[s * WIDTH + item + upper])));
      }
    }
  }
  if (has_all && item == 0) {
    FOR(s, SUMS) sums[s] = shared[s * WIDTH];
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
      const int is_im = (int)((first + item) % PARTS);
      const factors_of_term f = load_term(terms_from(x, y, p), (first + item) / PARTS, is_im);
      FOR(s, SUMS) {
#if TERMS == 3
        shared[s * ITEMS + item] = fabs(f.x.x);
#else
        shared[s * ITEMS + item] = first_factor(f, (int)p.exponent).hi * second_factor(f, s, is_im, (int)p.exponent).hi;
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
