// Double-double operations, composed: the host knows every answer (src/opencl/self_test.cpp).

#include "number/step.cl"

#include "number/lanes.cl"

#define ANSWERS 12

__kernel void self_test(__global const pair* x_in, __global const pair* y_in, __global const pair* z_in,
                        __global pair* answers) {
  size_t item = get_global_id(0);
  dd x = from_pair(x_in[item]), y = from_pair(y_in[item]), z = from_pair(z_in[item]);
  __global pair* answer = answers + item * ANSWERS;
  // A contracted product shows here, where it meets a sum.
  real product = mul(x.hi, y.hi);
  answer[0] = to_pair(two_sum(product, z.hi));
  answer[1] = to_pair(fast_two_sum(product, mul(x.hi, y.lo)));
  answer[2] = to_pair(two_prod_fma(x.hi, y.hi));
  answer[3] = to_pair(two_prod_split(x.hi, y.hi));
  answer[4] = to_pair(add_finite(x, z));
  answer[5] = to_pair(add(multiply(x, y), z));
  answer[6] = to_pair(multiply(add(x, y), z));
  answer[7] = to_pair(step_fma(z, x, y));
  answer[8] = to_pair(step_split(z, x, y));
  answer[9] = to_pair(step_split_scaled(z, x, y));
  dd sum = step_fma(z, x, y);
  sum = step_fma(fast_two_sum(sum.hi, sum.lo), y, x);
  answer[10] = to_pair(add_finite(y, two_sum(sum.hi, sum.lo)));
  sum = step_split(z, x, y);
  sum = step_split(fast_two_sum(sum.hi, sum.lo), y, x);
  answer[11] = to_pair(add_finite(y, two_sum(sum.hi, sum.lo)));
}
