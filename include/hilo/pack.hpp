// hilo::dd_pack<N>: N dd_reals side by side, computed together in SIMD registers. Headers only: the unit's own compiler
// flags decide the instructions.
//
// Packs have + - * /, comparisons with select, sqrt, abs, fabs, fmin, fmax, fma, exp, log, sin, cos, sincos, isnan,
// isinf and isfinite, and none of dd_real's other functions. Each element has the bits of the scalar function, and so
// its errors.
#pragma once

#include <hilo/detail/double_lanes.hpp>
#include <hilo/math/basic.hpp>
#include <hilo/math/elementary.hpp>
#include <hilo/math/fused.hpp>

#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__))
#pragma float_control(precise, on, push)
#elif defined(__clang__)
#pragma clang fp reassociate(off)
#endif

namespace hilo {

/// The text of core.clh and elementary.clh on N doubles at once.
template <std::size_t N, bool HasFma>
struct dd_ops<detail::double_lanes<N>, HasFma> : detail::elementary_tables {
  using real = detail::double_lanes<N>;
  using mask = typename real::mask;

#define HILO_FN [[gnu::always_inline]] static inline
  HILO_FN real literal(double c) { return real::literal(c); }
  HILO_FN real mul(real a, real b) { return real::mul(a, b); }
  HILO_FN real scaled(real a, real b) { return real::scaled(a, b); }
  HILO_FN real fma(real a, real b, real c) { return real::fma(a, b, c); }
  HILO_FN real fms(real a, real b, real c) { return real::fma(a, b, -c); }
  HILO_FN real magnitude(real a) { return real::magnitude(a); }
  HILO_FN real leading_half(real a) { return real::leading_half(a); }
  HILO_FN real choose(mask m, real a, real b) { return real::choose(m, a, b); }
  HILO_FN real usually(mask m, real a, real b) { return real::choose(m, a, b); }
  HILO_FN real square_root(real a) { return real::square_root(a); }
#include <hilo/detail/eft.clh>
  HILO_FN dd two_prod(real a, real b) {
    if constexpr (HasFma) return two_prod_fma(a, b);
    // The product of halves alone where two_prod_split would not scale.
    dd p = two_prod_of_halves(a, b);
    real limit = literal(0x1p500);
    mask scales = !((literal(0x1p-500) <= magnitude(p.hi)) & (magnitude(a) <= limit) & (magnitude(b) <= limit));
    return __builtin_expect(any(scales), 0) ? two_prod_split(a, b) : p;
  }
#include <hilo/detail/core.clh>
  HILO_FN real nearest_integer(real a) { return real::nearest_integer(a); }
  HILO_FN real low_bits(real n, int k) { return real::low_bits(n, k); }
  HILO_FN real power_of_two(real k) { return real::power_of_two(k); }
  HILO_FN real exponent_of(real a) { return real::exponent_of(a); }
  HILO_FN real lookup(const double* table, real i) { return real::lookup(table, i); }
#undef HILO_FN
#define HILO_FN static inline
#include <hilo/detail/elementary.clh>
#undef HILO_FN

