// r = b − A · x, or b − A · (x + rest), in WORDS words, rounded once: src/solve/word_sums.hpp with its bits. A work-item has
// a part of a row, whose terms come one after the other: what it waits for is arithmetic, of which a term has plenty.
//
//   IS_DOUBLE_DOUBLE, IS_COMPLEX   0 1      of A's entries
//   WORDS                          2 3 4 6
#include "number/arguments.cl"
#include "number/complex.cl"
#include "number/loops.cl"
#include "number/step.cl"
#include "solve/powers.cl"

#ifndef IS_DOUBLE_DOUBLE
#define IS_DOUBLE_DOUBLE 1
#endif
#if IS_DOUBLE_DOUBLE != 0 && IS_DOUBLE_DOUBLE != 1
#error "hilo: IS_DOUBLE_DOUBLE is none of 0 1"
#endif
#ifndef WORDS
#define WORDS 4
#endif
#if WORDS != 2 && WORDS != 3 && WORDS != 4 && WORDS != 6
#error "hilo: WORDS is none of 2 3 4 6"
#endif
#define PARTS (1 + IS_COMPLEX)
#define ITEMS 32
// Entries that are on their way at a time: with more words each of them takes longer.
#define BATCH (WORDS == 2 ? 8 : 4)
#define SIZES 8

#if IS_DOUBLE_DOUBLE
typedef double2 entry;
#else
typedef double entry;
#endif

typedef struct {
  double word[WORDS];
} word_sum;

HILO_FN word_sum with_number(word_sum sum, double t) {
  FOR(w, WORDS - 1) {
    const dd s = two_sum(sum.word[w], t);
    sum.word[w] = s.hi;
    t = s.lo;
  }
  sum.word[WORDS - 1] = sum.word[WORDS - 1] + t;
  return sum;
}

#if WORDS == 2
// sum + x · y + rest, a double-double number.
HILO_FN word_sum with_rounded(word_sum sum, double x, double y, double rest) {
  const dd p = two_prod(x, y), s = two_sum(sum.word[0], p.hi);
  const dd r = fast_two_sum(s.hi, sum.word[1] + (s.lo + (p.lo + rest)));
  sum.word[0] = r.hi;
  sum.word[1] = r.lo;
  return sum;
}
#else
HILO_FN word_sum with_term(word_sum sum, double x, double y) {
  const dd p = two_prod(x, y);
  return with_number(with_number(sum, p.hi), p.lo);
}
#endif

// sum + a · (hi + lo).
HILO_FN word_sum with_product(word_sum sum, entry a, double hi, double lo) {
#if IS_DOUBLE_DOUBLE && WORDS == 2
  return with_rounded(sum, a.x, hi, mul(a.x, lo) + mul(a.y, hi));
#elif IS_DOUBLE_DOUBLE
  return with_term(with_term(with_term(with_term(sum, a.x, hi), a.x, lo), a.y, hi), a.y, lo);
#elif WORDS == 2
  return with_rounded(sum, a, hi, mul(a, lo));
#else
  return with_term(with_term(sum, a, hi), a, lo);
#endif
}

// K passes of vector summation from the last word up.
HILO_FN dd rounded(word_sum sum) {
  for (int pass = 0; pass < WORDS; ++pass) {
    FOR(k, WORDS - 1) {
      const int w = WORDS - 2 - k;
      const dd s = two_sum(sum.word[w], sum.word[w + 1]);
      sum.word[w] = s.hi;
      sum.word[w + 1] = s.lo;
    }
  }
  double rest = 0.0;
  FOR(k, WORDS - 1) rest = rest + sum.word[WORDS - 1 - k];
  const dd first = {sum.word[0], 0.0};
  return add_word(first, rest);
}

