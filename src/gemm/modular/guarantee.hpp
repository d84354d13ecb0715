// What each accuracy of the modular engine guarantees, and the bits that it takes. Proofs: docs/modular.md.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>

namespace hilo::modular {

/// The bits an accuracy starts from and the bound it buys: kappa · k · 2^-t, t the bits of a number, and that of
/// rounding.
struct Guarantee {
  double kappa;
  int bits;  ///< p₀: enough where exponents do not spread
};

/// For k >= 1; `words` of a number, 1 or 2. For Accuracy::exact and Accuracy::bits that of classic.
Guarantee guarantee(Accuracy accuracy, std::int64_t k, int words, bool is_complex);

/// The bound of a product with that many bits, E the spread of exponents they cover: kappa · 2^max(0, p₀ + E − bits) ·
/// k and the rounding of the result, of alpha and of beta.
double error_bound(const Guarantee& g, std::int64_t k, int words, bool is_complex, double excess_bits = 0.0);

/// The bound of accuracy bits: where exponents spread by `spread`.
double bound_of_bits(const Guarantee& g, int bits, int spread, std::int64_t k, int words, bool is_complex);

/// Throws unsupported: accuracy bits with more of them than the moduli hold.
[[noreturn]] void reject_bits(int bits, std::int64_t k, bool is_complex);

/// The least count of moduli for entries whose exponents do not spread; 0 if there is none.
int moduli_without_spread(const Guarantee& g, std::int64_t k, bool is_complex);

}  // namespace hilo::modular
