// Planes of bytes, each an operand's or a product's: one for a modulus, of complex elements three, or two of the first
// moduli, which split (src/gemm/modular/moduli.hpp).
#pragma once

#include "modular/element.cl"

#if PARTS == 2
#define SPLIT_MODULI 16
// Real parts, imaginary parts, their sums; re + r im and re - r im where a modulus splits.
#define PLANES 3
#define SPLIT_PLANES 2
#else
#define SPLIT_MODULI 0
#define PLANES 1
#define SPLIT_PLANES 1
#endif

// Of the moduli before one.
static inline int planes_before(int modulus) {
  return modulus < SPLIT_MODULI ? SPLIT_PLANES * modulus
                                : SPLIT_PLANES * SPLIT_MODULI + PLANES * (modulus - SPLIT_MODULI);
}
