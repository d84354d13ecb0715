// Random numbers with all 106 bits filled, from any engine of <random>: uniform_real_distribution and
// normal_distribution, used as those of the standard. The engine's values fix every bit of the results, on every
// machine and with every compiler.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <hilo/dd_real.hpp>
#include <hilo/error.hpp>
#include <limits>
#include <string>

namespace hilo {

namespace detail {

// std::uniform_random_bit_generator without <random>, of at most 64 bits.
template <class G>
concept random_bit_generator = requires(G& g) {
  { g() } -> std::unsigned_integral;
  requires std::same_as<decltype(g()), decltype(G::min())> && std::same_as<decltype(g()), decltype(G::max())>;
  requires(G::min() < G::max()) && sizeof(g()) <= 8;
};

// An engine's values as independent random bits. Where the number of values is a power of two, a value gives all its
// bits. Otherwise it tells in which of 2^bits intervals of equal size it lies, three bits fewer than would fit, so that
// fewer than one value in eight lies beyond the last interval and is drawn again (one in three where an engine has less
// than 17 values).
template <random_bit_generator G>
struct RandomBits {
  static constexpr std::uint64_t span = static_cast<std::uint64_t>(G::max()) - static_cast<std::uint64_t>(G::min());
  static constexpr int width = static_cast<int>(std::bit_width(span));
  static constexpr bool is_power_of_two = std::has_single_bit(span + 1) || span + 1 == 0;
  static constexpr int bits = is_power_of_two ? width : width > 5 ? width - 4 : 1;
  static constexpr std::uint64_t interval = is_power_of_two ? 1 : (span + 1) >> bits;

