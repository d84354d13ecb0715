// The first look at operands on a device: exponents of lines, whether or not figures come with them, however many tiles
// of a line a work-group takes. And what panels are made of, with their lines in order and in quads.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "gemm/modular/opencl/line_order.hpp"
#include "gemm/modular/opencl/residues.hpp"
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

// Whether panels of so many lines and terms, plane after plane, are the same but for the places of lines.
void expect_same_lines(const std::vector<unsigned char>& in_order, const std::vector<unsigned char>& in_quads,
                       int lines, std::int64_t terms) {
  const std::size_t chunk = static_cast<std::size_t>(16 * lines);
  ASSERT_EQ(in_order.size() % (chunk * static_cast<std::size_t>(terms / 16)), 0u);
  bool is_same = true;
  for (std::size_t first = 0; first < in_order.size(); first += chunk) {
    for (int line = 0; line < lines; ++line) {
      const auto x = in_order.begin() + static_cast<std::ptrdiff_t>(first) + 16 * line;
      const auto y = in_quads.begin() + static_cast<std::ptrdiff_t>(first) + 16 * place_of_line(line, true);
      is_same = is_same && std::equal(x, x + 16, y);
    }
  }
  EXPECT_TRUE(is_same);
  EXPECT_NE(in_order, in_quads);
}

class InQuads : public ::testing::TestWithParam<Layout> {
 protected:
  static constexpr std::int64_t lines_ = 300, terms_ = 90, padded_terms_ = 128;

  InQuads() : stored_(GetParam(), lines_, terms_) {
    stored_.fill([](std::int64_t i, std::int64_t j) {
      return dd_real(std::ldexp(static_cast<double>((i * 7919 + j * 104729) % 10007 - 5000), -9));
    });
  }
  StoredMatrix<dd_real> stored_;
};

TEST_P(InQuads, ResiduesAreTheSame) {
  Queue& q = queue();
  if (!q.context().device().fp64) GTEST_SKIP() << "no double precision";
  constexpr int tile_lines = 128, moduli = 5;
  constexpr std::int64_t padded_lines = 3 * tile_lines;
  const OnDevice<dd_real> x(q, stored_);
  const ElementKind kind(Precision::dd);
  const auto residues = [&](bool in_quads) {
    opencl::Call call(*q.state(), {});
    const DeviceOperand operand[2] = {DeviceOperand::left(view_of(x.view)), {{}, {}, 0, terms_}};
    const Scan scan(
        call, kind, operand,
        {.keeps_codes = false, .finds_balance = false, .tests_sums = false, .limit = 0, .has_figures = false});
    ScalingChoice choice;
    choice.bits[0] = choice.bits[1] = 60;
    choice.moduli = moduli;
    const ScaledOperands scaled{choice, opencl::copied(scan.found().exponents), {}};
    std::vector<unsigned char> found(static_cast<std::size_t>(moduli * padded_lines * padded_terms_));
    opencl::Workspace out = call.lend(static_cast<std::int64_t>(found.size()), "residues");
    Residues finder(call.context(), kind, operand, scaled, {tile_lines, tile_lines, 64, in_quads, false});
    finder.launch(
        call, {0, false, {0, lines_}, {0, terms_}, {0, moduli}, padded_lines, padded_terms_, tile_lines, out.buffer()});
    call.read(out.buffer(), found.size(), found.data());
    call.finish();
    return found;
  };
  expect_same_lines(residues(false), residues(true), tile_lines, padded_terms_);
}

TEST_P(InQuads, MagnitudesAreTheSame) {
  Queue& q = queue();
  if (!q.context().device().fp64) GTEST_SKIP() << "no double precision";
  StoredMatrix<dd_real> turned(GetParam(), terms_, lines_);
  turned.fill([&](std::int64_t i, std::int64_t j) { return stored_(j, i); });
  const OnDevice<dd_real> x(q, stored_), y(q, turned);
  const auto magnitudes = [&](bool in_quads) {
    opencl::Call call(*q.state(), {});
    const DeviceOperand operand[2] = {DeviceOperand::left(view_of(x.view)), DeviceOperand::right(view_of(y.view))};
    Scan scan(call, ElementKind(Precision::dd), operand,
              {.keeps_codes = true, .finds_balance = false, .tests_sums = true, .limit = 0});
    const MagnitudeSizes sizes({128, 256, 64, in_quads, false}, lines_, lines_, terms_);
    std::vector<unsigned char> found(static_cast<std::size_t>(sizes.bytes()));
    opencl::Workspace bytes = call.lend(sizes.bytes(), "magnitudes"), scaled = call.lend(8 * lines_, "exponents");
    scan.find_magnitudes(sizes, bytes.buffer(), scaled.buffer());
    call.read(bytes.buffer(), found.size(), found.data());
    call.finish();
    return found;
  };
  const auto in_order = magnitudes(false), in_quads = magnitudes(true);
  constexpr std::ptrdiff_t of_a = 3 * 128 * padded_terms_;
  expect_same_lines({in_order.begin(), in_order.begin() + of_a}, {in_quads.begin(), in_quads.begin() + of_a}, 128,
                    padded_terms_);
  expect_same_lines({in_order.begin() + of_a, in_order.end()}, {in_quads.begin() + of_a, in_quads.end()}, 256,
                    padded_terms_);
}

INSTANTIATE_TEST_SUITE_P(Layouts, InQuads, ::testing::ValuesIn(test::both_layouts));

}  // namespace
}  // namespace hilo::modular
