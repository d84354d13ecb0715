// What a device's sum test multiplies, norms of lines and first bits of elements, against their definition
// (docs/modular.md, 1.3): elements of any exponents, words that are no double-double, zeros and bad lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include "gemm/modular/opencl/scan.hpp"
#include "on_device.hpp"
#include "opencl/native.hpp"

namespace hilo::modular {
namespace {

using std::int64_t;
using test::OnDevice;
using test::StoredMatrix;

constexpr double infinity = std::numeric_limits<double>::infinity();

double magnitude(double x) { return std::isfinite(x) ? std::fabs(x) : infinity; }
double magnitude(dd_real x) { return magnitude(x.hi + x.lo); }
double magnitude(std::complex<double> x) { return std::max(magnitude(x.real()), magnitude(x.imag())); }
double magnitude(dd_complex x) { return std::max(magnitude(x.re), magnitude(x.im)); }

class Elements {
 public:
  template <class T>
  T next(int exponent, int range) {
    if constexpr (std::is_same_v<T, dd_complex>) {
      return {real(exponent, range), real(exponent, range)};
    } else if constexpr (std::is_same_v<T, std::complex<double>>) {
      return {real(exponent, range).hi, real(exponent, range).hi};
    } else if constexpr (std::is_same_v<T, double>) {
      return real(exponent, range).hi;
    } else {
      return real(exponent, range);
    }
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

  // Below 2^exponent, by no more than 2^range nearly always.
  dd_real real(int exponent, int range) {
    if (below(20) == 0) return {below(2) ? 0.0 : -0.0, 0.0};
    const double bits = below(2) ? 0.0 : std::ldexp(static_cast<double>(random_() >> 11), -53);
    const double hi = std::ldexp(16 + below(16) + bits, exponent - 5 - below(below(40) ? range : 1200));
    const double parts[] = {0.0,     0x1p-54, -0x1p-54,  -0x1p-53, 0x1.8p-54, -0x1.8p-54,
                            0x1p-80, -0.75,   0x1p-1000, -0.99,    0x1p-55,   -0x1p-55};
    const double lo = hi * parts[below(12)];
    if (below(12) == 0) return {lo, below(2) ? hi : -hi};
    return below(2) ? dd_real(hi, lo) : dd_real(-hi, -lo);
  }

  std::mt19937_64 random_{1};
};

// An element that makes its line bad.
template <class T>
T bad(int kind) {
  if constexpr (double_double<T>) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), most = std::numeric_limits<double>::max();
    const dd_real words[] = {{infinity, 0.0}, {1.0, nan}, {-1.0, -infinity}, {most, most}, {nan, 0.0}};
    return T(words[kind]);
  } else {
    return T(kind % 2 ? infinity : std::nan(""));
  }
}

// Of a line: what a device has of it.
struct LineMagnitudes {
  float norm = -1e30f;
  cl_int exponent = line_of_zeros;  // less v or w
  std::vector<unsigned char> bytes;

  bool operator==(const LineMagnitudes&) const = default;
};

LineMagnitudes defined(const std::vector<double>& line) {
  LineMagnitudes result;
  result.bytes.assign(line.size(), 0);
  const double largest = *std::max_element(line.begin(), line.end());
  if (largest == 0.0) return result;
  result.exponent = line_is_bad;
  if (largest == infinity) return result;
  const int e = std::ilogb(largest) + 1;
  // Of a number 0.1ffff… · 2^exponent, with ffff as 1ffff.
  const auto five_bits = [](double x, int& exponent) { return static_cast<int64_t>(32.0 * std::frexp(x, &exponent)); };
  int64_t squares = 0;
  for (const double x : line) {
    int exponent = 0;
    const int64_t above = five_bits(x, exponent) + 1;
    if (x == 0.0 || exponent + 12 - e <= -1000) continue;
    const int power = 2 * (exponent + 12 - e - 5);
    squares += power >= 0    ? above * above << power
               : power > -20 ? (above * above + (int64_t{1} << -power) - 1) >> -power
                             : 1;
  }
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(squares)));
  while (root * root < squares) ++root;
  int shift = 0;
  const int64_t longest = longest_norm(std::ssize(line));
  while (root << (shift + 1) <= longest) ++shift;
  result.norm = static_cast<float>(root << shift);
  result.exponent = e - shift;
  for (std::size_t h = 0; h < line.size(); ++h) {
    int exponent = 0;
    const int64_t five = five_bits(line[h], exponent);
    const int power = exponent - e + shift;
    const int64_t byte = power >= 0 ? five << std::min(power, 8) : power > -6 ? five >> -power : 0;
    result.bytes[h] = static_cast<unsigned char>(std::min<int64_t>(byte, 127));
  }
  return result;
}

template <class T>
DeviceView view_of(const BufferView<T>& x) {
  return {cl::Buffer(x.buffer.native(), true), x.offset, x.rows, x.columns, x.row_stride, x.column_stride};
}

