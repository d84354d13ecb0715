// detail::double_lanes<N>: N doubles side by side in one register of those that this unit's compiler flags allow. What
// the text of dd_ops and of the elementary functions asks of a lane, for dd_pack of pack.hpp.
//
// Compilers' vector types do the arithmetic. Fused multiply-adds, square roots, gathers and AVX-512's masks have no
// portable form in g++ 12 and clang 14, and are intrinsics; with a mask of all lanes where g++ 12 would warn of the
// register that the plain form leaves undefined.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <hilo/detail/dd_ops.hpp>
#include <type_traits>
#include <utility>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// One name stands for different registers and instructions under different flags: a namespace for each keeps such units
// apart.
#if HILO_HAS_FMA
#define HILO_LANES_NAME(set) set##_fma_lanes
#else
#define HILO_LANES_NAME(set) set##_lanes
#endif
#if defined(__AVX512F__)
#define HILO_LANES_NAMESPACE HILO_LANES_NAME(avx512)
#define HILO_REGISTER_LANES 8
#elif defined(__AVX2__)
#define HILO_LANES_NAMESPACE HILO_LANES_NAME(avx2)
#define HILO_REGISTER_LANES 4
#elif defined(__AVX__)
#define HILO_LANES_NAMESPACE HILO_LANES_NAME(avx)
#define HILO_REGISTER_LANES 4
#else
#define HILO_LANES_NAMESPACE HILO_LANES_NAME(baseline)
#define HILO_REGISTER_LANES 2
#endif

#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__))
#pragma float_control(precise, on, push)
#elif defined(__clang__)
#pragma clang fp reassociate(off)
#endif

#define HILO_FN [[gnu::always_inline]] static inline
#define HILO_FRIEND [[gnu::always_inline]] friend inline

namespace hilo::detail {
inline namespace HILO_LANES_NAMESPACE {

/// N doubles in one register. N <= register_lanes.
template <std::size_t N>
struct double_lanes;

inline constexpr std::size_t register_lanes = HILO_REGISTER_LANES;

template <>
struct double_lanes<1> {
  double value;

  struct mask {
    bool value;
    HILO_FRIEND mask operator&(mask a, mask b) { return {a.value && b.value}; }
    HILO_FRIEND mask operator|(mask a, mask b) { return {a.value || b.value}; }
    HILO_FRIEND mask operator!(mask a) { return {!a.value}; }
    HILO_FRIEND bool any(mask a) { return a.value; }
  };

  HILO_FRIEND double_lanes operator+(double_lanes a, double_lanes b) { return {a.value + b.value}; }
  HILO_FRIEND double_lanes operator-(double_lanes a, double_lanes b) { return {a.value - b.value}; }
  HILO_FRIEND double_lanes operator/(double_lanes a, double_lanes b) { return {a.value / b.value}; }
  HILO_FRIEND double_lanes operator-(double_lanes a) { return {-a.value}; }
  HILO_FRIEND mask operator<(double_lanes a, double_lanes b) { return {a.value < b.value}; }
  HILO_FRIEND mask operator<=(double_lanes a, double_lanes b) { return {a.value <= b.value}; }
  HILO_FRIEND mask operator==(double_lanes a, double_lanes b) { return {a.value == b.value}; }
  HILO_FRIEND mask operator!=(double_lanes a, double_lanes b) { return {a.value != b.value}; }
  HILO_FRIEND mask operator>(double_lanes a, double_lanes b) { return b < a; }
  HILO_FRIEND mask operator>=(double_lanes a, double_lanes b) { return b <= a; }

  HILO_FN double_lanes literal(double c) { return {c}; }
  HILO_FN double_lanes mul(double_lanes a, double_lanes b) { return {rounded_product(a.value, b.value)}; }
  HILO_FN double_lanes scaled(double_lanes a, double_lanes b) { return {a.value * b.value}; }
  HILO_FN double_lanes fma(double_lanes a, double_lanes b, double_lanes c) {
    return {__builtin_fma(a.value, b.value, c.value)};
  }
  HILO_FN double_lanes magnitude(double_lanes a) { return {__builtin_fabs(a.value)}; }
  HILO_FN double_lanes leading_half(double_lanes a) { return {dd_ops<double, false>::leading_half(a.value)}; }
  HILO_FN double_lanes choose(mask m, double_lanes a, double_lanes b) { return m.value ? a : b; }
  HILO_FN double_lanes square_root(double_lanes a) { return {__builtin_sqrt(a.value)}; }
  HILO_FN double_lanes nearest_integer(double_lanes a) { return {dd_ops<double, false>::nearest_integer(a.value)}; }
  HILO_FN double_lanes low_bits(double_lanes n, int k) { return {dd_ops<double, false>::low_bits(n.value, k)}; }
  HILO_FN double_lanes power_of_two(double_lanes k) {
    return {std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<std::int64_t>(k.value) + 1023) << 52)};
  }
  HILO_FN double_lanes exponent_of(double_lanes a) {
    return {static_cast<double>(static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(a.value) >> 52) - 1023)};
  }
  HILO_FN double_lanes lookup(const double* table, double_lanes i) {
    return {table[static_cast<std::ptrdiff_t>(i.value)]};
  }
  HILO_FN void load_pairs(const double* from, double_lanes& hi, double_lanes& lo) {
    hi.value = from[0];
    lo.value = from[1];
  }
  HILO_FN void store_pairs(double_lanes hi, double_lanes lo, double* to) {
    to[0] = hi.value;
    to[1] = lo.value;
  }
};

