// Entries computed apart to their places in C.
//
//   ELEMENT_WORDS   1 2 4   64-bit words in an element

#include "number/arguments.cl"

#ifndef ELEMENT_WORDS
#define ELEMENT_WORDS 2
#endif
#if ELEMENT_WORDS != 1 && ELEMENT_WORDS != 2 && ELEMENT_WORDS != 4
#error "hilo: ELEMENT_WORDS is none of 1 2 4"
#endif

__kernel void scatter(__global const ulong* values, __global const int2* positions, int count, __global ulong* c,
                      matrix_view c_view) {
  int entry = (int)get_global_id(0);
  if (entry >= count) return;
  long element = c_view.offset + positions[entry].x * c_view.row_stride + positions[entry].y * c_view.column_stride;
  for (int w = 0; w < ELEMENT_WORDS; ++w) c[element * ELEMENT_WORDS + w] = values[(long)entry * ELEMENT_WORDS + w];
}
