// The sum of one entry, step by step: for entries that are not finite, and for single ones.
#pragma once

#include "number/step.cl"
#include "product/operands_dd.cl"

#define CHUNK 64
#define SUPERCHUNK 4096

HILO_FN int is_finite(dd x) { return x.hi - x.hi == 0.0; }

// The sum of an entry by the definition, one step after the other; without FMA, by the step that takes any operand.
HILO_FN dd sum_scaled(__global const double2* a, matrix_view a_view, __global const double2* b, matrix_view b_view,
                      long row, long column, long steps, int interval) {
  dd total = {0.0, 0.0};
  for (long start = 0; start < steps; start += SUPERCHUNK) {
    dd partial = {0.0, 0.0};
    for (long chunk = start; chunk < min(steps, start + SUPERCHUNK); chunk += CHUNK) {
      dd sum = {0.0, 0.0};
      for (long s = chunk; s < min(steps, chunk + CHUNK); ++s) {
        sum = step_split_scaled(sum, left_operand(a, a_view, row, s), right_operand(b, b_view, s, column));
        if ((s - chunk) % interval == interval - 1) sum = fast_two_sum(sum.hi, sum.lo);
      }
      partial = add_finite(partial, two_sum(sum.hi, sum.lo));
    }
    total = add_finite(total, partial);
  }
  return total;
}

HILO_FN dd sum_plain(__global const double2* a, matrix_view a_view, __global const double2* b, matrix_view b_view,
                     long row, long column, long steps) {
  double sum = 0.0;
  for (long s = 0; s < steps; ++s) {
    sum += mul(left_operand(a, a_view, row, s).hi, right_operand(b, b_view, s, column).hi);
  }
  dd r = {sum == sum ? sum : as_double(0x7ff8000000000000UL), 0.0};
  return r;
}
