// The rate of fused multiply-adds in registers: what a direct product can at best be measured against.
//
//   WORD         double or float, or on a CPU a vector of them
//   CHAINS       independent sums of a work-item
//   ITERATIONS   multiply-adds of each

#ifndef WORD
#define WORD double
#endif
#ifndef CHAINS
#define CHAINS 8
#endif
#if CHAINS < 1 || CHAINS > 64
#error "hilo: CHAINS is not in 1 ... 64"
#endif
#ifndef ITERATIONS
#define ITERATIONS 4096
#endif
#if ITERATIONS % 16
#error "hilo: ITERATIONS is no multiple of 16"
#endif

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void issue_rate(__global WORD* out, double factor, double term) {
  WORD x[CHAINS];
  _Pragma("unroll") for (int i = 0; i < CHAINS; ++i) x[i] = (WORD)(get_global_id(0) + i);
  for (int n = 0; n < ITERATIONS; n += 16) {
    _Pragma("unroll") for (int step = 0; step < 16; ++step) {
      _Pragma("unroll") for (int i = 0; i < CHAINS; ++i) x[i] = fma(x[i], (WORD)(factor), (WORD)(term));
    }
  }
  WORD sum = (WORD)(0.0);
  _Pragma("unroll") for (int i = 0; i < CHAINS; ++i) sum += x[i];
  // Never so for what the host passes; the compiler cannot know.
  if (factor == 12345.0) out[get_global_id(0)] = sum;
}
