// Elements as words with a tag, by which other work-groups know that they are there (meeting.cl).
#pragma once

#include "blas/element.cl"
#include "blas/meeting.cl"

#if IS_DOUBLE_DOUBLE
#define WORDS (2 * PARTS)
HILO_FN ulong word_of(element x, int i) { return as_ulong(i % 2 ? x.p[i / 2].lo : x.p[i / 2].hi); }
HILO_FN void set_word(element* x, int i, ulong word) {
  if (i % 2) x->p[i / 2].lo = as_double(word);
  else x->p[i / 2].hi = as_double(word);
}
#else
#define WORDS PARTS
#if WORD_BYTES == 8
HILO_FN ulong word_of(element x, int i) { return as_ulong(x.p[i]); }
HILO_FN void set_word(element* x, int i, ulong word) { x->p[i] = as_double(word); }
#else
HILO_FN ulong word_of(element x, int i) { return as_uint(x.p[i]); }
HILO_FN void set_word(element* x, int i, ulong word) { x->p[i] = as_float((uint)word); }
#endif
#endif

// `above` is beside the tag of the first word.
HILO_FN void show_element(volatile __global ulong2* to, element x, uint above, uint tag) {
  for (int i = 0; i < WORDS; ++i) show_tagged(to + i, word_of(x, i), (i == 0 ? (ulong)above << 32 : 0) | tag);
}
