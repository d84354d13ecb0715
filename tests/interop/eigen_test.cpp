#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>
#include <sstream>

#include "eigen_matrices.hpp"

namespace {

using namespace hilo::testing;
using hilo::dd_complex;
using hilo::dd_real;
using Traits = Eigen::NumTraits<dd_real>;

TEST(Eigen, KnowsTheNumber) {
  static_assert(Traits::IsComplex == 0 && Traits::IsInteger == 0 && Traits::IsSigned == 1);
  static_assert(Traits::RequireInitialization == 0);
  static_assert(Traits::epsilon() == 0x1p-105 && Traits::digits10() == 31 && Traits::digits() == 106);
  static_assert(Traits::highest() == std::numeric_limits<dd_real>::max() && Traits::lowest() == -Traits::highest());
  static_assert(Traits::min_exponent() == -968 && Traits::max_exponent() == 1024);
  static_assert(Traits::dummy_precision() > 1000 * Traits::epsilon() && Traits::dummy_precision() < 1e-25);
  EXPECT_TRUE(isinf(Traits::infinity()));
  EXPECT_TRUE(isnan(Traits::quiet_NaN()));
  static_assert(Eigen::NumTraits<Complex>::IsComplex == 1 && Eigen::NumTraits<dd_complex>::IsComplex == 1);
  static_assert(sizeof(Eigen::Matrix<dd_real, 4, 4>) == 16 * 16);
}

TEST(Eigen, ComparesUpToRounding) {
  Vector x = Vector::Random(10), y = x * (1 + dd_real(0x1p-100)), z = x * (1 + dd_real(0x1p-60));
  EXPECT_TRUE(x.isApprox(y));
  EXPECT_FALSE(x.isApprox(z));
  EXPECT_TRUE(x.cast<double>().isApprox(z.cast<double>()));
  EXPECT_TRUE((x - y).isMuchSmallerThan(x));
}

TEST(Eigen, MixesWithWords) {
  Matrix a = Matrix::Random(5, 5);
  Eigen::MatrixXd words = Eigen::MatrixXd::Random(5, 5);
  dd_real x = a(2, 3);
  double w = words(2, 3);
  EXPECT_EQ((a * 0.1)(2, 3), x * 0.1);
  EXPECT_EQ((3 * a)(2, 3), x * 3);
  EXPECT_EQ((a / 3.0f)(2, 3), x / 3.0f);
  EXPECT_EQ((a / 7LL)(2, 3), x / 7LL);
  EXPECT_EQ((a + words)(2, 3), x + w);
  EXPECT_EQ((words - a)(2, 3), w - x);
  EXPECT_EQ(a.cwiseProduct(words)(2, 3), x * w);
  a *= 2;
  a += words;
  EXPECT_EQ(a(2, 3), x * 2 + w);
  a.array() += 1;
  EXPECT_EQ(a(2, 3), x * 2 + w + 1);
  Matrix lifted = words.cast<dd_real>();
  EXPECT_LT(ratio(a * words - a * lifted, a.norm() * lifted.norm()), 30);
  EXPECT_LT(ratio(words * a - lifted * a, a.norm() * lifted.norm()), 30);
  Vector v = words * Vector::Random(5);
  EXPECT_EQ(v.size(), 5);
  EXPECT_EQ((ComplexMatrix::Constant(2, 2, Complex(1, 2)) * 2.0)(1, 1), Complex(2, 4));
  EXPECT_EQ((ComplexMatrix::Constant(2, 2, Complex(1, 2)) * dd_real(2))(1, 1), Complex(2, 4));
}

TEST(Eigen, CastsBothWays) {
  Matrix a = Matrix::Random(4, 4);
  EXPECT_EQ(a.cast<double>()(1, 2), a(1, 2).hi);
  EXPECT_EQ(a.cast<float>()(1, 2), static_cast<float>(a(1, 2)));
  EXPECT_EQ((a * 100).cast<int>()(1, 2), static_cast<int>(a(1, 2) * 100));
  EXPECT_EQ(a.cast<Complex>()(1, 2), Complex(a(1, 2)));
  Eigen::MatrixXf f = Eigen::MatrixXf::Random(3, 3);
  EXPECT_EQ(f.cast<dd_real>()(1, 1), dd_real(f(1, 1)));
  EXPECT_EQ(Eigen::MatrixXi::Constant(2, 2, 7).cast<dd_real>()(0, 1), dd_real(7));
  EXPECT_EQ(Eigen::MatrixXd::Constant(2, 2, 0.1).cast<Complex>()(0, 1), Complex(0.1));
}

TEST(Eigen, FindsTheFunctionsOfTheNumber) {
  using Array = Eigen::Array<dd_real, Eigen::Dynamic, 1>;
  Array x = Array::Random(20), y = x.abs() + dd_real(0.5);
  auto expect = [&](const Array& got, auto function) {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(got(i), function(i)) << i;
  };
  expect(x.abs(), [&](int i) { return abs(x(i)); });
  expect(y.sqrt(), [&](int i) { return sqrt(y(i)); });
  expect(y.rsqrt(), [&](int i) { return 1 / sqrt(y(i)); });
  expect(x.square(), [&](int i) { return x(i) * x(i); });
  expect(x.cube(), [&](int i) { return x(i) * x(i) * x(i); });
  expect(x.inverse(), [&](int i) { return 1 / x(i); });
  expect(x.exp(), [&](int i) { return exp(x(i)); });
  expect(x.expm1(), [&](int i) { return expm1(x(i)); });
  expect(y.log(), [&](int i) { return log(y(i)); });
  expect(y.log1p(), [&](int i) { return log1p(y(i)); });
  expect(y.log10(), [&](int i) { return log10(y(i)); });
  expect(y.pow(dd_real(1.5)), [&](int i) { return pow(y(i), dd_real(1.5)); });
  expect(x.sin(), [&](int i) { return sin(x(i)); });
  expect(x.cos(), [&](int i) { return cos(x(i)); });
  expect(x.tan(), [&](int i) { return tan(x(i)); });
  expect(x.asin(), [&](int i) { return asin(x(i)); });
  expect(x.acos(), [&](int i) { return acos(x(i)); });
  expect(x.atan(), [&](int i) { return atan(x(i)); });
  expect(x.sinh(), [&](int i) { return sinh(x(i)); });
  expect(x.cosh(), [&](int i) { return cosh(x(i)); });
  expect(x.tanh(), [&](int i) { return tanh(x(i)); });
  expect((x * 9).floor(), [&](int i) { return floor(x(i) * 9); });
  expect((x * 9).ceil(), [&](int i) { return ceil(x(i) * 9); });
  expect((x * 9).round(), [&](int i) { return round(x(i) * 9); });
  expect((x * 9).rint(), [&](int i) { return rint(x(i) * 9); });
  expect(x.min(y - 1), [&](int i) { return fmin(x(i), y(i) - 1); });
  expect(x.max(dd_real(0)), [&](int i) { return fmax(x(i), dd_real(0)); });
  expect(x.sign(), [&](int i) { return x(i) < 0 ? dd_real(-1) : dd_real(1); });
  x(3) = Traits::quiet_NaN();
  x(4) = Traits::infinity();
  EXPECT_TRUE(x.isNaN()(3) && x.isInf()(4) && x.isFinite()(5));
  EXPECT_TRUE(x.matrix().hasNaN() && !y.matrix().hasNaN() && !x.matrix().allFinite());
}

TEST(Eigen, TakesNormsOfNumbersFarFromOne) {
  Vector x(2);
  x << 3, 4;
  EXPECT_EQ(x.norm(), dd_real(5));
  dd_real huge = 0x1p900, tiny = 0x1p-900;
  EXPECT_EQ((x * huge).stableNorm(), 5 * huge);
  EXPECT_EQ((x * tiny).stableNorm(), 5 * tiny);
  EXPECT_EQ((x * huge).blueNorm(), 5 * huge);
  EXPECT_EQ((x * huge).hypotNorm(), 5 * huge);
  EXPECT_EQ((x * huge).lpNorm<1>(), 7 * huge);
  EXPECT_EQ((x * huge).lpNorm<Eigen::Infinity>(), 4 * huge);
}

TEST(Eigen, FillsAllBitsAtRandom) {
  std::srand(1);
  Vector x = Vector::Random(2000);
  EXPECT_TRUE((x.array() >= dd_real(-1)).all() && (x.array() < dd_real(1)).all());
  EXPECT_LT(std::fabs(x.mean().hi), 4.0 / std::sqrt(3.0 * 2000));
  int odd = 0;
  for (const dd_real& number : x) {
    // The last of 105 bits behind the point.
    double last = std::ldexp(number.lo, 105);
    odd += std::floor(0.5 * last) != 0.5 * last;
  }
  EXPECT_NEAR(odd, 1000, 100);
  dd_real between = Eigen::internal::random<dd_real>(5, 6);
  EXPECT_TRUE(between >= 5 && between <= 6);
}

TEST(Eigen, WritesMatrices) {
  Eigen::Matrix<dd_real, 2, 2> a;
  a << 1, dd_real(1) / 3, -0.5, 1e20;
  std::ostringstream text;
  text << a.format(Eigen::IOFormat(Eigen::FullPrecision, 0, ", ", "\n", "[", "]"));
  EXPECT_EQ(text.str(),
            "[                                1, 0.3333333333333333333333333333333]\n"
            "[                             -0.5,             100000000000000000000]");
  std::ostringstream brief;
  brief << a.row(0);
  EXPECT_EQ(brief.str(), "       1 0.333333");
}

TEST(Eigen, DividesComplexNumbersOverTheWholeRange) {
  for (int up = -900; up <= 900; up += 300) {
    for (int down = -900; down <= 900; down += 300) {
      Complex z(ldexp(dd_real(3), up), ldexp(dd_real(4), up)), w(ldexp(dd_real(1), down), ldexp(dd_real(2), down));
      // (3 + 4i) / (1 + 2i) = (11 − 2i) / 5.
      Complex quotient = z / w;
      if (std::abs(up - down) < 1000) {
        dd_real re = ldexp(quotient.real(), down - up), im = ldexp(quotient.imag(), down - up);
        EXPECT_LT(static_cast<double>(abs(5 * re - 11) + abs(5 * im + 2)), 1e-29) << up << " " << down;
      }
      Complex one = w;
      one /= w;
      EXPECT_EQ(one, Complex(1)) << down;
      EXPECT_LT(static_cast<double>(abs(w * (dd_real(1) / w) - Complex(1))), 1e-30) << down;
    }
  }
}

TEST(Eigen, HoldsHilosOwnComplexNumbers) {
  using OwnMatrix = Eigen::Matrix<dd_complex, Eigen::Dynamic, Eigen::Dynamic>;
  OwnMatrix a = OwnMatrix::Random(19, 19), b = OwnMatrix::Random(19, 2), x = a.partialPivLu().solve(b);
  EXPECT_LT(ratio(a * x - b, a.norm() * x.norm()), 30);
  OwnMatrix q = a.householderQr().householderQ();
  EXPECT_LT(departure_from_unitary(q), 30);
  ComplexMatrix other = a.cast<Complex>(), product = (a * q.adjoint()).cast<Complex>();
  EXPECT_LT(ratio(other * q.cast<Complex>().adjoint() - product, a.norm() * q.norm()), 30);
  EXPECT_EQ((a * dd_real(2))(3, 4), a(3, 4) * dd_real(2));
}

}  // namespace
