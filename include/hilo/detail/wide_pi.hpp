// π in 128 bits.
#pragma once

#include <hilo/detail/wide.hpp>

namespace hilo::detail {

constexpr Wide wide_pi() { return {make_uint128(0xc90fdaa22168c234u, 0xc4c6628b80dc1cd1u), 1, false}; }
constexpr Wide wide_half_pi() { return ldexp(wide_pi(), -1); }
/// 1/π.
constexpr Wide wide_inverse_pi() { return {make_uint128(0xa2f9836e4e441529u, 0xfc2757d1f534ddc1u), -2, false}; }

}  // namespace hilo::detail
