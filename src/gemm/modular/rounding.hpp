// Rounding of one entry by integer arithmetic: for results that reach below the normal range or beyond it, and the
// plain definition of what the kernels do.
#pragma once

#include <cstdint>
#include <hilo/dd_real.hpp>

#include "gemm/modular/moduli.hpp"

namespace hilo::modular {

/// x · 2^shift, x the integer with |x| <= (M/2)(1 − 2^-28) whose residue l, multiplied by the inverse cofactor, is at
/// residues[l · plane_stride]. Two words: hi = RN(value), lo = RN(value − hi), made canonical. One word: hi, lo = 0.
/// Each rounds once, to a multiple of 2^-1074 too; what overflows is ±Inf with lo = 0.
dd_real rebuild_entry(const Basis& basis, const std::int8_t* residues, std::int64_t plane_stride, std::int64_t shift,
                      int words);

}  // namespace hilo::modular
