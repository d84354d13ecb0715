// Accuracy `exact`: every entry is the exact product rounded once, by MPFR; the moduli are as few as can hold it; and
// what cannot be had is refused with the bits that it would take.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "error_message.hpp"
#include "exact_entry.hpp"
#include "modular_problems.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

constexpr GemmOptions exact = {.engine = Engine::modular, .accuracy = Accuracy::exact, .threads = 1};

// Entry by entry; the report of the product.
template <class T>
GemmReport expect_exact(Problem<T> p, bool negative = false, int power = 0) {
  p.alpha = number<T>(negative ? -1.0 : 1.0);
  p.alpha = scaled(p.alpha, power);
  GemmReport report;
  auto c = p.multiply(exact, &report);
  auto expected = exact_product(p, negative, power);
  EXPECT_EQ(first_difference_in_value(c, expected), -1) << p.text() << ", alpha 2^" << power;
  EXPECT_EQ(accuracy::gemm_exact_mismatches(Layout::column, Op::none, Op::none, p.m, p.n, p.k, p.alpha, p.a.data(), p.m,
                                            p.b.data(), p.k, c.data(), p.m, accuracy::Sample::full),
            0);
  EXPECT_EQ(report.plan.path, Path::modular);
  EXPECT_EQ(report.entries_direct, 0);
  return report;
}

// An odd integer of exactly `bits` bits, at most 106.
template <class T>
T odd_integer(int bits, Random& random) {
  auto part = [&] {
    int low = std::min(bits, 53), high = bits - low;
    auto word = [&](int count) {
      std::uint64_t top = count ? std::uint64_t{1} << (count - 1) : 0;
      return static_cast<double>((random.bits() & (top - (top != 0))) | top);
    };
    double upper = std::ldexp(word(high), low);
    std::uint64_t below = high ? random.bits() >> 11 : static_cast<std::uint64_t>(word(low));
    double lower = static_cast<double>((below & ((std::uint64_t{1} << low) - 1)) | 1);
    dd_real x = dd_real::sum(upper, lower);
    return random.below(2) ? x : -x;
  };
  dd_real re = part();
  return number<T>(re, part());
}

template <class T>
Problem<T> integers(int64_t m, int64_t n, int64_t k, int bits_a, int bits_b, std::uint64_t seed) {
  Problem<T> p(m, n, k);
  Random random(seed);
  for (T& x : p.a) x = odd_integer<T>(bits_a, random);
  for (T& x : p.b) x = odd_integer<T>(bits_b, random);
  return p;
}

// The most bits of an entry of A or B that `odd_integer` fills.
template <class T>
constexpr int full = double_double<T> ? 106 : 53;

template <class T>
class ModularExact : public testing::Test {};
TYPED_TEST_SUITE(ModularExact, Precisions, PrecisionName);

TYPED_TEST(ModularExact, Integers) {
  using T = TypeParam;
  for (int64_t k : {1, 2, 3, 63, 64, 1000}) {
    expect_exact(integers<T>(7, 5, k, std::min(70, full<T>), 20, 1));
    expect_exact(integers<T>(5, 7, k, 1, 1, 2));
    expect_exact(integers<T>(4, 6, k, full<T>, full<T>, 3));
  }
}

