// Operations on arrays: the bits of the scalar ones on every instruction set, sums against their definition and MPFR.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <hilo/array.hpp>
#include <hilo/math.hpp>
#include <iterator>
#include <vector>

#include "adversary.hpp"
#include "dd/kernels.hpp"
#include "dd/reduction.hpp"
#include "dd_against_mpfr.hpp"
#include "error_message.hpp"
#include "same_bits.hpp"

namespace hilo {
namespace {

using array::KernelSet;
using std::int64_t;
using test::same_bits;
using testing::Exact;
using testing::Inputs;
using Numbers = std::vector<dd_real>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();

// Numbers of all kinds; among them the ends of the range and of the ranges in which division does not scale.
dd_real any_number(Inputs& inputs) {
  static const double special[] = {0.0,      -0.0,      infinity,  -infinity, std::nan(""), largest,
                                   -largest, 0x1p-1074, 0x1p-1022, 0x1p-300,  0x1p300,      -0x1p301,
                                   0x1p-301, 1.0,       -1.0,      746.0,     -745.5,       0x1p-1000,
                                   0x1p-969, 0x1p995,   0x1p1000,  0x1p52,    0.5,          2.0};
  switch (inputs.below(9)) {
    case 8:  // arguments of functions
      return inputs.with_low(std::ldexp(inputs.mantissa(), inputs.below(12)) * (inputs.below(2) == 0 ? 1.0 : -1.0));
    case 0:
      return special[inputs.below(static_cast<int>(std::size(special)))];
    case 1: {
      double hi = special[inputs.below(static_cast<int>(std::size(special)))];
      return hi - hi == 0.0 && hi != 0.0 ? inputs.with_low(hi) : dd_real(hi);
    }
    case 2:
    case 3:
      return inputs.number(true);
    default:
      return inputs.number(false);
  }
}

// y is often what makes x + y cancel.
struct Operands {
  Numbers x, y;

