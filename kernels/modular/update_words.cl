// alpha * sum + beta * C for a sum that comes as words, in double-double or in double.
#pragma once

#include "modular/element.cl"
#include "number/factors.cl"
#if WORDS == 2
#define IS_COMPLEX (PARTS == 2)
#include "direct/update.cl"
#else
#include "number/doubles.cl"
#endif

// What C has, where beta is not 0, and what it gets.
#if WORDS == 2
typedef struct {
  dd parts[PARTS];
} old_element;

static inline void set_none(old_element* old) {
  for (int part = 0; part < PARTS; ++part) old->parts[part].hi = old->parts[part].lo = 0.0;
}

static inline void load_old(__global const ulong* c, long element, double4 beta, old_element* old) {
  if (reads_element(beta)) load_parts((__global const double2*)c, element, old->parts);
}

static inline dd sum_of_words(const ulong* words) {
  const dd sum = {as_double(words[0]), as_double(words[1])};
  return sum;
}
static inline void set_words(ulong* words, dd x) {
  words[0] = as_ulong(x.hi);
  words[1] = as_ulong(x.lo);
}

static inline void update_words(ulong (*words)[WORDS], old_element* old, double4 alpha, double4 beta) {
  dd sum[PARTS];
  for (int part = 0; part < PARTS; ++part) sum[part] = sum_of_words(words[part]);
  update_sum(sum, old->parts, alpha, beta);
  for (int part = 0; part < PARTS; ++part) set_words(words[part], sum[part]);
}

// The same with alpha = beta = 1, without what repairs Inf, NaN and the signs of zeros; returns 0 where that may be
// wanted. A sum other than 0 has a rest of -0 only where a summand is -0: low words of -0 are lost in both.
static inline int add_to_words(ulong (*words)[WORDS], const old_element* old) {
  int is_sure = 1;
  for (int part = 0; part < PARTS; ++part) {
    const dd x = sum_of_words(words[part]), y = old->parts[part], sum = add_finite(x, y);
    is_sure &= (as_ulong(x.hi) != as_ulong(-0.0)) & (as_ulong(y.hi) != as_ulong(-0.0));
    is_sure &= (fabs(sum.hi) > 0.0) & (fabs(sum.hi) <= 0x1.fffffffffffffp1023);
    set_words(words[part], sum);
  }
  return is_sure;
}
#else
// Every product and sum by itself: two products added are not one fused operation. Of a double4 x and z are the real
// and the imaginary part.
#if PARTS == 2
typedef double2 old_element;

static inline double2 plain_times(double2 x, double2 y) {
  return (double2)(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}
static inline int is_plain(double4 x, double word) { return x.x == word && x.z == 0.0; }
#define WORDS_OF(factor) (factor).xz
#define SUM_OF(words) (double2)(as_double((words)[0][0]), as_double((words)[1][0]))
#else
typedef double old_element;

static inline double plain_times(double x, double y) { return x * y; }
static inline int is_plain(double4 x, double word) { return x.x == word; }
#define WORDS_OF(factor) (factor).x
#define SUM_OF(words) as_double((words)[0][0])
#endif

// `old` is of no use where beta = 0.
static inline old_element plain_updated(old_element sum, old_element old, double4 alpha, double4 beta) {
  old_element r = is_plain(alpha, 1.0) ? sum : plain_times(WORDS_OF(alpha), sum);
  if (is_plain(beta, 0.0)) return r;
  return r + (is_plain(beta, 1.0) ? old : plain_times(WORDS_OF(beta), old));
}

static inline old_element plain_update(old_element sum, __global const old_element* c, double4 alpha, double4 beta) {
  return plain_updated(sum, is_plain(beta, 0.0) ? sum : *c, alpha, beta);
}

static inline void set_none(old_element* old) { *old = (old_element)(0); }

static inline void load_old(__global const ulong* c, long element, double4 beta, old_element* old) {
  if (!is_plain(beta, 0.0)) *old = ((__global const old_element*)c)[element];
}

static inline void update_words(ulong (*words)[WORDS], old_element* old, double4 alpha, double4 beta) {
  const old_element sum = plain_updated(SUM_OF(words), *old, alpha, beta);
#if PARTS == 2
  words[0][0] = as_ulong(sum.x);
  words[1][0] = as_ulong(sum.y);
#else
  words[0][0] = as_ulong(sum);
#endif
}

static inline int add_to_words(ulong (*words)[WORDS], const old_element* old) {
  const double4 one = (double4)(1.0, 0.0, 0.0, 0.0);
  old_element added = *old;
  update_words(words, &added, one, one);
  return 1;
}
#endif
