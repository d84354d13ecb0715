// What each accuracy of the modular engine guarantees, and the bits that it takes. Proofs: docs/modular.md.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>

#include "gemm/modular/agreed.hpp"

namespace hilo::modular {

/// Accuracies that only this engine has.
constexpr bool is_modular_only(Accuracy a) { return a != Accuracy::classic && a != Accuracy::fast; }

/// The bits an accuracy starts from and the bound it buys: (kappa · k + beyond) · 2^-t, t the bits of a number, and
/// that of rounding.
struct Guarantee {
  double kappa;
  int bits;       ///< p₀: enough where exponents do not spread
  double beyond;  ///< normwise: what products of two roundings err by beyond 1/2, from k = 2^27 on in D and Z
};

/// For k >= 1; `words` of a number, 1 or 2. For Accuracy::exact and Accuracy::bits that of classic.
Guarantee guarantee(Accuracy accuracy, std::int64_t k, int words, bool is_complex);

/// The bound of a product with that many bits, E the spread of exponents they cover: kappa · 2^max(0, p₀ + E − bits) ·
/// k and the rounding of the result, of alpha and of beta.
double error_bound(const Guarantee& g, std::int64_t k, int words, bool is_complex, double excess_bits = 0.0);

/// The bound of accuracy bits: where exponents spread by `spread`.
double bound_of_bits(const Guarantee& g, int bits, int spread, std::int64_t k, int words, bool is_complex);

/// That of a plain sum of k products in D or Z, a direct entry's (docs/modular.md, part 2).
double plain_sum_bound(std::int64_t k, bool is_complex);

/// Throws unsupported: accuracy bits with more of them than the moduli hold.
[[noreturn]] void reject_bits(int bits, std::int64_t k, bool is_complex);

/// The engine, bits, moduli and bound of a D, Z, DD or ZDD plan, as for entries whose exponents do not spread. Throws
/// unsupported for more bits than the moduli hold.
void plan_bits(GemmPlan& plan, const GemmOptions& options);

/// Balancing (1.3): shifts that differ by less gain less than a modulus; and where a line's largest element is scaled
/// down by so many bits, terms would vanish beside the others.
inline constexpr int worthwhile_balance = 4, most_narrowing = 900;

/// The least count of moduli for entries whose exponents do not spread; 0 if there is none.
int moduli_without_spread(const Guarantee& g, std::int64_t k, bool is_complex);

/// The sum test (docs/modular.md, 1.3): whether it is made, the norms' unit 2^-norm_unit of a line's largest element,
/// and 31R/32, which shifted norms reach.
bool has_sum_test(Accuracy accuracy, std::int64_t k);
int longest_norm(std::int64_t k);

/// What it found: the least n with ρ' + σ' <= 4 T 2^n for all entries; by operand ρ* and σ*, and the largest v and w.
struct SumTestFigures {
  std::int64_t asked;
  std::int64_t norm[2];
  int shift[2];
};

/// Moduli and p; no moduli where the sum test leaves the product to the spread test.
struct ModuliAndBits {
  int moduli = 0, bits = 0;
};
ModuliAndBits settle_by_sums(const Guarantee& g, const SumTestFigures& figures, std::int64_t k, bool is_complex);

/// The same for entries of about one magnitude, by sums or spread: what plans assume.
ModuliAndBits usual_moduli(const Guarantee& g, Accuracy accuracy, std::int64_t k, bool is_complex);

/// The bound of a product whose bits the sum test chose.
double sum_test_bound(const Guarantee& g, std::int64_t k, int words, bool is_complex);

/// Of mn entries, how many may go to the direct engine because they cannot be scaled, and how many because they spread
/// beyond what the bits cover: docs/modular.md, 1.6.
std::int64_t most_unscalable(Accuracy accuracy, std::int64_t entries);
std::int64_t most_wide(Accuracy accuracy, std::int64_t entries);

/// Throws unsupported: accuracy tight with entries that spread too widely.
[[noreturn]] void reject_spread(std::int64_t k, bool is_complex);

/// The least count of moduli that hold an exact product of integers of so many bits. Throws unsupported, with the sum
/// of the bits, where there is none.
int moduli_for_exact(std::int64_t bits_of_a, std::int64_t bits_of_b, std::int64_t k, bool is_complex);

/// Deficits from here on are not told apart; two of them add up to less than 255.
inline constexpr int max_deficit = 120;

/// ⌈log2 x⌉ for x >= 1.
std::int64_t ceil_log2(std::int64_t x);

/// A line is uneven if the sum of its magnitudes, in units of 2^-sum_unit of its largest and each rounded up, stays
/// below even_sum of them: fewer than √k / 4 terms, or 2, make it.
double even_sum(std::int64_t k);

/// The bits that entries of uneven lines take more. Errors of k terms add up like √k of them; where few terms make a
/// line's sum, that sum does not grow along.
int uneven_bits(std::int64_t k);

}  // namespace hilo::modular
