// What the sum test takes of elements, their first five bits as bytes and sums of squares of the next larger number of
// five bits, against integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dd_against_mpfr.hpp"
#include "gemm/modular/cpu/kernels.hpp"

namespace hilo::modular {
namespace {

using std::int64_t;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A run with shifts; what lies between the elements is NaN.
struct Elements {
  std::vector<double> words, magnitude;
  std::vector<int64_t> base;
  int64_t base0 = 0;
  bool has_base;
  Run run;

  // Each element below 2^`most` when shifted, or left out where it is Inf or NaN and by chance.
  Elements(testing::Inputs& inputs, int most) : has_base(inputs.below(4) != 0) {
    const int64_t count = 1 + inputs.below(200);
    const int words_of_part = 1 + inputs.below(2), parts = 1 + inputs.below(2), size = words_of_part * parts;
    const int64_t stride = size + (inputs.below(2) ? 0 : inputs.below(5));
    words.assign(static_cast<std::size_t>((count - 1) * stride + size), nan);
    for (int64_t i = 0; i < count; ++i) {
      double largest = 0.0;
      for (int part = 0; part < parts; ++part) {
        const dd_real x = some(inputs, has_base);
        double* to = words.data() + i * stride + part * words_of_part;
        to[0] = x.hi;
        if (words_of_part == 2) to[1] = x.lo;
        const double value = std::fabs(words_of_part == 2 ? x.hi + x.lo : x.hi);
        largest = std::max(largest, value == value ? value : infinity);
      }
      magnitude.push_back(largest);
    }
    run = {words.data(), count, stride, words_of_part, parts, inputs.below(2) == 1};
    base0 = inputs.below(3000) - 1500;
    for (double x : magnitude) base.push_back(shift_of(inputs, x, most) - base0);
    if (!has_base) base0 = shift_of(inputs, *std::max_element(magnitude.begin(), magnitude.end()), most);
  }
  Elements(const Elements&) = delete;

  int64_t shift(std::size_t i) const { return base0 + (has_base ? base[i] : 0); }
  Exponents shifts() const { return {has_base ? base.data() : nullptr, base0}; }
  std::size_t padded() const { return (magnitude.size() + block_bytes - 1) / block_bytes * block_bytes; }

 private:
  static dd_real some(testing::Inputs& inputs, bool may_be_bad) {
    if (inputs.below(8) == 0) return {inputs.below(2) ? 0.0 : -0.0, 0.0};
    dd_real x = inputs.number(inputs.below(4) != 0);
    if (std::fabs(x.hi) > 0x1p1020) x = dd_real(0.25 * x.hi);
    // Few bits, which are their first five, and words that are no double-double.
    if (inputs.below(6) == 0) x.hi = std::ldexp(static_cast<double>(16 + inputs.below(16)), inputs.below(2000) - 1050);
    if (inputs.below(6) == 0) x.lo = x.hi * (inputs.below(2) ? -0.75 : -0x1p-53);
    if (inputs.below(12) == 0) std::swap(x.hi, x.lo);
    constexpr double largest = std::numeric_limits<double>::max();
    const dd_real bad[] = {infinity, nan, dd_real(x.hi, nan), dd_real(largest, largest), dd_real(infinity, -infinity)};
    return may_be_bad && inputs.below(30) == 0 ? bad[inputs.below(5)] : x;
  }

  static int64_t shift_of(testing::Inputs& inputs, double x, int most) {
    if (std::isinf(x) || inputs.below(20) == 0) return leave_out;
    if (x == 0.0) return inputs.below(3000) - 1500;
    const int below[] = {inputs.below(3), inputs.below(20), 1000 + most + inputs.below(9) - 4, inputs.below(2100)};
    // As no element's exponent is above 1024.
    return std::max(most - below[inputs.below(4)] - 1 - std::ilogb(x), -1020);
  }
};

// x = 0.1ffff… · 2^exponent, with ffff as 1ffff
int five_bits(double x, int& exponent) { return static_cast<int>(32.0 * std::frexp(x, &exponent)); }

// ⌈five² · 2^(2 power)⌉
int64_t square(int64_t five, int64_t power) {
  if (power >= 0) return five * five << 2 * power;
  return power < -10 ? 1 : (five * five + (int64_t{1} << -2 * power) - 1) >> -2 * power;
}

TEST(ModularMagnitudesTest, SumsOfSquares) {
  testing::Inputs inputs(1);
  for (int round = 0; round < testing::input_count(6000) / 3; ++round) {
    const Elements x(inputs, 12);
    std::vector<double> expected, old(x.padded() + 1, nan);
    double sum = 0.0;
    for (std::size_t i = 0; i < x.padded(); ++i) old[i] = static_cast<double>(inputs.bits() >> 12);
    for (std::size_t i = 0; i < x.magnitude.size(); ++i) {
      int exponent = 0;
      const int five = x.shift(i) == leave_out ? 0 : five_bits(x.magnitude[i], exponent);
      const int64_t power = exponent - 5 + x.shift(i);
      const bool counts = five != 0 && power + 5 > -1000;
      expected.push_back(counts ? static_cast<double>(square(five + 1, power)) : 0.0);
      sum += expected.back();
    }
    for (const KernelSet* set : kernel_sets()) {
      ASSERT_EQ(set->squares(x.run, x.shifts()), sum) << set->target << ", round " << round;
      std::vector<double> got = old;
      set->squares_each(x.run, x.shifts(), got.data());
      ASSERT_TRUE(std::isnan(got[x.padded()])) << set->target;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(got[i], old[i] + expected[i]) << set->target << ", round " << round << ": " << i;
      }
    }
  }
}

TEST(ModularMagnitudesTest, FirstBitsOfElements) {
  testing::Inputs inputs(2);
  for (int round = 0; round < testing::input_count(6000) / 3; ++round) {
    const Elements x(inputs, inputs.below(9) ? 9 : 500);
    std::vector<int64_t> expected;
    for (std::size_t i = 0; i < x.magnitude.size(); ++i) {
      int exponent = 0;
      const int64_t five = x.shift(i) == leave_out ? 0 : five_bits(x.magnitude[i], exponent);
      const int64_t power = exponent - 5 + x.shift(i);
      const int64_t byte = power > 9 ? five << 9 : power >= 0 ? five << power : power > -9 ? five >> -power : 0;
      expected.push_back(std::min<int64_t>(byte, 127));
    }
    for (const KernelSet* set : kernel_sets()) {
      std::vector<std::uint8_t> got(x.padded() + 1, 201);
      set->magnitudes(x.run, x.shifts(), got.data());
      ASSERT_EQ(got[x.padded()], 201) << set->target;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(got[i], expected[i]) << set->target << ", round " << round << ": " << i;
      }
    }
  }
}

}  // namespace
}  // namespace hilo::modular
