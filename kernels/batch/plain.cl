// Entries of S, D, C and Z for multiply.cl: sums in increasing order.
#pragma once

#define CONJUGATES_LEFT 0
#define CONJUGATES_RIGHT 0

#include "number/arguments.cl"
#include "number/loops.cl"
#include "product/update_run.cl"

#define IS_CHUNKED 0

typedef number factor;
typedef number element;
typedef value operand;

static inline element element_at(__global const number* x, long index) { return x[index]; }

static inline element conjugated(element x, int conjugates) {
#if IS_COMPLEX
  if (conjugates) x.y = -x.y;
#endif
  return x;
}

static inline operand operand_of(element x) { return broadcast(x); }

typedef struct {
  value sum;
} entry;

static inline void clear(entry* e) { e->sum = zero_value(); }

static inline void add_term(entry* e, const operand* l, const operand* r, int term) {
  e->sum = multiply_add(e->sum, *l, *r);
}

static inline int finish(entry* e, __global const number* a, matrix_view a_view, __global const number* b,
                         matrix_view b_view, int row, int column, int terms, __global number* c,
                         long index, factor alpha, factor beta) {
  number r = number_of(e->sum);
  if (!is_word(alpha, 1)) r = times(alpha, r);
  if (!is_word(beta, 0)) r = plus_scaled(r, beta, c[index]);
  c[index] = r;
  return 0;
}

static inline void scale_element(__global number* c, long index, factor beta) {
  c[index] = is_word(beta, 0) ? (number)(0) : times(beta, c[index]);
}
