// Loops of few and known turns.
//
//   IS_UNROLLED   0 1   whether they are; for CPUs PoCL compiles some kernels twenty times as long with it
#pragma once

#ifndef IS_UNROLLED
#define IS_UNROLLED 1
#endif
#if IS_UNROLLED != 0 && IS_UNROLLED != 1
#error "hilo: IS_UNROLLED is none of 0 1"
#endif
#if IS_UNROLLED
#define FOR(index, count) _Pragma("unroll") for (int index = 0; index < (count); ++index)
#else
#define FOR(index, count) for (int index = 0; index < (count); ++index)
#endif
