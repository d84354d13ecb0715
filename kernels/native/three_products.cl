// A complex product as three real ones (3M): with P = Re A Re B, Q = Im A Im B and R = (Re A + Im A)(Re B + Im B),
// A B = P - Q + i (R - P - Q). Sums are halved, and R is a quarter, so that nothing overflows before A B does. Planes
// are of columns of `pitch` words.

#ifndef IS_COMPLEX
#define IS_COMPLEX 1
#endif
#if !IS_COMPLEX
#error "hilo: numbers of three products are complex"
#endif

#include "product/turn.cl"
#include "product/update_run.cl"

#define TURN_PARAMETERS __global WORD *planes, int pitch, long plane

static inline void put_parts(__global WORD* planes, long at, long plane, number x) {
  planes[at] = x.x;
  planes[at + plane] = x.y;
  planes[at + 2 * plane] = x.x * (WORD)0.5 + x.y * (WORD)0.5;
}

// The three left or right factors, plane by plane: [step][line].
#define PUT_PARTS(line, step, value) put_parts(planes, (long)(step) * pitch + (line), plane, value)
DEFINE_TURN(split_left, LEFT_NUMBER, lines, steps, PUT_PARTS)
DEFINE_TURN(split_right, RIGHT_NUMBER, lines, steps, PUT_PARTS)

// C = alpha * A B + beta * C from P, Q and R, columns of `pitch` words; rows of C lie side by side.
__kernel void combine_products(__global const WORD* products, __global number* c, combine_arguments x, number alpha,
                               number beta) {
  const int i = (int)get_global_id(0), j = (int)get_global_id(1);
  if (i >= x.rows || j >= x.columns) return;
  __global const WORD* at = products + j * x.pitch + i;
  const WORD p = at[0], q = at[x.plane], r = at[2 * x.plane];
  const WORD quarter = (WORD)0.25;
  const number sum = (number)(p - q, (r - p * quarter - q * quarter) * (WORD)4);
  update_run(c + x.offset + j * x.stride + i, &sum, (int2)(0, 1), 0, alpha, beta);
}
