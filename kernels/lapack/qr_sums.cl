// Sums of a panel of QR. Where terms lie in memory loads run ahead of the chain of operations, which would wait for
// each of them.
//
//   SHOWN   0 1   sums of chunks are shown by other work-groups of the launch as words with tags (tagged.cl)
#pragma once

#include "lapack/reflector.cl"
#include "number/arguments.cl"

#ifndef SHOWN
#define SHOWN 0
#endif
#if SHOWN != 0 && SHOWN != 1
#error "hilo: SHOWN is none of 0 1"
#endif
#ifndef NVIDIA
#define NVIDIA 0
#endif

#define AHEAD (8 / PARTS)
#define FOR_AHEAD _Pragma("unroll") for (int b = 0; b < AHEAD; ++b)

// x + Σ left · right(k) by steps, k = begin … end − 1, `left` from element `at` on.
HILO_FN element add_terms(element x, __global const part_in_memory* left, long at, long stride, long conjugate,
                          __local const part_in_memory* right, int begin, int end) {
  element next[AHEAD], now[AHEAD];
  if (begin >= end) return x;
  FOR_AHEAD next[b] = load_element(left, at + min(begin + b, end - 1) * stride);
  for (int k = begin; k < end; k += AHEAD) {
    FOR_AHEAD now[b] = next[b];
    FOR_AHEAD next[b] = load_element(left, at + min(k + AHEAD + b, end - 1) * stride);
    FOR_AHEAD {
      if (k + b < end) x = with_product(x, conjugated(now[b], conjugate), load_local(right, k + b));
    }
  }
  return x;
}

HILO_FN element with_sum(element x, element sum) { return with_product(x, sum, element_of(part_of_word(1))); }

// Where row i of a chunk lies in a column in local memory, so that chains begin in different banks.
#define IN_COLUMN(i) ((i) + (i) / CHAIN)
#define COLUMN_ELEMENTS (CHUNK + FOLD)

// Loads of all rounds ahead of steps that take less time than a load.
#if NVIDIA && !IS_DOUBLE_DOUBLE
#define FOR_ROUNDS _Pragma("unroll")
#else
#define FOR_ROUNDS
#endif

// Σ left · right over each chain of rows begin … end − 1 of a chunk, of every of so many columns: a part of a chain for
// a work-item, since its steps are what takes time.
HILO_FN void sum_chains(__local const part_in_memory* left, __local const part_in_memory* right,
                        __local part_in_memory* chains, int columns, int begin, int end, int item, int items) {
  for (int task = item; task < columns * FOLD * PARTS; task += items) {
    const int part_ = task % PARTS, chain = task / PARTS % FOLD, k = task / (PARTS * FOLD);
    part sum = part_of_word(0);
    FOR_ROUNDS for (int c = 0; c < CHAIN; c += AHEAD) {
      const int first = chain * CHAIN + c;
      element l[AHEAD], r[AHEAD];
      FOR_AHEAD {
        const int at = chain + first + b;  // IN_COLUMN(first + b)
        l[b] = load_local(left, k * COLUMN_ELEMENTS + at);
        r[b] = load_local(right, at);
#if !IS_DOUBLE_DOUBLE
        // A choice between sums would be in the chain. To add −0 leaves what there is.
        if (first + b < begin || first + b >= end) {
          FOR_PARTS r[b].p[part_] = 0;
          l[b].p[0] = -part_of_word(0);
#if IS_COMPLEX
          l[b].p[1] = part_ == 0 ? part_of_word(0) : -part_of_word(0);
#endif
        }
#endif
      }
      FOR_AHEAD {
        part next = step_of(sum, l[b].p[0], r[b].p[part_]);
#if IS_COMPLEX
        next = step_of(next, part_ == 0 ? minus(l[b].p[1]) : l[b].p[1], r[b].p[1 - part_]);
#endif
#if IS_DOUBLE_DOUBLE
        if (first + b >= begin && first + b < end) sum = next;
#else
        sum = next;
#endif
      }
    }
    chains[(k * (FOLD + 1) + chain) * PARTS + part_] = in_memory(closed(sum));
  }
}
HILO_FN element sum_of_chains(__local const part_in_memory* chains, int k) {
  element x = zero_element();
  for (int c = 0; c < FOLD; ++c) x = with_sum(x, load_local(chains, k * (FOLD + 1) + c));
  return closed_element(x);
}

// Sums of FOLD chunks that are made side by side, of so many columns: few where these are many, for local memory.
#define SIDE(columns) ((columns) >= 512 ? 1 : (columns) <= 512 / FOLD ? FOLD : 512 / (columns))

// Columns of which a work-group adds the sums of chunks: column `first`, and every step-th from `next` on.
typedef struct {
  int first, next, step, count;
} columns_to_add;
HILO_FN int column_of(columns_to_add c, int i) { return i == 0 ? c.first : c.next + (i - 1) * c.step; }

