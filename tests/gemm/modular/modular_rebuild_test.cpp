// Integers rebuilt from their residues, and rounded, against exact integers: from every number of moduli, by every
// instruction set and by the plain definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "dd_against_mpfr.hpp"
#include "exact_integer.hpp"
#include "gemm/modular/cpu/kernels.hpp"
#include "gemm/modular/rounding.hpp"
#include "same_bits.hpp"

namespace hilo::modular {
namespace {

using std::int64_t;
using test::same_bits;
using testing::Integer;
using testing::power_of_two;

// The first N moduli of real or complex products, and what exact integers make of them.
struct ExactBasis {
  int count;
  bool is_complex;
  Integer product = 1, largest;        // largest: (M/2)(1 − 2^-28)
  std::vector<Integer> cofactor;       // M / m
  std::vector<unsigned long> inverse;  // (M / m)⁻¹ mod m

  explicit ExactBasis(int n, bool of_complex) : count(n), is_complex(of_complex) {
    for (int l = 0; l < n; ++l) product *= modulus(l);
    Integer bound = product * (power_of_two(28) - 1);
    largest = testing::scaled(bound, -29);
    for (int l = 0; l < n; ++l) {
      Integer m = modulus(l), c = product / m, i;
      mpz_invert(i.get_mpz_t(), c.get_mpz_t(), m.get_mpz_t());
      cofactor.push_back(c);
      inverse.push_back(i.get_ui());
    }
  }
  int modulus(int l) const { return modulus_at(l, is_complex); }
  const Basis& basis() const { return modular::basis(count, is_complex); }

  std::int8_t residue(const Integer& x, int l) const {
    unsigned long m = static_cast<unsigned long>(modulus(l));
    long r = static_cast<long>(mpz_fdiv_ui(x.get_mpz_t(), m) * inverse[static_cast<std::size_t>(l)] % m);
    return static_cast<std::int8_t>(2 * r >= modulus(l) ? r - modulus(l) : r);
  }
  // The integer that belongs to residues; nearest to zero.
  Integer integer(const std::vector<int>& residues) const {
    Integer sum = 0, rest;
    for (std::size_t l = 0; l < residues.size(); ++l) sum += cofactor[l] * residues[l];
    mpz_fdiv_r(rest.get_mpz_t(), sum.get_mpz_t(), product.get_mpz_t());
    if (2 * rest > product) rest -= product;
    return rest;
  }
};

// Integers that make trouble: for carries from digit to digit, and for the two roundings.
class Integers {
 public:
  Integers(const ExactBasis& basis, std::uint64_t seed) : basis_(basis), inputs_(seed) {}

  testing::Inputs& inputs() { return inputs_; }

  Integer operator()() {
    for (;;) {
      Integer x = any();
      if (below(2)) x = -x;
      if (abs(x) <= basis_.largest) return x;
    }
  }

 private:
  long top() const { return testing::bit_length(basis_.largest); }
  template <class Count>
  long below(Count n) {
    return inputs_.below(static_cast<int>(n));
  }
  Integer any() {
    switch (below(10)) {
      case 0:
        return bits(below(top() + 1));
      case 1:
        return basis_.largest - bits(below(top() + 1));
      case 2:
        return powers(1 + below(6));
      case 3:
        return tie(false);
      case 4:
        return tie(true);
      case 5:
        return almost_half();
      case 6:
        return digits({0, 1});
      case 7:
        return digits({40});
      case 8:
        return digits({0, 1, 40, 41});
      default:
        return digits({0, 13, 26, 39, 40});
    }
  }
  long sign() { return below(2) ? 1 : -1; }

  Integer bits(long count) {
    Integer x = 0;
    for (long i = 0; i < count; i += 64) x = (x << 64) + Integer(inputs_.bits());
    return testing::scaled(x, count - (count + 63) / 64 * 64);
  }
  // Runs of zeros and of ones.
  Integer powers(long count) {
    Integer x = 0;
    for (long i = 0; i < count; ++i) x += sign() * power_of_two(below(top()));
    return x;
  }
  // A mantissa of 53 bits, even or odd, sometimes at an end.
  Integer mantissa() {
    if (below(4)) return power_of_two(52) + bits(52);
    if (below(2)) return power_of_two(52) + below(2);
    return power_of_two(53) - 1 - below(2);
  }
  // Something below 2^n, of either sign; often nothing or far below.
  Integer rest(long n) {
    if (n <= 0 || below(4) == 0) return 0;
    long length = below(n);
    return sign() * (below(2) ? power_of_two(length) : bits(length));
  }
  // hi, and half its unit or, of a lo anywhere below, half of its; and what decides.
  Integer tie(bool of_lo) {
    long unit = below(std::max(top() - 53, 1L)) + 1;
    Integer x = mantissa() << static_cast<unsigned long>(unit);
    if (of_lo) {
      long lo_unit = unit - 53 - below(std::max(unit - 53, 1L)) / (1 + below(8));
      if (lo_unit <= 0) return x + rest(unit - 1);
      x += sign() * mantissa() * power_of_two(lo_unit);
      unit = lo_unit;
    }
    return x + sign() * power_of_two(unit - 1) + rest(unit - 2 - below(2) * below(unit));
  }
  // hi, and so nearly half its unit that lo is half of it.
  Integer almost_half() {
    long unit = below(std::max(top() - 53, 1L)) + 1;
    Integer x = mantissa() << static_cast<unsigned long>(unit);
    return x + sign() * (power_of_two(unit - 1) - abs(rest(unit - 50 - below(8))));
  }
  // Digits of base 2^41 that are sums of a few of the given powers of two: among them ties of carries.
  Integer digits(const std::vector<long>& exponents) {
    Integer x = 0;
    long lowest = below(9);
    for (long j = 0; digit_bits * j < top(); ++j) {
      long terms = j < lowest && below(2) ? 0 : below(3);
      for (long i = 0; i < terms; ++i) {
        x += sign() * power_of_two(digit_bits * j + exponents[static_cast<std::size_t>(below(exponents.size()))]);
      }
    }
    return x;
  }

