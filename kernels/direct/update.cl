// C = alpha * sum + beta * C for one element.
#pragma once

#include "number/complex.cl"
#include "number/lanes.cl"

HILO_FN int is_word(dd x, double word) { return x.hi == word && x.lo == 0.0; }

HILO_FN dd load(__global const double2* x, long index) {
  dd r = {x[index].x, x[index].y};
  return r;
}

HILO_FN void store(__global double2* x, long index, dd value) { x[index] = (double2)(value.hi, value.lo); }

// c = beta * c, or sum[] * alpha + beta * c, for the element at `index` of C; c is not read where beta = 0.
#if IS_COMPLEX
HILO_FN dd subtract(dd x, dd y) {
  dd minus = {-y.hi, -y.lo};
  return add(x, minus);
}

HILO_FN void multiply_complex(dd re, dd im, dd* z) {
  dd x = z[0], y = z[1];
  z[0] = subtract(multiply(re, x), multiply(im, y));
  z[1] = add(multiply(re, y), multiply(im, x));
}

HILO_FN void scale_element(__global double2* c, long index, double4 beta) {
  dd re = {beta.x, beta.y}, im = {beta.z, beta.w};
  dd z[2] = {{0.0, 0.0}, {0.0, 0.0}};
  if (!is_word(re, 0.0) || !is_word(im, 0.0)) {
    z[0] = load(c, 2 * index);
    z[1] = load(c, 2 * index + 1);
    if (!is_word(re, 1.0) || !is_word(im, 0.0)) multiply_complex(re, im, z);
  }
  store(c, 2 * index, z[0]);
  store(c, 2 * index + 1, z[1]);
}

HILO_FN int reads_element(double4 beta) { return beta.x != 0.0 || beta.y != 0.0 || beta.z != 0.0 || beta.w != 0.0; }

HILO_FN void load_parts(__global const double2* c, long index, dd* z) {
  z[0] = load(c, 2 * index);
  z[1] = load(c, 2 * index + 1);
}

// sum[] = alpha * sum[] + beta * z[]; z is of no use where beta = 0.
HILO_FN void update_sum(dd* sum, dd* z, double4 alpha, double4 beta) {
  dd alpha_re = {alpha.x, alpha.y}, alpha_im = {alpha.z, alpha.w};
  dd beta_re = {beta.x, beta.y}, beta_im = {beta.z, beta.w};
  if (!is_word(alpha_re, 1.0) || !is_word(alpha_im, 0.0)) multiply_complex(alpha_re, alpha_im, sum);
  if (!reads_element(beta)) return;
  if (!is_word(beta_re, 1.0) || !is_word(beta_im, 0.0)) multiply_complex(beta_re, beta_im, z);
  sum[0] = add(sum[0], z[0]);
  sum[1] = add(sum[1], z[1]);
}

HILO_FN void store_parts(__global double2* c, long index, dd* z) {
  store(c, 2 * index, z[0]);
  store(c, 2 * index + 1, z[1]);
}
#else
HILO_FN void scale_element(__global double2* c, long index, double4 beta) {
  dd scale = {beta.x, beta.y}, z = {0.0, 0.0};
  if (!is_word(scale, 0.0)) {
    z = load(c, index);
    if (!is_word(scale, 1.0)) z = multiply(scale, z);
  }
  store(c, index, z);
}

HILO_FN int reads_element(double4 beta) { return beta.x != 0.0 || beta.y != 0.0; }

HILO_FN void load_parts(__global const double2* c, long index, dd* z) { z[0] = load(c, index); }

// sum[] = alpha * sum[] + beta * z[]; z is of no use where beta = 0.
HILO_FN void update_sum(dd* sum, dd* z, double4 alpha, double4 beta) {
  dd factor = {alpha.x, alpha.y}, scale = {beta.x, beta.y};
  if (!is_word(factor, 1.0)) sum[0] = multiply(factor, sum[0]);
  if (!reads_element(beta)) return;
  if (!is_word(scale, 1.0)) z[0] = multiply(scale, z[0]);
  sum[0] = add(sum[0], z[0]);
}

HILO_FN void store_parts(__global double2* c, long index, dd* z) { store(c, index, z[0]); }
#endif

HILO_FN void update_element(__global double2* c, long index, dd* sum, double4 alpha, double4 beta) {
  dd z[1 + IS_COMPLEX];
  if (reads_element(beta)) load_parts(c, index, z);
  update_sum(sum, z, alpha, beta);
  store_parts(c, index, sum);
}
