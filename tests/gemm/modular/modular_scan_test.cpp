// The scan of operands, the deficits of their elements, and the least sums of those, against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "dd_against_mpfr.hpp"
#include "gemm/modular/cpu/kernels.hpp"
#include "gemm/modular/cpu/scaling.hpp"

namespace hilo::modular {
namespace {

using std::int64_t;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A run and its elements; what lies between them is NaN.
struct Elements {
  std::vector<double> words;
  Run run;

  Elements(testing::Inputs& inputs, int64_t count, bool all_finite) {
    int words_of_part = 1 + inputs.below(2), parts = 1 + inputs.below(2);
    int size = words_of_part * parts;
    int64_t stride = size + (inputs.below(2) ? 0 : inputs.below(9));
    words.assign(static_cast<std::size_t>((count - 1) * stride + size), nan);
    for (int64_t i = 0; i < count; ++i) {
      for (int part = 0; part < parts; ++part) {
        dd_real x = some(inputs, all_finite);
        double* to = words.data() + i * stride + part * words_of_part;
        to[0] = x.hi;
        if (words_of_part == 2) to[1] = x.lo;
      }
    }
    run = {words.data(), count, stride, words_of_part, parts, inputs.below(2) == 1};
  }
  Elements(const Elements&) = delete;

  static dd_real some(testing::Inputs& inputs, bool all_finite) {
    if (inputs.below(8) == 0) return dd_real(inputs.below(2) ? 0.0 : -0.0, 0.0);
    dd_real x = inputs.number(inputs.below(4) != 0);
    // Words that are no double-double.
    const dd_real spoilt[] = {dd_real(x.lo, x.hi),  dd_real(0.0, 0x1p-1074), dd_real(x.hi, -x.hi * 0x1.8p-53),
                              dd_real(x.hi, -x.hi), dd_real(1.0, 0x1.8p-53), dd_real(0.5 * x.hi, 0.5 * x.hi)};
    if (inputs.below(10) == 0) return spoilt[inputs.below(static_cast<int>(std::size(spoilt)))];
    constexpr double most = std::numeric_limits<double>::max();
    const dd_real bad[] = {dd_real(infinity, 0.0), dd_real(-infinity, 0.0),     dd_real(nan, 0.0),
                           dd_real(x.hi, nan),     dd_real(x.hi, infinity),     dd_real(nan, nan),
                           dd_real(most, most),    dd_real(infinity, -infinity)};
    if (!all_finite && inputs.below(20) == 0) return bad[inputs.below(static_cast<int>(std::size(bad)))];
    return x;
  }

  double magnitude(int64_t i) const {
    double largest = 0.0;
    for (int part = 0; part < run.parts; ++part) {
      const double* word = run.data + i * run.stride + part * run.words;
      double x = std::fabs(run.words == 2 ? word[0] + word[1] : word[0]);
      largest = std::max(largest, x == x ? x : infinity);
    }
    return largest;
  }
};

// Shifts along a run: each element's own, or one for all.
struct Shifts {
  std::vector<int64_t> base;
  int64_t base0;
  bool has_base;