/// Vectors of the compiler's own. Not one template with a size: g++ 12 takes its vector for a double.
template <std::size_t N>
struct vector_types;
#define HILO_VECTOR_TYPES(N)                                                      \
  template <>                                                                     \
  struct vector_types<N> {                                                        \
    typedef double doubles __attribute__((vector_size(N * sizeof(double))));      \
    typedef std::uint64_t bits __attribute__((vector_size(N * sizeof(double))));  \
    typedef std::int64_t truths __attribute__((vector_size(N * sizeof(double)))); \
  }
HILO_VECTOR_TYPES(2);
HILO_VECTOR_TYPES(4);
HILO_VECTOR_TYPES(8);
#undef HILO_VECTOR_TYPES

template <std::size_t N>
requires(N > 1 && N <= register_lanes) struct double_lanes<N> {
  using vector = typename vector_types<N>::doubles;
  using bits = typename vector_types<N>::bits;
  vector value;

#if defined(__AVX512F__)
  static constexpr bool has_mask_registers = N == 8;
  using mask_value = std::conditional_t<has_mask_registers, __mmask8, typename vector_types<N>::truths>;
#else
  using mask_value = typename vector_types<N>::truths;
#endif

  struct mask {
    mask_value value;
    HILO_FRIEND mask operator&(mask a, mask b) { return {static_cast<mask_value>(a.value & b.value)}; }
    HILO_FRIEND mask operator|(mask a, mask b) { return {static_cast<mask_value>(a.value | b.value)}; }
    HILO_FRIEND mask operator!(mask a) { return {static_cast<mask_value>(~a.value)}; }
    HILO_FRIEND bool any(mask a) { return any_of(a.value); }
  };

  HILO_FRIEND double_lanes operator+(double_lanes a, double_lanes b) { return {a.value + b.value}; }
  HILO_FRIEND double_lanes operator-(double_lanes a, double_lanes b) { return {a.value - b.value}; }
  HILO_FRIEND double_lanes operator/(double_lanes a, double_lanes b) { return {a.value / b.value}; }
  HILO_FRIEND double_lanes operator-(double_lanes a) { return {-a.value}; }
#if defined(__AVX512F__)
#define HILO_COMPARE(op, predicate)                              \
  HILO_FRIEND mask operator op(double_lanes a, double_lanes b) { \
    if constexpr (has_mask_registers)                            \
      return {_mm512_cmp_pd_mask(a.value, b.value, predicate)};  \
    else                                                         \
      return {a.value op b.value};                               \
  }
#else
#define HILO_COMPARE(op, predicate) \
  HILO_FRIEND mask operator op(double_lanes a, double_lanes b) { return {a.value op b.value}; }
#endif
  HILO_COMPARE(<, _CMP_LT_OQ)
  HILO_COMPARE(<=, _CMP_LE_OQ)
  HILO_COMPARE(==, _CMP_EQ_OQ)
  HILO_COMPARE(!=, _CMP_NEQ_UQ)
#undef HILO_COMPARE
  HILO_FRIEND mask operator>(double_lanes a, double_lanes b) { return b < a; }
  HILO_FRIEND mask operator>=(double_lanes a, double_lanes b) { return b <= a; }

  HILO_FN double_lanes literal(double c) { return {broadcast(c, std::make_index_sequence<N>())}; }
  HILO_FN double_lanes mul(double_lanes a, double_lanes b) {
#if HILO_HAS_FMA
    return fma(a, b, literal(opaque_minus_zero()));
#else
    return {a.value * b.value};
#endif
  }
  HILO_FN double_lanes scaled(double_lanes a, double_lanes b) { return {a.value * b.value}; }
  HILO_FN double_lanes fma(double_lanes a, double_lanes b, double_lanes c) {
    return {multiply_add(a.value, b.value, c.value)};
  }
  HILO_FN double_lanes magnitude(double_lanes a) { return {to_doubles(to_bits(a.value) & 0x7fffffffffffffffu)}; }
  HILO_FN double_lanes leading_half(double_lanes a) {
    return {to_doubles((to_bits(a.value) + 0x4000000u) & ~std::uint64_t{0x7ffffff})};
  }
  HILO_FN double_lanes choose(mask m, double_lanes a, double_lanes b) {
#if defined(__AVX512F__)
    if constexpr (has_mask_registers)
      return {_mm512_mask_blend_pd(m.value, b.value, a.value)};
    else
      return {m.value ? a.value : b.value};
#else
    return {m.value ? a.value : b.value};
#endif
  }
  HILO_FN double_lanes square_root(double_lanes a) { return {root(a.value)}; }
  HILO_FN double_lanes nearest_integer(double_lanes a) { return {round_to_even(a.value)}; }
  // Exact for integers below 2^51, which stand in the last bits of these sums.
  HILO_FN double_lanes low_bits(double_lanes n, int k) {
    std::uint64_t kept = 0xfff0000000000000u | ((std::uint64_t{1} << k) - 1);
    return {to_doubles(to_bits(n.value + 0x1.8p52) & kept) - 0x1p52};
  }
  HILO_FN double_lanes power_of_two(double_lanes k) {
    return {to_doubles(to_bits(k.value + 0x1.00000000003ffp52) << 52)};
  }
  HILO_FN double_lanes exponent_of(double_lanes a) {
    return {to_doubles(to_bits(a.value) >> 52 | 0x4330000000000000u) - 0x1.00000000003ffp52};
  }
  HILO_FN double_lanes lookup(const double* table, double_lanes i) {
    return {gather(table, to_bits(i.value + 0x1p52) & 0xfffffffffffffu)};
  }
  HILO_FN void load_pairs(const double* from, double_lanes& hi, double_lanes& lo) {
    load_pairs(from, hi.value, lo.value, std::make_index_sequence<N>());
  }
  HILO_FN void store_pairs(double_lanes hi, double_lanes lo, double* to) {
    store_pairs(hi.value, lo.value, to, std::make_index_sequence<N>());
  }

  // Whether some lane of a mask holds.
  HILO_FN bool any_of(mask_value m) {
#if defined(__AVX512F__)
    if constexpr (N == 8)
      return m != 0;
    else
#endif
#if defined(__AVX__)
        if constexpr (N == 4)
      return _mm256_movemask_pd(reinterpret_cast<__m256d>(m)) != 0;
    else
#endif
#if defined(__SSE2__)
      return _mm_movemask_pd(reinterpret_cast<__m128d>(m)) != 0;
#elif defined(__aarch64__)
    return vmaxvq_u32(reinterpret_cast<uint32x4_t>(m)) != 0;
#else
    return m[0] != 0 || m[1] != 0;
#endif
  }

 private:
  HILO_FN bits to_bits(vector a) { return reinterpret_cast<bits>(a); }
  HILO_FN vector to_doubles(bits a) { return reinterpret_cast<vector>(a); }
  template <std::size_t... i>
  HILO_FN vector broadcast(double c, std::index_sequence<i...>) {
    return vector{(static_cast<void>(i), c)...};
  }
  template <std::size_t... i>
  HILO_FN void load_pairs(const double* from, vector& hi, vector& lo, std::index_sequence<i...>) {
    vector first, second;
    __builtin_memcpy(&first, from, sizeof first);
    __builtin_memcpy(&second, from + N, sizeof second);
    hi = __builtin_shufflevector(first, second, (2 * i)...);
    lo = __builtin_shufflevector(first, second, (2 * i + 1)...);
  }
  template <std::size_t... i>
  HILO_FN void store_pairs(vector hi, vector lo, double* to, std::index_sequence<i...>) {
    vector first = __builtin_shufflevector(hi, lo, (i / 2 + i % 2 * N)...);
    vector second = __builtin_shufflevector(hi, lo, (N / 2 + i / 2 + i % 2 * N)...);
    __builtin_memcpy(to, &first, sizeof first);
    __builtin_memcpy(to + N, &second, sizeof second);
  }

  HILO_FN vector multiply_add(vector a, vector b, vector c) {
#if defined(__AVX512F__)
    if constexpr (N == 8) return _mm512_fmadd_pd(a, b, c);
#endif
#if defined(__FMA__)
    if constexpr (N == 4) return _mm256_fmadd_pd(a, b, c);
    if constexpr (N == 2) return _mm_fmadd_pd(a, b, c);
#elif defined(__aarch64__)
    if constexpr (N == 2) return vfmaq_f64(c, a, b);
#endif
    vector r{};
    for (std::size_t i = 0; i < N; ++i) r[i] = __builtin_fma(a[i], b[i], c[i]);
    return r;
  }
  HILO_FN vector root(vector a) {
#if defined(__AVX512F__)
    if constexpr (N == 8) return _mm512_maskz_sqrt_pd(0xff, a);
#endif
#if defined(__AVX__)
    if constexpr (N == 4) return _mm256_sqrt_pd(a);
#endif
#if defined(__SSE2__)
    if constexpr (N == 2) return _mm_sqrt_pd(a);
#elif defined(__aarch64__)
    if constexpr (N == 2) return vsqrtq_f64(a);
#endif
    vector r{};
    for (std::size_t i = 0; i < N; ++i) r[i] = __builtin_sqrt(a[i]);
    return r;
  }
  // In every rounding mode.
  HILO_FN vector round_to_even(vector a) {
#if defined(__AVX512F__)
    if constexpr (N == 8) return _mm512_maskz_roundscale_pd(0xff, a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#endif
#if defined(__AVX__)
    if constexpr (N == 4) return _mm256_round_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#endif
#if defined(__SSE4_1__)
    if constexpr (N == 2) return _mm_round_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif defined(__aarch64__)
    if constexpr (N == 2) return vrndnq_f64(a);
#endif
    // Below 2^51: a sum, and a step where that gave the other neighbour.
    vector n = (a + 0x1.8p52) - 0x1.8p52, rest = a - n, zero{};
    return n + (rest > 0.5 ? zero + 1.0 : zero) - (rest < -0.5 ? zero + 1.0 : zero);
  }
  HILO_FN vector gather(const double* table, bits i) {
#if defined(__AVX512F__)
    if constexpr (N == 8) return _mm512_mask_i64gather_pd(vector{}, 0xff, reinterpret_cast<__m512i>(i), table, 8);
#endif
#if defined(__AVX2__)
    if constexpr (N == 4) return _mm256_i64gather_pd(table, reinterpret_cast<__m256i>(i), 8);
#endif
    vector r{};
    for (std::size_t j = 0; j < N; ++j) r[j] = table[i[j]];
    return r;
  }
};

}  // namespace HILO_LANES_NAMESPACE
}  // namespace hilo::detail

#undef HILO_FN
#undef HILO_FRIEND

#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__))
#pragma float_control(pop)
#endif
