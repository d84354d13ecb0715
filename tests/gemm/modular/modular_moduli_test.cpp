// The moduli and every constant that follows from them, against exact integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "all_moduli.hpp"
#include "dd_against_mpfr.hpp"
#include "exact_integer.hpp"
#include "gemm/modular/cpu/kernels.hpp"
#include "gemm/modular/moduli.hpp"

namespace hilo::modular {
namespace {

using testing::Integer;
using Rational = mpq_class;

const Integer& product_of(int count, bool is_complex) {
  const auto products_of = [](const std::array<int, max_moduli>& of) {
    std::vector<Integer> all{1};
    for (int m : of) all.emplace_back(all.back() * m);
    return all;
  };
  static const std::vector<Integer> products[] = {products_of(moduli), products_of(complex_moduli)};
  return products[is_complex][static_cast<std::size_t>(count)];
}

Integer inverse_of(const Integer& x, int m) {
  Integer result, divisor = m;
  EXPECT_NE(mpz_invert(result.get_mpz_t(), x.get_mpz_t(), divisor.get_mpz_t()), 0);
  return result;
}

// From 256 down, without those left out, beside those taken already.
std::vector<int> coprime_bytes(const std::vector<int>& left_out, std::vector<int> taken = {}) {
  for (int candidate = 256; candidate > 1; --candidate) {
    if (std::find(left_out.begin(), left_out.end(), candidate) != left_out.end()) continue;
    Integer product = 1;
    for (int m : taken) product *= m;
    if (gcd(product, Integer(candidate)) == 1) taken.push_back(candidate);
  }
  return taken;
}

TEST(ModularModuliTest, TheyAreCoprimeBytesWithLargeProducts) {
  const std::vector<int> largest_first = coprime_bytes({});
  EXPECT_EQ(std::vector<int>(moduli.begin(), moduli.end()), coprime_bytes({255, 245}));
  EXPECT_EQ(moduli.size(), 49u);
  EXPECT_EQ(moduli.back(), 17);
  Integer product = 1;
  for (int count = 1; count <= max_moduli; ++count) {
    product *= largest_first[static_cast<std::size_t>(count - 1)];
    if (count >= 9) {
      EXPECT_GE(product_of(count, false), product) << count;
    }
  }
  EXPECT_EQ(testing::bit_length(product_of(max_moduli, false)), 342);
}

TEST(ModularModuliTest, TheFirstOfComplexProductsSplit) {
  const std::vector<int> split(complex_moduli.begin(), complex_moduli.begin() + split_moduli);
  const std::vector<int> all(complex_moduli.begin(), complex_moduli.end());
  EXPECT_EQ(all, coprime_bytes({255, 245}, split));
  EXPECT_EQ(product_of(max_moduli, true), product_of(max_moduli, false)) << "as many bits for exact products";
  for (int m : split) {
    const int root = root_of_minus_one(m);
    EXPECT_EQ((root * root + 1) % m, 0) << m;
    EXPECT_EQ(m % 2, 1) << "there is a half";
  }
  for (int m : {2, 7, 21, 256}) EXPECT_EQ(root_of_minus_one(m), 0) << m;
  EXPECT_TRUE(splits(15, true) && !splits(16, true) && !splits(0, false));
  for (const auto& [count, planes] : {std::pair{0, 0}, {1, 2}, {16, 32}, {17, 35}, {30, 74}, {49, 131}}) {
    EXPECT_EQ(planes_of(count, true), planes);
    EXPECT_EQ(planes_of(count, false), count);
  }
}

// Σ digit · 2^(41 j) of the digits in use; the others must be zero.
Integer number_of(const double (&digits)[max_digits], int count) {
  Integer sum = 0;
  for (int j = 0; j < max_digits; ++j) {
    EXPECT_EQ(digits[j], std::nearbyint(digits[j]));
    EXPECT_LE(std::fabs(digits[j]), 0x1p40);
    EXPECT_TRUE(j < count || digits[j] == 0.0);
    sum += testing::scaled(Integer(digits[j]), digit_bits * j);
  }
  return sum;
}

TEST(ModularModuliTest, DigitsAreOfTheProductAndOfItsCofactors) {
  for (int i = 0; i < 2 * max_moduli; ++i) {
    const int count = 1 + i / 2;
    const bool is_complex = i % 2;
    SCOPED_TRACE(count);
    const Basis& b = basis(count, is_complex);
    const Integer& product = product_of(count, is_complex);
    EXPECT_EQ(b.count, count);
    EXPECT_EQ(number_of(b.product, b.digits), product);
    for (int l = 0; l < count; ++l) {
      const int m = modulus_at(l, is_complex);
      EXPECT_EQ(number_of(b.cofactor[l], b.digits), product / m) << m;
    }
  }
}

TEST(ModularModuliTest, TheProductIsBoundedFromBelow) {
  for (int i = 0; i < 2 * max_moduli; ++i) {
    const int count = 1 + i / 2;
    const bool is_complex = i % 2;
    const Basis& b = basis(count, is_complex);
    Rational product(product_of(count, is_complex)), below(b.product_below), inverse(b.inverse_product);
    EXPECT_LE(below, product) << count;
    EXPECT_GT(below, product * (1 - Rational(0x1p-50))) << count;
    EXPECT_LE(abs(inverse * product - 1), Rational(0x1p-50)) << count;
  }
}

void expect_constants(const ResidueConstants& c, int m, bool splits, const Integer& factor, bool is_signed) {
  EXPECT_EQ(c.splits, splits);
  for (int i = 0; i < max_limbs; ++i) {
    const int root = splits ? root_of_minus_one(m) : 0;
    EXPECT_EQ(testing::residue(Integer(c.imaginary[i]) - Integer(c.coefficient[i]) * root, m), 0);
    EXPECT_LE(2 * std::fabs(c.imaginary[i]), m);
    Integer expected = (testing::power_of_two(limb_bits * i) * factor) % m;
    EXPECT_EQ(testing::residue(Integer(c.coefficient[i]) - expected, m), 0);
    EXPECT_LE(2 * std::fabs(c.coefficient[i]), m);
  }
  EXPECT_EQ(c.modulus, m);
  EXPECT_EQ(c.inverse, 1.0 / m);
  // Residues plus the offset are symmetric around zero, and the bias makes them bytes from 0 or 128 on.
  double least = !is_signed ? 0.0 : m % 2 ? -0.5 * (m - 1) : -0.5 * m;
  EXPECT_EQ(2.0 * (least + c.offset), 1.0 - m);
  EXPECT_EQ(c.bias, ((is_signed ? 128.0 : 0.0) - c.offset) * 0x01010101);
  EXPECT_EQ(c.flip, is_signed ? 0x80808080u : 0u);
}

TEST(ModularModuliTest, ResidueConstantsAreThoseOfTheModulus) {
  for (int i = 0; i < 2 * max_moduli; ++i) {
    const int count = 1 + i / 2;
    const bool is_complex = i % 2;
    const Basis& b = basis(count, is_complex);
    const Integer& product = product_of(count, is_complex);
    for (int l = 0; l < count; ++l) {
      const int m = modulus_at(l, is_complex);
      const bool is_split = splits(l, is_complex);
      SCOPED_TRACE(std::to_string(m) + " of " + std::to_string(count));
      expect_constants(b.first[l], m, is_split, 1, false);
      expect_constants(b.second[l], m, is_split, inverse_of(product / m * (is_split ? 2 : 1), m), true);
    }
  }
}

TEST(ModularModuliTest, ReductionConstantsAreThoseOfTheModulus) {
  for (int m : test::all_moduli()) {
    const int root = root_of_minus_one(m);
    const ReductionConstants c = reduction_constants(m, root != 0);
    EXPECT_EQ(testing::residue(Integer(c.inverse_root) * root - (root ? 1 : 0), m), 0) << m;
    EXPECT_LE(2 * std::fabs(c.inverse_root), static_cast<float>(m)) << m;
    EXPECT_EQ(testing::residue(Integer(c.high) - 65536, m), 0) << m;
    EXPECT_LE(2 * std::fabs(c.high), static_cast<float>(m)) << m;
    EXPECT_EQ(c.modulus, static_cast<float>(m));
    EXPECT_EQ(c.inverse, 1.0f / static_cast<float>(m));
    // Whose residues are bytes of what is left.
    EXPECT_TRUE(m % 2 == 1 || (m == 256 && c.high == 0.0f)) << m;
  }
}

// x / m is computed as x · inverse, rounded, |x| <= largest; an integer x, of an even m with a half, is at least 1/(2m)
// from where the nearest integer changes.
template <class Float>
void expect_quotient_is_right(const Rational& largest, Float inverse, int m) {
  constexpr int digits = std::numeric_limits<Float>::digits;
  Rational quotient = largest / m, unit = 1;
  while (unit * 2 <= quotient) unit *= 2;
  Rational rounding = unit / (Integer(1) << digits);
  Rational error = quotient * abs(Rational(inverse) * m - 1) + rounding;
  EXPECT_LT(error, Rational(1, 2 * m)) << m;
}

TEST(ModularModuliTest, QuotientsOfResiduesAreRight) {
  // Four limbs at a time, after which a residue is left. A limb of the sum of a complex element's parts is at most
  // 2^42; and where hi ends and lo begins lies one that takes from both: 2^41 of each hi and half its unit, 2^40, of
  // each lo. Where a modulus splits each part has its own coefficient.
  constexpr int group = 4;
  static_assert(max_limbs % group == 0);
  for (int k = 0; k < 2 * max_moduli; ++k) {
    const int count = 1 + k / 2;
    const Basis& b = basis(count, k % 2);
    for (int l = 0; l < count; ++l) {
      const int m = modulus_at(l, k % 2);
      for (const ResidueConstants* c : {&b.first[l], &b.second[l]}) {
        for (int first = 0; first < max_limbs; first += group) {
          Rational sum = first == 0 ? abs(Rational(c->offset)) : Rational(m);
          for (const bool is_imaginary : {false, true}) {
            Rational most = 0;
            for (int i = first; i < first + group; ++i) {
              const bool has_own = is_imaginary && c->splits;
              Rational magnitude = abs(Rational(has_own ? c->imaginary[i] : c->coefficient[i]));
              sum += magnitude * Rational(0x1p41);
              most = std::max(most, magnitude);
            }
            sum += most * Rational(0x1p40);
          }
          EXPECT_LT(sum, Rational(0x1p52));
          expect_quotient_is_right(sum, c->inverse, m);
        }
      }
    }
  }
}

TEST(ModularModuliTest, QuotientsOfReductionsAreRight) {
  const Rational added = Added::most * 128;
  for (int m : test::all_moduli()) {
    if (m == 256) continue;
    const ReductionConstants c = reduction_constants(m, root_of_minus_one(m) != 0);
    Rational sum = abs(Rational(c.high)) * 32768 + 32768 + added;
    EXPECT_LT(sum, Rational(0x1p23)) << m;
    expect_quotient_is_right(sum, c.inverse, m);
    // Where it splits, a difference of two residues times 1 / r, and residues that are added.
    sum = abs(Rational(c.inverse_root)) * (m - 1) + added;
    EXPECT_LT(sum, Rational(0x1p23)) << m;
    expect_quotient_is_right(sum, c.inverse, m);
  }
}

// 2 · k · 2^bits, twice that of a complex part, is at most M(1 − 2^-28), and at most M(1 − 2^-28)(1 − 2^-49).
struct Holds {
  bool exactly, with_slack;
  Holds(const Integer& product, std::int64_t k, bool is_complex, int bits) {
    Integer sum = Integer(static_cast<long>(k)) << static_cast<unsigned>(bits + (is_complex ? 2 : 1));
    Integer bound = product * 0xfffffffl;
    exactly = (sum << 28) <= bound;
    with_slack = (sum << 77) <= bound * 0x1ffffffffffffl;
  }
};

// The largest k that `count` moduli hold, at most 2^limit.
std::int64_t largest_depth(const Integer& product, bool is_complex, int bits, int limit) {
  Integer k = testing::scaled(product * (testing::power_of_two(28) - 1), -28 - bits - (is_complex ? 2 : 1));
  return k > testing::power_of_two(limit) ? std::int64_t{1} << limit : k.get_si();
}

TEST(ModularModuliTest, HoldsAtTheEdge) {
  for (int count = 1; count <= max_moduli; ++count) {
    for (bool is_complex : {false, true}) {
      const Integer& product = product_of(count, is_complex);
      for (int bits = 0; bits <= 342; ++bits) {
        // Never more than they hold; and no less, but for the 2^-50 of the product's bound that only huge k come near.
        std::int64_t edge = largest_depth(product, is_complex, bits, 40);
        for (std::int64_t k : {edge - 1, edge, edge + 1, edge / 2, std::int64_t{1}, std::int64_t{1} << 40}) {
          if (k < 1 || k > std::int64_t{1} << 40) continue;
          bool got = holds(count, k, is_complex, bits);
          Holds expected(product, k, is_complex, bits);
          ASSERT_TRUE(got ? expected.exactly : !expected.with_slack)
              << count << " moduli, k " << k << ", bits " << bits;
        }
        edge = largest_depth(product, is_complex, bits, 32);
        for (std::int64_t k : {edge, edge + 1}) {
          if (k < 1) continue;
          ASSERT_EQ(holds(count, k, is_complex, bits), Holds(product, k, is_complex, bits).exactly)
              << count << " moduli, k " << k << ", bits " << bits;
        }
      }
    }
  }
}

std::vector<std::int64_t> depths() {
  std::vector<std::int64_t> all{1, 2, 3, 64, 100, 8192, 65535, 65536, 65537, 1000003};
  for (int n = 0; n <= 40; ++n) {
    all.push_back(std::int64_t{1} << n);
    all.push_back((std::int64_t{1} << n) - 1 + (n == 0));
  }
  testing::Inputs inputs(1);
  for (int i = 0; i < 50; ++i) all.push_back(static_cast<std::int64_t>(inputs.bits() >> (24 + inputs.below(40))) + 1);
  return all;
}

TEST(ModularModuliTest, LargestBitsIsExact) {
  for (std::int64_t k : depths()) {
    for (bool is_complex : {false, true}) {
      int expected = -1;
      for (int count = 1; count <= max_moduli; ++count) {
        while (Holds(product_of(count, is_complex), k, is_complex, 2 * (expected + 1)).exactly) ++expected;
        int got = largest_bits(count, k, is_complex);
        ASSERT_TRUE(got == expected || (got < 0 && expected < 0)) << count << " moduli, k " << k << ": " << got;
      }
    }
  }
}

TEST(ModularModuliTest, LeastModuliIsExact) {
  for (std::int64_t k : depths()) {
    for (bool is_complex : {false, true}) {
      int expected = 1;
      for (int bits = 0; bits <= 342; ++bits) {
        while (expected <= max_moduli && !Holds(product_of(expected, is_complex), k, is_complex, bits).exactly)
          ++expected;
        ASSERT_EQ(least_moduli(k, is_complex, bits), expected <= max_moduli ? expected : 0)
            << "k " << k << ", bits " << bits;
      }
    }
  }
}

TEST(ModularModuliTest, LimbsHoldTheBits) {
  EXPECT_EQ(least_moduli(8192, false, 2 * 105), 30);
  EXPECT_LE(largest_bits(max_moduli, 1, false), max_bits);
  for (int bits = 1; bits <= max_bits; ++bits) {
    // The highest limb is at most 2^41 too.
    int limbs = limbs_for(bits);
    EXPECT_GE(limb_bits * limbs - 1, bits);
    EXPECT_LT(limb_bits * (limbs - 1) - 1, bits);
    EXPECT_LE(limbs, max_limbs);
  }
}

}  // namespace
}  // namespace hilo::modular
