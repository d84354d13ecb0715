// Entries of DD and ZDD for multiply.cl: the order of docs/error-bounds.md, of one super-chunk at the most.
//
//   IS_CHUNKED   0 1   whether a sum may have more than one chunk
#pragma once

#include "direct/sums.cl"
#include "direct/term.cl"
#include "direct/update.cl"

#ifndef IS_CHUNKED
#define IS_CHUNKED 1
#endif
#if IS_CHUNKED != 0 && IS_CHUNKED != 1
#error "hilo: IS_CHUNKED is none of 0 1"
#endif

#define CHUNK_TERMS (CHUNK / PARTS)

typedef double4 factor;

typedef struct {
  dd part[PARTS];
} operand;

#if IS_COMPLEX
typedef double4 element;

HILO_FN element element_at(__global const double2* x, long index) { return (double4)(x[2 * index], x[2 * index + 1]); }
HILO_FN element conjugated(element x, int conjugates) {
  if (conjugates) x.zw = -x.zw;
  return x;
}
HILO_FN operand operand_of(element x) {
  operand r = {{{x.x, x.y}, {x.z, x.w}}};
  return r;
}
#else
typedef double2 element;

HILO_FN element element_at(__global const double2* x, long index) { return x[index]; }
HILO_FN element conjugated(element x, int conjugates) { return x; }
HILO_FN operand operand_of(element x) {
  operand r = {{{x.x, x.y}}};
  return r;
}
#endif

typedef struct {
  dd sum[PARTS];
#if IS_CHUNKED
  dd total[PARTS];
#endif
} entry;

HILO_FN void clear(entry* e) {
  FOR(i, PARTS) e->sum[i] = broadcast((double2)(0.0));
#if IS_CHUNKED
  FOR(i, PARTS) e->total[i] = broadcast((double2)(0.0));
#endif
}

// Of term `term` of a chunk.
HILO_FN void add_term(entry* e, const operand* l, const operand* r, int term) {
  multiply_term(e->sum, l->part, r->part, term * PARTS);
}

#if IS_CHUNKED
HILO_FN void close_chunk(entry* e) {
  FOR(i, PARTS) {
    e->total[i] = add_finite(e->total[i], two_sum(e->sum[i].hi, e->sum[i].lo));
    e->sum[i] = broadcast((double2)(0.0));
  }
}
#endif

// The views are those of the entry's product.
HILO_FN int finish(entry* e, __global const double2* a, matrix_view a_view, __global const double2* b,
                   matrix_view b_view, int row, int column, int terms, __global double2* c, long index,
                   factor alpha, factor beta) {
  dd total[PARTS];
  int recomputed = 0;
  FOR(i, PARTS) {
#if IS_CHUNKED
    total[i] = add_finite(broadcast((double2)(0.0)), e->total[i]);
#else
    // What adding it twice to nothing leaves: its words, without zeros that have a sign.
    const dd chunk = two_sum(e->sum[i].hi, e->sum[i].lo);
    total[i].hi = 0.0 + chunk.hi;
    total[i].lo = 0.0 + chunk.lo;
    if (!(total[i].lo - total[i].lo == 0.0)) total[i].hi = total[i].lo;
#endif
    if (!is_finite(total[i])) {
      const int real_column = column * PARTS + i, steps = terms * PARTS;
#if !HILO_FMA
      // Where splitting has overflowed.
      total[i] = sum_scaled(a, a_view, b, b_view, row, real_column, steps, RENORMALISE_EVERY);
#endif
      if (!is_finite(total[i])) {
        total[i] = sum_plain(a, a_view, b, b_view, row, real_column, steps);
        ++recomputed;
      }
    }
  }
  update_element(c, index, total, alpha, beta);
  return recomputed;
}