  const ExactBasis& basis_;
  testing::Inputs inputs_;
};

std::string text(const ExactBasis& basis, const Integer& x, int64_t shift) {
  return std::to_string(basis.count) + " moduli, x = 0x" + x.get_str(16) + ", shift " + std::to_string(shift);
}

// Beyond it hi, or its sum with lo, overflows.
int64_t largest_shift(const Integer& x) {
  int64_t shift = 1024 - testing::bit_length(x);
  return x != 0 && std::isfinite(testing::nearest_pair(x, shift).hi) ? shift : shift - 1;
}

class Checker {
 public:
  explicit Checker(const ExactBasis& exact) : exact_(exact) {}

  // Common: one shift for all.
  void check(const std::vector<Integer>& xs, const std::vector<int64_t>& shifts, bool common) {
    auto count = static_cast<int64_t>(xs.size()), padded = (count + block_bytes - 1) / block_bytes * block_bytes;
    auto size = static_cast<std::size_t>(padded);
    int64_t stride = padded + 64;
    std::vector<std::int8_t> residues(static_cast<std::size_t>(stride * exact_.count), 55);
    for (int l = 0; l < exact_.count; ++l) {
      for (std::size_t i = 0; i < xs.size(); ++i) {
        residues[static_cast<std::size_t>(l * stride) + i] = exact_.residue(xs[i], l);
      }
    }
    std::vector<int64_t> base(size, 0);
    int64_t base0 = common ? shifts[0] : 17;
    for (std::size_t i = 0; i < xs.size(); ++i) base[i] = shifts[i] - base0;
    Exponents exponents{common ? nullptr : base.data(), base0};

    const Basis& basis = exact_.basis();
    constexpr double untouched = 0x1.234567p-89;
    for (bool has_lo : {true, false}) {
      std::vector<dd_real> expected;
      for (std::size_t i = 0; i < xs.size(); ++i) expected.push_back(rounded(xs[i], shifts[i], has_lo));
      for (const KernelSet* set : kernel_sets()) {
        std::vector<double> hi(size + 1, untouched), lo(size + 1, untouched);
        set->rebuild(count, basis, residues.data(), stride, exponents, hi.data(), has_lo ? lo.data() : nullptr);
        for (std::size_t i = 0; i < xs.size(); ++i) {
          dd_real got(hi[i], has_lo ? lo[i] : 0.0);
          ASSERT_TRUE(same_bits(got, expected[i]))
              << set->target << ", " << text(exact_, xs[i], shifts[i]) << difference(got, expected[i]);
        }
        EXPECT_EQ(hi[size], untouched);
        EXPECT_EQ(lo[size], untouched);
      }
      for (std::size_t i = 0; i < xs.size(); ++i) {
        dd_real got = rebuild_entry(basis, residues.data() + i, stride, shifts[i], has_lo ? 2 : 1);
        ASSERT_TRUE(same_bits(got, expected[i]))
            << "plain, " << text(exact_, xs[i], shifts[i]) << difference(got, expected[i]);
      }
    }
  }

  // Where results are subnormal or overflow: the plain definition alone.
  void check_plain(const Integer& x, int64_t shift) {
    std::vector<std::int8_t> residues;
    for (int l = 0; l < exact_.count; ++l) residues.push_back(exact_.residue(x, l));
    for (int words : {1, 2}) {
      dd_real got = rebuild_entry(exact_.basis(), residues.data(), 1, shift, words);
      dd_real expected = rounded(x, shift, words == 2);
      ASSERT_TRUE(got.hi == expected.hi && got.lo == expected.lo)
          << "plain, " << text(exact_, x, shift) << difference(got, expected);
    }
  }

 private:
  static dd_real rounded(Integer x, int64_t shift, bool has_lo) {
    return has_lo ? testing::nearest_pair(x, shift) : dd_real(testing::take_double(x, shift));
  }
  static std::string difference(dd_real got, dd_real expected) {
    char buffer[200];
    std::snprintf(buffer, sizeof buffer, "\n     got %a %+a\nexpected %a %+a", got.hi, got.lo, expected.hi,
                  expected.lo);
    return buffer;
  }

