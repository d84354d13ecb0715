// The error measures themselves: exact results are exact, planted errors are found with their size and place.
#include <gtest/gtest.h>

#include <cmath>
#include <hilo/accuracy.hpp>
#include <limits>
#include <sstream>
#include <vector>

namespace hilo::accuracy {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
struct Parts {
  static T make(int re, int) { return T(static_cast<float>(re)); }
  static constexpr bool is_complex = false;
};
template <class T>
struct Parts<std::complex<T>> {
  static std::complex<T> make(int re, int im) { return {static_cast<T>(re), static_cast<T>(im)}; }
  static constexpr bool is_complex = true;
};
template <>
struct Parts<dd_complex> {
  static dd_complex make(int re, int im) { return {dd_real(re), dd_real(im)}; }
  static constexpr bool is_complex = true;
};

// What errors of T are counted in.
template <class T>
double unit() {
  if (precision_of<T> == Precision::s || precision_of<T> == Precision::c) return 0x1p-24;
  return precision_of<T> == Precision::d || precision_of<T> == Precision::z ? 0x1p-53 : 0x1p-106;
}

struct Gaussian {
  int re = 0, im = 0;
  friend Gaussian operator*(Gaussian x, Gaussian y) { return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }
  friend Gaussian operator+(Gaussian x, Gaussian y) { return {x.re + y.re, x.im + y.im}; }
  double magnitude() const { return std::hypot(re, im); }
};

// op(A) · op(B) in small integers, exact in every type; element (i, j) by formula.
template <class T>
struct IntegerProduct {
  static constexpr std::int64_t m = 7, n = 5, k = 6, lda = 9, ldb = 8, ldc = 11;
  Layout layout;
  Op opa, opb;
  Gaussian alpha{3, Parts<T>::is_complex ? -1 : 0}, beta{-2, Parts<T>::is_complex ? 1 : 0};
  std::vector<T> a = std::vector<T>(lda * lda, Parts<T>::make(99, 99));
  std::vector<T> b = std::vector<T>(ldb * ldb, Parts<T>::make(99, 99)), c0 = std::vector<T>(ldc * ldc), c = c0;

  IntegerProduct(Layout l, Op oa, Op ob, bool adds_c = true) : layout(l), opa(oa), opb(ob) {
    if (!adds_c) beta = {};
    auto va = view(layout, opa, a.data(), m, k, lda);
    auto vb = view(layout, opb, b.data(), k, n, ldb);
    auto vc0 = view(layout, Op::none, c0.data(), m, n, ldc);
    auto vc = view(layout, Op::none, c.data(), m, n, ldc);
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t h = 0; h < k; ++h) va(i, h) = make(stored(left(i, h), opa));
    }
    for (std::int64_t h = 0; h < k; ++h) {
      for (std::int64_t j = 0; j < n; ++j) vb(h, j) = make(stored(right(h, j), opb));
    }
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        vc0(i, j) = make(added(i, j));
        Gaussian sum;
        for (std::int64_t h = 0; h < k; ++h) sum = sum + left(i, h) * right(h, j);
        vc(i, j) = make(alpha * sum + beta * added(i, j));
      }
    }
  }

  T& result(std::int64_t i, std::int64_t j) { return view(layout, Op::none, c.data(), m, n, ldc)(i, j); }

  // |alpha||A||B| + |beta||C| at (i, j).
  double total(std::int64_t i, std::int64_t j) const {
    double sum = 0;
    for (std::int64_t h = 0; h < k; ++h) sum += left(i, h).magnitude() * right(h, j).magnitude();
    return alpha.magnitude() * sum + beta.magnitude() * added(i, j).magnitude();
  }

  // The same of 2-norms: |alpha| |row i of A| |column j of B| + |beta||C|.
  double total_of_norms(std::int64_t i, std::int64_t j) const {
    double row = 0, column = 0;
    for (std::int64_t h = 0; h < k; ++h) {
      row += std::pow(left(i, h).magnitude(), 2);
      column += std::pow(right(h, j).magnitude(), 2);
    }
    return alpha.magnitude() * std::sqrt(row * column) + beta.magnitude() * added(i, j).magnitude();
  }

  ErrorReport error(Measure measure = Measure::componentwise) const {
    return gemm_error(layout, opa, opb, m, n, k, make(alpha), a.data(), lda, b.data(), ldb, make(beta), c0.data(),
                      c.data(), ldc, Sample::full, measure);
  }

  std::int64_t exact_mismatches() const {
    return gemm_exact_mismatches(layout, opa, opb, m, n, k, make(alpha), a.data(), lda, b.data(), ldb, c.data(), ldc,
                                 Sample::full);
  }

 private:
  static Gaussian element(std::int64_t x, std::int64_t y, int salt) {
    int v = static_cast<int>((x * 31 + y * 17 + salt) % 13) - 6, w = static_cast<int>((x * 7 + y * 29 + salt) % 11) - 5;
    return {v, Parts<T>::is_complex ? w : 0};
  }
  static Gaussian left(std::int64_t i, std::int64_t h) { return element(i, h, 1); }
  static Gaussian right(std::int64_t h, std::int64_t j) { return element(h, j, 5); }
  static Gaussian added(std::int64_t i, std::int64_t j) { return element(i, j, 8); }
  static Gaussian stored(Gaussian x, Op op) { return op == Op::conjugate_transpose ? Gaussian{x.re, -x.im} : x; }
  static T make(Gaussian x) { return Parts<T>::make(x.re, x.im); }
};

