// dd_pack<N>: the bits of dd_real, element by element, for every N.
#include <gtest/gtest.h>

#include <algorithm>
#include <hilo/pack.hpp>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "dd_against_mpfr.hpp"
#include "same_bits.hpp"

namespace {

using hilo::dd_pack;
using hilo::dd_real;
using hilo::test::same_bits;
using hilo::testing::Inputs;

constexpr double infinity = std::numeric_limits<double>::infinity();

dd_real any_number(Inputs& inputs) {
  static const double special[] = {0.0,      -0.0,    infinity, -infinity, std::nan(""), 0x1.fffffffffffffp1023,
                                   0x1p-300, 0x1p300, 0x1p-301, -0x1p301,  0x1p-1074,    -0x1p-1022,
                                   1.0,      -1.0,    0x1p995,  0x1p-969,  709.5,        -745.0,
                                   0x1p52,   -0x1p30, 3.0,      0.5,       0x1p1000,     -0x1.fffffffffffffp1023};
  switch (inputs.below(8)) {
    case 0:
      return special[inputs.below(static_cast<int>(std::size(special)))];
    case 1:
    case 2:
      return inputs.number(true);
    case 3:
      return inputs.with_low(std::ldexp(inputs.mantissa(), inputs.below(12)) * (inputs.below(2) == 0 ? 1.0 : -1.0));
    default:
      return inputs.number(false);
  }
}

template <class Pack>
class Packs : public ::testing::Test {
 protected:
  static constexpr std::size_t N = Pack::size();

  // The second operand is often what makes a sum cancel.
  void draw() {
    for (std::size_t i = 0; i < N; ++i) {
      left[i] = any_number(inputs);
      bool has_opposite = isfinite(left[i]) && left[i].hi != 0.0 && inputs.below(4) == 0;
      right[i] = has_opposite ? inputs.opposite(left[i]) : inputs.below(16) == 0 ? left[i] : any_number(inputs);
      third[i] = any_number(inputs);
    }
    left_pack = Pack::load(left);
    right_pack = Pack::load(right);
    third_pack = Pack::load(third);
  }

  template <class Scalar>
  void expect(const char* operation, Pack got, Scalar scalar) {
    for (std::size_t i = 0; i < N; ++i) {
      dd_real expected = scalar(left[i], right[i]);
      EXPECT_TRUE(same_bits(got[i], expected))
          << operation << std::hexfloat << " of (" << left[i].hi << ", " << left[i].lo << ") and (" << right[i].hi
          << ", " << right[i].lo << "): (" << got[i].hi << ", " << got[i].lo << "), not (" << expected.hi << ", "
          << expected.lo << ")";
    }
  }

  template <class Scalar>
  void expect(const char* operation, typename Pack::mask got, Scalar scalar) {
    bool is_any = false, is_all = true;
    for (std::size_t i = 0; i < N; ++i) {
      bool expected = scalar(left[i], right[i]);
      EXPECT_EQ(got[i], expected) << operation << " " << left[i].hi << " " << right[i].hi;
      is_any = is_any || expected;
      is_all = is_all && expected;
    }
    EXPECT_EQ(any(got), is_any) << operation;
    EXPECT_EQ(all(got), is_all) << operation;
    EXPECT_EQ(none(got), !is_any) << operation;
  }