TYPED_TEST(ModularExact, MoreTermsThanAPanel) {
  expect_exact(integers<TypeParam>(3, 2, 70'000, 40, std::min(61, full<TypeParam>), 4));
}

TYPED_TEST(ModularExact, AllBitsOfGeneratedNumbers) {
  using T = TypeParam;
  for (const char* what : {"phi 0", "phi 1", "uniform", "positive", "dominant"}) {
    const Kind& kind = *std::find_if(std::begin(kinds), std::end(kinds),
                                     [&](const Kind& x) { return std::string_view(x.name) == what; });
    for (int64_t k : {1, 3, 17, 40}) expect_exact(generated<T>(kind, 6, 7, k, 5));
  }
  expect_exact(generated<T>(uniform_kind, 20, 19, 100, 6));
}

TYPED_TEST(ModularExact, SumsThatCancelToTheirLastBits) {
  using T = TypeParam;
  // The second half takes back the first, and one more term puts something small there.
  auto p = generated<T>(uniform_kind, 6, 5, 41, 7);
  for (int64_t h = 0; h < 20; ++h) {
    for (int64_t i = 0; i < p.m; ++i) p.left(i, 20 + h) = p.left(i, h);
    for (int64_t j = 0; j < p.n; ++j) p.right(20 + h, j) = -p.right(h, j);
  }
  Random random(16);
  for (int power : {-20, -40, -53, -60}) {
    for (int64_t i = 0; i < p.m; ++i) p.left(i, 40) = scaled(odd_integer<T>(40, random), power - 40);
    expect_exact(p);
  }
  for (int64_t i = 0; i < p.m; ++i) p.left(i, 40) = T(0);
  for (const T& x : p.multiply(exact)) EXPECT_TRUE(same_bits(x, T(0)));
}

TYPED_TEST(ModularExact, SparseMatrices) {
  using T = TypeParam;
  auto p = generated<T>(uniform_kind, 15, 14, 60, 8);
  Random random(9);
  for (std::vector<T>* x : {&p.a, &p.b}) {
    for (T& e : *x) e = random.below(5) ? T(0) : e;
  }
  expect_exact(p);
  std::fill(p.b.begin(), p.b.end(), T(0));
  expect_exact(p);
}

TYPED_TEST(ModularExact, WordsFarApart) {
  using T = TypeParam;
  if constexpr (double_double<T>) {
    // lo far below hi, of either sign, and none.
    for (int gap : {54, 70, 110}) {
      Problem<T> p(5, 6, 12);
      Random random(10);
      for (std::vector<T>* x : {&p.a, &p.b}) {
        for (T& e : *x) {
          e = odd_integer<T>(20, random);
          for (std::size_t w = 0; w < words(e).size(); w += 2) {
            words(e)[w + 1] = static_cast<double>(random.between(-1, 1)) * std::ldexp(1.0, -gap + 20);
          }
        }
      }
      expect_exact(p);
    }
  }
}

TYPED_TEST(ModularExact, TiesGoToEven) {
  using T = TypeParam;
  // Sums of 1, half a unit of its last bit, and a little or nothing more; then the same beside 2^54, so that lo has it.
  Problem<T> p(8, 8, 4);
  const double half_units[] = {0x1p-53, 0x1.8p-52, 0x1p-106, 0x1.8p-105, -0x1p-54, -0x1p-107, 0x1p-52, 0};
  const double more[] = {0, 0x1p-150, -0x1p-150, 0x1p-108, -0x1p-108, 0x1p-60, -0x1p-60, 0};
  for (int64_t i = 0; i < 8; ++i) {
    p.left(i, 0) = p.left(i, 2) = number<T>(1, i % 2);
    p.left(i, 1) = number<T>(half_units[i], half_units[i]);
    p.left(i, 3) = number<T>(0x1p54, -0x1p54);
    p.right(0, i) = p.right(1, i) = number<T>(i % 2 ? -1 : 1);
    p.right(2, i) = number<T>(more[i], -more[i]);
  }
  for (double beside : {0, 1}) {
    for (int64_t i = 0; i < 8; ++i) p.right(3, i) = number<T>(beside);
    expect_exact(p);
    expect_exact(p, true, 1);
  }
}

TYPED_TEST(ModularExact, AlphaIsAPowerOfTwo) {
  using T = TypeParam;
  auto p = integers<T>(6, 5, 30, 50, 45, 11);
  // Some 2^100 in all: past the largest number, and down to below half of the least.
  for (int power : {1, 3, -7, 100, 900, 919, 920, 921, 922, 923, 924, 930, 1000, 1023, -900, -1000, -1022}) {
    expect_exact(p, false, power);
    expect_exact(p, true, power);
  }
  for (T& x : p.a) x = scaled(x, -150);
  for (int power : {-900, -950, -970, -990, -1000, -1010, -1018, -1020, -1022}) {
    expect_exact(p, false, power);
    expect_exact(p, true, power);
  }
}

TYPED_TEST(ModularExact, SubnormalAndHugeOperands) {
  using T = TypeParam;
  auto p = integers<T>(6, 5, 30, 50, 45, 12);
  for (int a : {-1074, -1050, -500, 0, 500, 970}) {
    for (int b : {-1074, -1020, -400, 0, 400, 970}) {
      Problem<T> q = p;
      for (T& x : q.a) x = scaled(x, a);
      for (T& x : q.b) x = scaled(x, b);
      expect_exact(q);
      // Exponents of the product that no double has, brought back by alpha.
      expect_exact(q, true, std::clamp(-(a + b) - 100, -1022, 1023));
    }
  }
}

TYPED_TEST(ModularExact, HalfAUnitBelowTheLargestNumber) {
  using T = TypeParam;
  // The largest double, and up to half a unit of it more: hi and lo as far as they go, then Inf.
  for (double more : {0.0, 0x1p968, 0x1.fffffffffffffp969, 0x1p970, 0x1p971, -0x1p970}) {
    for (double still_more : {0.0, 0x1p865, -0x1p865}) {
      Problem<T> p(1, 1, 3);
      p.a = {number<T>(std::numeric_limits<double>::max()), number<T>(more), number<T>(still_more)};
      p.b = {number<T>(1), number<T>(1), number<T>(1)};
      expect_exact(p);
    }
  }
}

// How many moduli hold sums of k products of factors of at most 2^bits_a and 2^bits_b, each modulus as large as it can
// be beside those before it; of complex products first the 16 largest of odd numbers whose prime factors are all 1 more
// than a multiple of 4.
int moduli_for(int bits_a, int bits_b, int64_t k, bool complex_parts) {
  double needed = bits_a + bits_b + std::log2(static_cast<double>(complex_parts ? 4 * k : 2 * k));
  std::vector<int> moduli;
  double held = std::log1p(-0x1p-28) / std::log(2.0);
  const auto splits = [](int m) {
    for (int divisor = 2; divisor <= m; ++divisor) {
      if (m % divisor == 0 && divisor % 4 != 1) return false;
    }
    return true;
  };
  for (const bool is_split : {true, false}) {
    for (int candidate = 256; candidate > 1; --candidate) {
      if (is_split ? !complex_parts || moduli.size() == 16 || !splits(candidate)
                   : candidate == 255 || candidate == 245) {
        continue;
      }
      bool coprime = std::all_of(moduli.begin(), moduli.end(), [&](int m) { return std::gcd(m, candidate) == 1; });
      if (!coprime) continue;
      if (needed <= held) return static_cast<int>(moduli.size());
      moduli.push_back(candidate);
      held += std::log2(static_cast<double>(candidate));
    }
  }
  return -1;
}

TYPED_TEST(ModularExact, TakesTheFewestModuliThatHoldTheProduct) {
  using T = TypeParam;
  // All entries alike and with all bits 1, so that sums come as near to the limit as they can.
  for (int bits_a = 1; bits_a <= full<T>; bits_a += bits_a < 4 || bits_a > full<T> - 4 ? 1 : 7) {
    for (int bits_b : {bits_a, full<T>}) {
      for (int64_t k : {1, 255, 256}) {
        Problem<T> p(2, 3, k);
        auto ones = [](int bits) {
          // hi is all ones; so is lo, which starts below half a unit of hi's last bit.
          double hi = std::ldexp(1.0, bits) - std::ldexp(1.0, std::max(bits - 53, 0));
          dd_real x(hi, bits > 54 ? std::ldexp(1.0, bits - 54) - 1.0 : 0.0);
          return number<T>(x, x);
        };
        std::fill(p.a.begin(), p.a.end(), ones(bits_a));
        std::fill(p.b.begin(), p.b.end(), ones(bits_b));
        GemmReport report = expect_exact(p);
        EXPECT_EQ(report.plan.moduli, moduli_for(bits_a, bits_b, k, is_complex<T>))
            << bits_a << " and " << bits_b << " bits, " << k << " terms";
        EXPECT_EQ(report.plan.bits, std::max(bits_a, bits_b));
      }
    }
  }
}

// A of bits_a bits and B of bits_b in each row and column, by a large and a small entry.
template <class T>
Problem<T> spread(int64_t k, int bits_a, int bits_b) {
  Problem<T> p(3, 4, k);
  std::fill(p.a.begin(), p.a.end(), number<T>(1));
  std::fill(p.b.begin(), p.b.end(), number<T>(1));
  for (int64_t i = 0; i < p.m; ++i) p.left(i, 2) = number<T>(std::ldexp(1.0, bits_a - 1));
  for (int64_t j = 0; j < p.n; ++j) p.right(5, j) = number<T>(std::ldexp(-1.0, bits_b - 1));
  return p;
}

template <class T>
void expect_refused(const Problem<T>& p, std::initializer_list<std::string> parts) {
  std::vector<T> c(p.c0.size(), number<T>(7)), before = c;
  std::string message = message_of(errc::unsupported, [&] {
    gemm(Layout::column, Op::none, Op::none, p.m, p.n, p.k, p.alpha, p.a.data(), p.m, p.b.data(), p.k, p.beta, c.data(),
         p.m, exact);
  });
  expect_contains(message, parts);
  EXPECT_EQ(first_difference(c, before), -1);
}

TYPED_TEST(ModularExact, RefusesWhatNoModuliHold) {
  using T = TypeParam;
  // 341 bits in all, of which 4 are for 8 terms and the sign; 5 for 8 complex terms, of two products each.
  int of_sums = is_complex<T> ? 5 : 4, most = 341 - of_sums;
  for (int bits_a : {3, 60, 168, most - 3}) {
    expect_exact(spread<T>(8, bits_a, most - bits_a));
    int bits_b = most + 1 - bits_a;
    expect_refused(spread<T>(8, bits_a, bits_b), {std::to_string(bits_a), std::to_string(bits_b), "342"});
  }
  expect_refused(spread<T>(8, 500, 600), {"500", "600", std::to_string(1100 + of_sums)});
}

TYPED_TEST(ModularExact, RowsOfEveryWidth) {
  using T = TypeParam;
  // Full numbers at random places of a row that spans `width` bits; as wide a B as there is room for beside it.
  for (int width : {107, 125, 126, 127, 128, 150, 167, 168, 169, 192, 210, 211, 252, 253, 294, 295, 330}) {
    Random random(static_cast<std::uint64_t>(width));
    int bits_b = std::min(full<T>, 341 - 5 - width);
    auto p = integers<T>(4, 5, 8, full<T>, bits_b, 17);
    for (T& x : p.a) x = scaled(x, static_cast<int>(random.between(0, width - full<T>)));
    for (int64_t i = 0; i < p.m; ++i) {
      p.left(i, i) = odd_integer<T>(3, random);
      p.left(i, 5) = scaled(odd_integer<T>(full<T> - 1, random), width - full<T>);
    }
    expect_exact(p);
    // And as columns.
    Problem<T> q(p.n, p.m, p.k);
    for (int64_t h = 0; h < p.k; ++h) {
      for (int64_t i = 0; i < p.m; ++i) q.right(h, i) = p.left(i, h);
      for (int64_t j = 0; j < p.n; ++j) q.left(j, h) = p.right(h, j);
    }
    expect_exact(q);
  }
}

TYPED_TEST(ModularExact, RefusesOtherScalars) {
  using T = TypeParam;
  auto p = integers<T>(3, 4, 5, 20, 20, 13);
  std::vector<T> scalars = {number<T>(3), number<T>(1 + 0x1p-52)};
  if (double_double<T>) scalars.push_back(number<T>(dd_real(1, 0x1p-60)));
  if (is_complex<T>) scalars.push_back(number<T>(1, 1));
  for (T alpha : scalars) {
    p.alpha = alpha;
    expect_refused(p, {"alpha"});
  }
  p.alpha = T(1);
  p.beta = T(1);
  expect_refused(p, {"beta"});
}

TYPED_TEST(ModularExact, EveryStorage) {
  using T = TypeParam;
  auto p = generated<T>(uniform_kind, 6, 7, 20, 14);
  auto expected = exact_product(p);
  for (Layout layout : {Layout::column, Layout::row}) {
    for (Op opa : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      for (Op opb : {Op::none, Op::transpose, Op::conjugate_transpose}) {
        Storage storage{layout, opa, opb, 3};
        EXPECT_EQ(first_difference_in_value(p.multiply(exact, nullptr, storage), expected), -1) << storage.text();
      }
    }
  }
}

}  // namespace
}  // namespace hilo::test