template <class T>
class GemmError : public testing::Test {};
using AllTypes = testing::Types<float, double, std::complex<float>, std::complex<double>, dd_real, dd_complex>;
TYPED_TEST_SUITE(GemmError, AllTypes);

constexpr Op all_ops[] = {Op::none, Op::transpose, Op::conjugate_transpose};

TYPED_TEST(GemmError, IsZeroForExactProducts) {
  for (Layout layout : {Layout::column, Layout::row}) {
    for (Op opa : all_ops) {
      for (Op opb : all_ops) {
        IntegerProduct<TypeParam> p(layout, opa, opb);
        ErrorReport report = p.error();
        EXPECT_EQ(report.max_error_u2, 0.0);
        EXPECT_EQ(report.entries_checked, p.m * p.n);
        EXPECT_EQ(report.non_finite_mismatches, 0);
      }
    }
  }
}

TYPED_TEST(GemmError, FindsAPlantedErrorItsSizeAndItsPlace) {
  using T = TypeParam;
  for (Layout layout : {Layout::column, Layout::row}) {
    IntegerProduct<T> p(layout, Op::transpose, Op::conjugate_transpose);
    p.result(4, 3) = p.result(4, 3) + Parts<T>::make(3, 4);
    ErrorReport report = p.error();
    EXPECT_EQ(report.row, 4);
    EXPECT_EQ(report.column, 3);
    double planted = Parts<T>::is_complex ? 5.0 : 3.0;
    EXPECT_NEAR(report.max_error_u2 * unit<T>() * p.total(4, 3), planted, 1e-12);
  }
}

TYPED_TEST(GemmError, IsRelativeToNormsWhereAskedFor) {
  using T = TypeParam;
  for (Op op : all_ops) {
    for (bool adds_c : {true, false}) {
      IntegerProduct<T> p(Layout::column, op, op, adds_c);
      EXPECT_EQ(p.error(Measure::normwise).max_error_u2, 0.0);
      p.result(4, 3) = p.result(4, 3) + Parts<T>::make(3, 4);
      ErrorReport report = p.error(Measure::normwise);
      double planted = Parts<T>::is_complex ? 5.0 : 3.0;
      EXPECT_EQ(report.row, 4);
      EXPECT_EQ(report.column, 3);
      EXPECT_NEAR(report.max_error_u2 * unit<T>() * p.total_of_norms(4, 3), planted, 1e-12);
      EXPECT_LT(report.max_error_u2, p.error().max_error_u2);  // Cauchy and Schwarz
    }
  }
}