std::vector<LineMagnitudes> found(Queue& q, Precision precision, const DeviceView& a, const DeviceView& b) {
  opencl::Call call(*q.state(), {});
  const int64_t lines[2] = {a.rows, b.columns}, terms = a.columns, all = lines[0] + lines[1];
  const DeviceOperand operand[2] = {DeviceOperand::left(a), DeviceOperand::right(b)};
  Scan scan(call, ElementKind(precision), operand,
            {.keeps_codes = true, .finds_balance = false, .tests_sums = true, .limit = 0});
  const MagnitudeSizes sizes({128, 256, 64, false, false}, lines[0], lines[1], terms);
  opencl::Workspace bytes = call.lend(sizes.bytes(), "magnitudes"), scaled = call.lend(4 * all, "exponents");
  scan.find_magnitudes(sizes, bytes.buffer(), scaled.buffer());
  std::vector<unsigned char> all_bytes(static_cast<std::size_t>(sizes.bytes()));
  std::vector<cl_int> exponents(static_cast<std::size_t>(all));
  std::vector<float> norms(static_cast<std::size_t>(all));
  call.read(bytes.buffer(), all_bytes.size(), all_bytes.data());
  call.read(scaled.buffer(), 4 * exponents.size(), exponents.data());
  call.read(scan.norms(), 4 * norms.size(), norms.data());
  call.finish();
  // Lines and terms beyond the last ones are zeros.
  std::vector<bool> is_inside(all_bytes.size(), false);
  std::vector<LineMagnitudes> result(static_cast<std::size_t>(all));
  for (int64_t l = 0; l < all; ++l) {
    const bool is_b = l >= lines[0];
    const int64_t tile = is_b ? 256 : 128, line = is_b ? l - lines[0] : l;
    LineMagnitudes& x = result[static_cast<std::size_t>(l)];
    x.norm = norms[static_cast<std::size_t>(l)];
    x.exponent = exponents[static_cast<std::size_t>(l)];
    for (int64_t h = 0; h < sizes.depth; ++h) {
      const int64_t chunk = line / tile * (sizes.depth / 16) + h / 16;
      const int64_t at = (is_b ? sizes.rows * sizes.depth : 0) + (chunk * tile + line % tile) * 16 + h % 16;
      const unsigned char byte = all_bytes[static_cast<std::size_t>(at)];
      if (h < terms) x.bytes.push_back(byte);
      is_inside[static_cast<std::size_t>(at)] = h < terms;
    }
  }
  for (std::size_t i = 0; i < all_bytes.size(); ++i) {
    if (!is_inside[i] && all_bytes[i] != 0) ADD_FAILURE() << "byte " << i << " is " << int{all_bytes[i]};
  }
  return result;
}

template <class T>
class OpenclMagnitudes : public ::testing::Test {};
using Precisions = ::testing::Types<dd_real, dd_complex, double, std::complex<double>>;
TYPED_TEST_SUITE(OpenclMagnitudes, Precisions, );

TYPED_TEST(OpenclMagnitudes, AreThoseOfTheDefinition) {
  using T = TypeParam;
  Queue& q = queue();
  Elements elements;
  // Of lines below 2^1000 and above 2^-1074 all kinds, their terms in fewer and in more groups than have a place each.
  for (const auto& [m, n, k] :
       {std::tuple<int64_t, int64_t, int64_t>{70, 45, 64}, {33, 300, 203}, {5, 64, 1100}, {40, 3, 2200}}) {
    for (const Layout layout : test::both_layouts) {
      StoredMatrix<T> a(layout, m, k), b(layout, k, n);
      const auto entry = [&](int64_t line, int64_t term) -> T {
        constexpr int exponents[] = {0, 3, -1040, 1000, -1060, -20, -500};
        if (line % 11 == 5) return T(0.0);
        if (line % 13 == 7 && term == k / 2) return bad<T>(static_cast<int>(line % 5));
        // A norm that is an integer, if what is far below does not count; and one term that is beyond all others.
        if (line % 17 == 9) return T(term == k / 3 ? 0x1.5p900 : std::ldexp(1.0, static_cast<int>(-111 - line % 3)));
        const int above = line % 5 == 2 && term == line * 37 % k ? 15 : 0;
        return elements.template next<T>(exponents[line % 7] + above, line % 3 == 0 ? 2 : line % 3 == 1 ? 12 : 30);
      };
      a.fill(entry);
      b.fill([&](int64_t h, int64_t j) { return entry(j, h); });
      std::vector<LineMagnitudes> expected;
      for (int64_t i = 0; i < m; ++i) {
        std::vector<double> line;
        for (int64_t h = 0; h < k; ++h) line.push_back(magnitude(a(i, h)));
        expected.push_back(defined(line));
      }
      for (int64_t j = 0; j < n; ++j) {
        std::vector<double> line;
        for (int64_t h = 0; h < k; ++h) line.push_back(magnitude(b(h, j)));
        expected.push_back(defined(line));
      }
      const OnDevice<T> x(q, a), y(q, b);
      constexpr Precision precision = precision_of<T>;
      const auto expect_equal = [&](const std::vector<LineMagnitudes>& got, const std::vector<LineMagnitudes>& wanted) {
        ASSERT_EQ(got.size(), wanted.size());
        for (std::size_t l = 0; l < got.size(); ++l) {
          EXPECT_EQ(got[l].norm, wanted[l].norm) << l << " of " << m << ' ' << n << ' ' << k;
          EXPECT_EQ(got[l].exponent, wanted[l].exponent) << l << " of " << m << ' ' << n << ' ' << k;
          EXPECT_EQ(got[l].bytes, wanted[l].bytes) << l << " of " << m << ' ' << n << ' ' << k;
        }
      };
      expect_equal(found(q, precision, view_of(x.view), view_of(y.view)), expected);
      // One look serves both.
      std::vector<LineMagnitudes> twice(expected.begin(), expected.begin() + m);
      twice.insert(twice.end(), expected.begin(), expected.begin() + m);
      expect_equal(found(q, precision, view_of(x.view), view_of(x.view.turned(Op::transpose))), twice);
    }
  }
}

}  // namespace
}  // namespace hilo::modular
