// What work-groups that run at the same time tell each other through global memory, and how they part where they do not.
//
// OpenCL promises no progress between work-groups: who waits too long gives the launch up. Words that others wait for are
// written with release and read with acquire at the scope of the device, on NVIDIA by PTX, since OpenCL C 1.2 has neither;
// elsewhere by atomics and fences.
#pragma once

#ifndef NVIDIA
#define NVIDIA 0
#endif
#if NVIDIA != 0 && NVIDIA != 1
#error "hilo: NVIDIA is none of 0 1"
#endif

static inline int look(volatile __global int* word) {
#if NVIDIA
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
#else
  const int value = atomic_or(word, 0);
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  return value;
#endif
}

static inline void arrive(volatile __global int* word) {
#if NVIDIA
  asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(word) : "memory");
#else
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_inc(word);
#endif
}

// Words that other work-groups read later in the launch, or have written before. By atomics where memory is not known to
// show to a group what another has written to it: on GPUs but those for which there is PTX above.
//
//   BY_ATOMICS   0 1
#ifndef BY_ATOMICS
#define BY_ATOMICS 0
#endif
#if BY_ATOMICS != 0 && BY_ATOMICS != 1
#error "hilo: BY_ATOMICS is none of 0 1"
#endif
static inline void show_words(volatile __global int* to, const int* words, int count) {
  for (int i = 0; i < count; ++i) atomic_xchg(to + i, words[i]);
}
static inline void see_words(volatile __global int* from, int* words, int count) {
  for (int i = 0; i < count; ++i) words[i] = atomic_or(from + i, 0);
}

// A word and a tag in one access, by which others know that the word is there: they need see nothing else in order. PTX has
// such accesses from 8.3 on.
//
//   COUNTED   0 1   who shows words arrives afterwards, and who sees them has waited
#ifndef COUNTED
#define COUNTED (!NVIDIA)
#endif
static inline void show_tagged(volatile __global ulong2* to, ulong word, ulong tag) {
#if COUNTED
  *to = (ulong2)(word, tag);
#else
  asm volatile("{ .reg .b128 pair; mov.b128 pair, {%1, %2}; st.relaxed.gpu.global.b128 [%0], pair; }" ::"l"(to),
               "l"(word), "l"(tag)
               : "memory");
#endif
}
static inline ulong2 look_at_tagged(volatile __global ulong2* from) {
#if COUNTED
  return *from;
#else
  ulong2 pair;
  asm volatile("{ .reg .b128 pair; ld.relaxed.gpu.global.b128 pair, [%2]; mov.b128 {%0, %1}, pair; }"
               : "=l"(pair.x), "=l"(pair.y)
               : "l"(from)
               : "memory");
  return pair;
#endif
}

// How many have arrived with this one, who sees what they wrote before.
static inline int arrive_and_count(volatile __global int* word) {
#if NVIDIA
  int before;
  asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], 1;" : "=r"(before) : "l"(word) : "memory");
#else
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  const int before = atomic_inc(word);
  mem_fence(CLK_GLOBAL_MEM_FENCE);
#endif
  return before + 1;
}

// All work-items: whether `expected` groups have arrived with this one. The last one leaves the counter as it was before.
__attribute__((always_inline)) static inline int is_last(volatile __global int* arrivals, int expected, __local int* answer) {
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    *answer = arrive_and_count(arrivals) == expected;
    if (*answer) *arrivals = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  return *answer;
}

// Between what the first of 32 work-items has seen and what all of them read.
#if NVIDIA
#define AFTER_FIRST_LANE asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#else
#define AFTER_FIRST_LANE barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif

// The state of a launch: the work-groups that ended, or GIVEN_UP. Both exclude each other: who waits too long changes
// the word by compare-and-swap, so that either all write their results or none does.
#define GIVEN_UP (1 << 30)

// 1 where this launch is given up, now or before; 0 where all `groups` had arrived.
static inline int give_up(volatile __global int* state, int groups) {
  for (;;) {
    const int seen = look(state);
    if (seen >= GIVEN_UP) return 1;
    if (seen >= groups) return 0;
    if (atomic_cmpxchg(state, seen, seen | GIVEN_UP) == seen) return 1;
  }
}

// One work-item: until `count` have arrived. 1 where the launch is given up, at the latest after so many looks.
static inline int wait_for(volatile __global int* arrived, int count, volatile __global int* state, int groups, int looks) {
  for (int i = 0; look(arrived) < count; ++i) {
    if (i >= looks) return give_up(state, groups);
    if ((i & 255) == 255 && look(state) >= GIVEN_UP) return 1;
  }
  return 0;
}

// How work-groups of a launch part: its state, and after how many looks.
typedef struct {
  volatile __global int* state;
  int groups, looks;
} launch;

// Who has looked i times and has not seen what it waits for: 1 where the launch is given up.
static inline int is_over(int i, launch by) {
  if (i >= by.looks && give_up(by.state, by.groups)) return 1;
  return (i & 255) == 255 && look(by.state) >= GIVEN_UP;
}

// One work-item: `count` words that have this tag in the lower half of theirs. 1 where the launch is given up.
static inline int wait_for_tagged(volatile __global ulong2* from, ulong2* pairs, int count, uint tag, launch by) {
  for (int i = 0;; ++i) {
    int are_there = 1;
    for (int w = 0; w < count; ++w) pairs[w] = look_at_tagged(from + w);
    for (int w = 0; w < count; ++w) are_there &= (uint)pairs[w].y == tag;
    if (are_there) return 0;
    if (is_over(i, by)) return 1;
  }
}