TYPED_TEST(GemmError, CountsInfAndNanThatDoNotBelong) {
  using T = TypeParam;
  IntegerProduct<T> p(Layout::column, Op::none, Op::none);
  p.result(1, 2) = T(static_cast<float>(inf));
  p.result(6, 0) = T(static_cast<float>(nan));
  ErrorReport report = p.error();
  EXPECT_EQ(report.non_finite_mismatches, 2);
  EXPECT_EQ(report.max_error_u2, inf);
  EXPECT_EQ(report.row, 6);
  EXPECT_EQ(report.column, 0);
}

TEST(GemmErrorOfDoubleDouble, SquaresOfNormsNeitherOverflowNorUnderflow) {
  for (int exponent : {-500, 500}) {
    double x = std::ldexp(1.0, exponent);
    dd_real a[] = {x, -x}, b[] = {1 / x, 2 / x}, c = dd_real(-1.0, 0x1p-104);
    auto report = gemm_error<dd_real>(Layout::row, Op::none, Op::none, 1, 1, 2, dd_real(1), a, 2, b, 1, dd_real(0),
                                      nullptr, &c, 1, Sample::full, Measure::normwise);
    EXPECT_NEAR(report.max_error_u2, 4.0 / std::sqrt(10.0), 1e-12);
  }
}

TEST(GemmErrorOfDoubleDouble, SeesTheLastBitOfLo) {
  dd_real a(1.0, 0x1p-60), b(1.0), c(1.0, 0x1p-60 + 0x1p-112);
  auto report = gemm_error<dd_real>(Layout::column, Op::none, Op::none, 1, 1, 1, dd_real(1), &a, 1, &b, 1, dd_real(0),
                                    nullptr, &c, 1);
  EXPECT_NEAR(report.max_error_u2, 0x1p-6, 1e-12);
}

struct NonFiniteCase {
  double a[2], b[2], c;
  bool matches;
};

TEST(GemmErrorOfDoubleDouble, ExpectsInfAndNanAsInDouble) {
  const NonFiniteCase cases[] = {
      {{inf, 1}, {2, 3}, inf, true},      {{inf, 1}, {2, 3}, -inf, false},     {{inf, 1}, {2, 3}, nan, false},
      {{inf, 1}, {0, 3}, nan, true},      {{inf, inf}, {1, -1}, nan, true},    {{inf, inf}, {1, -1}, inf, false},
      {{nan, 1}, {0, 0}, nan, true},      {{nan, 1}, {0, 0}, 0.0, false},      {{1e308, 1e308}, {1, 1}, inf, true},
      {{1e308, 1e308}, {1, 1}, 2, false}, {{1e308, 1e308}, {9, 9}, nan, false}};
  for (const NonFiniteCase& x : cases) {
    dd_real a[] = {x.a[0], x.a[1]}, b[] = {x.b[0], x.b[1]}, c = x.c;
    auto report = gemm_error<dd_real>(Layout::row, Op::none, Op::none, 1, 1, 2, dd_real(1), a, 2, b, 1, dd_real(0),
                                      nullptr, &c, 1);
    EXPECT_EQ(report.max_error_u2 == 0.0, x.matches) << x.a[0] << ' ' << x.b[0] << ' ' << x.c;
  }
  dd_real one(1), infinite(inf), wrong_lo(inf, 1.0);
  auto error = [&](const dd_real& c) {
    return gemm_error<dd_real>(Layout::row, Op::none, Op::none, 1, 1, 1, infinite, &one, 1, &one, 1, dd_real(0),
                               nullptr, &c, 1);
  };
  EXPECT_EQ(error(infinite).non_finite_mismatches, 0);
  EXPECT_EQ(error(wrong_lo).non_finite_mismatches, 1);
  for (const double lo : {nan, inf}) {
    const dd_real c(1.0, lo);
    const auto report = gemm_error<dd_real>(Layout::row, Op::none, Op::none, 1, 1, 1, one, &one, 1, &one, 1, dd_real(0),
                                            nullptr, &c, 1);
    EXPECT_EQ(report.non_finite_mismatches, 1) << lo;
    EXPECT_EQ(report.max_error_u2, inf) << lo;
    EXPECT_EQ(error(c).non_finite_mismatches, 1) << lo;
  }
}