  Inputs inputs{N};
  dd_real left[N], right[N], third[N];
  Pack left_pack, right_pack, third_pack;
  int rounds = hilo::testing::input_count(40000) / static_cast<int>(N);
};

using Sizes = ::testing::Types<dd_pack<1>, dd_pack<2>, dd_pack<4>, dd_pack<8>, dd_pack<16>>;
TYPED_TEST_SUITE(Packs, Sizes);

TYPED_TEST(Packs, OperatorsHaveTheBitsOfScalars) {
  for (int round = 0; round < this->rounds; ++round) {
    this->draw();
    auto a = this->left_pack, b = this->right_pack;
    const dd_real number = this->third[0];
    const double word = number.hi;
    this->expect("-x", -a, [](dd_real x, dd_real) { return -x; });
    this->expect("+", a + b, [](dd_real x, dd_real y) { return x + y; });
    this->expect("-", a - b, [](dd_real x, dd_real y) { return x - y; });
    this->expect("*", a * b, [](dd_real x, dd_real y) { return x * y; });
    this->expect("/", a / b, [](dd_real x, dd_real y) { return x / y; });
    this->expect("+ number", a + number, [&](dd_real x, dd_real) { return x + number; });
    this->expect("number -", number - a, [&](dd_real x, dd_real) { return number - x; });
    this->expect("* number", a * number, [&](dd_real x, dd_real) { return x * number; });
    this->expect("number /", number / a, [&](dd_real x, dd_real) { return number / x; });
    this->expect("+ word", a + word, [&](dd_real x, dd_real) { return x + word; });
    this->expect("word +", word + a, [&](dd_real x, dd_real) { return word + x; });
    this->expect("- word", a - word, [&](dd_real x, dd_real) { return x - word; });
    this->expect("word -", word - a, [&](dd_real x, dd_real) { return word - x; });
    this->expect("* word", a * word, [&](dd_real x, dd_real) { return x * word; });
    this->expect("word *", word * a, [&](dd_real x, dd_real) { return word * x; });
    this->expect("/ word", a / word, [&](dd_real x, dd_real) { return x / word; });
    this->expect("/ int", a / 3, [&](dd_real x, dd_real) { return x / 3; });
    this->expect("* int64", a * (std::int64_t{1} << 60),
                 [](dd_real x, dd_real) { return x * (std::int64_t{1} << 60); });
    auto r = a;
    r += b, r *= 3, r -= number, r /= b;
    this->expect("assignments", r, [&](dd_real x, dd_real y) { return ((x + y) * 3 - number) / y; });
    // A product of words followed by a sum: what a compiler might contract.
    this->expect("x*x + y*y", a * a + b * b, [](dd_real x, dd_real y) { return x * x + y * y; });
    double factor = this->right[0].hi;
    this->expect("x + a product", a + word * factor, [&](dd_real x, dd_real) { return x + dd_real(word * factor); });
  }
}

TYPED_TEST(Packs, FunctionsHaveTheBitsOfScalars) {
  for (int round = 0; round < this->rounds; ++round) {
    this->draw();
    auto a = this->left_pack, b = this->right_pack, c = this->third_pack;
    this->expect("sqrt", sqrt(a), [](dd_real x, dd_real) { return sqrt(x); });
    this->expect("abs", abs(a), [](dd_real x, dd_real) { return abs(x); });
    this->expect("fmin", fmin(a, b), [](dd_real x, dd_real y) { return fmin(x, y); });
    this->expect("fmax", fmax(a, b), [](dd_real x, dd_real y) { return fmax(x, y); });
    this->expect("exp", exp(a), [](dd_real x, dd_real) { return exp(x); });
    this->expect("log", log(a), [](dd_real x, dd_real) { return log(x); });
    this->expect("sin", sin(a), [](dd_real x, dd_real) { return sin(x); });
    this->expect("cos", cos(a), [](dd_real x, dd_real) { return cos(x); });
    TypeParam sine, cosine;
    sincos(b, &sine, &cosine);
    this->expect("sin of sincos", sine, [](dd_real, dd_real y) { return sin(y); });
    this->expect("cos of sincos", cosine, [](dd_real, dd_real y) { return cos(y); });
    auto r = fma(a, b, c);
    for (std::size_t i = 0; i < TypeParam::size(); ++i) {
      EXPECT_TRUE(same_bits(r[i], fma(this->left[i], this->right[i], this->third[i])));
    }
  }
}

TYPED_TEST(Packs, ComparisonsAndSelect) {
  for (int round = 0; round < this->rounds; ++round) {
    this->draw();
    auto a = this->left_pack, b = this->right_pack;
    this->expect("==", a == b, [](dd_real x, dd_real y) { return x == y; });
    this->expect("!=", a != b, [](dd_real x, dd_real y) { return x != y; });
    this->expect("<", a < b, [](dd_real x, dd_real y) { return x < y; });
    this->expect("<=", a <= b, [](dd_real x, dd_real y) { return x <= y; });
    this->expect(">", a > b, [](dd_real x, dd_real y) { return x > y; });
    this->expect(">=", a >= b, [](dd_real x, dd_real y) { return x >= y; });
    this->expect("< 1", a < 1, [](dd_real x, dd_real) { return x < 1; });
    this->expect("isnan", isnan(a), [](dd_real x, dd_real) { return isnan(x); });
    this->expect("isinf", isinf(a), [](dd_real x, dd_real) { return isinf(x); });
    this->expect("isfinite", isfinite(a), [](dd_real x, dd_real) { return isfinite(x); });
    this->expect("&", (a < b) & (a > 0), [](dd_real x, dd_real y) { return x < y && x > 0; });
    this->expect("|", (a < b) | (a > 0), [](dd_real x, dd_real y) { return x < y || x > 0; });
    this->expect("!", !(a < b), [](dd_real x, dd_real y) { return !(x < y); });
    this->expect("select", select(a < b, a, b), [](dd_real x, dd_real y) { return x < y ? x : y; });
  }
}

TYPED_TEST(Packs, LoadStoreAndElements) {
  static_assert(!std::is_assignable_v<decltype(std::declval<TypeParam&>()[0]), dd_real>, "p[i] is a copy");
  constexpr std::size_t n = TypeParam::size();
  this->draw();
  dd_real out[n + 1];
  const dd_real guard(12345);
  for (std::size_t count = 0; count <= n; ++count) {
    std::fill(out, out + n + 1, guard);
    auto some = TypeParam::load(this->left, count);
    some.store(out, count);
    for (std::size_t i = 0; i <= n; ++i) EXPECT_TRUE(same_bits(out[i], i < count ? this->left[i] : guard));
    for (std::size_t i = count; i < n; ++i) EXPECT_TRUE(same_bits(some[i], dd_real(0)));
  }
  this->left_pack.store(out);
  for (std::size_t i = 0; i < n; ++i) EXPECT_TRUE(same_bits(out[i], this->left[i]));
  TypeParam p = 7;
  p.set(n - 1, this->right[0]);
  for (std::size_t i = 0; i + 1 < n; ++i) EXPECT_EQ(p[i], dd_real(7));
  EXPECT_TRUE(same_bits(p[n - 1], this->right[0]));
  EXPECT_EQ(TypeParam()[n - 1], dd_real(0));
}

}  // namespace