// The sums of chunks, that of chunk c with column k of n at c · n + k. Of column `keyed` keys are beside
// the tags: found are the largest of those in the upper half, and whether one in the lower half is not 0.
#if SHOWN
typedef struct {
  volatile __global ulong2* words;
  uint tag;
  launch by;
  int n, keyed;
  __local int* keys;
} chunk_sums;
HILO_FN int see_chunks(chunk_sums s, int k, int begin, int end, element* x) {
  ulong2 pairs[FOLD * WORDS];
  for (int i = 0;; ++i) {
    int are_there = 1;
    _Pragma("unroll") for (int w = 0; w < FOLD * WORDS; ++w) {
      pairs[w] = look_at_tagged(s.words + ((long)min(begin + w / WORDS, end - 1) * s.n + k) * WORDS + w % WORDS);
    }
    _Pragma("unroll") for (int w = 0; w < FOLD * WORDS; ++w) are_there &= (uint)pairs[w].y == s.tag;
    if (are_there) break;
    if (is_over(i, s.by)) return 1;
  }
  _Pragma("unroll") for (int w = 0; w < FOLD * WORDS; ++w) set_word(x + w / WORDS, w % WORDS, pairs[w].x);
  if (k == s.keyed) {
    uint sizes = 0, below = 0;
    _Pragma("unroll") for (int f = 0; f < FOLD; ++f) {
      const uint keys = (uint)(pairs[f * WORDS].y >> 32);
      sizes = max(sizes, keys >> 16);
      below |= keys & 0xffff;
    }
    if (sizes != 0) atomic_max(s.keys, (int)sizes);
    if (below != 0) s.keys[1] = 1;
  }
  return 0;
}
#else
typedef struct {
  __global const part_in_memory* sums;
  int n;
} chunk_sums;
HILO_FN int see_chunks(chunk_sums s, int k, int begin, int end, element* x) {
  _Pragma("unroll") for (int f = 0; f < FOLD; ++f) {
    x[f] = load_element(s.sums, (long)min(begin + f, end - 1) * s.n + k);
  }
  return 0;
}
#endif

// sums(i) of m rows with column i of those, by those of chunks; `folded` holds side · c.count elements. Has barriers,
// the last of them at its end. 1 where the launch is given up.
__attribute__((always_inline)) HILO_FN int add_chunks(chunk_sums chunks, int m, columns_to_add c, int side,
                                                      __local part_in_memory* folded, __local part_in_memory* sums,
                                                      int item, int items) {
  // A power of two of columns, so that there is no quotient that takes time.
  const int count = CHUNKS(m), all = (count + FOLD - 1) / FOLD, shift = 32 - (int)clz(c.count - 1);
  int is_given_up = 0;
  for (int first = 0; first < all; first += side) {
    for (int task = item; task < min(side, all - first) << shift; task += items) {
      const int i = task & ((1 << shift) - 1), f_of_all = task >> shift, begin = (first + f_of_all) * FOLD;
      element x = zero_element(), y[FOLD];
      if (i < c.count) {
        is_given_up |= see_chunks(chunks, column_of(c, i), begin, count, y);
        _Pragma("unroll") for (int f = 0; f < FOLD; ++f) {
          if (begin + f < count) x = with_sum(x, y[f]);
        }
        store_local(folded, f_of_all * c.count + i, closed_element(x));
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < c.count; i += items) {
      element x = first == 0 ? zero_element() : load_local(sums, i);
      for (int f = 0; f < min(side, all - first); ++f) x = with_sum(x, load_local(folded, f * c.count + i));
      store_local(sums, i, first + side < all ? x : closed_element(x));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#if !NVIDIA
  // Without it PoCL 3.1 leaves out what is between the two in the loop.
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  return is_given_up;
}

// A reflector, sums(0) being |x|² of what is below alpha, and what it does to columns, in place of the sums with them:
// of columns after its own −conj(tau) · vᴴ · A, of vectors before it −tau · Vᴴ · v, of which T's column is made. row(i)
// is what stands beside alpha in column i of those.
typedef struct {
  reflector h;
  divisor by;
} made_reflector;

HILO_FN made_reflector make_reflector(__local const part_in_memory* row, key_word scale, int is_made, int count,
                                      int are_vectors, __local part_in_memory* sums, int item, int items) {
  made_reflector r = {{part_of_word(0), zero_element(), element_of(part_of_word(1))}};
  if (is_made) r.h = reflector_of(scaled_element(load_local(row, 0), scale), load_local(sums, 0));
  r.by = divisor_of(r.h.divisor);
  const divisor by = divisor_of(conjugated(r.h.divisor, !are_vectors));
  const element factor = conjugated(r.h.tau, !are_vectors);
  for (int i = item + 1; is_made && i < count; i += items) {
    const element of_row = load_local(row, i), below = load_local(sums, i);
    const element with_v = plus(conjugated(of_row, are_vectors), quotient(conjugated(below, are_vectors), by));
    store_local(sums, i, negated(times(factor, with_v)));
  }
  return r;
}

// T's column d, where it is `made` of Vᴴ · v by with_v(k), k < d; a row of T is always the same work-item's.
HILO_FN void add_to_triangle(__global part_in_memory* t, matrix_view view, int d, element tau,
                             __local const part_in_memory* with_v, int is_made, int item, int items) {
  for (int i = item; i <= d; i += items) {
    const long at = view.offset + i * view.row_stride;
    element x = tau;
    if (i < d) {
      x = add_terms(zero_element(), t, at, view.column_stride, 0, with_v, i, is_made ? d : 0);
      x = closed_element(x);
    }
    store_element(t, at + d * view.column_stride, x);
  }
}
