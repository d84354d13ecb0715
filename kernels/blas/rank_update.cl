// A = A + u vᵀ, or A + u vᵀ + w zᵀ, of which only a triangle may be there: u = x and v = alpha · y or alpha · conj(y),
// w = y and z = alpha · x or conj(alpha · x). A work-item has one place of several lines that lie side by side.
//
//   COUNT   1 2   products
#include "blas/operators.cl"
#include "number/arguments.cl"

#ifndef COUNT
#define COUNT 1
#endif
#if COUNT != 1 && COUNT != 2
#error "hilo: COUNT is none of 1 2"
#endif
#define PLACES 256
#define LINES 16
// Complex numbers in double-double keep a device busy with arithmetic, and so with looking at what is special.
#define HAS_MODERATE (IS_DOUBLE_DOUBLE && IS_COMPLEX)
#define BATCH (HAS_MODERATE && COUNT == 2 ? 1 : IS_COMPLEX ? 2 : 4)

// Element i of u or w, and of v or z.
HILO_FN element plain_factor(__global const part_in_memory* x, __global const part_in_memory* y, update_arguments p,
                             int t, long i) {
  return t == 0 ? load_whole(x, p.x.offset + i * p.x.stride) : load_whole(y, p.y.offset + i * p.y.stride);
}
HILO_FN element scaled_factor(__global const part_in_memory* x, __global const part_in_memory* y, element alpha,
                              update_arguments p, int t, long i) {
  if (t == 0) {
    return multiply_elements(alpha, conjugated(load_whole(y, p.y.offset + i * p.y.stride), p.conjugates_first));
  }
  return conjugated(multiply_elements(alpha, load_whole(x, p.x.offset + i * p.x.stride)), p.conjugates_second);
}

#if HAS_MODERATE
// Whether products of such factors are neither 0 nor near the range's ends, nor are sums of them: then nothing is
// special but in what they are added to.
HILO_FN int is_moderate(element x) {
  int r = 1;
  FOR_PARTS {
    const int exponent = (int)(as_ulong(x.p[part_].hi) >> 52) & 0x7ff;
    r &= exponent > 1023 - 400 && exponent < 1023 + 400;
  }
  return r;
}
HILO_FN part product_of_moderate(part x, part y) {
  const dd p = two_prod(x.hi, y.hi);
  return fast_two_sum(p.hi, p.lo + (mul(x.hi, y.lo) + mul(x.lo, y.hi)));
}
HILO_FN element multiply_moderate(element x, element y) {
  element r;
  r.p[0] = add_finite(product_of_moderate(x.p[0], y.p[0]), minus(product_of_moderate(x.p[1], y.p[1])));
  r.p[1] = add_finite(product_of_moderate(x.p[0], y.p[1]), product_of_moderate(x.p[1], y.p[0]));
  return r;
}
// x with all products, and whether an operand or the result is special.
HILO_FN element with_moderate_products(element x, const element* of_line, const element* mine, int* is_special) {
  element sum = x;
  FOR(t, COUNT) {
    const element r = multiply_moderate(of_line[t], mine[t]);
    FOR_PARTS sum.p[part_] = add_finite(r.p[part_], sum.p[part_]);
  }
  *is_special = 0;
  FOR_PARTS *is_special |= is_minus_zero(x.p[part_].hi) | is_not_finite(sum.p[part_].hi);
  return sum;
}
#endif
HILO_FN element without_imaginary(element x) {
#if IS_COMPLEX
  x.p[1] = part_of_word(0);
#endif
  return x;
}
__kernel __attribute__((reqd_work_group_size(PLACES, 1, 1))) void rank_update(__global part_in_memory* a,
                                                                              __global const part_in_memory* x,
                                                                              __global const part_in_memory* y,
                                                                              scalar scale, update_arguments p) {
  __local part_in_memory of_lines[COUNT * LINES * PARTS];
#if HAS_MODERATE
  __local int has_others;  // factors that are not moderate
#endif
  const element alpha = element_of(scale);
  const int item = (int)get_local_id(0);
  const uint blocks = (uint)((p.length + PLACES - 1) / PLACES), group = (uint)get_group_id(0);
  const long i = (long)(group % blocks) * PLACES + item, first = (long)(group / blocks) * LINES;
#if HAS_MODERATE
  if (item == 0) has_others = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  if (item < COUNT * LINES && first + item % LINES < p.lines) {
    const long line = first + item % LINES;
    const int t = item / LINES;
    const element factor = p.is_turned ? plain_factor(x, y, p, t, line) : scaled_factor(x, y, alpha, p, t, line);
    store_local(of_lines, item, factor);
#if HAS_MODERATE
    if (!is_moderate(factor)) has_others = 1;
#endif
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i >= p.length) return;
  const int begin = (int)(p.part == 2 ? clamp(i - first, 0L, (long)LINES) : 0L);
  const int end = (int)min(p.part == 1 ? i + 1 - first : (long)LINES, min(p.lines - first, (long)LINES));
  if (begin >= end) return;
  element mine[COUNT];
  FOR(t, COUNT) mine[t] = p.is_turned ? scaled_factor(x, y, alpha, p, t, i) : plain_factor(x, y, p, t, i);
  const long at = p.a.offset + i * p.a.row_stride + first * p.a.column_stride, step = p.a.column_stride;
  const long diagonal = IS_COMPLEX && p.is_hermitian ? i - first : -1;
#if HAS_MODERATE
  int are_moderate = !has_others;
  FOR(t, COUNT) are_moderate &= is_moderate(mine[t]);
  // Lines that are left for operators which look at what is special.
  uint left = (1u << end) - (1u << begin);
  if (are_moderate) {
    for (int l = begin; l < end; l += BATCH) {
      element batch[BATCH], of_line[COUNT];
      FOR(b, BATCH) if (l + b < end) batch[b] = load_whole(a, at + (l + b) * step);
      FOR(b, BATCH) {
        if (l + b < end) {
          int is_special;
          FOR(t, COUNT) of_line[t] = load_local(of_lines, t * LINES + l + b);
          batch[b] = with_moderate_products(batch[b], of_line, mine, &is_special);
          if (!is_special) {
            store_whole(a, at + (l + b) * step, l + b == diagonal ? without_imaginary(batch[b]) : batch[b]);
            left -= 1u << (l + b);
          }
        }
      }
    }
  }
  if (!left) return;
#define IS_LEFT(line) (left >> (line) & 1)
#else
#define IS_LEFT(line) ((line) < end)
#endif
  for (int l = begin; l < end; l += BATCH) {
    element batch[BATCH];
    FOR(b, BATCH) if (IS_LEFT(l + b)) batch[b] = load_whole(a, at + (l + b) * step);
    FOR(b, BATCH) {
      if (IS_LEFT(l + b)) {
        FOR(t, COUNT) {
          const element of_line = load_local(of_lines, t * LINES + l + b);
          batch[b] = add_elements(multiply_elements(of_line, mine[t]), batch[b]);
        }
        store_whole(a, at + (l + b) * step, l + b == diagonal ? without_imaginary(batch[b]) : batch[b]);
      }
    }
  }
}
