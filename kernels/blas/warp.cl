// What the 32 lanes of a warp tell each other.
//
//   NVIDIA      0 1   they read each other's registers
//   HAS_REDUX   0 1   and find the largest of a word at once: compute capability 8.0 and more
#pragma once

#ifndef NVIDIA
#define NVIDIA 0
#endif
#if NVIDIA != 0 && NVIDIA != 1
#error "hilo: NVIDIA is none of 0 1"
#endif
#ifndef HAS_REDUX
#define HAS_REDUX 0
#endif
#if HAS_REDUX != 0 && HAS_REDUX != 1
#error "hilo: HAS_REDUX is none of 0 1"
#endif

#if NVIDIA
static inline int from_lane(int x, int distance) {
  int y;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(y) : "r"(x), "r"(distance));
  return y;
}
static inline long long_from_lane(long x, int distance) {
  const int2 w = as_int2(x);
  return as_long((int2)(from_lane(w.x, distance), from_lane(w.y, distance)));
}
static inline int int_of_lane(int x, int lane) {
  int y;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(y) : "r"(x), "r"(lane));
  return y;
}
static inline long long_of_lane(long x, int lane) {
  const int2 w = as_int2(x);
  return as_long((int2)(int_of_lane(w.x, lane), int_of_lane(w.y, lane)));
}
#endif

// The largest of a warp's words, none of them negative, in all of its lanes, which all call this; one's own elsewhere.
static inline int largest_of_warp(int x) {
#if NVIDIA && HAS_REDUX
  int largest;
  asm volatile("redux.sync.max.s32 %0, %1, 0xffffffff;" : "=r"(largest) : "r"(x));
  return largest;
#elif NVIDIA
  for (int d = 1; d < 32; d *= 2) x = max(x, from_lane(x, d));
  return x;
#else
  return x;
#endif
}
// One of the lanes for all of them; each for itself elsewhere.
static inline int speaks_for_warp(int item) { return !NVIDIA || item % 32 == 0; }
