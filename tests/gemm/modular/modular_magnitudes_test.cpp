// What the sum test takes of elements, codes of their first five bits, and by these bytes and sums of squares of the
// next larger number of five bits, against integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dd_against_mpfr.hpp"
#include "gemm/modular/cpu/kernels.hpp"

namespace hilo::modular {
namespace {

using std::int32_t;
using std::int64_t;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A run; what lies between the elements is NaN.
struct Elements {
  std::vector<double> words, magnitude;
  Run run;

  explicit Elements(testing::Inputs& inputs) {
    const int64_t count = 1 + inputs.below(200);
    const int words_of_part = 1 + inputs.below(2), parts = 1 + inputs.below(2), size = words_of_part * parts;
    const int64_t stride = size + (inputs.below(2) ? 0 : inputs.below(5));
    words.assign(static_cast<std::size_t>((count - 1) * stride + size), nan);
    for (int64_t i = 0; i < count; ++i) {
      double largest = 0.0;
      for (int part = 0; part < parts; ++part) {
        const dd_real x = some(inputs);
        double* to = words.data() + i * stride + part * words_of_part;
        to[0] = x.hi;
        if (words_of_part == 2) to[1] = x.lo;
        const double value = std::fabs(words_of_part == 2 ? x.hi + x.lo : x.hi);
        largest = std::max(largest, value == value ? value : infinity);
      }
      magnitude.push_back(largest);
    }
    run = {words.data(), count, stride, words_of_part, parts, inputs.below(2) == 1};
  }
  Elements(const Elements&) = delete;

