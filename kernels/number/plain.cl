// Numbers of S, D, C and Z, for the product's texts; double_double.cl has those of DD.
//
//   WORD          float double
//   WORD_BYTES    4 8
//   HILO_LANES    1 2 4 8 16   numbers of a vector: 1 on a GPU, on a CPU what its registers hold
//   CONJUGATES_LEFT, CONJUGATES_RIGHT   0 1   complex: whether the operand is the conjugate of what lies in memory
//
// A `number` is one in memory, `numbers` HILO_LANES of them in a packed panel (complex: all real parts first), and a
// `value` HILO_LANES of them in registers.
#pragma once

#include "number/complex.cl"

#ifndef WORD
#define WORD float
#endif
#ifndef WORD_BYTES
#define WORD_BYTES 4
#endif
#if WORD_BYTES != 4 && WORD_BYTES != 8
#error "hilo: WORD_BYTES is none of 4 8"
#endif
#ifndef HILO_LANES
#define HILO_LANES 1
#endif
#if HILO_LANES != 1 && HILO_LANES != 2 && HILO_LANES != 4 && HILO_LANES != 8 && HILO_LANES != 16
#error "hilo: HILO_LANES is none of 1 2 4 8 16"
#endif
#ifndef CONJUGATES_LEFT
#define CONJUGATES_LEFT 0
#endif
#if CONJUGATES_LEFT != 0 && CONJUGATES_LEFT != 1
#error "hilo: CONJUGATES_LEFT is none of 0 1"
#endif
#ifndef CONJUGATES_RIGHT
#define CONJUGATES_RIGHT 0
#endif
#if CONJUGATES_RIGHT != 0 && CONJUGATES_RIGHT != 1
#error "hilo: CONJUGATES_RIGHT is none of 0 1"
#endif

#if WORD_BYTES == 8
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define JOIN_NAMES(a, b) a##b
#define JOINED(a, b) JOIN_NAMES(a, b)
#if HILO_LANES == 1
typedef WORD real;
#else
typedef JOINED(WORD, HILO_LANES) real;
#endif

#if IS_COMPLEX
typedef JOINED(WORD, 2) number;
typedef struct {
  real re, im;
} value;
typedef value numbers;
#else
typedef WORD number;
typedef real value;
typedef real numbers;
#endif

// As on the host, every operation by itself.
#pragma OPENCL FP_CONTRACT OFF
#if IS_COMPLEX
static inline number times(number x, number y) { return (number)(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }
#else
static inline number times(number x, number y) { return x * y; }
#endif

// Sums of products may be contracted: nothing depends on their bits.
#pragma OPENCL FP_CONTRACT ON

#define WORDS (1 + IS_COMPLEX)

#if IS_COMPLEX
static inline value zero_value(void) {
  value r = {(real)(0), (real)(0)};
  return r;
}

static inline value value_of(numbers x) { return x; }

// One number, in every lane.
static inline value broadcast(number x) {
  value r = {(real)(x.x), (real)(x.y)};
  return r;
}

#define LEFT_SIGN(x) (CONJUGATES_LEFT ? -(x) : (x))
#define RIGHT_SIGN(x) (CONJUGATES_RIGHT ? -(x) : (x))
static inline value multiply_add(value sum, value a, value b) {
  const real a_im = LEFT_SIGN(a.im), b_im = RIGHT_SIGN(b.im);
  value r;
  r.re = sum.re + a.re * b.re;
  r.re = r.re - a_im * b_im;
  r.im = sum.im + a.re * b_im;
  r.im = r.im + a_im * b.re;
  return r;
}

#if HILO_LANES == 1
static inline number number_of(value x) { return (number)(x.re, x.im); }
#else
static inline void split_lanes(value x, number* each) {
  union {
    real all;
    WORD each[HILO_LANES];
  } re = {x.re}, im = {x.im};
  for (int e = 0; e < HILO_LANES; ++e) each[e] = (number)(re.each[e], im.each[e]);
}
#endif
static inline int is_word(number x, WORD word) { return x.x == word && x.y == 0; }
#else
static inline value zero_value(void) { return (value)(0); }
static inline value value_of(numbers x) { return x; }
static inline value broadcast(number x) { return (value)(x); }
static inline value multiply_add(value sum, value a, value b) { return sum + a * b; }
#if HILO_LANES == 1
static inline number number_of(value x) { return x; }
#else
static inline void split_lanes(value x, number* each) {
  union {
    real all;
    WORD each[HILO_LANES];
  } of = {x};
  for (int e = 0; e < HILO_LANES; ++e) each[e] = of.each[e];
}
#endif
static inline int is_word(number x, WORD word) { return x == word; }
#endif