  [[gnu::noinline]] static angle reduce_large(dd x, mask is_wanted) {
    double words[4][N];
    real wanted = choose(is_wanted, literal(1.0), literal(0.0));
    __builtin_memcpy(words[0], &x.hi, sizeof words[0]);
    __builtin_memcpy(words[1], &x.lo, sizeof words[1]);
    __builtin_memcpy(words[2], &wanted, sizeof words[2]);
    detail::reduce_lanes(words);
    angle r;
    __builtin_memcpy(&r.index, words[0], sizeof words[0]);
    __builtin_memcpy(&r.hi, words[1], sizeof words[1]);
    __builtin_memcpy(&r.lo, words[2], sizeof words[2]);
    __builtin_memcpy(&r.rest, words[3], sizeof words[3]);
    return r;
  }
};

namespace detail {

/// f(0), …, f(count - 1).
template <std::size_t count>
[[gnu::always_inline]] inline void unrolled(auto f) {
  [&]<std::size_t... i>(std::index_sequence<i...>) { (f(i), ...); }
  (std::make_index_sequence<count>());
}

}  // namespace detail

inline namespace HILO_LANES_NAMESPACE {

template <std::size_t N>
class dd_pack;

/// What comparing two packs gives: a bool for each of N elements.
template <std::size_t N>
class dd_mask {
 public:
  static constexpr std::size_t size() { return N; }
  bool operator[](std::size_t i) const {
    auto flags = lanes::choose(part_[i / width], lanes::literal(1.0), lanes::literal(0.0));
    double chosen[width];
    __builtin_memcpy(chosen, &flags, sizeof flags);
    return chosen[i % width] != 0.0;
  }

  friend dd_mask operator&(dd_mask x, dd_mask y) {
    return map([](auto a, auto b) { return a & b; }, x.part_, y.part_);
  }
  friend dd_mask operator|(dd_mask x, dd_mask y) {
    return map([](auto a, auto b) { return a | b; }, x.part_, y.part_);
  }
  friend dd_mask operator!(dd_mask x) {
    return map([](auto a) { return !a; }, x.part_);
  }
  friend bool any(dd_mask x) {
    bool r = false;
    detail::unrolled<parts>([&](std::size_t p) { r = r || any(x.part_[p]); });
    return r;
  }
  friend bool all(dd_mask x) { return !any(!x); }
  friend bool none(dd_mask x) { return !any(x); }

 private:
  friend class dd_pack<N>;
  static constexpr std::size_t width = N < detail::register_lanes ? N : detail::register_lanes, parts = N / width;
  using lanes = detail::double_lanes<width>;

  static dd_mask map(auto f, const auto&... parts_of) {
    dd_mask r;
    detail::unrolled<parts>([&](std::size_t p) { r.part_[p] = f(parts_of[p]...); });
    return r;
  }

  typename lanes::mask part_[parts];
};

/// N dd_reals, N a power of two, with dd_real's operators element by element and the same bits. N = 8 fills an AVX-512
/// register, 4 one of AVX, 2 one of SSE or NEON; every N works under every flag.
///
///   for (std::size_t i = 0; i < n; i += 8) {
///     auto count = std::min<std::size_t>(8, n - i);
///     auto x = hilo::dd_pack<8>::load(a + i, count);
///     (x * x + 1).store(b + i, count);
///   }
template <std::size_t N>
class dd_pack {
  static_assert(std::has_single_bit(N) && N <= 64, "hilo: dd_pack<N> needs a power of two up to 64");

 public:
  using value_type = dd_real;
  using mask = dd_mask<N>;
  static constexpr std::size_t size() { return N; }

  /// Indeterminate values, unlike dd_real's; dd_pack() and dd_pack{} are zero.
  dd_pack() = default;

  /// x in every element.
  dd_pack(dd_real x) {
    detail::unrolled<parts>([&](std::size_t p) { part_[p] = {real::literal(x.hi), real::literal(x.lo)}; });
  }
  template <detail::real_scalar T>
  dd_pack(T x) : dd_pack(dd_real(x)) {}

  /// Element i is x[i].
  static dd_pack load(const dd_real* x) {
    dd_pack r;
    detail::unrolled<parts>([&](std::size_t p) {
      real::load_pairs(reinterpret_cast<const double*>(x + p * width), r.part_[p].hi, r.part_[p].lo);
    });
    return r;
  }
  void store(dd_real* x) const {
    detail::unrolled<parts>(
        [&](std::size_t p) { real::store_pairs(part_[p].hi, part_[p].lo, reinterpret_cast<double*>(x + p * width)); });
  }

  /// The same for the first `count` elements only; those that are not loaded are zero.
  static dd_pack load(const dd_real* x, std::size_t count) {
    if (count >= N) return load(x);
    dd_real some[N] = {};
    for (std::size_t i = 0; i < count; ++i) some[i] = x[i];
    return load(some);
  }
  void store(dd_real* x, std::size_t count) const {
    if (count >= N) return store(x);
    dd_real some[N];
    store(some);
    for (std::size_t i = 0; i < count; ++i) x[i] = some[i];
  }

  /// A copy, const so that p[i] = x does not compile: set() writes an element.
  const dd_real operator[](std::size_t i) const {
    double hi[width], lo[width];
    __builtin_memcpy(hi, &part_[i / width].hi, sizeof hi);
    __builtin_memcpy(lo, &part_[i / width].lo, sizeof lo);
    return detail::from_words({hi[i % width], lo[i % width]});
  }
  void set(std::size_t i, dd_real x) {
    auto put = [&](real& to, double word) {
      __builtin_memcpy(reinterpret_cast<char*>(&to) + i % width * sizeof(double), &word, sizeof(double));
    };
    put(part_[i / width].hi, x.hi);
    put(part_[i / width].lo, x.lo);
  }

  friend dd_pack operator+(dd_pack x) { return x; }
  friend dd_pack operator-(dd_pack x) { return map(negate, x); }
  friend dd_pack operator+(dd_pack x, dd_pack y) {
    return map([](dd a, dd b) { return ops::add(a, b); }, x, y);
  }
  friend dd_pack operator-(dd_pack x, dd_pack y) {
    return map([](dd a, dd b) { return ops::add(a, negate(b)); }, x, y);
  }
  friend dd_pack operator*(dd_pack x, dd_pack y) {
    return map([](dd a, dd b) { return ops::multiply(a, b); }, x, y);
  }
  friend dd_pack operator/(dd_pack x, dd_pack y) {
    return map([](dd a, dd b) { return ops::divide(a, b); }, x, y);
  }

  template <detail::exact_word T>
  friend dd_pack operator+(dd_pack x, T y) {
    return map([y = word(y)](dd a) { return ops::add_word(a, y); }, x);
  }
  template <detail::exact_word T>
  friend dd_pack operator+(T x, dd_pack y) {
    return y + x;
  }
  template <detail::exact_word T>
  friend dd_pack operator-(dd_pack x, T y) {
    return map([y = -word(y)](dd a) { return ops::add_word(a, y); }, x);
  }
  template <detail::exact_word T>
  friend dd_pack operator-(T x, dd_pack y) {
    return -y + x;
  }
  template <detail::exact_word T>
  friend dd_pack operator*(dd_pack x, T y) {
    return map([y = word(y)](dd a) { return ops::multiply_word(a, y); }, x);
  }
  template <detail::exact_word T>
  friend dd_pack operator*(T x, dd_pack y) {
    return y * x;
  }
  template <detail::exact_word T>
  friend dd_pack operator/(dd_pack x, T y) {
    return map([y = word(y)](dd a) { return ops::divide_word(a, y); }, x);
  }

  dd_pack& operator+=(const auto& y) { return *this = *this + y; }
  dd_pack& operator-=(const auto& y) { return *this = *this - y; }
  dd_pack& operator*=(const auto& y) { return *this = *this * y; }
  dd_pack& operator/=(const auto& y) { return *this = *this / y; }

  friend mask operator==(dd_pack x, dd_pack y) {
    return compare([](dd a, dd b) { return (a.hi == b.hi) & (a.lo == b.lo); }, x, y);
  }
  friend mask operator!=(dd_pack x, dd_pack y) { return !(x == y); }
  friend mask operator<(dd_pack x, dd_pack y) {
    return compare([](dd a, dd b) { return (a.hi < b.hi) | ((a.hi == b.hi) & (a.lo < b.lo)); }, x, y);
  }
  friend mask operator<=(dd_pack x, dd_pack y) {
    return compare([](dd a, dd b) { return (a.hi < b.hi) | ((a.hi == b.hi) & (a.lo <= b.lo)); }, x, y);
  }
  friend mask operator>(dd_pack x, dd_pack y) { return y < x; }
  friend mask operator>=(dd_pack x, dd_pack y) { return y <= x; }

  /// x where m holds, y elsewhere.
  friend dd_pack select(mask m, dd_pack x, dd_pack y) {
    return map(
        [](auto c, dd a, dd b) -> dd {
          return {real::choose(c, a.hi, b.hi), real::choose(c, a.lo, b.lo)};
        },
        m, x, y);
  }

  friend mask isnan(dd_pack x) {
    return compare([](dd a) { return !(a.hi == a.hi); }, x);
  }
  friend mask isinf(dd_pack x) {
    return compare([](dd a) { return real::magnitude(a.hi) == real::literal(__builtin_inf()); }, x);
  }
  friend mask isfinite(dd_pack x) {
    return compare([](dd a) { return real::magnitude(a.hi) < real::literal(__builtin_inf()); }, x);
  }

  friend dd_pack abs(dd_pack x) {
    return map(
        [](dd a) -> dd {
          return {real::magnitude(a.hi), real::choose(a.hi < real::literal(0.0), -a.lo, a.lo)};
        },
        x);
  }
  friend dd_pack fabs(dd_pack x) { return abs(x); }
  friend dd_pack fmin(dd_pack x, dd_pack y) { return select((y < x) | isnan(x), y, x); }
  friend dd_pack fmax(dd_pack x, dd_pack y) { return select((x < y) | isnan(x), y, x); }

  friend dd_pack sqrt(dd_pack x) {
    return map([](dd a) { return ops::root(a); }, x);
  }
  friend dd_pack exp(dd_pack x) {
    return map([](dd a) { return ops::exponential(a); }, x);
  }
  friend dd_pack log(dd_pack x) {
    return map([](dd a) { return ops::logarithm(a); }, x);
  }
  friend dd_pack sin(dd_pack x) {
    return map([](dd a) { return ops::sine(a); }, x);
  }
  friend dd_pack cos(dd_pack x) {
    return map([](dd a) { return ops::cosine(a); }, x);
  }
  friend void sincos(dd_pack x, dd_pack* sine, dd_pack* cosine) {
    detail::unrolled<parts>([&](std::size_t p) {
      auto both = ops::sine_cosine(x.part_[p]);
      sine->part_[p] = both.sine;
      cosine->part_[p] = both.cosine;
    });
  }
  /// a · b + c with the rounding of the scalar fma, one element after the other.
  friend dd_pack fma(dd_pack a, dd_pack b, dd_pack c) {
    dd_real x[N], y[N], z[N];
    a.store(x);
    b.store(y);
    c.store(z);
    for (std::size_t i = 0; i < N; ++i) z[i] = hilo::fma(x[i], y[i], z[i]);
    return load(z);
  }

 private:
  friend class dd_mask<N>;
  static constexpr std::size_t width = mask::width, parts = mask::parts;
  using real = detail::double_lanes<width>;
  using ops = dd_ops<real, HILO_HAS_FMA>;
  using dd = typename ops::dd;

  static real word(auto y) { return real::literal(detail::rounded(static_cast<double>(y))); }
  static dd negate(dd a) { return {-a.hi, -a.lo}; }
  static dd_pack map(auto f, const auto&... x) {
    dd_pack r;
    detail::unrolled<parts>([&](std::size_t p) { r.part_[p] = f(x.part_[p]...); });
    return r;
  }

  static mask compare(auto f, const auto&... x) { return mask::map(f, x.part_...); }

  dd part_[parts];
};

}  // namespace HILO_LANES_NAMESPACE
}  // namespace hilo

#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__))
#pragma float_control(pop)
#endif
