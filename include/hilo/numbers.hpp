// The constants of <numbers> as dd_real: hi = RN(c), lo = RN(c − hi).
#pragma once

#include <hilo/dd_real.hpp>
#include <numbers>

/// hilo::numbers::pi is to dd_real what std::numbers::pi is to double; generic code writes std::numbers::pi_v<T>.
namespace hilo::numbers {

inline constexpr dd_real e(0x1.5bf0a8b145769p+1, 0x1.4d57ee2b1013ap-53);
inline constexpr dd_real log2e(0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
inline constexpr dd_real log10e(0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
inline constexpr dd_real pi(0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53);
inline constexpr dd_real inv_pi(0x1.45f306dc9c883p-2, -0x1.6b01ec5417056p-56);
inline constexpr dd_real inv_sqrtpi(0x1.20dd750429b6dp-1, 0x1.1ae3a914fed8p-57);
inline constexpr dd_real ln2(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56);
inline constexpr dd_real ln10(0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53);
inline constexpr dd_real sqrt2(0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54);
inline constexpr dd_real sqrt3(0x1.bb67ae8584caap+0, 0x1.cec95d0b5c1e3p-54);
inline constexpr dd_real inv_sqrt3(0x1.279a74590331cp-1, 0x1.34863e0792bedp-55);
inline constexpr dd_real egamma(0x1.2788cfc6fb619p-1, -0x1.6cb90701fbfabp-58);
inline constexpr dd_real phi(0x1.9e3779b97f4a8p+0, -0x1.f506319fcfd19p-55);

}  // namespace hilo::numbers

namespace std::numbers {

template <>
inline constexpr hilo::dd_real e_v<hilo::dd_real> = hilo::numbers::e;
template <>
inline constexpr hilo::dd_real log2e_v<hilo::dd_real> = hilo::numbers::log2e;
template <>
inline constexpr hilo::dd_real log10e_v<hilo::dd_real> = hilo::numbers::log10e;
template <>
inline constexpr hilo::dd_real pi_v<hilo::dd_real> = hilo::numbers::pi;
template <>
inline constexpr hilo::dd_real inv_pi_v<hilo::dd_real> = hilo::numbers::inv_pi;
template <>
inline constexpr hilo::dd_real inv_sqrtpi_v<hilo::dd_real> = hilo::numbers::inv_sqrtpi;
template <>
inline constexpr hilo::dd_real ln2_v<hilo::dd_real> = hilo::numbers::ln2;
template <>
inline constexpr hilo::dd_real ln10_v<hilo::dd_real> = hilo::numbers::ln10;
template <>
inline constexpr hilo::dd_real sqrt2_v<hilo::dd_real> = hilo::numbers::sqrt2;
template <>
inline constexpr hilo::dd_real sqrt3_v<hilo::dd_real> = hilo::numbers::sqrt3;
template <>
inline constexpr hilo::dd_real inv_sqrt3_v<hilo::dd_real> = hilo::numbers::inv_sqrt3;
template <>
inline constexpr hilo::dd_real egamma_v<hilo::dd_real> = hilo::numbers::egamma;
template <>
inline constexpr hilo::dd_real phi_v<hilo::dd_real> = hilo::numbers::phi;

}  // namespace std::numbers
