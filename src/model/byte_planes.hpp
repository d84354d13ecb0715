// How many products of bytes a modular product is.
#pragma once

namespace hilo::model {

/// Moduli of complex products for which two products of bytes do; others take three.
inline constexpr int split_moduli = 16;

/// With so many moduli, of one residue of each entry of C, or of each of its parts.
constexpr int byte_planes(bool is_complex, int moduli) {
  return !is_complex ? moduli : moduli <= split_moduli ? 2 * moduli : 3 * moduli - split_moduli;
}

}  // namespace hilo::model
