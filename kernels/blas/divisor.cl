// Quotients of many elements by one: what depends on the divisor alone is found once. The bits are those of x / y.
#pragma once

#include "blas/element.cl"

// A real divisor.
#if IS_DOUBLE_DOUBLE && HILO_FMA
typedef struct {
  dd value;
  double reciprocal;  // NaN of a divisor that takes divide()
} part_divisor;

HILO_FN part_divisor part_divisor_of(part y) {
  part_divisor d;
  d.value = y;
  d.reciprocal = fabs(y.hi) > 0x1p-280 && fabs(y.hi) < 0x1p280 ? 1.0 / y.hi : NAN;
  return d;
}

// RN(a / b) with r = RN(1 / b) where nothing over- or underflows: the first quotient errs by less than two units in its
// last place, the next by less than one, and from such a one the remainder leads to the rounded quotient (Markstein, IBM
// J. Res. Dev. 34 (1990)).
HILO_FN double word_quotient(double a, double b, double r) {
  const double q = a * r, next = fma(fma(-b, q, a), r, q);
  return fma(fma(-b, next, a), r, next);
}

// Not where it is used: it would lengthen the usual way.
__attribute__((noinline)) static part rare_quotient(part x, part y) { return divide(x, y); }

// divide() (include/hilo/detail/core.clh) without what takes care of the ends of the range, near which it is called. One that
// is not wanted may be anything.
HILO_FN part quotient_of_part(part x, part_divisor y, int is_wanted) {
  const double t = word_quotient(x.hi, y.value.hi, y.reciprocal);
  const dd p = two_prod(y.value.hi, t);
  const dd r = fast_two_sum(p.hi, mul(y.value.lo, t));
  const dd z = fast_two_sum(r.hi, r.lo + p.lo);
  const double residual = (x.hi - z.hi) + (x.lo - z.lo), rest = fabs(residual), size = fabs(x.hi);
  const int is_usual = size > 0x1p-280 && size < 0x1p280 && (rest == 0.0 || rest > 0x1p-600);
  if (is_wanted && !is_usual) return rare_quotient(x, y.value);
  return fast_two_sum(t, word_quotient(residual, y.value.hi, y.reciprocal));
}
#else
typedef part part_divisor;

HILO_FN part_divisor part_divisor_of(part y) { return y; }
HILO_FN part quotient_of_part(part x, part_divisor y, int is_wanted) { return quotient_of_parts(x, y); }
#endif

// An element: of complex ones conj(c), |c|² and s, c = s · d.
typedef struct {
#if IS_COMPLEX
  element value;
  part scale;
#endif
  part_divisor by;
} divisor;

HILO_FN divisor divisor_of(element d) {
  divisor r;
#if IS_COMPLEX
  const key_word larger = fmax(fabs(leading(d.p[0])), fabs(leading(d.p[1])));
  key_word s = 1;
#if WORD_BYTES == 8
  if (larger > 0 && larger <= 0x1.fffffffffffffp1023) s = ldexp(1.0, min(-ilogb(larger), 1023));
#else
  if (larger > 0 && larger <= 0x1.fffffep127f) s = ldexp(1.0f, min(-ilogb(larger), 127));
#endif
  r.scale = part_of_word(s);
#if IS_DOUBLE_DOUBLE
  for (int i = 0; i < 2; ++i) {
    d.p[i].hi *= s;
    d.p[i].lo *= s;
  }
#else
  for (int i = 0; i < 2; ++i) d.p[i] *= s;
#endif
  r.by = part_divisor_of(sum_of(product_of_parts(d.p[0], d.p[0]), product_of_parts(d.p[1], d.p[1])));
  r.value = conjugated(d, 1);
#else
  r.by = part_divisor_of(d.p[0]);
#endif
  return r;
}

HILO_FN element quotient_where(element x, divisor d, int is_wanted) {
#if IS_COMPLEX
  element r = times(x, d.value);
  FOR_PARTS {
    part q = quotient_of_part(r.p[part_], d.by, is_wanted);
#if IS_DOUBLE_DOUBLE
    q.hi *= d.scale.hi;
    q.lo = fabs(q.hi) <= 0x1.fffffffffffffp1023 ? q.lo * d.scale.hi : 0;
#else
    q *= d.scale;
#endif
    r.p[part_] = q;
  }
  return r;
#else
  element r;
  r.p[0] = quotient_of_part(x.p[0], d.by, is_wanted);
  return r;
#endif
}
HILO_FN element quotient(element x, divisor d) { return quotient_where(x, d, 1); }

// The root of a square, and what divides by it: those of root_of() and divisor_of(), which both take the reciprocal of the
// root's leading word, mostly the same.
HILO_FN divisor divisor_by_root(part square, element* root) {
  *root = zero_element();
#if IS_DOUBLE_DOUBLE && HILO_FMA && !IS_COMPLEX
  if (square.hi > 0x1p-280 && square.hi < 0x1p280) {
    const double s = sqrt(square.hi), reciprocal = 1.0 / s;
    const dd p = two_prod(s, s);
    const double residual = square.lo + ((square.hi - p.hi) - p.lo), rest = fabs(residual);
    if (rest == 0.0 || rest > 0x1p-600) {
      divisor d;
      d.by.value = fast_two_sum(s, 0.5 * word_quotient(residual, s, reciprocal));
      d.by.reciprocal = d.by.value.hi == s ? reciprocal : 1.0 / d.by.value.hi;
      root->p[0] = d.by.value;
      return d;
    }
  }
#endif
  root->p[0] = root_of(square);
  return divisor_of(*root);
}