  static constexpr std::uint64_t draw(G& g) {
    for (;;) {
      std::uint64_t n = (static_cast<std::uint64_t>(g()) - static_cast<std::uint64_t>(G::min())) / interval;
      if (n <= ~std::uint64_t{0} >> (64 - bits)) return n;
    }
  }
};

// `count` <= 64 random bits: those of the draws from the first on, the most significant ones first; what the last draw
// has too many of are its low bits.
template <int count, random_bit_generator G>
constexpr std::uint64_t random_bits(G& g) {
  constexpr int bits = RandomBits<G>::bits;
  std::uint64_t result = 0;
  for (int missing = count; missing > 0; missing -= bits) {
    std::uint64_t drawn = RandomBits<G>::draw(g);
    int taken = missing < bits ? missing : bits;
    result = (taken < 64 ? result << (taken % 64) : 0) | drawn >> (bits - taken);
  }
  return result;
}

constexpr double power_of_two(int e) { return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52); }

// True with probability exp(−1/2): whether a descending run of uniform numbers below 1/2 ends after an even number.
// Von Neumann's method; Karney's Algorithm H.
template <random_bit_generator G>
constexpr bool happens_with_root_of_e(G& g) {
  for (std::uint64_t last = std::uint64_t{1} << 63;;) {
    std::uint64_t odd = random_bits<64>(g);
    if (odd >= last) return true;
    last = random_bits<64>(g);
    if (last >= odd) return false;
  }
}

// True with probability exp(−x(2k + x)/(2k + 2)), x = fraction / 2^64. Karney's Algorithm B.
template <random_bit_generator G>
constexpr bool happens_with_exponential(G& g, unsigned k, std::uint64_t fraction) {
  __extension__ using wide = unsigned __int128;
  const wide limit = static_cast<wide>(2 * k) << 64 | fraction;
  bool is_even = true;
  for (std::uint64_t last = fraction;; is_even = !is_even) {
    std::uint64_t next = random_bits<64>(g);
    if (next >= last || static_cast<wide>(random_bits<64>(g)) * (2 * k + 2) >= limit) return is_even;
    last = next;
  }
}

// ±(k + fraction / 2^128) rounded to a dd_real; bits of the fraction that leading zeros leave free come from `more`, as
// does the sign. Precondition: k or fraction is not 0.
__extension__ constexpr dd_real normal_value(unsigned k, unsigned __int128 fraction, std::uint64_t more) {
  __extension__ using wide = unsigned __int128;
  // The first 128 bits, and the exponent above them.
  int exponent = static_cast<int>(std::bit_width(k));
  wide bits;
  if (k > 0) {
    bits = static_cast<wide>(k) << (128 - exponent) | fraction >> exponent;
  } else {
    auto high = static_cast<std::uint64_t>(fraction >> 64), low = static_cast<std::uint64_t>(fraction);
    int zeros = high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(low);
    bits = fraction << zeros;
    if (zeros > 0) bits |= (static_cast<wide>(more) << 64) >> (128 - zeros);
    exponent = -zeros;
  }
  auto high = static_cast<std::int64_t>(bits >> 75);
  // What is behind hi, in units of 2^-129: the middle of the bits that are not drawn.
  __extension__ auto rest = static_cast<__int128>(bits & ((static_cast<wide>(1) << 75) - 1)) * 2 + 1;
  if (rest >> 75 != 0) {
    high += 1;
    rest -= static_cast<wide>(1) << 76;
  }
  double sign = more % 2 == 0 ? 1.0 : -1.0;
  return dd_real::sum(static_cast<double>(high) * (sign * power_of_two(exponent - 53)),
                      static_cast<double>(rest) * (sign * power_of_two(exponent - 129)));
}

// A normal deviate of mean 0 and standard deviation 1: Karney, Sampling exactly from the normal distribution, ACM TOMS
// 42 (2016), Algorithm N. It compares random integers and calls no function, so that nothing can change its bits, and
// neither tails nor low bits are those of an approximation: beyond a 2^-64 in each comparison the distribution is
// exact.
template <random_bit_generator G>
constexpr dd_real unit_normal(G& g) {
  __extension__ using wide = unsigned __int128;
  for (;;) {
    // The integer part k, with probability proportional to exp(−k/2) · exp(−k(k − 1)/2).
    unsigned k = 0;
    while (happens_with_root_of_e(g)) ++k;
    bool is_accepted = true;
    for (unsigned i = k * (k - (k > 0)); is_accepted && i > 0; --i) is_accepted = happens_with_root_of_e(g);
    if (!is_accepted) continue;
    // The fraction x, with probability exp(−x(2k + x)/2).
    std::uint64_t fraction = random_bits<64>(g);
    for (unsigned i = 0; is_accepted && i <= k; ++i) is_accepted = happens_with_exponential(g, k, fraction);
    if (!is_accepted) continue;
    wide whole = static_cast<wide>(fraction) << 64;
    whole |= random_bits<64>(g);
    std::uint64_t more = random_bits<64>(g);
    if (k > 0 || whole != 0) return normal_value(k, whole, more);
  }
}

// hi alone, for error messages: text.hpp takes longer to compile than all of this.
inline std::string high_word_text(dd_real x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x.hi);
  return text;
}

}  // namespace detail

/// Uniformly distributed on [a, b), as std::uniform_real_distribution: a + (b − a) · k · 2^-106 with k uniform among
/// the integers from 0 to 2^106 − 1. On [0, 1) that is exact. b is never returned: a value that rounds to it, or
/// outside, is drawn again. k is two times 53 bits of the engine, the upper ones first; an engine of 64 bits is called
/// twice.
class uniform_real_distribution {
 public:
  using result_type = dd_real;

  class param_type {
   public:
    using distribution_type = uniform_real_distribution;

    constexpr param_type() : param_type(0.0) {}
    /// Throws hilo::error (invalid_argument) unless a < b and b − a is finite.
    constexpr explicit param_type(dd_real a, dd_real b = 1.0) : a_(a), b_(b) {
      if (a < b && (b - a).hi <= 0x1.fffffffffffffp1023) return;
      throw error(errc::invalid_argument, "uniform_real_distribution: a = " + detail::high_word_text(a) + " and b = " +
                                              detail::high_word_text(b) + ", but a < b and a finite b - a are needed");
    }
    constexpr dd_real a() const { return a_; }
    constexpr dd_real b() const { return b_; }
    friend constexpr bool operator==(const param_type&, const param_type&) = default;

