// MPLAPACK's complex number of two of QD's dd_real, as far as code compiled with MPLAPACK's dd_complex.h depends on it:
// the name, the two words in this order, and that copy constructor and destructor are not trivial. By these the
// Itanium C++ ABI passes a dd_complex by the address of a copy, and returns one where the caller says.
#pragma once

#include <qd/dd_real.h>

#include <cstddef>
#include <hilo/interop/qd.hpp>
#include <type_traits>

// Members are inline everywhere, so that none is a symbol beside MPLAPACK's of the same name.
class dd_complex {
 public:
  [[gnu::always_inline]] dd_complex(const dd_real& real, const dd_real& imag) : re(real), im(imag) {}
  [[gnu::always_inline]] dd_complex(const dd_complex& other) : re(other.re), im(other.im) {}
  dd_complex& operator=(const dd_complex&) = delete;
  [[gnu::always_inline]] ~dd_complex() {}

  [[gnu::always_inline]] const dd_real& real() const { return re; }
  [[gnu::always_inline]] const dd_real& imag() const { return im; }

 private:
  dd_real re, im;
};

namespace hilo::mplapack {

static_assert(!std::is_trivially_copy_constructible_v<::dd_complex> &&
              !std::is_trivially_destructible_v<::dd_complex> && std::is_standard_layout_v<::dd_complex>);
static_assert(sizeof(::dd_complex) == sizeof(hilo::dd_complex) && alignof(::dd_complex) == alignof(hilo::dd_complex) &&
              offsetof(hilo::dd_complex, re) == 0 && offsetof(hilo::dd_complex, im) == sizeof(dd_real));

/// MPLAPACK's number as hilo's, and back, for both of its types.
inline dd_real from_mplapack(const ::dd_real& x) { return from_qd(x); }
inline hilo::dd_complex from_mplapack(const ::dd_complex& x) { return {from_qd(x.real()), from_qd(x.imag())}; }
inline ::dd_real to_mplapack(const dd_real& x) { return to_qd(x); }
inline ::dd_complex to_mplapack(const hilo::dd_complex& x) { return {to_qd(x.re), to_qd(x.im)}; }

/// Arrays in place: hilo::as_hilo.
inline dd_real* in_place(::dd_real* p) { return as_hilo(p); }
inline hilo::dd_complex* in_place(::dd_complex* p) { return detail::same_storage<hilo::dd_complex>(p); }

}  // namespace hilo::mplapack