TEST(GemmErrorOfDoubleDouble, ReadsNoMoreThanTheProductDoes) {
  dd_real invalid(nan), one(1), zero(0), a(1), b(1);
  auto without_a =
      gemm_error<dd_real>(Layout::row, Op::none, Op::none, 1, 1, 1, zero, nullptr, 1, nullptr, 1, one, &one, &one, 1);
  EXPECT_EQ(without_a.max_error_u2, 0.0);
  auto without_terms = gemm_error<dd_real>(Layout::row, Op::none, Op::none, 1, 1, 0, invalid, nullptr, 1, nullptr, 1,
                                           one, &one, &one, 1);
  EXPECT_EQ(without_terms.max_error_u2, 0.0);
  auto without_c =
      gemm_error<dd_real>(Layout::row, Op::none, Op::none, 1, 1, 1, one, &a, 1, &b, 1, zero, &invalid, &one, 1);
  EXPECT_EQ(without_c.max_error_u2, 0.0);
}

TEST(GemmErrorOfDoubleDouble, AllowsForUnderflow) {
  dd_real a(0x1p-600), b(0x1p-500), zero(0), four(0x1p-1072), twelve(0x1.8p-1071);
  auto error = [&](const dd_real& c) {
    return gemm_error<dd_real>(Layout::row, Op::none, Op::none, 1, 1, 1, dd_real(1), &a, 1, &b, 1, dd_real(0), nullptr,
                               &c, 1)
        .max_error_u2;
  };
  EXPECT_EQ(error(zero), 0.0);
  EXPECT_EQ(error(four), 0.0);
  EXPECT_GT(error(twelve), 1e20);
}

TYPED_TEST(GemmError, ExactProductsHaveNoMismatches) {
  using T = TypeParam;
  for (Layout layout : {Layout::column, Layout::row}) {
    for (Op opa : all_ops) {
      for (Op opb : all_ops) {
        IntegerProduct<T> p(layout, opa, opb, false);
        EXPECT_EQ(p.exact_mismatches(), 0);
        p.result(4, 3) = p.result(4, 3) + Parts<T>::make(0, 1);
        EXPECT_EQ(p.exact_mismatches(), Parts<T>::is_complex);
        p.result(0, 0) = p.result(0, 0) + Parts<T>::make(1, 0);
        p.result(6, 4) = p.result(6, 4) + Parts<T>::make(-1, 0);
        EXPECT_EQ(p.exact_mismatches(), 2 + Parts<T>::is_complex);
      }
    }
  }
}

TEST(Sampling, CoversCornersAndTileEdges) {
  constexpr std::int64_t m = 700, n = 530, k = 2;
  std::vector<dd_real> a(m * k, dd_real(1)), b(k * n, dd_real(1)), c(m * n, dd_real(2));
  auto error = [&](Sample sample) {
    return gemm_error<dd_real>(Layout::column, Op::none, Op::none, m, n, k, dd_real(1), a.data(), m, b.data(), k,
                               dd_real(0), nullptr, c.data(), m, sample);
  };
  EXPECT_GE(error(Sample::some).entries_checked, 256);
  EXPECT_LE(error(Sample::some).entries_checked, 400);
  EXPECT_EQ(error(Sample::full).entries_checked, m * n);
  auto finds_wrong_row = [&](std::int64_t i) {
    for (std::int64_t j = 0; j < n; ++j) c[static_cast<std::size_t>(i + j * m)] = dd_real(3);
    bool found = error(Sample::some).row == i;
    for (std::int64_t j = 0; j < n; ++j) c[static_cast<std::size_t>(i + j * m)] = dd_real(2);
    return found;
  };
  for (std::int64_t i : {0, 7, 8, 15, 16, 63, 64, 127, 128, 255, 256, 511, 512, 639, 640, 695, 696, 699}) {
    EXPECT_TRUE(finds_wrong_row(i)) << i;
  }
  for (std::int64_t corner : {std::int64_t{0}, m - 1, m * (n - 1), m * n - 1}) {
    c[static_cast<std::size_t>(corner)] = dd_real(3);
    EXPECT_GT(error(Sample::some).max_error_u2, 0.0) << corner;
    c[static_cast<std::size_t>(corner)] = dd_real(2);
  }
}