   private:
    dd_real a_, b_;
  };

  constexpr uniform_real_distribution() = default;
  constexpr explicit uniform_real_distribution(dd_real a, dd_real b = 1.0) : param_(a, b) {}
  constexpr explicit uniform_real_distribution(const param_type& param) : param_(param) {}

  template <detail::random_bit_generator G>
  constexpr dd_real operator()(G& g) {
    return (*this)(g, param_);
  }
  template <detail::random_bit_generator G>
  constexpr dd_real operator()(G& g, const param_type& param) {
    for (;;) {
      double high = static_cast<double>(detail::random_bits<53>(g)) * 0x1p-53;
      double low = static_cast<double>(detail::random_bits<53>(g)) * 0x1p-106;
      dd_real x = param.a() + (param.b() - param.a()) * dd_real::sum(high, low);
      if (param.a() <= x && x < param.b()) return x;
    }
  }

  /// Nothing: no value depends on an earlier one.
  constexpr void reset() {}
  constexpr dd_real a() const { return param_.a(); }
  constexpr dd_real b() const { return param_.b(); }
  constexpr param_type param() const { return param_; }
  constexpr void param(const param_type& param) { param_ = param; }
  constexpr dd_real min() const { return a(); }
  constexpr dd_real max() const { return b(); }
  friend constexpr bool operator==(const uniform_real_distribution&, const uniform_real_distribution&) = default;

 private:
  param_type param_;
};

/// Normally distributed, as std::normal_distribution: mean + stddev · z, where z is drawn from the exact standard
/// normal distribution and rounded to within 2^-106 of itself. About 18 values of an engine of 64 bits for each.
class normal_distribution {
 public:
  using result_type = dd_real;

  class param_type {
   public:
    using distribution_type = normal_distribution;

    constexpr param_type() : param_type(0.0) {}
    /// Throws hilo::error (invalid_argument) unless both are finite and stddev > 0.
    constexpr explicit param_type(dd_real mean, dd_real stddev = 1.0) : mean_(mean), stddev_(stddev) {
      constexpr double largest = 0x1.fffffffffffffp1023;
      if (__builtin_fabs(mean.hi) <= largest && stddev.hi > 0.0 && stddev.hi <= largest) return;
      throw error(errc::invalid_argument, "normal_distribution: mean = " + detail::high_word_text(mean) +
                                              " and stddev = " + detail::high_word_text(stddev) +
                                              ", but finite ones and stddev > 0 are needed");
    }
    constexpr dd_real mean() const { return mean_; }
    constexpr dd_real stddev() const { return stddev_; }
    friend constexpr bool operator==(const param_type&, const param_type&) = default;

   private:
    dd_real mean_, stddev_;
  };

  constexpr normal_distribution() = default;
  constexpr explicit normal_distribution(dd_real mean, dd_real stddev = 1.0) : param_(mean, stddev) {}
  constexpr explicit normal_distribution(const param_type& param) : param_(param) {}

  template <detail::random_bit_generator G>
  constexpr dd_real operator()(G& g) {
    return (*this)(g, param_);
  }
  template <detail::random_bit_generator G>
  constexpr dd_real operator()(G& g, const param_type& param) {
    return param.mean() + param.stddev() * detail::unit_normal(g);
  }

  /// Nothing: no value depends on an earlier one.
  constexpr void reset() {}
  constexpr dd_real mean() const { return param_.mean(); }
  constexpr dd_real stddev() const { return param_.stddev(); }
  constexpr param_type param() const { return param_; }
  constexpr void param(const param_type& param) { param_ = param; }
  constexpr dd_real min() const { return std::numeric_limits<dd_real>::lowest(); }
  constexpr dd_real max() const { return std::numeric_limits<dd_real>::max(); }
  friend constexpr bool operator==(const normal_distribution&, const normal_distribution&) = default;

 private:
  param_type param_;
};

}  // namespace hilo