  Operands(int64_t n, std::uint64_t seed) {
    Inputs inputs(seed);
    for (int64_t i = 0; i < n; ++i) {
      x.push_back(any_number(inputs));
      bool has_opposite = isfinite(x.back()) && x.back().hi != 0.0 && inputs.below(4) == 0;
      y.push_back(has_opposite ? inputs.opposite(x.back()) : any_number(inputs));
    }
  }
};

template <class Scalar>
void expect_bits(const KernelSet& set, const char* operation, const Numbers& got, Scalar scalar) {
  int failures = 0;
  for (std::size_t i = 0; i < got.size() && failures < 3; ++i) {
    dd_real expected = scalar(i);
    if (same_bits(got[i], expected)) continue;
    ++failures;
    ADD_FAILURE() << set.target << " " << operation << " at " << i << std::hexfloat << ": (" << got[i].hi << ", "
                  << got[i].lo << "), not (" << expected.hi << ", " << expected.lo << ")";
  }
}

TEST(Array, EveryTargetGivesTheBitsOfScalars) {
  const int64_t n = testing::input_count(20000);
  Operands in(n, 1);
  const Numbers &x = in.x, &y = in.y;
  Numbers out(x.size());
  for (const KernelSet* set : array::kernel_sets()) {
    auto binary = [&](const char* name, array::Binary kernel, auto scalar) {
      kernel(n, x.data(), y.data(), out.data());
      expect_bits(*set, name, out, [&](std::size_t i) { return scalar(x[i], y[i]); });
    };
    binary("+", set->add, [](dd_real a, dd_real b) { return a + b; });
    binary("-", set->subtract, [](dd_real a, dd_real b) { return a - b; });
    binary("*", set->multiply, [](dd_real a, dd_real b) { return a * b; });
    binary("/", set->divide, [](dd_real a, dd_real b) { return a / b; });
    auto unary = [&](const char* name, array::Unary kernel, auto scalar) {
      kernel(n, x.data(), out.data());
      expect_bits(*set, name, out, [&](std::size_t i) { return scalar(x[i]); });
    };
    unary("sqrt", set->square_root, [](dd_real a) { return sqrt(a); });
    unary("exp", set->exponential, [](dd_real a) { return exp(a); });
    unary("log", set->logarithm, [](dd_real a) { return log(a); });
    unary("sin", set->sine, [](dd_real a) { return sin(a); });
    unary("cos", set->cosine, [](dd_real a) { return cos(a); });
    Numbers cosine(x.size());
    set->sine_cosine(n, x.data(), out.data(), cosine.data());
    expect_bits(*set, "sin of sincos", out, [&](std::size_t i) { return sin(x[i]); });
    expect_bits(*set, "cos of sincos", cosine, [&](std::size_t i) { return cos(x[i]); });
  }
}

TEST(Array, EveryTargetGivesTheBitsOfScalarsWithOneNumber) {
  const int64_t n = 500, numbers = testing::input_count(20000) / 200;
  Inputs inputs(2);
  for (int64_t k = 0; k < numbers; ++k) {
    dd_real a = any_number(inputs);
    Operands in(n, inputs.bits());
    const Numbers& x = in.x;
    Numbers out(x.size());
    for (const KernelSet* set : array::kernel_sets()) {
      auto number = [&](const char* name, array::WithNumber kernel, auto scalar) {
        kernel(n, x.data(), a, out.data());
        expect_bits(*set, name, out, [&](std::size_t i) { return scalar(x[i]); });
      };
      number("x + a", set->add_number, [&](dd_real e) { return e + a; });
      number("a - x", set->number_minus, [&](dd_real e) { return a - e; });
      number("x * a", set->multiply_number, [&](dd_real e) { return e * a; });
      number("x / a", set->divide_number, [&](dd_real e) { return e / a; });
      number("a / x", set->number_over, [&](dd_real e) { return a / e; });
      auto word = [&](const char* name, array::WithWord kernel, auto scalar) {
        kernel(n, x.data(), a.hi, out.data());
        expect_bits(*set, name, out, [&](std::size_t i) { return scalar(x[i]); });
      };
      word("x + word", set->add_word, [&](dd_real e) { return e + a.hi; });
      word("word - x", set->word_minus, [&](dd_real e) { return a.hi - e; });
      word("x * word", set->multiply_word, [&](dd_real e) { return e * a.hi; });
      word("x / word", set->divide_word, [&](dd_real e) { return e / a.hi; });
      Numbers y = in.y;
      set->axpy(n, a, x.data(), y.data(), host::Ahead::nothing);
      expect_bits(*set, "axpy", y, [&](std::size_t i) { return a * x[i] + in.y[i]; });
    }
  }
}

// Sizes around whole vectors at every alignment, onto an operand or beside it, with nothing else written.
TEST(Array, EverySizeAndAlignment) {
  const dd_real guard(12345);
  Operands in(300, 3);
  for (const KernelSet* set : array::kernel_sets()) {
    for (int64_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 15, 16, 17, 23, 24, 25, 31, 32, 33, 63, 64, 65, 130}) {
      for (int64_t offset = 0; offset < 8; ++offset) {
        Numbers x(in.x.begin() + offset, in.x.begin() + offset + n), y(in.y.begin(), in.y.begin() + n);
        auto check = [&](bool is_function, bool in_place) {
          Numbers buffer(static_cast<std::size_t>(n + 16), guard);
          dd_real* out = buffer.data() + offset;
          if (in_place) std::copy(x.begin(), x.end(), out);
          const dd_real* from = in_place ? out : x.data();
          is_function ? set->sine(n, from, out) : set->multiply(n, from, y.data(), out);
          for (int64_t i = 0; i < n; ++i) {
            auto at = static_cast<std::size_t>(i);
            ASSERT_TRUE(same_bits(out[i], is_function ? sin(x[at]) : x[at] * y[at]))
                << set->target << " n = " << n << " offset " << offset;
          }
          ASSERT_TRUE(std::all_of(buffer.data(), out, [&](dd_real e) { return e == guard; }));
          ASSERT_TRUE(std::all_of(out + n, buffer.data() + buffer.size(), [&](dd_real e) { return e == guard; }));
        };
        for (bool is_function : {false, true}) check(is_function, false), check(is_function, true);
      }
    }
  }
}

TEST(Array, PublicFunctionsAreTheOperators) {
  Operands in(101, 4);
  const Numbers &x = in.x, &y = in.y;
  Numbers out(x.size());
  const dd_real a = dd_real(7) / 3;
  const KernelSet& best = *array::kernel_sets().front();
  auto expect = [&](const char* name, auto scalar) {
    expect_bits(best, name, out, [&](std::size_t i) { return scalar(x[i], y[i]); });
  };
  array::add(x, y, out), expect("add", [](dd_real p, dd_real q) { return p + q; });
  array::subtract(x, y, out), expect("subtract", [](dd_real p, dd_real q) { return p - q; });
  array::multiply(x, y, out), expect("multiply", [](dd_real p, dd_real q) { return p * q; });
  array::divide(x, y, out), expect("divide", [](dd_real p, dd_real q) { return p / q; });
  array::add(x, a, out), expect("x + a", [&](dd_real p, dd_real) { return p + a; });
  array::add(a, x, out), expect("a + x", [&](dd_real p, dd_real) { return a + p; });
  array::subtract(x, a, out), expect("x - a", [&](dd_real p, dd_real) { return p - a; });
  array::subtract(a, x, out), expect("a - x", [&](dd_real p, dd_real) { return a - p; });
  array::multiply(x, a, out), expect("x * a", [&](dd_real p, dd_real) { return p * a; });
  array::multiply(a, x, out), expect("a * x", [&](dd_real p, dd_real) { return a * p; });
  array::divide(x, a, out), expect("x / a", [&](dd_real p, dd_real) { return p / a; });
  array::divide(a, x, out), expect("a / x", [&](dd_real p, dd_real) { return a / p; });
  array::add(x, 0.1, out), expect("x + word", [&](dd_real p, dd_real) { return p + 0.1; });
  array::add(3, x, out), expect("word + x", [&](dd_real p, dd_real) { return 3 + p; });
  array::subtract(x, 0.1f, out), expect("x - word", [&](dd_real p, dd_real) { return p - 0.1f; });
  array::subtract(0.1, x, out), expect("word - x", [&](dd_real p, dd_real) { return 0.1 - p; });
  array::multiply(x, 7, out), expect("x * word", [&](dd_real p, dd_real) { return p * 7; });
  array::multiply(0.7, x, out), expect("word * x", [&](dd_real p, dd_real) { return 0.7 * p; });
  array::divide(x, 3, out), expect("x / word", [&](dd_real p, dd_real) { return p / 3; });
  array::divide(3, x, out), expect("word / x", [&](dd_real p, dd_real) { return 3 / p; });
  // 64 bits need both words.
  const std::int64_t large = (std::int64_t{1} << 62) + 1;
  array::multiply(x, large, out), expect("x * int64", [&](dd_real p, dd_real) { return p * large; });
  array::sqrt(x, out), expect("sqrt", [](dd_real p, dd_real) { return sqrt(p); });
  array::exp(x, out), expect("exp", [](dd_real p, dd_real) { return exp(p); });
  array::log(x, out), expect("log", [](dd_real p, dd_real) { return log(p); });
  array::sin(x, out), expect("sin", [](dd_real p, dd_real) { return sin(p); });
  array::cos(x, out), expect("cos", [](dd_real p, dd_real) { return cos(p); });
  Numbers cosine = x;
  array::sincos(cosine, out, cosine), expect("sin of sincos", [](dd_real p, dd_real) { return sin(p); });
  out = cosine, expect("cos of sincos", [](dd_real p, dd_real) { return cos(p); });
  out = y;
  array::axpy(a, x, out), expect("axpy", [&](dd_real p, dd_real q) { return a * p + q; });
}

TEST(Array, ArgumentsThatCannotBeRightAreNamed) {
  Numbers x(10, 1), y(9, 2), z(10, 3);
  const Numbers old = z;
  std::span<dd_real> out(z), part = std::span(z).subspan(1, 9);
  expect_contains(message_of(errc::invalid_argument, [&] { array::add(x, y, out); }), {"y has 9", "x has 10"});
  expect_contains(message_of(errc::invalid_argument, [&] { array::sqrt(y, out); }), {"out has 10", "x has 9"});
  expect_contains(message_of(errc::invalid_argument, [&] { array::axpy(2, x, y); }), {"y has 9", "x has 10"});
  expect_contains(message_of(errc::invalid_argument, [&] { array::dot(x, y); }), {"y has 9", "x has 10"});
  expect_contains(message_of(errc::invalid_argument, [&] { array::multiply(out.first(9), y, part); }),
                  {"out overlaps x"});
  expect_contains(message_of(errc::invalid_argument, [&] { array::divide(y, out.first(9), part); }),
                  {"out overlaps y"});
  expect_contains(message_of(errc::invalid_argument, [&] { array::multiply(out.first(9), 3, part); }),
                  {"out overlaps x"});
  expect_contains(message_of(errc::invalid_argument, [&] { array::axpy(2, out.first(9), part); }), {"y overlaps x"});
  expect_contains(message_of(errc::invalid_argument, [&] { array::sincos(y, out.first(9), part); }),
                  {"cosine overlaps sine"});
  expect_contains(message_of(errc::invalid_argument, [&] { array::sincos(y, y, out); }), {"cosine has 10", "x has 9"});
  EXPECT_TRUE(std::equal(z.begin(), z.end(), old.begin()));
  array::add({}, dd_real(1), {});
  EXPECT_EQ(array::dot({}, {}), dd_real(0));
  EXPECT_EQ(array::sum({}), dd_real(0));
}

TEST(ArraySum, EveryTargetGivesTheBitsOfTheDefinition) {
  std::vector<int64_t> sizes(201);
  for (int64_t i = 0; i <= 200; ++i) sizes[static_cast<std::size_t>(i)] = i;
  for (int64_t n : {4095, 4096, 4097, 8200, 262143, 262144, 262145, 530001}) sizes.push_back(n);
  Inputs inputs(5);
  Numbers x(530001), y(530001);
  for (dd_real& e : x) e = ldexp(inputs.number(false), inputs.below(16) == 0 ? inputs.below(400) - 200 : 0);
  for (dd_real& e : y) e = inputs.number(false);
  for (int64_t n : sizes) {
    dd_real dot = array::reference_sum(n, array::ScalarDotTerms{x.data(), y.data()});
    dd_real sum = array::reference_sum(n, array::ScalarSumTerms{x.data()});
    for (const KernelSet* set : array::kernel_sets()) {
      EXPECT_TRUE(same_bits(set->dot(n, x.data(), y.data()), dot)) << set->target << " n = " << n;
      EXPECT_TRUE(same_bits(set->sum(n, x.data()), sum)) << set->target << " n = " << n;
    }
    auto count = static_cast<std::size_t>(n);
    EXPECT_TRUE(same_bits(array::dot(std::span(x).first(count), std::span(y).first(count)), dot));
    EXPECT_TRUE(same_bits(array::sum(std::span(x).first(count)), sum));
  }
}

// Where parts of products underflow, and where a column's words cancel, paths with and without FMA might part.
TEST(ArraySum, EveryTargetGivesTheBitsOfTheDefinitionAtTheEnds) {
  Inputs inputs(6);
  for (int round = 0; round < testing::input_count(2000) / 10; ++round) {
    const int64_t n = 1 + inputs.below(400);
    Numbers x, y;
    for (int64_t i = 0; i < n; ++i) {
      int kind = round % 4;
      double scale = kind == 0 ? 0x1p-500 : kind == 1 ? 0x1p480 : 1.0;
      x.push_back(kind == 2 ? any_number(inputs) : inputs.number(false) * scale);
      y.push_back(inputs.number(false) * scale);
      if (kind == 3 && i >= 64 && inputs.below(2) == 0) {
        auto above = static_cast<std::size_t>(i - 64);
        x.back() = inputs.opposite(x[above]);
        y.back() = y[above];
      }
    }
    dd_real dot = array::reference_sum(n, array::ScalarDotTerms{x.data(), y.data()});
    dd_real sum = array::reference_sum(n, array::ScalarSumTerms{x.data()});
    EXPECT_TRUE(same_bits(array::dot(x, y), dot)) << "n = " << n;
    EXPECT_TRUE(same_bits(array::sum(x), sum)) << "n = " << n;
    for (const KernelSet* set : array::kernel_sets()) {
      // What is not finite is added up anew by the callers of these.
      dd_real kernel_dot = set->dot(n, x.data(), y.data()), kernel_sum = set->sum(n, x.data());
      EXPECT_TRUE(!isfinite(kernel_dot) || same_bits(kernel_dot, dot)) << set->target << " n = " << n;
      EXPECT_TRUE(!isfinite(kernel_sum) || same_bits(kernel_sum, sum)) << set->target << " n = " << n;
    }
  }
}

// |result − exact| in u²Σ|terms|.
double error_of(dd_real result, mpfr_ptr exact, mpfr_ptr magnitude) {
  Exact error(4700), value(2300);
  value = result;
  mpfr_sub(error, value, exact, MPFR_RNDN);
  mpfr_div(error, error, magnitude, MPFR_RNDN);
  mpfr_mul_2si(error, error, 106, MPFR_RNDN);
  return std::fabs(mpfr_get_d(error, MPFR_RNDN));
}

TEST(ArraySum, ErrorsStayWithinTheBounds) {
  Inputs inputs(7);
  for (int64_t n : {1, 2, 3, 10, 63, 64, 65, 128, 1000, 4096, 5000, 20000}) {
    for (int round = 0; round < 4; ++round) {
      Exact dot(5000), dot_magnitude(5000), sum(2600), sum_magnitude(2600), a(2300), b(2300), p(4700);
      mpfr_set_zero(dot, 1), mpfr_set_zero(dot_magnitude, 1), mpfr_set_zero(sum, 1), mpfr_set_zero(sum_magnitude, 1);
      Numbers x, y;
      for (int64_t i = 0; i < n; ++i) {
        dd_real e = inputs.number(false), f = inputs.number(false);
        x.push_back(round % 2 ? e : abs(e));
        y.push_back(round % 2 ? f : abs(f));
        if (round == 3 && i > 64) x.back() = inputs.opposite(x[x.size() - 65]), y.back() = y[y.size() - 65];
        a = x.back();
        b = y.back();
        mpfr_mul(p, a, b, MPFR_RNDN);
        mpfr_add(dot, dot, p, MPFR_RNDN);
        mpfr_add(sum, sum, a, MPFR_RNDN);
        mpfr_abs(p, p, MPFR_RNDN);
        mpfr_add(dot_magnitude, dot_magnitude, p, MPFR_RNDN);
        mpfr_abs(a, a, MPFR_RNDN);
        mpfr_add(sum_magnitude, sum_magnitude, a, MPFR_RNDN);
      }
      double dot_error = error_of(array::dot(x, y), dot, dot_magnitude);
      double sum_error = error_of(array::sum(x), sum, sum_magnitude);
      EXPECT_LE(dot_error, array::dot_error_bound_u2(n)) << n;
      EXPECT_LE(sum_error, array::sum_error_bound_u2(n)) << n;
      // Roundings of either sign: 64 columns keep the error of ordinary data near that of a few operations.
      EXPECT_LE(dot_error, 12.0) << n;
      EXPECT_LE(sum_error, 8.0) << n;
    }
  }
}

// One column gets the terms that a search found to make its steps err most, the others nothing.
TEST(ArraySum, AnAdversaryComesNearTheBound) {
  Terms terms = Adversary(Accuracy::classic, false).chunk(static_cast<int>(array::chunk_rows));
  const int64_t n = array::chunk_rows * array::columns;
  Numbers x(static_cast<std::size_t>(n), 0), y = x;
  Exact dot(5000), magnitude(5000), p(4700), a(2300), b(2300);
  mpfr_set_zero(dot, 1), mpfr_set_zero(magnitude, 1);
  for (std::size_t h = 0; h < terms.a.size(); ++h) {
    x[h * array::columns + 5] = terms.a[h];
    y[h * array::columns + 5] = terms.b[h];
    a = terms.a[h];
    b = terms.b[h];
    mpfr_mul(p, a, b, MPFR_RNDN);
    mpfr_add(dot, dot, p, MPFR_RNDN);
    mpfr_abs(p, p, MPFR_RNDN);
    mpfr_add(magnitude, magnitude, p, MPFR_RNDN);
  }
  double error = error_of(array::dot(x, y), dot, magnitude);
  EXPECT_LE(error, array::dot_error_bound_u2(n));
  EXPECT_GE(error, array::dot_error_bound_u2(n) / 3.0);
}

TEST(ArraySum, InfinityAndNanAreThoseOfTheSumInDouble) {
  const double nan = std::nan("");
  Inputs inputs(8);
  for (int64_t n : {1, 5, 64, 65, 200, 5000}) {
    for (double special : {infinity, -infinity, nan}) {
      Numbers x, y;
      for (int64_t i = 0; i < n; ++i) x.push_back(inputs.number(false)), y.push_back(abs(inputs.number(false)));
      auto at = static_cast<std::size_t>(n / 2);
      x[at] = special;
      EXPECT_TRUE(same_bits(array::dot(x, y), dd_real(special)));
      EXPECT_TRUE(same_bits(array::sum(x), dd_real(special)));
      y[at] = 0;
      EXPECT_TRUE(isnan(array::dot(x, y)));
      y[at] = -1;
      EXPECT_TRUE(same_bits(array::dot(x, y), dd_real(-special)));
      if (n > 1) {
        x[0] = -special;
        EXPECT_TRUE(isnan(array::sum(x)));
      }
    }
  }
  // Overflow as in double: here columns overflow, and the sum in order does not.
  Numbers x(130, 0), ones(130, 1);
  x[0] = largest, x[1] = -largest, x[64] = largest, x[65] = -largest;
  EXPECT_EQ(array::sum(x), dd_real(0));
  EXPECT_EQ(array::dot(x, ones), dd_real(0));
  x[1] = largest;
  EXPECT_EQ(array::sum(x), dd_real(infinity));
}

TEST(ArraySum, Bounds) {
  EXPECT_EQ(array::dot_error_bound_u2(0), 0.0);
  EXPECT_EQ(array::dot_error_bound_u2(1), 14.0);
  EXPECT_EQ(array::dot_error_bound_u2(64), 13.0 + 18.0 + 1.0);
  EXPECT_EQ(array::dot_error_bound_u2(4096), 13.0 + 63 * 6.0 + 18.0 + 1.0);
  EXPECT_EQ(array::dot_error_bound_u2(10'000'000), 13.0 + 63 * 6.0 + 3.0 * (63 + 38) + 18.0 + 1.0);
  EXPECT_EQ(array::sum_error_bound_u2(1), 4.0);
  EXPECT_EQ(array::sum_error_bound_u2(4096), 64 * 3.0 + 18.0 + 1.0);
}

}  // namespace
}  // namespace hilo
