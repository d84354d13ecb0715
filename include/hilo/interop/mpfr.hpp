// MPFR's numbers and hilo's: conversions that round once, exact where the precision suffices.
#pragma once

#include <mpfr.h>

#include <bit>
#include <cstdint>
#include <hilo/dd_real.hpp>
#include <hilo/math/basic.hpp>

#if MPFR_VERSION_MAJOR < 4
#error "hilo: <hilo/interop/mpfr.hpp> needs MPFR 4.0 or later"
#endif

namespace hilo {

/// The bits from 2^1023 down to 2^-1074: an mpfr_t of this precision holds every dd_real exactly.
inline constexpr mpfr_prec_t mpfr_precision_of_all = 2098;

/// The least precision at which to_mpfr(…, x, …) is exact: at most 107 where lo continues hi without a gap, and at most
/// mpfr_precision_of_all.
constexpr mpfr_prec_t mpfr_precision_of(dd_real x) {
  if (x.hi == 0.0 || !isfinite(x)) return MPFR_PREC_MIN;
  // The weight of the last bit that is set.
  auto last_bit = [](double a) {
    auto bits = std::bit_cast<std::uint64_t>(a);
    int field = static_cast<int>(bits >> 52 & 0x7ff);
    std::uint64_t significand = (bits & 0xfffffffffffffu) | std::uint64_t{field > 0} << 52;
    return (field > 0 ? field : 1) - 1075 + std::countr_zero(significand);
  };
  mpfr_prec_t bits = ilogb(x) - last_bit(x.lo == 0.0 ? x.hi : x.lo) + 1;
  return bits < MPFR_PREC_MIN ? MPFR_PREC_MIN : bits;
}

namespace detail {

// MPFR's widest range of exponents, until the caller's is set again.
class FullExponentRange {
 public:
  FullExponentRange() : least_(mpfr_get_emin()), largest_(mpfr_get_emax()) {
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
  }
  FullExponentRange(const FullExponentRange&) = delete;
  FullExponentRange& operator=(const FullExponentRange&) = delete;
  ~FullExponentRange() {
    mpfr_set_emin(least_);
    mpfr_set_emax(largest_);
  }

 private:
  mpfr_exp_t least_, largest_;
};

// RN(x − a) in the range of a double: MPFR's emulation of subnormal numbers rounds once.
inline double nearest_difference(mpfr_srcptr x, double a) {
  MPFR_DECL_INIT(rest, 53);
  mpfr_flags_t flags = mpfr_flags_save();
  {
    FullExponentRange range;
    int ternary = mpfr_sub_d(rest, x, a, MPFR_RNDN);
    mpfr_set_emin(-1073);
    ternary = mpfr_check_range(rest, ternary, MPFR_RNDN);
    mpfr_subnormalize(rest, ternary, MPFR_RNDN);
  }
  mpfr_flags_restore(flags, MPFR_FLAGS_ALL);
  return mpfr_get_d(rest, MPFR_RNDN);
}

}  // namespace detail

/// r = x, rounded once to r's precision and the caller's range of exponents. Returns MPFR's ternary value: the sign of
/// r − x, 0 where r is exact, as it is from mpfr_precision_of(x) bits on. Flags are raised as by mpfr_set_d.
inline int to_mpfr(mpfr_ptr r, dd_real x, mpfr_rnd_t rounding = MPFR_RNDN) {
  if (x.lo == 0.0) return mpfr_set_d(r, x.hi, rounding);
  int ternary;
  {
    detail::FullExponentRange range;
    MPFR_DECL_INIT(hi, 53);
    mpfr_set_d(hi, x.hi, MPFR_RNDN);
    ternary = mpfr_add_d(r, hi, x.lo, rounding);
  }
  return mpfr_check_range(r, ternary, rounding);
}

/// hi = RN(x), lo = RN(x − hi), ties to even, at any precision and range of exponents; exact where x is a dd_real.
/// Where lo comes to half a unit of an odd hi, the same sum is stored with the even neighbour as hi. Numbers beyond
/// max() become Inf, those below the least subnormal round to it or to a zero of their sign. Leaves MPFR's flags.
inline dd_real from_mpfr(mpfr_srcptr x) {
  double hi = mpfr_get_d(x, MPFR_RNDN);
  if (!detail::is_finite(hi) || hi == 0.0) return detail::from_words({hi, 0.0});
  return detail::from_words(detail::scalar_ops::nearest_words({hi, detail::nearest_difference(x, hi)}));
}

}  // namespace hilo
