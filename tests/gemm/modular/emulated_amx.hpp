// AMX's instructions by others, so that src/gemm/modular/cpu/amx.cpp is tested on CPUs without them that have AVX-512
// VNNI: elsewhere there is no AMX.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hilo::test::amx {

/// Eight registers of 16 rows of 64 bytes.
inline thread_local std::uint8_t tile[8][16][64];

inline bool is_possible() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vnni");
}

inline void load(int t, const void* data, std::size_t stride) {
  for (std::size_t r = 0; r < 16; ++r) std::memcpy(tile[t][r], static_cast<const char*>(data) + r * stride, 64);
}

inline void store(int t, void* data, std::size_t stride) {
  for (std::size_t r = 0; r < 16; ++r) std::memcpy(static_cast<char*>(data) + r * stride, tile[t][r], 64);
}

/// Row by row: 16 sums of 16 words of four products each.
__attribute__((target("avx512f,avx512bw,avx512vnni"))) inline void add_products(int sums, int first, int second) {
  for (int r = 0; r < 16; ++r) {
    __m512i sum = _mm512_loadu_si512(tile[sums][r]);
    for (int k = 0; k < 16; ++k) {
      std::int32_t word;
      std::memcpy(&word, tile[first][r] + 4 * k, sizeof word);
      sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi32(word), _mm512_loadu_si512(tile[second][k]));
    }
    _mm512_storeu_si512(tile[sums][r], sum);
  }
}

inline int cpuid(unsigned* a, unsigned* b, unsigned* c, unsigned* d) {
  *a = *b = *c = *d = is_possible() ? ~0u : 0;
  return 1;
}
inline long allow(long, long, long) { return 0; }

}  // namespace hilo::test::amx

#undef _tile_loadd
#undef _tile_stream_loadd
#undef _tile_stored
#undef _tile_zero
#undef _tile_dpbusd
#undef _tile_loadconfig
#undef _tile_release
#define _tile_loadd(t, data, stride) hilo::test::amx::load(t, data, stride)
#define _tile_stream_loadd(t, data, stride) hilo::test::amx::load(t, data, stride)
#define _tile_stored(t, data, stride) hilo::test::amx::store(t, data, stride)
#define _tile_zero(t) std::memset(hilo::test::amx::tile[t], 0, sizeof hilo::test::amx::tile[t])
#define _tile_dpbusd(sums, first, second) hilo::test::amx::add_products(sums, first, second)
#define _tile_loadconfig(configuration) static_cast<void>(configuration)
#define _tile_release() static_cast<void>(0)
// What amx.cpp asks the CPU and the system for.
#define __get_cpuid_count(leaf, part, a, b, c, d) hilo::test::amx::cpuid(a, b, c, d)
#define syscall hilo::test::amx::allow
