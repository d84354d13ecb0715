// QD's dd_real and hilo's: conversions, and each other's arrays in place.
#pragma once

#include <qd/dd_real.h>

#include <cstddef>
#include <hilo/complex.hpp>
#include <hilo/dd_real.hpp>
#include <hilo/detail/same_storage.hpp>
#include <type_traits>

namespace hilo {

static_assert(sizeof(::dd_real) == sizeof(dd_real) && alignof(::dd_real) == alignof(dd_real));
static_assert(offsetof(dd_real, hi) == 0 && offsetof(dd_real, lo) == sizeof(double));
static_assert(std::is_standard_layout_v<::dd_real> && sizeof(::dd_real::x) == 2 * sizeof(double));

/// QD's value. QD leaves NaN in the lo word of an infinity; here it is 0. Words that QD has not normalised are added.
inline dd_real from_qd(const ::dd_real& x) {
  return x.x[0] - x.x[0] == 0.0 ? dd_real::sum(x.x[0], x.x[1]) : dd_real(x.x[0]);
}
inline ::dd_real to_qd(dd_real x) { return ::dd_real(x.hi, x.lo); }

/// QD's array as hilo's, in place and without a copy: from here on the elements are hilo's, and the QD pointer must not
/// be used until as_qd has given the array back (accesses through both at once are undefined: strict aliasing).
///
///     hilo::dd_real* a = hilo::as_hilo(qd_array);
///     hilo::ddgemm(..., a, ...);
///     qd_array = hilo::as_qd(a);
///
/// The words must be canonical, as QD's operations leave them where they do not overflow.
inline dd_real* as_hilo(::dd_real* p) { return detail::same_storage<dd_real>(p); }
inline const dd_real* as_hilo(const ::dd_real* p) { return detail::same_storage<const dd_real>(p); }

/// hilo's array as QD's, or back again, in place: the reverse of as_hilo with the same rule.
inline ::dd_real* as_qd(dd_real* p) { return detail::same_storage<::dd_real>(p); }
inline const ::dd_real* as_qd(const dd_real* p) { return detail::same_storage<const ::dd_real>(p); }

}  // namespace hilo
