// The rate of double multiply-adds by NVIDIA's matrix units, in registers; from compute capability 9.0 on.
//
//   CHAINS       independent products of 16 x 16 by 16 x 8 of a warp
//   ITERATIONS   times each of them is added to its sum

#ifndef CHAINS
#define CHAINS 8
#endif
#if CHAINS < 1 || CHAINS > 64
#error "hilo: CHAINS is not in 1 ... 64"
#endif
#ifndef ITERATIONS
#define ITERATIONS 2048
#endif
#if ITERATIONS < 1
#error "hilo: ITERATIONS is not positive"
#endif

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define MULTIPLY(c, a, b)                                                                               \
  asm volatile(                                                                                         \
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, " \
      "{%12,%13,%14,%15}, {%0,%1,%2,%3};"                                                               \
      : "+d"((c)[0]), "+d"((c)[1]), "+d"((c)[2]), "+d"((c)[3])                                          \
      : "d"((a)[0]), "d"((a)[1]), "d"((a)[2]), "d"((a)[3]), "d"((a)[4]), "d"((a)[5]), "d"((a)[6]),      \
        "d"((a)[7]), "d"((b)[0]), "d"((b)[1]), "d"((b)[2]), "d"((b)[3]))

__kernel void issue_rate_mma(__global double* out, double factor, double term) {
  double a[8], b[4], c[CHAINS][4];
#pragma unroll
  for (int i = 0; i < 8; ++i) a[i] = factor * (double)(get_local_id(0) + i);
#pragma unroll
  for (int i = 0; i < 4; ++i) b[i] = term * (double)(get_local_id(0) + i);
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) c[i][j] = (double)(i + j);
  }
  for (int n = 0; n < ITERATIONS; ++n) {
#pragma unroll
    for (int i = 0; i < CHAINS; ++i) MULTIPLY(c[i], a, b);
  }
  double sum = 0.0;
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) sum += c[i][0] + c[i][1] + c[i][2] + c[i][3];
  // Never so for what the host passes; the compiler cannot know.
  if (factor == 12345.0) out[get_global_id(0)] = sum;
}
