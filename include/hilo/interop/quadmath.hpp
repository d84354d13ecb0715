// GNU's __float128 and hilo's numbers: conversions that round once. Nothing to link.
#pragma once

#include <hilo/dd_real.hpp>
#include <hilo/math/basic.hpp>

#ifndef __SIZEOF_FLOAT128__
#error \
    "hilo: this compiler has no __float128. Where long double has 113 bits, dd_real converts to and from it by itself"
#endif

namespace hilo {

namespace detail {
__extension__ using float128 = __float128;
}

/// x rounded once to 113 bits: exact where lo continues hi without a gap, and wherever the last bit of lo is at most
/// 112 places behind the first of x.
constexpr detail::float128 to_float128(dd_real x) {
  // A zero lo would take the sign of -0.
  return x.lo == 0.0 ? static_cast<detail::float128>(x.hi) : static_cast<detail::float128>(x.hi) + x.lo;
}

/// hi = RN(x), lo = RN(x − hi), ties to even: within u²/2 of x, and exact where x is a dd_real. Where lo comes to half
/// a unit of an odd hi, the same sum is stored with the even neighbour as hi. Numbers beyond max() become Inf, those
/// below the least subnormal double round to it or to a zero of their sign.
constexpr dd_real from_float128(detail::float128 x) { return detail::from_words(detail::nearest_words(x)); }

}  // namespace hilo
