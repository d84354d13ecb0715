#include "gemm/modular/cpu/byte_residues.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define HILO_HAS_BYTE_RESIDUES 1
#include <immintrin.h>
#endif

namespace hilo::modular {

namespace {

// 16 bytes have room for three limbs, of which the highest has up to 43 bits.
constexpr int most_limbs = IntegerTile::most_limbs;
// Added to each limb, which makes it natural (Lemma 3).
constexpr std::int64_t bias = std::int64_t{1} << limb_bits;

constexpr int words_of_limbs(int limbs) { return limbs + 1; }

}  // namespace

bool takes_byte_residues(std::string_view target, int bits) {
  // As Highway names them.
  const bool is_wide = target.starts_with("AVX3") || target.starts_with("AVX10");
  return is_wide && has_byte_residues(bits);
}

ByteResidue byte_residue(const ResidueConstants& constants, int bits, bool is_symmetric) {
  const auto m = static_cast<std::int64_t>(constants.modulus);
  auto natural = [m](std::int64_t x) { return (x % m + m) % m; };
  const int limbs = limbs_for(bits), words = words_of_limbs(limbs);
  ByteResidue x{};
  x.modulus = static_cast<std::uint16_t>(m);
  x.half = static_cast<std::uint8_t>(is_symmetric ? m / 2 : 0);
  std::int64_t power = natural(static_cast<std::int64_t>(constants.coefficient[0]));
  for (int b = 0; b < 4 * words; ++b, power = power * 256 % m) {
    const std::int64_t nearest = power > (m - 1) / 2 ? power - m : power;
    const auto byte = static_cast<std::uint32_t>(static_cast<std::uint8_t>(nearest));
    x.weights[b / 4] |= static_cast<std::int32_t>(byte << (8 * (b % 4)));
  }
  std::int64_t start = x.half;
  for (int l = 0; l < limbs; ++l) {
    // bias · 2^(42 l) · w, which was added.
    start -= natural(static_cast<std::int64_t>(constants.coefficient[l])) * (bias % m) % m;
  }
  // Sums of bytes, 16 · 255 · 128 at most, end in natural numbers of 2^16 and more.
  constexpr std::int64_t least = 16 * 255 * 128 + (1 << 16);
  x.start = static_cast<std::int32_t>(natural(start - least) + least);
  x.reciprocal = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / static_cast<std::uint64_t>(m) + 2);
  return x;
}

#if HILO_HAS_BYTE_RESIDUES

#if !defined(__clang__)
// Of GCC 12's own intrinsics, whose unused operands are without value on purpose.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define HILO_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))

namespace {

struct Halves {
  __m512i low, high;
};

// Of eight integers.
template <int Limbs>
HILO_VNNI inline Halves halves_of(const double* limb) {
  const __m512i mask = _mm512_set1_epi64(bias - 1), offset = _mm512_set1_epi64(bias);
  __m512i digit[most_limbs] = {};
  for (int l = 0; l < Limbs; ++l) {
    digit[l] = _mm512_add_epi64(_mm512_cvtpd_epi64(_mm512_load_pd(limb + l * 8)), offset);
    if (l == 0) continue;
    digit[l] = _mm512_add_epi64(digit[l], _mm512_srli_epi64(digit[l - 1], limb_bits));
    digit[l - 1] = _mm512_and_si512(digit[l - 1], mask);
  }
  return {
      _mm512_or_si512(digit[0], _mm512_slli_epi64(digit[1], limb_bits)),
      _mm512_or_si512(_mm512_srli_epi64(digit[1], 64 - limb_bits), _mm512_slli_epi64(digit[2], 2 * limb_bits - 64))};
}

HILO_VNNI inline void store(std::uint32_t* to, __m512i x) { _mm512_store_si512(to, x); }

// From elements 8 i + v in lane i of x[v] to 8 v + i.
HILO_VNNI inline void transpose(__m512i (&x)[8]) {
  __m512i y[8];
  for (int i = 0; i < 8; i += 2) {
    y[i] = _mm512_unpacklo_epi64(x[i], x[i + 1]);
    y[i + 1] = _mm512_unpackhi_epi64(x[i], x[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int j = 0; j < 2; ++j) {
      x[i + j] = _mm512_shuffle_i64x2(y[i + j], y[i + j + 2], 0x88);
      x[i + j + 2] = _mm512_shuffle_i64x2(y[i + j], y[i + j + 2], 0xdd);
    }
  }
  for (int j = 0; j < 4; ++j) {
    y[j] = _mm512_shuffle_i64x2(x[j], x[j + 4], 0x88);
    y[j + 4] = _mm512_shuffle_i64x2(x[j], x[j + 4], 0xdd);
  }
  for (int j = 0; j < 8; ++j) x[j] = y[j];
}

template <int Limbs>
HILO_VNNI void set_run(const double* limb, bool along_lines, std::int64_t run, std::uint32_t (&word)[16][4][4][16]) {
  __m512i low[8], high[8];
  for (int v = 0; v < 8; ++v) {
    const Halves x = halves_of<Limbs>(limb + v * Limbs * 8);
    low[v] = x.low;
    high[v] = x.high;
  }
  const __m512i lower = _mm512_set1_epi64(0xffffffff);
  if (!along_lines) {
    // Elements 8 i + t and 8 i + t + 4 are words 2 i and 2 i + 1 of byte t.
    auto words = [&](const __m512i(&half)[8], int t, std::uint32_t(*to)[16]) HILO_VNNI {
      store(to[0], _mm512_or_si512(_mm512_and_si512(half[t], lower), _mm512_slli_epi64(half[t + 4], 32)));
      store(to[1], _mm512_or_si512(_mm512_srli_epi64(half[t], 32), _mm512_andnot_si512(lower, half[t + 4])));
    };
    for (int t = 0; t < 4; ++t) {
      words(low, t, word[run][t]);
      words(high, t, word[run][t] + 2);
    }
    return;
  }
  transpose(low);
  transpose(high);
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
                odd = _mm512_or_si512(even, _mm512_set1_epi32(1));
  for (int g = 0; g < 4; ++g) {
    auto& to = word[4 * g + run / 4][run % 4];
    store(to[0], _mm512_permutex2var_epi32(low[2 * g], even, low[2 * g + 1]));
    store(to[1], _mm512_permutex2var_epi32(low[2 * g], odd, low[2 * g + 1]));
    store(to[2], _mm512_permutex2var_epi32(high[2 * g], even, high[2 * g + 1]));
    store(to[3], _mm512_permutex2var_epi32(high[2 * g], odd, high[2 * g + 1]));
  }
}

HILO_VNNI inline void store_line(std::uint8_t* to, __m512i x, bool streams) {
  if (streams) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), x);
  } else {
    _mm512_store_si512(to, x);
  }
}