TEST(Arguments, AreChecked) {
  dd_real x(1);
  EXPECT_THROW(gemm_error<dd_real>(Layout::row, Op::none, Op::none, -1, 1, 1, x, &x, 1, &x, 1, x, &x, &x, 1), error);
  EXPECT_THROW(gemm_error<dd_real>(Layout::row, Op::none, Op::none, 1, 1, 1, x, &x, 1, &x, 1, x, nullptr, &x, 1),
               error);
  EXPECT_THROW(gemm_exact_mismatches<dd_real>(Layout::row, Op::none, Op::none, 1, 1, 2, x, &x, 1, &x, 1, &x, 1), error);
  EXPECT_THROW(solve_residual(Layout::row, -1, &x, 1, &x, &x), error);
  EXPECT_THROW(solve_residual(Layout::row, 2, &x, 1, &x, &x), error);
  EXPECT_THROW(solve_residual(Layout::row, 1, nullptr, 1, &x, &x), error);
  EXPECT_THROW(max_relative_error_u2(-1, &x, &x, &x), error);
  EXPECT_THROW(max_relative_error_u2(1, &x, nullptr, &x), error);
}

TEST(SolveResidual, IsTheScaledResidual) {
  // A = (1 2; 3 4), x = (5, 6): b = (17, 39), the norms are 7 and 6.
  for (Layout layout : {Layout::row, Layout::column}) {
    bool row = layout == Layout::row;
    dd_real a[] = {1, row ? 2 : 3, nan, row ? 3 : 2, 4, nan}, x[] = {5, 6}, b[] = {17, 39};
    EXPECT_EQ(solve_residual(layout, 2, a, 3, x, b), 0.0);
    b[1] = dd_real(39.0, 0x1p-100);
    EXPECT_NEAR(solve_residual(layout, 2, a, 3, x, b), 32.0 / 42.0, 1e-12);
    x[0] = dd_real(nan);
    EXPECT_EQ(solve_residual(layout, 2, a, 3, x, b), inf);
  }
}

TEST(MaxRelativeError, IsInUnitsOfTheExactNumber) {
  dd_real computed[] = {dd_real(2.0, 0x1p-80), dd_real(-4.0), dd_real(0)};
  dd_real high[] = {dd_real(2.0, 0x1p-80), dd_real(-4.0, 0x1p-70), dd_real(0)};
  dd_real low[] = {dd_real(0x1p-104), dd_real(-0x1p-70, 0x1p-130), dd_real(0)};
  EXPECT_NEAR(max_relative_error_u2(3, computed, high, low), 2.0, 1e-12);
  EXPECT_EQ(max_relative_error_u2(1, computed + 2, high + 2, low + 2), 0.0);
  EXPECT_EQ(max_relative_error_u2(1, computed, high + 2, low + 2), inf);
  computed[0] = dd_real(nan);
  EXPECT_EQ(max_relative_error_u2(3, computed, high, low), inf);
}

TEST(ErrorReport, Prints) {
  std::ostringstream out;
  out << ErrorReport{.entries_checked = 256, .max_error_u2 = 1.25, .row = 3, .column = 4};
  EXPECT_EQ(out.str(), "largest error 1.25 units at (3, 4), 256 entries checked\n");
}

}  // namespace
}  // namespace hilo::accuracy
