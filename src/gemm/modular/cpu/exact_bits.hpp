// How many bits hold the entries of an operand without rounding any.
#pragma once

#include <cstdint>
#include <vector>

#include "gemm/modular/cpu/operand.hpp"

namespace hilo::modular {

/// max over the lines of e − (the exponent of the line's last bit that is set); lines that are idle, bad or
/// without a number other than 0, are left out.
std::int64_t exact_bits(const Operand& x, const std::vector<std::int64_t>& exponent,
                        const std::vector<std::uint8_t>& is_idle, int threads);

}  // namespace hilo::modular
