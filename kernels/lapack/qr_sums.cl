// Sums of a panel of QR. Where terms lie in global memory loads run ahead of the chain of operations, which would wait
// for each of them.
#pragma once

#include "lapack/reflector.cl"
#include "number/arguments.cl"

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

// Σ left · right over each chain of rows begin … end − 1 of a chunk, of every of so many columns: a part of a chain for
// a work-item, since its steps are what takes time.
HILO_FN void sum_chains(__local const part_in_memory* left, __local const part_in_memory* right,
                        __local part_in_memory* chains, int columns, int begin, int end, int item, int items) {
  for (int task = item; task < columns * FOLD * PARTS; task += items) {
    const int part_ = task % PARTS, chain = task / PARTS % FOLD, k = task / (PARTS * FOLD);
    const int last = min(end, (chain + 1) * CHAIN);
    part sum = part_of_word(0);
    for (int i = max(begin, chain * CHAIN); i < last; ++i) {
      const int at = chain + i;  // IN_COLUMN(i)
      const element l = load_local(left, k * COLUMN_ELEMENTS + at), r = load_local(right, at);
      sum = step_of(sum, l.p[0], r.p[part_]);
#if IS_COMPLEX
      sum = step_of(sum, part_ == 0 ? minus(l.p[1]) : l.p[1], r.p[1 - part_]);
#endif
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

// sums(i) of m rows with column i of those, by those of chunks, that of chunk c with column k of n at c · n + k;
// `folded` holds side · c.count elements. Has barriers, the last of them at its end.
__attribute__((always_inline)) HILO_FN void add_chunks(volatile __global const part_in_memory* chunks, int n, int m,
                                                       columns_to_add c, int side, __local part_in_memory* folded,
                                                       __local part_in_memory* sums, int item, int items) {
  const int count = CHUNKS(m), all = (count + FOLD - 1) / FOLD;
  for (int first = 0; first < all; first += side) {
    for (int task = item; task < min(side, all - first) * c.count; task += items) {
      const int k = column_of(c, task % c.count), begin = (first + task / c.count) * FOLD;
      element x = zero_element(), y[FOLD];
      _Pragma("unroll") for (int f = 0; f < FOLD; ++f) {
        y[f] = load_shared(chunks, (long)min(begin + f, count - 1) * n + k);
      }
      _Pragma("unroll") for (int f = 0; f < FOLD; ++f) {
        if (begin + f < count) x = with_sum(x, y[f]);
      }
      store_local(folded, task, closed_element(x));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < c.count; i += items) {
      element x = first == 0 ? zero_element() : load_local(sums, i);
      for (int f = 0; f < min(side, all - first); ++f) x = with_sum(x, load_local(folded, f * c.count + i));
      store_local(sums, i, first + side < all ? x : closed_element(x));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  // Without it PoCL 3.1 leaves out what is between the two in the loop.
  barrier(CLK_LOCAL_MEM_FENCE);
}

// A reflector, sums(0) being |x|² of what is below alpha, and what it does to columns, in place of the sums with them:
// of columns after its own −conj(tau) · vᴴ · A, of vectors before it −tau · Vᴴ · v, of which T's column is made.
typedef struct {
  reflector h;
  divisor by;
} made_reflector;

HILO_FN made_reflector make_reflector(volatile __global const part_in_memory* row, key_word scale, int is_made,
                                      columns_to_add c, int are_vectors, __local part_in_memory* sums, int item,
                                      int items) {
  made_reflector r = {{part_of_word(0), zero_element(), element_of(part_of_word(1))}};
  if (is_made) r.h = reflector_of(scaled_element(load_shared(row, c.first), scale), load_local(sums, 0));
  r.by = divisor_of(r.h.divisor);
  const divisor by = divisor_of(conjugated(r.h.divisor, !are_vectors));
  const element factor = conjugated(r.h.tau, !are_vectors);
  for (int i = item + 1; is_made && i < c.count; i += items) {
    const element of_row = load_shared(row, column_of(c, i)), below = load_local(sums, i);
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
