// A term of an entry's sum, which is two steps of a complex one.
#pragma once

#include "number/loops.cl"
#include "number/step.cl"
#include "product/operands_dd.cl"

// The step `step` of a chunk, or it and the next one. On the right are (br, bi), as in memory: the columns of the first
// step, of which the second step's are made.
HILO_FN void multiply_term(dd* sum, const dd* left, const dd* right, int step) {
#if IS_COMPLEX
  const dd minus_im = {-right[1].hi, -right[1].lo};
  sum[0] = STEP(sum[0], left[0], right[0]);
  sum[1] = STEP(sum[1], left[0], right[1]);
  if (RENORMALISE_EVERY == 1) FOR(part, PARTS) sum[part] = fast_two_sum(sum[part].hi, sum[part].lo);
  sum[0] = STEP(sum[0], left[1], minus_im);
  sum[1] = STEP(sum[1], left[1], right[0]);
#else
  sum[0] = STEP(sum[0], left[0], right[0]);
#endif
  if ((step + PARTS) % RENORMALISE_EVERY == 0) FOR(part, PARTS) sum[part] = fast_two_sum(sum[part].hi, sum[part].lo);
}
