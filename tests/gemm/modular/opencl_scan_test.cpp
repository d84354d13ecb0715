// The first look at operands on a device: exponents of lines, whether or not figures come with them, however many tiles
// of a line a work-group takes.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "gemm/modular/opencl/scan.hpp"
#include "on_device.hpp"
#include "opencl/native.hpp"

namespace hilo::modular {
namespace {

using test::OnDevice;
using test::StoredMatrix;

DeviceView view_of(const BufferView<dd_real>& x) {
  return {cl::Buffer(x.buffer.native(), true), x.offset, x.rows, x.columns, x.row_stride, x.column_stride};
}

std::vector<cl_int> exponents(Queue& q, const DeviceView& a, const DeviceView& b, bool has_figures) {
  opencl::Call call(*q.state(), {});
  const DeviceOperand operand[2] = {DeviceOperand::left(a), DeviceOperand::right(b)};
  const Scan scan(
      call, ElementKind(Precision::dd), operand,
      {.keeps_codes = false, .finds_balance = false, .tests_sums = false, .limit = 0, .has_figures = has_figures});
  std::vector<cl_int> found(static_cast<std::size_t>(a.rows + b.columns));
  call.read(scan.found().exponents, 4 * found.size(), found.data());
  call.finish();
  return found;
}

// Of a line of A; zeros and NaN as the scan has them.
cl_int exponent_of_row(const StoredMatrix<dd_real>& a, std::int64_t i) {
  cl_int largest = line_of_zeros;
  for (std::int64_t h = 0; h < a.view.columns; ++h) {
    const double x = a(i, h).hi;
    if (!std::isfinite(x)) return line_is_bad;
    if (x != 0.0) largest = std::max<cl_int>(largest, std::ilogb(x) + 1);
  }
  return largest;
}

TEST(OpenclScan, FindsExponentsOfLinesAlone) {
  Queue& q = queue();
  if (!q.context().device().fp64) GTEST_SKIP() << "no double precision";
  // Enough for a work-group to take a line as a whole, and more tiles than it takes.
  const std::int64_t many = 32 * q.context().device().compute_units + 3;
  for (const auto& [m, n, k] : {std::tuple<std::int64_t, std::int64_t, std::int64_t>{1, 1, 1},
                                {many, 6, 12},
                                {many, many + 40, 64},
                                {7, many, 200},
                                {many, 33, 512},
                                {many, 5, 700},
                                {3, 2, 300}}) {
    for (const Layout layout : test::both_layouts) {
      StoredMatrix<dd_real> a(layout, m, k), b(layout, k, n);
      const auto entry = [](std::int64_t i, std::int64_t j) {
        const std::int64_t x = (i * 7919 + j * 104729) % 1009;
        return i % 11 == 5 ? dd_real(0) : dd_real(std::ldexp(1.5, static_cast<int>(x % 60) - 30));
      };
      a.fill(entry);
      b.fill([&](std::int64_t i, std::int64_t j) { return entry(j, i); });
      if (m > 2) a.view(2, k / 2) = dd_real(NAN);
      const OnDevice<dd_real> x(q, a), y(q, b);
      std::vector<cl_int> expected;
      for (std::int64_t i = 0; i < m; ++i) expected.push_back(exponent_of_row(a, i));
      StoredMatrix<dd_real> turned(layout, n, k);
      turned.fill(entry);
      for (std::int64_t j = 0; j < n; ++j) expected.push_back(exponent_of_row(turned, j));
      for (const bool has_figures : {false, true}) {
        EXPECT_EQ(exponents(q, view_of(x.view), view_of(y.view), has_figures), expected) << m << ' ' << n << ' ' << k;
      }
      // One look serves both.
      std::vector<cl_int> twice(expected.begin(), expected.begin() + m);
      twice.insert(twice.end(), expected.begin(), expected.begin() + m);
      EXPECT_EQ(exponents(q, view_of(x.view), view_of(x.view.turned(Op::transpose)), false), twice) << m << ' ' << k;
    }
  }
}

}  // namespace
}  // namespace hilo::modular
