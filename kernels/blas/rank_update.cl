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
#define BATCH (IS_COMPLEX ? 2 : 4)

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

__kernel __attribute__((reqd_work_group_size(PLACES, 1, 1))) void rank_update(__global part_in_memory* a,
                                                                              __global const part_in_memory* x,
                                                                              __global const part_in_memory* y,
                                                                              scalar scale, update_arguments p) {
  __local part_in_memory of_lines[COUNT * LINES * PARTS];
  const element alpha = element_of(scale);
  const int item = (int)get_local_id(0);
  const uint blocks = (uint)((p.length + PLACES - 1) / PLACES), group = (uint)get_group_id(0);
  const long i = (long)(group % blocks) * PLACES + item, first = (long)(group / blocks) * LINES;
  if (item < COUNT * LINES && first + item % LINES < p.lines) {
    const long line = first + item % LINES;
    const int t = item / LINES;
    store_local(of_lines, item,
                p.is_turned ? plain_factor(x, y, p, t, line) : scaled_factor(x, y, alpha, p, t, line));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i >= p.length) return;
  const int begin = (int)(p.part == 2 ? clamp(i - first, 0L, (long)LINES) : 0L);
  const int end = (int)min(p.part == 1 ? i + 1 - first : (long)LINES, min(p.lines - first, (long)LINES));
  if (begin >= end) return;
  element mine[COUNT];
  FOR(t, COUNT) mine[t] = p.is_turned ? scaled_factor(x, y, alpha, p, t, i) : plain_factor(x, y, p, t, i);
  const long at = p.a.offset + i * p.a.row_stride + first * p.a.column_stride;
  for (int l = begin; l < end; l += BATCH) {
    element batch[BATCH];
    FOR(b, BATCH) if (l + b < end) batch[b] = load_whole(a, at + (l + b) * p.a.column_stride);
    FOR(b, BATCH) {
      if (l + b < end) {
        FOR(t, COUNT) {
          const element of_line = load_local(of_lines, t * LINES + l + b);
          batch[b] = add_elements(multiply_elements(of_line, mine[t]), batch[b]);
        }
#if IS_COMPLEX
        if (p.is_hermitian && i == first + l + b) batch[b].p[1] = part_of_word(0);
#endif
        store_whole(a, at + (l + b) * p.a.column_stride, batch[b]);
      }
    }
  }
}