template <int Words>
HILO_VNNI void find_residues(const std::uint32_t (&word)[16][4][4][16], const ByteResidue& x, std::int64_t count,
                             std::uint8_t* rows, bool streams) {
  const __m512i start = _mm512_set1_epi32(x.start), reciprocal = _mm512_set1_epi32(static_cast<int>(x.reciprocal)),
                modulus = _mm512_set1_epi16(static_cast<short>(x.modulus)),
                half = _mm512_set1_epi8(static_cast<char>(x.half));
  __m512i weights[Words];
  for (int k = 0; k < Words; ++k) weights[k] = _mm512_set1_epi32(x.weights[k]);
  constexpr __mmask32 upper = 0xaaaaaaaa;
  for (std::int64_t r = 0; r < count; ++r) {
    __m512i y[4];
    for (int t = 0; t < 4; ++t) {
      __m512i sum = start;
      for (int k = 0; k < Words; ++k) sum = _mm512_dpbusd_epi32(sum, _mm512_load_si512(word[r][t][k]), weights[k]);
      y[t] = _mm512_mullo_epi32(sum, reciprocal);
    }
    // What the leading 16 bits of a fraction are times the modulus.
    auto pair = [&](__m512i first, __m512i second) HILO_VNNI {
      return _mm512_mulhi_epu16(_mm512_mask_blend_epi16(upper, _mm512_srli_epi32(first, 16), second), modulus);
    };
    const __m512i even = pair(y[0], y[2]), odd = pair(y[1], y[3]);
    store_line(rows + r * 64, _mm512_sub_epi8(_mm512_or_si512(even, _mm512_slli_epi16(odd, 8)), half), streams);
  }
}

}  // namespace

bool has_byte_residues(int bits) {
  static const bool can = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vnni");
  return can && limbs_for(bits) <= most_limbs;
}

void IntegerTile::set(std::int64_t run, const double* limb) {
  switch (limbs_) {
    case 1:
      return set_run<1>(limb, along_lines_, run, word_);
    case 2:
      return set_run<2>(limb, along_lines_, run, word_);
    default:
      return set_run<3>(limb, along_lines_, run, word_);
  }
}

void IntegerTile::residues(const ByteResidue& x, std::int64_t count, std::uint8_t* rows, bool streams) const {
  switch (limbs_) {
    case 1:
      return find_residues<words_of_limbs(1)>(word_, x, count, rows, streams);
    case 2:
      return find_residues<words_of_limbs(2)>(word_, x, count, rows, streams);
    default:
      return find_residues<words_of_limbs(3)>(word_, x, count, rows, streams);
  }
}

HILO_VNNI void copy_lines(const std::uint8_t* from, std::uint8_t* to, std::int64_t bytes, bool streams) {
  for (std::int64_t b = 0; b < bytes; b += 64) store_line(to + b, _mm512_load_si512(from + b), streams);
}

void finish_streams() { _mm_sfence(); }

#else

bool has_byte_residues(int) { return false; }
void IntegerTile::set(std::int64_t, const double*) {}
void IntegerTile::residues(const ByteResidue&, std::int64_t, std::uint8_t*, bool) const {}
void copy_lines(const std::uint8_t*, std::uint8_t*, std::int64_t, bool) {}
void finish_streams() {}

#endif

}  // namespace hilo::modular
