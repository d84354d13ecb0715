// Vectors of sums in K words on Highway's SIMD lanes, once for each instruction set: the bits of solve/word_sums.hpp.
//
// For files that Highway's foreach_target.hpp compiles again and again; included after dd/lanes.hpp.
#if defined(HILO_SOLVE_SUMS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HILO_SOLVE_SUMS_HPP
#undef HILO_SOLVE_SUMS_HPP
#else
#define HILO_SOLVE_SUMS_HPP
#endif

#include "dd/lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace hilo::solver::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hilo::HWY_NAMESPACE::Lanes;
using dd = Lanes::dd;
using real = Lanes::real;

#ifndef HILO_EACH
#define HILO_EACH \
  HWY_UNROLL(4)   \
  for (int k = 0; k < Chains; ++k)
#endif

// x − y where multipliers have room: nearly all of a sum's operations are additions.
HWY_INLINE real spare_subtract(real x, real y) {
#if HWY_NATIVE_FMA
  return hn::NegMulAdd(Lanes::literal(1.0), y, x);
#else
  return x - y;
#endif
}

// Vectors of sums, step by step side by side: a CPU looks some ten operations ahead, which is less than a product has.
template <int Words, int Chains>
struct Sums {
  real word[Words][Chains];

  // Lanes::two_sum down the words, half of it where multipliers have room.
  HWY_INLINE void add(real (&t)[Chains]) {
    HWY_UNROLL(8)
    for (int w = 0; w + 1 < Words; ++w) {
      real s[Chains], of_t[Chains];
      HILO_EACH s[k] = word[w][k] + t[k];
      HILO_EACH of_t[k] = s[k] - word[w][k];
      HILO_EACH t[k] = t[k] - of_t[k];
      HILO_EACH of_t[k] = spare_subtract(s[k], of_t[k]);
      HILO_EACH of_t[k] = spare_subtract(word[w][k], of_t[k]);
      HILO_EACH t[k] = Lanes::spare_add(of_t[k], t[k]);
      HILO_EACH word[w][k] = s[k];
    }
    HILO_EACH word[Words - 1][k] = word[Words - 1][k] + t[k];
  }
  HWY_INLINE void add_term(const real (&x)[Chains], const real (&y)[Chains]) {
    real hi[Chains], lo[Chains];
    HILO_EACH {
      const dd p = Lanes::two_prod(x[k], y[k]);
      hi[k] = p.hi;
      lo[k] = p.lo;
    }
    add(hi);
    add(lo);
  }
  // With 2 words: + x · y + rest.
  HWY_INLINE void add_rounded(const real (&x)[Chains], const real (&y)[Chains], real (&rest)[Chains]) {
    real p[Chains], s[Chains], t[Chains];
    HILO_EACH {
      const dd product = Lanes::two_prod(x[k], y[k]);
      p[k] = product.hi;
      rest[k] = product.lo + rest[k];
    }
    HILO_EACH s[k] = word[0][k] + p[k];
    HILO_EACH t[k] = s[k] - word[0][k];
    HILO_EACH p[k] = p[k] - t[k];
    HILO_EACH t[k] = spare_subtract(s[k], t[k]);
    HILO_EACH t[k] = spare_subtract(word[0][k], t[k]);
    HILO_EACH t[k] = Lanes::spare_add(t[k], p[k]);
    HILO_EACH t[k] = Lanes::spare_add(t[k], rest[k]);
    HILO_EACH t[k] = word[1][k] + t[k];
    HILO_EACH {
      const dd r = Lanes::fast_two_sum(s[k], t[k]);
      word[0][k] = r.hi;
      word[1][k] = r.lo;
    }
  }
  HWY_INLINE void add_product(const real (&x)[Chains], const real (&y_hi)[Chains], const real (&y_lo)[Chains]) {
    if constexpr (Words == 2) {
      real rest[Chains];
      HILO_EACH rest[k] = Lanes::mul(x[k], y_lo[k]);
      add_rounded(x, y_hi, rest);
    } else {
      add_term(x, y_hi);
      add_term(x, y_lo);
    }
  }
  HWY_INLINE void add_product(const real (&x_hi)[Chains], const real (&x_lo)[Chains], const real (&y_hi)[Chains],
                              const real (&y_lo)[Chains]) {
    if constexpr (Words == 2) {
      real rest[Chains];
      HILO_EACH rest[k] = Lanes::mul(x_hi[k], y_lo[k]) + Lanes::mul(x_lo[k], y_hi[k]);
      add_rounded(x_hi, y_hi, rest);
    } else {
      add_term(x_hi, y_hi);
      add_term(x_hi, y_lo);
      add_term(x_lo, y_hi);
      add_term(x_lo, y_lo);
    }
  }
};

}  // namespace hilo::solver::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