 private:
  static dd_real some(testing::Inputs& inputs) {
    if (inputs.below(8) == 0) return {inputs.below(2) ? 0.0 : -0.0, 0.0};
    dd_real x = inputs.number(inputs.below(4) != 0);
    if (std::fabs(x.hi) > 0x1p1020) x = dd_real(0.25 * x.hi);
    // Few bits, which are their first five, and words that are no double-double.
    if (inputs.below(6) == 0) x.hi = std::ldexp(static_cast<double>(16 + inputs.below(16)), inputs.below(2000) - 1050);
    if (inputs.below(6) == 0) x.lo = x.hi * (inputs.below(2) ? -0.75 : -0x1p-53);
    if (inputs.below(12) == 0) std::swap(x.hi, x.lo);
    constexpr double largest = std::numeric_limits<double>::max();
    const dd_real bad[] = {infinity, nan, dd_real(x.hi, nan), dd_real(largest, largest), dd_real(infinity, -infinity)};
    return inputs.below(30) == 0 ? bad[inputs.below(5)] : x;
  }
};

std::size_t in_blocks(int64_t count) {
  return static_cast<std::size_t>((count + block_bytes - 1) / block_bytes * block_bytes);
}

// Of no number's exponent.
constexpr std::int16_t no_code = -32000;

TEST(ModularMagnitudesTest, CodesOfElements) {
  testing::Inputs inputs(1);
  for (int round = 0; round < testing::input_count(6000) / 3; ++round) {
    const Elements x(inputs);
    std::vector<std::int16_t> expected;
    std::vector<double> old, largest;
    for (const double value : x.magnitude) {
      int exponent = 0;
      const int five = static_cast<int>(32.0 * std::frexp(value, &exponent));
      expected.push_back(value == 0.0        ? code_of_zero
                         : value == infinity ? code_of_bad
                                             : static_cast<std::int16_t>(16 * exponent + five - 16));
      old.push_back(std::fabs(inputs.number(true).hi));
      largest.push_back(std::max(old.back(), value));
    }
    const double largest_of_all = *std::max_element(x.magnitude.begin(), x.magnitude.end());
    for (const KernelSet* set : kernel_sets()) {
      for (const bool each : {false, true}) {
        std::vector<std::int16_t> got(in_blocks(x.run.count) + 1, no_code);
        std::vector<double> magnitude = old;
        magnitude.resize(in_blocks(x.run.count));
        if (each) {
          set->codes_each(x.run, got.data(), magnitude.data());
          magnitude.resize(old.size());
          ASSERT_EQ(magnitude, largest) << set->target << ", round " << round;
        } else {
          ASSERT_EQ(set->codes(x.run, got.data()), largest_of_all) << set->target << ", round " << round;
        }
        ASSERT_EQ(got.back(), no_code) << set->target;
        // Up to the end of a block, which has 8 vectors.
        const auto end = static_cast<std::size_t>(std::find(got.begin(), got.end(), no_code) - got.begin());
        ASSERT_TRUE(end >= expected.size() && end % 8 == 0) << set->target << ", round " << round;
        for (std::size_t i = 0; i < end; ++i) {
          ASSERT_EQ(got[i], i < expected.size() ? expected[i] : code_of_zero)
              << set->target << ", round " << round << ": " << i;
        }
        got.resize(expected.size());
        ASSERT_EQ(got, expected) << set->target << ", round " << round;
      }
    }
  }
}

// A code of an element below 2^e, mostly by little.
std::int16_t some_code(testing::Inputs& inputs, int64_t e) {
  const int kind = inputs.below(12);
  if (kind == 0) return code_of_zero;
  const int64_t below = kind < 6     ? inputs.below(3)
                        : kind < 10  ? inputs.below(20)
                        : kind == 10 ? 1005 + inputs.below(15)
                                     : inputs.below(2100);
  return static_cast<std::int16_t>(16 * std::max<int64_t>(e - below, -1073) + inputs.below(16));
}

// ⌈(five above)² · 2^(2 power)⌉ of a code.
int64_t square(std::int16_t code, int64_t e) {
  const int64_t above = 17 + (code & 15), power = (code >> 4) + norm_unit - e;
  if (code == code_of_zero || power <= -1000) return 0;
  if (power >= 5) return above * above << 2 * (power - 5);
  return power < -5 ? 1 : (above * above + (int64_t{1} << 2 * (5 - power)) - 1) >> 2 * (5 - power);
}

TEST(ModularMagnitudesTest, SumsOfSquares) {
  testing::Inputs inputs(2);
  for (int round = 0; round < testing::input_count(3000) / 3; ++round) {
    const int64_t rows = 1 + inputs.below(inputs.below(8) ? 20 : 300), count = 1 + inputs.below(200);
    const auto leading = static_cast<int64_t>(in_blocks(count)) + 64 * inputs.below(2);
    std::vector<std::int16_t> codes(static_cast<std::size_t>(rows * leading), code_of_zero);
    std::vector<int64_t> e, sums, of_column(static_cast<std::size_t>(count), 0);
    for (int64_t j = 0; j < count; ++j) e.push_back(inputs.below(4) ? inputs.below(2090) - 1070 : 1024);
    // A row's exponent is one of all that it has.
    const int64_t most = *std::max_element(e.begin(), e.end());
    for (int64_t h = 0; h < rows; ++h) {
      int64_t sum = 0;
      for (int64_t j = 0; j < count; ++j) {
        const auto column = static_cast<std::size_t>(j);
        std::int16_t& code = codes[static_cast<std::size_t>(h * leading + j)];
        code = some_code(inputs, e[column]);
        sum += square(code, most);
        of_column[column] += square(code, e[column]);
      }
      sums.push_back(sum);
    }
    for (const KernelSet* set : kernel_sets()) {
      for (int64_t h = 0; h < rows; ++h) {
        ASSERT_EQ(set->squares(codes.data() + h * leading, count, most), sums[static_cast<std::size_t>(h)])
            << set->target << ", round " << round << ": " << h;
      }
      std::vector<int64_t> got(static_cast<std::size_t>(count), -1);
      set->squares_each(codes.data(), rows, leading, count, e.data(), got.data());
      ASSERT_EQ(got, of_column) << set->target << ", round " << round;
    }
  }
}

// The largest sums: all squares as large as they can be.
TEST(ModularMagnitudesTest, TheLargestSumsOfSquares) {
  constexpr int64_t count = 65536;
  const std::vector<std::int16_t> row(count, 15), column(count * block_bytes, 15);
  const std::vector<int64_t> e(static_cast<std::size_t>(block_bytes), 0);
  for (const KernelSet* set : kernel_sets()) {
    EXPECT_EQ(set->squares(row.data(), count, 0), count << 24) << set->target;
    std::vector<int64_t> got(e.size());
    set->squares_each(column.data(), count, block_bytes, block_bytes, e.data(), got.data());
    EXPECT_EQ(got, std::vector<int64_t>(got.size(), count << 24)) << set->target;
  }
}

TEST(ModularMagnitudesTest, FirstBitsOfElements) {
  testing::Inputs inputs(3);
  for (int round = 0; round < testing::input_count(6000) / 3; ++round) {
    const int64_t count = 1 + inputs.below(200);
    std::vector<std::int16_t> codes(in_blocks(count), code_of_zero);
    std::vector<std::int32_t> shift(codes.size(), 0);
    const bool has_shifts = inputs.below(2);
    const int32_t shift0 = inputs.below(2100) - 1020;
    std::vector<std::uint8_t> expected;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      shift[i] = inputs.below(20) ? inputs.below(2100) - 1020 : static_cast<int32_t>(leave_out);
      const int64_t by = has_shifts ? shift[i] : shift0;
      codes[i] = by == leave_out ? static_cast<std::int16_t>(inputs.below(60000) - 30000)
                                 : some_code(inputs, inputs.below(3) ? std::clamp<int64_t>(8 - by, -1073, 1024) : 1024);
      const int64_t five = codes[i] == code_of_zero ? 0 : 16 + (codes[i] & 15), power = (codes[i] >> 4) - 5 + by;
      const int64_t byte = power > 9 ? five << 9 : power >= 0 ? five << power : power > -9 ? five >> -power : 0;
      expected.push_back(static_cast<std::uint8_t>(std::min<int64_t>(byte, 127)));
    }
    for (const KernelSet* set : kernel_sets()) {
      std::vector<std::uint8_t> got(in_blocks(count) + 1, 201);
      set->magnitudes(codes.data(), count, has_shifts ? shift.data() : nullptr, shift0, got.data());
      ASSERT_EQ(got.back(), 201) << set->target;
      got.resize(expected.size());
      ASSERT_EQ(got, expected) << set->target << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace hilo::modular