  int64_t operator[](int64_t i) const { return base0 + (has_base ? base[static_cast<std::size_t>(i)] : 0); }
  Exponents exponents() const { return {has_base ? base.data() : nullptr, base0}; }
};

// Results below 2^-900 do not matter to those who call.
double significant(double x) { return x < 0x1p-900 ? 0.0 : x; }

TEST(ModularScanTest, LargestMagnitudes) {
  testing::Inputs inputs(1);
  for (int round = 0, rounds = testing::input_count(5000) / 5; round < rounds; ++round) {
    int64_t count = 1 + inputs.below(200);
    Elements elements(inputs, count, inputs.below(3) == 0);
    Shifts shifts{{}, inputs.below(2) ? 0 : inputs.below(2000) - 1000, inputs.below(2) == 1};
    // That no result overflows.
    auto fitting = [&](double x) {
      int64_t most = x == 0.0 || std::isinf(x) ? 1500 : std::min(1020 - std::ilogb(x), 1500);
      return inputs.below(12) == 0 ? leave_out : inputs.below(3) ? most - inputs.below(100) : most - inputs.below(4500);
    };
    double largest = 0.0;
    for (int64_t i = 0; i < count; ++i) {
      double x = elements.magnitude(i);
      shifts.base.push_back(fitting(x) - shifts.base0);
      if (!std::isinf(x)) largest = std::max(largest, x);
    }
    if (!shifts.has_base) shifts.base0 = fitting(largest);
    auto padded = static_cast<std::size_t>((count + block_bytes - 1) / block_bytes * block_bytes);
    std::vector<double> old(padded + 1, nan);
    for (std::size_t i = 0; i < padded; ++i) {
      old[i] = inputs.below(3) == 0 ? infinity : inputs.below(2) ? 0.0 : std::fabs(inputs.word(true));
    }
    double expected = 0.0;
    std::vector<double> each;
    for (int64_t i = 0; i < count; ++i) {
      bool is_left_out = shifts[i] == leave_out;
      double x = is_left_out ? 0.0 : std::ldexp(elements.magnitude(i), static_cast<int>(shifts[i]));
      expected = std::max(expected, x);
      each.push_back(std::max(old[static_cast<std::size_t>(i)], x));
    }
    for (const KernelSet* set : kernel_sets()) {
      ASSERT_EQ(significant(set->largest(elements.run, shifts.exponents())), significant(expected)) << set->target;
      std::vector<double> got = old;
      set->largest_each(elements.run, shifts.exponents(), got.data());
      for (std::size_t i = 0; i < each.size(); ++i) {
        ASSERT_EQ(significant(got[i]), significant(each[i])) << set->target << ' ' << i << " of " << count;
      }
      ASSERT_NE(got[padded], got[padded]) << set->target;
    }
  }
}

TEST(ModularScanTest, Sums) {
  testing::Inputs inputs(4);
  for (int round = 0, rounds = testing::input_count(5000) / 5; round < rounds; ++round) {
    int64_t count = 1 + inputs.below(200);
    Elements elements(inputs, count, true);
    Shifts shifts{{}, inputs.below(2) ? 0 : inputs.below(2000) - 1000, inputs.below(2) == 1};
    // Up to 2^20, as where lines are looked at; around the least that counts; and anywhere below.
    auto fitting = [&](double x) {
      int64_t top = x == 0.0 ? 0 : 19 - std::ilogb(x);
      int64_t below[] = {inputs.below(40), 1015 + inputs.below(10), inputs.below(1700)};
      return inputs.below(12) == 0 ? leave_out : std::max<int64_t>(top - below[inputs.below(3)], -2000);
    };
    double largest = 0.0;
    for (int64_t i = 0; i < count; ++i) {
      shifts.base.push_back(fitting(elements.magnitude(i)) - shifts.base0);
      largest = std::max(largest, elements.magnitude(i));
    }
    if (!shifts.has_base) shifts.base0 = fitting(largest);
    double expected = 0.0;
    std::vector<double> each;
    for (int64_t i = 0; i < count; ++i) {
      double x = elements.magnitude(i);
      bool counts = x != 0.0 && shifts[i] != leave_out && 1 + std::ilogb(x) + shifts[i] > -1000;
      each.push_back(counts ? std::ceil(std::ldexp(x, static_cast<int>(shifts[i]))) : 0.0);
      expected += each.back();
    }
    auto padded = static_cast<std::size_t>((count + block_bytes - 1) / block_bytes * block_bytes);
    for (const KernelSet* set : kernel_sets()) {
      ASSERT_EQ(set->sum(elements.run, shifts.exponents()), expected) << set->target;
      std::vector<double> got(padded + 1, 3.0);
      set->sum_each(elements.run, shifts.exponents(), got.data());
      for (std::size_t i = 0; i < each.size(); ++i) ASSERT_EQ(got[i], each[i] + 3.0) << set->target << ' ' << i;
      ASSERT_EQ(got[padded], 3.0);
    }
  }
}

// How a row of A and a column of B are scaled in double.
Scaling scaling_of(const std::vector<double>& row, const std::vector<double>& column, const KernelSet& set) {
  auto terms = static_cast<int64_t>(row.size());
  auto operand = [&](const std::vector<double>& x) { return Operand{x.data(), 1, terms, terms, 1, 1, 1, false}; };
  const Operand operands[2] = {operand(row), operand(column)};
  return scale(operands, {Accuracy::classic, 0, max_moduli, 1, 1 << 20, 64, Int8Library::automatic}, set);
}

TEST(ModularScanTest, TermsFarBelowTheLargestDoNotBalance) {
  for (const KernelSet* set : kernel_sets()) {
    for (int scale : {0, -74, -1, 24}) {
      auto with = [&](int far) {
        double x = std::ldexp(1.0, scale);
        return scaling_of({x, std::ldexp(x, -far)}, {std::ldexp(1.0, -far), 1.0}, *set);
      };
      Scaling near = with(999), beyond = with(1000);
      EXPECT_EQ(near.path, Path::modular_balanced) << set->target << ' ' << scale;
      EXPECT_EQ(near.balance, (std::vector<int64_t>{-500, 499})) << set->target << ' ' << scale;
      EXPECT_EQ(beyond.path, Path::direct_for_range) << set->target << ' ' << scale;
    }
  }
}

TEST(ModularScanTest, TermsFarBelowTheLargestDoNotMakeALineEven) {
  // Two units of 2^20 make a row even. The column's spread is what the least moduli cover if it is.
  const Scaling least = scaling_of({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, *kernel_sets()[0]);
  for (const KernelSet* set : kernel_sets()) {
    for (int scale : {0, -53, 100}) {
      for (int far : {1020, 1021}) {
        std::vector<double> row = {1 - 0x1p-53, 1 - 0x1p-20, std::ldexp(1.0, -far), 0.0, 0.0};
        for (double& x : row) x = std::ldexp(x, scale);
        double small = std::ldexp(0.5, -least.esc);
        Scaling found = scaling_of(row, {small, small, 0.75, 0.75, 0.75}, *set);
        // 2^-far, whose E is 1 − far, in a row with e = 0.
        EXPECT_EQ(found.moduli, least.moduli + (far == 1021)) << set->target << ' ' << far;
      }
    }
  }
}

TEST(ModularScanTest, DeficitsOfElements) {
  testing::Inputs inputs(2);
  for (int round = 0, rounds = testing::input_count(5000) / 5; round < rounds; ++round) {
    int64_t count = 1 + inputs.below(200);
    Elements elements(inputs, count, true);
    Shifts exponents{{}, inputs.below(4000) - 2000, inputs.below(2) == 1};
    for (int64_t i = 0; i < count; ++i) {
      double x = elements.magnitude(i);
      // Around the element's own exponent, and anywhere.
      int64_t e = x == 0.0 || std::isinf(x) || inputs.below(4) == 0 ? inputs.below(5000) - 2500
                                                                    : 1 + std::ilogb(x) + inputs.below(140) - 5;
      exponents.base.push_back(e - exponents.base0);
    }
    if (!exponents.has_base) exponents.base0 += exponents.base[0];
    auto padded = static_cast<std::size_t>((count + block_bytes - 1) / block_bytes * block_bytes);
    for (const KernelSet* set : kernel_sets()) {
      std::vector<std::uint8_t> got(padded + 1, 123);
      set->deficits(elements.run, exponents.exponents(), got.data());
      ASSERT_EQ(got[padded], 123);
      for (int64_t i = 0; i < count; ++i) {
        double x = elements.magnitude(i);
        if (std::isinf(x)) continue;
        int64_t d = x == 0.0 ? 255 : std::clamp<int64_t>(exponents[i] - 1 - std::ilogb(x), 0, max_deficit);
        ASSERT_EQ(got[static_cast<std::size_t>(i)], d) << set->target << ' ' << x << " below " << exponents[i];
      }
    }
  }
}

TEST(ModularScanTest, ExponentsOfSubnormalNumbersAreTheirOwn) {
  std::vector<double> x;
  for (int e = -1074; e <= 1023; ++e) {
    x.push_back(std::ldexp(1.0, e));
    x.push_back(-std::nextafter(std::ldexp(1.0, e), infinity));
    x.push_back(std::nextafter(std::ldexp(1.0, e), 0.0));
  }
  x[2] = 0.0;
  auto count = static_cast<int64_t>(x.size());
  std::vector<int64_t> base;
  for (double v : x) base.push_back(v == 0.0 ? 7 : 1 + std::ilogb(v) + 50);
  for (const KernelSet* set : kernel_sets()) {
    std::vector<std::uint8_t> got(x.size() + block_bytes);
    set->deficits({x.data(), count, 1, 1, 1, false}, {base.data(), 0}, got.data());
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], x[i] == 0.0 ? 255 : 50) << set->target << ' ' << x[i];
  }
}

TEST(ModularScanTest, LeastSums) {
  testing::Inputs inputs(3);
  auto deficit = [&] {
    switch (inputs.below(4)) {
      case 0:
        return static_cast<std::uint8_t>(inputs.below(max_deficit + 1));
      case 1:
        return std::uint8_t{255};
      case 2:
        return static_cast<std::uint8_t>(inputs.below(256));
      default:
        return static_cast<std::uint8_t>(max_deficit);
    }
  };
  for (int round = 0, rounds = testing::input_count(2000) / 10; round < rounds; ++round) {
    int64_t rows = inputs.below(21), columns = block_bytes * (1 + inputs.below(4)), terms = inputs.below(30);
    bool by_terms = inputs.below(2);
    int64_t pad = inputs.below(5);
    int64_t row_stride = by_terms ? 1 : terms + pad, term_stride = by_terms ? rows + pad : 1;
    int64_t right_leading = columns + inputs.below(70), leading = columns + inputs.below(70);
    std::vector<std::uint8_t> left(static_cast<std::size_t>((rows + pad) * (terms + pad)) + 1);
    std::vector<std::uint8_t> right(static_cast<std::size_t>(right_leading * terms) + 1);
    std::vector<std::uint8_t> old(static_cast<std::size_t>(leading * rows) + 1);
    for (auto* bytes : {&left, &right, &old}) {
      for (std::uint8_t& x : *bytes) x = deficit();
    }
    if (inputs.below(3)) std::fill(old.begin(), old.end(), std::uint8_t{255});
    std::vector<std::uint8_t> expected = old;
    int largest = 0;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        std::uint8_t& least = expected[static_cast<std::size_t>(i * leading + j)];
        for (int64_t h = 0; h < terms; ++h) {
          int sum = left[static_cast<std::size_t>(i * row_stride + h * term_stride)] +
                    right[static_cast<std::size_t>(h * right_leading + j)];
          least = static_cast<std::uint8_t>(std::min<int>(least, std::min(sum, 255)));
        }
        largest = std::max<int>(largest, least);
      }
    }
    for (const KernelSet* set : kernel_sets()) {
      std::vector<std::uint8_t> got = old;
      ASSERT_EQ(set->min_plus({rows, columns, terms, left.data(), row_stride, term_stride, right.data(), right_leading,
                               got.data(), leading}),
                largest)
          << set->target;
      ASSERT_EQ(got, expected) << set->target;
    }
  }
}

}  // namespace
}  // namespace hilo::modular
