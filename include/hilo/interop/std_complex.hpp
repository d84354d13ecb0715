// Division of std::complex<hilo::dd_real>. Conversions with dd_complex need no header, and dd_complex is the better
// number: products of std::complex still overflow on the way.
#pragma once

#include <complex>
#include <hilo/complex.hpp>

namespace hilo {

/// z / w as of dd_complex: the standard library's division of any complex<T> squares the divisor, which over- and
/// underflows where the quotient does not. Include this header in all units that divide them, or in none.
inline std::complex<dd_real> operator/(const std::complex<dd_real>& z, const std::complex<dd_real>& w) {
  return dd_complex(z) / dd_complex(w);
}
inline std::complex<dd_real> operator/(const dd_real& x, const std::complex<dd_real>& w) { return x / dd_complex(w); }
inline std::complex<dd_real>& operator/=(std::complex<dd_real>& z, const std::complex<dd_real>& w) { return z = z / w; }

}  // namespace hilo
