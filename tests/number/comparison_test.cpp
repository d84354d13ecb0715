#include <gtest/gtest.h>

#include <hilo/math/comparison.hpp>

#include "function_errors.hpp"

namespace {

using hilo::dd_real;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

bool same(dd_real x, double y) {
  if (y != y) return x.hi != x.hi && x.lo == 0.0;
  return std::bit_cast<std::uint64_t>(x.hi) == std::bit_cast<std::uint64_t>(y) && x.lo == 0.0;
}

double maximum(double x, double y) {
  if (x != x || y != y) return not_a_number;
  if (x == y) return std::signbit(x) ? y : x;
  return x > y ? x : y;
}

TEST(Comparison, AgreesWithThatOfDoubles) {
  const double values[] = {0.0, -0.0, 1.0, -1.0, 2.5, -2.5, infinity, -infinity, not_a_number, 0.5};
  for (double x : values) {
    for (double y : values) {
      dd_real a = x, b = y;
      EXPECT_EQ(isgreater(a, b), std::isgreater(x, y));
      EXPECT_EQ(isgreaterequal(a, b), std::isgreaterequal(x, y));
      EXPECT_EQ(isless(a, b), std::isless(x, y));
      EXPECT_EQ(islessequal(a, b), std::islessequal(x, y));
      EXPECT_EQ(islessgreater(a, b), std::islessgreater(x, y));
      EXPECT_EQ(isunordered(a, b), std::isunordered(x, y));
      EXPECT_TRUE(same(fdim(a, b), std::fdim(x, y))) << x << " " << y;
      EXPECT_TRUE(same(fmaximum(a, b), maximum(x, y))) << x << " " << y;
      EXPECT_TRUE(same(fminimum(a, b), -maximum(-x, -y))) << x << " " << y;
      double or_x = y != y ? x : y, or_y = x != x ? y : x;
      EXPECT_TRUE(same(fmaximum_num(a, b), maximum(or_y, or_x))) << x << " " << y;
      EXPECT_TRUE(same(fminimum_num(a, b), -maximum(-or_y, -or_x))) << x << " " << y;
      bool is_number = !std::isunordered(x, y);
      double far = std::fabs(x) > std::fabs(y) ? x : std::fabs(y) > std::fabs(x) ? y : maximum(x, y);
      double close = std::fabs(x) < std::fabs(y) ? x : std::fabs(y) < std::fabs(x) ? y : -maximum(-x, -y);
      EXPECT_TRUE(same(fmaximum_mag(a, b), is_number ? far : not_a_number)) << x << " " << y;
      EXPECT_TRUE(same(fminimum_mag(a, b), is_number ? close : not_a_number)) << x << " " << y;
    }
  }
}

TEST(Comparison, LooksAtBothWords) {
  constexpr dd_real one(1), above(1, 0x1p-1074), below(1, -0x1p-1074);
  static_assert(isgreater(above, 1) && isless(below, 1) && islessgreater(above, below) && !islessequal(above, one));
  static_assert(fdim(above, 1) == 0x1p-1074 && fdim(below, 1) == 0);
  static_assert(fmaximum(above, one) == above && fminimum(below, one) == below);
  static_assert(fmaximum_mag(-above, one) == -above && fminimum_mag(-below, one) == -below);
  static_assert(fmaximum_num(1, above) == above && fminimum_num(0.5, above) == 0.5);
  static_assert(roundeven(dd_real(2.5)) == 2 && roundeven(dd_real(2.5, 0x1p-1074)) == 3);
}

}  // namespace