// sum ± a part of a row of A times a part of a vector, words of it `pitch` apart: a[j · step]. What comes next is on its way
// while this is multiplied.
HILO_FN word_sum with_row(word_sum sum, __global const entry* a, long step, __global const double* x, long pitch,
                          double sign, long n) {
  entry next[BATCH];
  double next_hi[BATCH], next_lo[BATCH];
  FOR(b, BATCH) {
    const long at = min((long)b, n - 1);
    next[b] = a[at * step];
    next_hi[b] = x[at];
    next_lo[b] = x[pitch + at];
  }
  const long whole = n / BATCH * BATCH;
  for (long j = 0; j < whole; j += BATCH) {
    entry now[BATCH];
    double hi[BATCH], lo[BATCH];
    FOR(b, BATCH) {
      const long at = min(j + BATCH + b, n - 1);
      now[b] = next[b];
      hi[b] = sign * next_hi[b];
      lo[b] = sign * next_lo[b];
      next[b] = a[at * step];
      next_hi[b] = x[at];
      next_lo[b] = x[pitch + at];
    }
    FOR(b, BATCH) sum = with_product(sum, now[b], hi[b], lo[b]);
  }
  for (long j = whole; j < n; ++j) sum = with_product(sum, a[j * step], sign * x[j], sign * x[pitch + j]);
  return sum;
}

// vectors: b, x, the rest, where there is one: of each the words re.hi re.lo im.hi im.lo, p.pitch numbers apart; then those of
// another right-hand side. Work-groups that have the same rows of A read them at about the same time.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void residual(__global const entry* a,
                                                                          __global const double* vectors,
                                                                          __global double* r, residual_arguments p) {
  const long i = (long)get_global_id(0), part = (long)get_global_id(1), n = p.order;
  if (i >= n) return;
  vectors += (long)get_global_id(2) * (2 + p.has_rest) * 2 * PARTS * p.pitch;
  r += (long)get_global_id(2) * 2 * PARTS * p.pitch;
  word_sum sum;
  FOR(w, WORDS) sum.word[w] = 0.0;
  sum = with_number(sum, vectors[2 * part * p.pitch + i]);
  sum = with_number(sum, vectors[(2 * part + 1) * p.pitch + i]);
  for (int turn = 0; turn <= p.has_rest; ++turn) {
    __global const double* const x = vectors + (1 + turn) * 2 * PARTS * p.pitch;
    sum = with_row(sum, a + i * PARTS, n * PARTS, x + 2 * part * p.pitch, p.pitch, -1.0, n);
#if IS_COMPLEX
    sum = with_row(sum, a + i * PARTS + 1, n * PARTS, x + 2 * (1 - part) * p.pitch, p.pitch, part ? -1.0 : 1.0, n);
#endif
  }
  const dd whole = rounded(sum);
  r[2 * part * p.pitch + i] = whole.hi;
  r[(2 * part + 1) * p.pitch + i] = whole.lo;
}

// sums[i] = Σ size of a_ij · y_j, NaN where a term is; of an upper triangle where p.is_upper; terms one after the other.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void sum_sizes(__global const entry* a,
                                                                           __global const double* y,
                                                                           __global double* sums,
                                                                           residual_arguments p) {
  const long i = (long)get_global_id(0), n = p.order;
  if (i >= n) return;
  double sum = 0.0;
  for (long j = p.is_upper ? i : 0; j < n; j += SIZES) {
    double some[SIZES];
    FOR(b, SIZES) {
      const long at = (i + min(j + b, n - 1) * n) * PARTS;
#if IS_DOUBLE_DOUBLE
      some[b] = fabs(a[at].x);
#if IS_COMPLEX
      some[b] = larger(some[b], fabs(a[at + 1].x));
#endif
#else
      some[b] = fabs(a[at]);
#if IS_COMPLEX
      some[b] = larger(some[b], fabs(a[at + 1]));
#endif
#endif
    }
    FOR(b, SIZES) {
      if (j + b < n) sum = sum + mul(some[b], y[j + b]);
    }
  }
  sums[i] = sum;
}
