// Sums of a panel of QR whose terms lie in global memory: loads run ahead of the chain of operations, which would wait
// for each of them.
#pragma once

#include "lapack/reflector.cl"

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

// The sum of chunks begin … end − 1, in this order.
HILO_FN element sum_of_chunks(volatile __global const part_in_memory* sums, long at, long stride, int begin, int end) {
  element x = zero_element(), next[AHEAD], now[AHEAD];
  if (begin >= end) return x;
  FOR_AHEAD next[b] = load_shared(sums, at + min(begin + b, end - 1) * stride);
  for (int c = begin; c < end; c += AHEAD) {
    FOR_AHEAD now[b] = next[b];
    FOR_AHEAD next[b] = load_shared(sums, at + min(c + AHEAD + b, end - 1) * stride);
    FOR_AHEAD {
      if (c + b < end) x = plus(x, now[b]);
    }
  }
  return x;
}
