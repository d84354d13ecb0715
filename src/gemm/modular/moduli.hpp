// The moduli of the modular engine and what follows from them: how many bits a product modulo the first N of them can
// keep, and the constants of residues and of rebuilding. docs/modular.md has the proofs.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>

#include "model/byte_planes.hpp"

namespace hilo::modular {

inline constexpr int max_moduli = 49;

/// The least r with r² = −1 modulo an odd m; 0 if there is none.
constexpr int root_of_minus_one(int m) {
  for (int r = 1; m % 2 == 1 && r < m; ++r) {
    if (r * r % m == m - 1) return r;
  }
  return 0;
}

/// The y with x · y = 1 modulo m, for x > 0; 0 if there is none.
constexpr int inverse_of(int x, int m) {
  for (int y = 1; y < m; ++y) {
    if (x * y % m == 1) return y;
  }
  return 0;
}

/// Moduli of complex products that split: −1 is a square r² modulo each of them, so that a complex number is the pair
/// re + r im and re − r im, and a product is two products of bytes instead of three (docs/modular.md, 1.4). As many as
/// matrix units put together at a time (kernels/modular/rebuild_mma.cl); with up to 22 about as many planes would do.
inline constexpr int split_moduli = model::split_moduli;

/// Pairwise coprime numbers: of complex products split_moduli that split first; then from 256 down each that is coprime
/// to those before it, but for two whose factors give more apart: 255 = 3 · 5 · 17, 245 = 5 · 7², and instead 249 =
/// 3 · 83, 235 = 5 · 47, 217 = 7 · 31. There are no more.
constexpr std::array<int, max_moduli> find_moduli(bool is_complex) {
  std::array<int, max_moduli> found{};
  int count = 0;
  const auto take = [&](int candidate) {
    for (int i = 0; i < count; ++i) {
      if (std::gcd(candidate, found[static_cast<unsigned>(i)]) != 1) return;
    }
    found[static_cast<unsigned>(count++)] = candidate;
  };
  for (int candidate = 256; is_complex && count < split_moduli; --candidate) {
    if (root_of_minus_one(candidate)) take(candidate);
  }
  for (int candidate = 256; count < max_moduli; --candidate) {
    if (candidate != 255 && candidate != 245) take(candidate);
  }
  return found;
}
inline constexpr std::array<int, max_moduli> moduli = find_moduli(false), complex_moduli = find_moduli(true);

constexpr int modulus_at(int index, bool is_complex) {
  return (is_complex ? complex_moduli : moduli)[static_cast<unsigned>(index)];
}

/// Whether a complex product modulo that number is two products of bytes.
constexpr bool splits(int index, bool is_complex) { return is_complex && index < split_moduli; }

/// Planes of bytes, each a product, of the first `count` moduli together: one each, of complex products two or three.
constexpr int planes_of(int count, bool is_complex) { return model::byte_planes(is_complex, count); }

/// Scaled entries are integers of up to max_bits bits, in limbs of limb_bits held by doubles.
inline constexpr int limb_bits = 42;
inline constexpr int max_limbs = 8;
inline constexpr int max_bits = max_limbs * limb_bits - 1;
constexpr int limbs_for(int bits) { return (bits + limb_bits) / limb_bits; }

/// Integers modulo M, the product of N moduli, are rebuilt in signed digits of digit_bits.
inline constexpr int digit_bits = 41;
inline constexpr int max_digits = 9;

/// How one modulus takes residues of limbs for one operand; see residues() in kernels.hpp.
struct ResidueConstants {
  double coefficient[max_limbs];  ///< 2^(42 i) · w mod m, the one nearest to zero
  double imaginary[max_limbs];    ///< where it splits: the same times r
  bool splits;
  double offset;  ///< moves residues to where they are symmetric around zero
  double inverse, modulus;
  double bias;         ///< takes the offset back from four residues at once, and makes them non-negative bytes
  std::uint32_t flip;  ///< turns those bytes into signed ones
};

/// How one modulus reduces sums of bytes; see reduce() in kernels.hpp.
struct ReductionConstants {
  float high;  ///< 2^16 mod m, the one nearest to zero
  float inverse, modulus;
  float inverse_root;  ///< 1 / r, the one nearest to zero, where the modulus splits
};

ReductionConstants reduction_constants(int modulus, bool splits);

/// The first `count` moduli of real or complex products together.
struct Basis {
  int count;
  int digits;
  double cofactor[max_moduli][max_digits];  ///< digits of M / m
  double product[max_digits];               ///< digits of M
  double inverse_product;                   ///< 1 / M
  double product_below;                     ///< at most M, by less than 2^-50 of it
  ResidueConstants first[max_moduli];       ///< of the operand whose residues are 0 … m − 1
  ResidueConstants second[max_moduli];  ///< of the other, −m/2 … m/2, multiplied by (M / m)⁻¹, half that if it splits
};

/// 1 <= count <= max_moduli.
const Basis& basis(int count, bool is_complex);

/// Whether `count` moduli hold every sum of k products (a complex part has 2k) of magnitudes up to 2^bits:
/// 2 · k · 2^bits <= M(1 − 2^-28).
bool holds(int count, std::int64_t k, bool is_complex, int bits);

/// The largest p for which they hold the products of integers up to 2^p, at most max_bits; negative if none.
int largest_bits(int count, std::int64_t k, bool is_complex);

/// The least count that holds sums of products up to 2^bits; 0 if none does.
int least_moduli(std::int64_t k, bool is_complex, int bits);

}  // namespace hilo::modular
