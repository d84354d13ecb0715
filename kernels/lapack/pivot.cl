// The pivot of a column: the largest magnitude, of equals the uppermost row.
//
//   ITEMS    work-items of a work-group, a power of two
//   NVIDIA, HAS_REDUX   0 1   (blas/warp.cl)
#pragma once

#include "blas/element.cl"
#include "blas/warp.cl"

#ifndef ITEMS
#define ITEMS 256
#endif
#if ITEMS < 1 || (ITEMS & (ITEMS - 1)) != 0
#error "hilo: ITEMS is no power of two"
#endif

// A row, and its magnitude as integers that sort as it does: double's units have better to do than comparing.
typedef struct {
  ulong hi;
  long lo;
  int row;
} pick;

// Loses against every row.
HILO_FN pick no_pick(void) {
  const pick p = {0, -0x7fffffffffffffffL - 1, 0x7fffffff};
  return p;
}

HILO_FN pick pick_of(element x, int row) {
#if IS_DOUBLE_DOUBLE || WORD_BYTES == 8
  const part size = magnitude_of(x);
  // + 0: no zero has a sign.
  const ulong hi = as_ulong(leading(size) + 0.0);
  const long lo = as_long((double)trailing(size) + 0.0);
  const pick p = {hi, hi == 0x7ff0000000000000UL ? 0 : lo ^ ((lo >> 63) & 0x7fffffffffffffffL), row};
#else
  const pick p = {(ulong)as_uint(leading(magnitude_of(x)) + 0.0f) << 32, 0, row};
#endif
  return p;
}

// In memory; only in double-double lo tells anything.
#if IS_DOUBLE_DOUBLE
typedef ulong4 pick_key;
HILO_FN pick_key key_of(pick p) { return (ulong4)(p.hi, (ulong)p.row, (ulong)p.lo, 0); }
HILO_FN pick pick_of_key(pick_key key) {
  const pick p = {key.x, (long)key.z, (int)key.y};
  return p;
}
#else
typedef ulong2 pick_key;
HILO_FN pick_key key_of(pick p) { return (ulong2)(p.hi, (ulong)p.row); }
HILO_FN pick pick_of_key(pick_key key) {
  const pick p = {key.x, 0, (int)key.y};
  return p;
}
#endif

HILO_FN pick better(pick a, pick b) {
  const int is_b = b.hi > a.hi || (b.hi == a.hi && (b.lo > a.lo || (b.lo == a.lo && b.row < a.row)));
  return is_b ? b : a;
}

#if NVIDIA
HILO_FN pick pick_from_lane(pick p, int distance) {
  const pick r = {(ulong)long_from_lane((long)p.hi, distance), IS_DOUBLE_DOUBLE ? long_from_lane(p.lo, distance) : 0,
                  from_lane(p.row, distance)};
  return r;
}

// The best of a warp's, in all of its lanes. Mostly one lane has the largest leading words.
HILO_FN pick best_of_warp(pick mine) {
#if HAS_REDUX
  const uint size = (uint)(mine.hi >> 32);
  const uint largest = (uint)largest_of_warp((int)size);
  uint lanes;
  asm volatile(
      "{ .reg .pred p; setp.eq.u32 p, %1, %2; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
      : "=r"(lanes)
      : "r"(size), "r"(largest));
  if ((lanes & (lanes - 1)) == 0) {
    const int from = 31 - (int)clz(lanes);
    const pick r = {(ulong)long_of_lane((long)mine.hi, from), IS_DOUBLE_DOUBLE ? long_of_lane(mine.lo, from) : 0,
                    int_of_lane(mine.row, from)};
    return r;
  }
#endif
  _Pragma("unroll") for (int d = 1; d < 32; d *= 2) mine = better(mine, pick_from_lane(mine, d));
  return mine;
}
#endif

#if NVIDIA
#define PICK_KEYS ((ITEMS + 31) / 32)
#else
#define PICK_KEYS ITEMS
#endif
// The best of the picks of the first `count` work-items, in all of them; the others' are no_pick(). `keys` has PICK_KEYS
// places. Has a barrier before its end; the caller puts one before the next call. Inlined, whatever a compiler would
// choose: PoCL 3.1 goes wrong where it finds barriers in a function.
__attribute__((always_inline)) HILO_FN pick best_of_group(pick mine, int item, int count, __local pick_key* keys) {
#if NVIDIA
  const int warps = (count + 31) / 32;
  if (item < 32 * warps) {
    mine = best_of_warp(mine);
    if (item % 32 == 0) keys[item / 32] = key_of(mine);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int lane = item % 32;
  return best_of_warp(lane < warps ? pick_of_key(keys[lane]) : no_pick());
#else
  keys[item] = key_of(mine);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_way = ITEMS / 2; half_way > 0; half_way /= 2) {
    if (item < half_way) keys[item] = key_of(better(pick_of_key(keys[item]), pick_of_key(keys[item + half_way])));
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return pick_of_key(keys[0]);
#endif
}
