// Copies of contiguous bytes to local memory by one instruction each, on NVIDIA from compute capability 9.0 on, and the
// barriers in local memory that say when they have arrived. Addresses are local memory's, as 32-bit numbers.
#pragma once

// For so many arrivals of each phase. One work-item begins all of a work-group, then shows them.
static inline void begin_barrier(uint barrier_at, uint arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier_at), "r"(arrivals) : "memory");
}
static inline void show_barriers(void) { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Until the phase of that parity, 0 for the first, is over.
static inline void wait(uint barrier_at, uint parity) {
  uint done;
  do {
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(barrier_at), "r"(parity)
        : "memory");
  } while (!done);
}

static inline void arrive(uint barrier_at) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier_at) : "memory");
}

// An arrival that counts when so many bytes have arrived.
static inline void expect(uint barrier_at, uint bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier_at), "r"(bytes) : "memory");
}

// A multiple of 16 bytes; both addresses are multiples of 16.
static inline void copy(uint to, __global const void* from, uint bytes, uint barrier_at) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from),
      "r"(bytes), "r"(barrier_at)
      : "memory");
}
