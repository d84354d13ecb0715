// A number of MPFR, with 256 bits unless it is given more, and the exact conversions to it.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hilo/dd_real.hpp>
#include <new>

#include "host/thread_probe.hpp"

namespace hilo::accuracy {

/// MPFR ends the process where it gets no memory: throws std::bad_alloc where the calling thread cannot have so many
/// numbers now.
inline void ask_for_numbers(std::int64_t count, mpfr_prec_t bits) {
  constexpr std::size_t of_caches = 65536;
  if (!host::has_memory(static_cast<std::size_t>(bits) / 8 + 24, count) || !host::has_memory(of_caches)) {
    throw std::bad_alloc();
  }
}

/// What MPFR keeps for a thread, freed with this: made before the thread's first Number.
struct ThreadCache {
  ThreadCache() = default;
  ThreadCache(const ThreadCache&) = delete;
  ThreadCache& operator=(const ThreadCache&) = delete;
  ~ThreadCache() { mpfr_free_cache(); }
};

/// 256 bits at first; rounding to nearest. A thread that uses one has a ThreadCache.
class Number {
 public:
  static constexpr mpfr_prec_t precision = 256;

  Number() {
    mpfr_init2(value_, precision);
    mpfr_set_zero(value_, 1);
  }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;

  /// The value becomes NaN.
  void set_precision(mpfr_prec_t bits) { mpfr_set_prec(value_, bits); }

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

  void set(double x) { mpfr_set_d(value_, x, MPFR_RNDN); }
  void set(dd_real x) {
    set(x.hi);
    add(x.lo);
  }
  void add(double x) { mpfr_add_d(value_, value_, x, MPFR_RNDN); }
  void subtract(dd_real x) {
    mpfr_sub_d(value_, value_, x.hi, MPFR_RNDN);
    mpfr_sub_d(value_, value_, x.lo, MPFR_RNDN);
  }
  void add_product(const Number& x, const Number& y) { mpfr_fma(value_, x.value_, y.value_, value_, MPFR_RNDN); }
  void subtract_product(const Number& x, const Number& y) {
    mpfr_fms(value_, x.value_, y.value_, value_, MPFR_RNDN);
    mpfr_neg(value_, value_, MPFR_RNDN);
  }
  void set_magnitude(const Number& re, const Number& im) { mpfr_hypot(value_, re.value_, im.value_, MPFR_RNDN); }

  /// Rounded; its exponents reach well past those of a product of two doubles.
  long double to_long_double() const { return mpfr_get_ld(value_, MPFR_RNDN); }

 private:
  mpfr_t value_;
};

/// x / y of an error and what it is relative to: no error is 0 of anything, an error infinite of 0.
inline double quotient(long double x, long double y) {
  if (x == 0) return 0.0;
  return y > 0 ? static_cast<double>(x / y) : HUGE_VAL;
}

}  // namespace hilo::accuracy