  const ExactBasis& exact_;
};

// Shifts at both ends, around zero, and anywhere.
int64_t some_shift(testing::Inputs& inputs, int64_t largest) {
  switch (inputs.below(5)) {
    case 0:
      return -1074;
    case 1:
      return largest;
    case 2:
      return inputs.below(5) - 2 < largest ? inputs.below(5) - 2 : largest;
    default:
      return inputs.below(static_cast<int>(largest) + 1075) - 1074;
  }
}

TEST(ModularRebuildTest, EveryTargetRoundsOnce) {
  int count = testing::input_count(100'000) / (2 * max_moduli);
  for (int basis = 0; basis < 2 * max_moduli; ++basis) {
    const int n = 1 + basis / 2;
    const ExactBasis exact(n, basis % 2);
    Integers integers(exact, static_cast<std::uint64_t>(n));
    testing::Inputs& inputs = integers.inputs();
    Checker checker(exact);
    for (int done = 0; done < count;) {
      std::vector<Integer> xs;
      std::vector<int64_t> shifts;
      int64_t least = 5000;
      for (int size = 1 + inputs.below(150); size > 0; --size) {
        xs.push_back(integers());
        int64_t largest = largest_shift(xs.back());
        least = std::min(least, largest);
        shifts.push_back(some_shift(inputs, largest));
      }
      bool common = inputs.below(2);
      if (common) std::fill(shifts.begin(), shifts.end(), some_shift(inputs, least));
      ASSERT_NO_FATAL_FAILURE(checker.check(xs, shifts, common));
      done += static_cast<int>(xs.size());
    }
  }
}

TEST(ModularRebuildTest, TheLastBitOfTheProductIsFilled) {
  for (int basis = 0; basis < 2 * max_moduli; ++basis) {
    const int n = 1 + basis / 2;
    const ExactBasis exact(n, basis % 2);
    std::vector<Integer> xs;
    for (int sign : {1, -1}) {
      for (int i = 0; i <= 70; ++i) {
        if (i <= exact.largest) xs.push_back(sign * i);
        if (i <= exact.largest) xs.push_back(sign * (exact.largest - i));
      }
      for (long bit = 0; power_of_two(bit) <= exact.largest; ++bit) {
        // Around a unit of hi and of lo, and where digits meet.
        for (long distance : {0, 1, 41, 52, 53, 54, 55, 82, 106, 107, 108, 200}) {
          if (distance > bit) continue;
          Integer one = power_of_two(bit), two = power_of_two(bit - distance);
          for (const Integer& x : {Integer(one - two), Integer(one + two), Integer(exact.largest - two)}) {
            if (abs(x) <= exact.largest) xs.push_back(sign * x);
          }
        }
      }
    }
    ASSERT_NO_FATAL_FAILURE(Checker(exact).check(xs, std::vector<int64_t>(xs.size(), 0), true));
  }
}

TEST(ModularRebuildTest, ResiduesThatMakeTheLargestSums) {
  for (int basis = 0; basis < 2 * max_moduli; ++basis) {
    const int n = 1 + basis / 2;
    const ExactBasis exact(n, basis % 2);
    const Basis& b = exact.basis();
    testing::Inputs inputs(static_cast<std::uint64_t>(n));
    std::vector<Integer> xs;
    for (int j = 0; j < b.digits; ++j) {
      for (int sign : {1, -1}) {
        for (int tries = 0; tries < 20; ++tries) {
          std::vector<int> residues;
          for (int l = 0; l < n; ++l) {
            int m = exact.modulus(l), most = (m - 1) / 2, least = -(m / 2);
            bool is_positive = sign * b.cofactor[l][j] > 0;
            residues.push_back(is_positive ? most : least);
            if (tries > 0 && inputs.below(n) < 3) residues.back() = least + inputs.below(m);
          }
          Integer x = exact.integer(residues);
          if (abs(x) <= exact.largest) xs.push_back(x);
        }
      }
    }
    if (!xs.empty()) Checker(exact).check(xs, std::vector<int64_t>(xs.size(), -3), true);
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST(ModularRebuildTest, SubnormalAndOverflowingEntriesRoundOnceByThePlainDefinition) {
  int count = testing::input_count(50'000) / (2 * max_moduli);
  for (int basis = 0; basis < 2 * max_moduli; ++basis) {
    const int n = 1 + basis / 2;
    const ExactBasis exact(n, basis % 2);
    Integers integers(exact, static_cast<std::uint64_t>(1000 + n));
    testing::Inputs& inputs = integers.inputs();
    Checker checker(exact);
    for (int i = 0; i < count; ++i) {
      Integer x = integers();
      int length = static_cast<int>(testing::bit_length(x));
      int around[] = {-1074 - length - 2 + inputs.below(length + 130), 1024 - length - 2 + inputs.below(4),
                      -5000 + inputs.below(10000)};
      ASSERT_NO_FATAL_FAILURE(checker.check_plain(x, around[inputs.below(3)]));
    }
  }
}

}  // namespace
}  // namespace hilo::modular
