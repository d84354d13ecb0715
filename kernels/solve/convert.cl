// Leading words of double-double numbers, or double-double numbers of doubles.
//
//   FROM_WORDS, TO_WORDS   1 2
#include "number/doubles.cl"

#ifndef FROM_WORDS
#define FROM_WORDS 2
#endif
#ifndef TO_WORDS
#define TO_WORDS 1
#endif
#if (FROM_WORDS != 1 && FROM_WORDS != 2) || (TO_WORDS != 1 && TO_WORDS != 2)
#error "hilo: FROM_WORDS and TO_WORDS are 1 or 2"
#endif

__kernel void convert(__global const double* from, __global double* to, long count) {
  const long i = (long)get_global_id(0);
  if (i >= count) return;
#if FROM_WORDS == 2
  const double2 x = ((__global const double2*)from)[i];
#else
  const double2 x = (double2)(from[i], 0.0);
#endif
#if TO_WORDS == 2
  ((__global double2*)to)[i] = x;
#else
  to[i] = x.x;
#endif
}
