// The residual of factors: 0 of exact ones, of others what was planted, and the sizes and numbers that are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <hilo/accuracy.hpp>
#include <limits>
#include <vector>

#include "error_message.hpp"
#include "small_number.hpp"

namespace hilo::accuracy {
namespace {

template <class T>
struct Factors {
  static constexpr std::int64_t m = 5, n = 4, k = 3;
  std::vector<T> a, b, c = std::vector<T>(m * n);

  Factors() {
    for (int i = 0; i < m * k; ++i) a.push_back(number<T>(i % 5 - 2, i % 3));
    for (int i = 0; i < k * n; ++i) b.push_back(number<T>(i % 4 + 1, i % 2));
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t h = 0; h < k; ++h) c[i + j * m] = c[i + j * m] + a[i + h * m] * b[h + j * k];
      }
    }
  }
  MatrixView<const T> va() const { return view(Layout::column, Op::none, a.data(), m, k, m); }
  MatrixView<const T> vb() const { return view(Layout::column, Op::none, b.data(), k, n, k); }
  MatrixView<const T> vc() const { return view(Layout::column, Op::none, c.data(), m, n, m); }
  double residual() const { return factor_residual(va(), vb(), vc()); }
};

template <class T>
double epsilon() {
  return std::ldexp(2.0, precisions::error_unit(precision_of<T>));
}

template <class T>
class FactorResidual : public ::testing::Test {};
using AllTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>, dd_real, dd_complex>;
TYPED_TEST_SUITE(FactorResidual, AllTypes);

TYPED_TEST(FactorResidual, IsZeroOfExactFactors) {
  const Factors<TypeParam> f;
  EXPECT_EQ(f.residual(), 0.0);
}

TYPED_TEST(FactorResidual, FindsWhatWasPlanted) {
  using T = TypeParam;
  // C of ones but for one entry: the norm is n.
  Factors<T> f;
  f.a.assign(f.a.size(), number<T>(0, 0));
  for (std::size_t i = 0; i < 5; ++i) f.a[i] = number<T>(1, 0);
  f.b.assign(f.b.size(), number<T>(1, 0));
  f.c.assign(f.c.size(), number<T>(1, 0));
  EXPECT_EQ(f.residual(), 0.0);
  const double off = 12 * epsilon<T>();
  f.c[7] = f.c[7] + T(static_cast<float>(off));
  EXPECT_NEAR(f.residual(), 12.0 / (3 * 4), 1e-5);
  // Two in a row add up, two in a column do not.
  f.c[12] = f.c[7];
  EXPECT_NEAR(f.residual(), 24.0 / (3 * 4), 1e-5);
  f.c[12] = f.c[11];
  f.c[8] = f.c[7];
  EXPECT_NEAR(f.residual(), 12.0 / (3 * 4), 1e-5);
}

TYPED_TEST(FactorResidual, ReadsViews) {
  using T = TypeParam;
  const Factors<T> f;
  const auto turned = [](const MatrixView<const T>& x) { return x.turned(Op::conjugate_transpose); };
  EXPECT_EQ(factor_residual(turned(f.vb()), turned(f.va()), turned(f.vc())), 0.0);
}

TYPED_TEST(FactorResidual, OfWhatIsNotFiniteIsInfinite) {
  using T = TypeParam;
  for (int which = 0; which < 3; ++which) {
    Factors<T> f;
    (which == 0 ? f.a : which == 1 ? f.b : f.c)[1] = T(std::numeric_limits<float>::infinity());
    EXPECT_EQ(f.residual(), std::numeric_limits<double>::infinity());
  }
  Factors<T> zero;
  zero.c.assign(zero.c.size(), T(0));
  EXPECT_EQ(zero.residual(), std::numeric_limits<double>::infinity());
}

TEST(FactorResidualOfDoubleDouble, OfALowWordThatIsNotFiniteIsInfinite) {
  Factors<dd_real> f;
  f.a[1].lo = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(f.residual(), std::numeric_limits<double>::infinity());
}

TEST(FactorResidualArguments, SizesAndPointers) {
  const Factors<double> f;
  const auto message = [&](const MatrixView<const double>& a, const MatrixView<const double>& b) {
    return message_of(errc::invalid_argument, [&] { factor_residual(a, b, f.vc()); });
  };
  EXPECT_EQ(message(f.va(), f.va()), "factor_residual: A is 5 x 3, B 5 x 3");
  EXPECT_EQ(message(f.va().sub(0, 0, 4, 3), f.vb()), "factor_residual: C is 5 x 4, A 4 x 3, B 3 x 4");
  MatrixView<const double> null = f.va();
  null.data = nullptr;
  EXPECT_EQ(message(null, f.vb()), "factor_residual: A is null");
  EXPECT_EQ(factor_residual(f.va().sub(0, 0, 0, 3), f.vb(), f.vc().sub(0, 0, 0, 4)), 0.0);
}

}  // namespace
}  // namespace hilo::accuracy
