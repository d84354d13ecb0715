#include <gtest/gtest.h>

#include <hilo/interop/qd.hpp>
#include <hilo/math.hpp>
#include <random>
#include <vector>

namespace {

hilo::dd_real random_number(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return hilo::dd_real::sum(normal(random), 0x1p-54 * normal(random));
}

TEST(InteropQd, ConvertsExactly) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    hilo::dd_real x = random_number(random);
    ::dd_real y = hilo::to_qd(x);
    ASSERT_EQ(y.x[0], x.hi);
    ASSERT_EQ(y.x[1], x.lo);
    ASSERT_EQ(hilo::from_qd(y), x);
  }
}

TEST(InteropQd, MakesWordsCanonical) {
  ::dd_real x;
  x.x[0] = 1.0;
  x.x[1] = 0x1p-52;
  hilo::dd_real y = hilo::from_qd(x);
  EXPECT_EQ(y.hi, 1.0 + 0x1p-52);
  EXPECT_EQ(y.lo, 0.0);
  // QD's own overflow has NaN for lo.
  ::dd_real big = ::dd_real(1e308) * ::dd_real(1e10);
  EXPECT_EQ(hilo::from_qd(::dd_real::_inf), std::numeric_limits<hilo::dd_real>::infinity());
  EXPECT_EQ(hilo::from_qd(big).lo, 0.0);
  EXPECT_TRUE(isnan(hilo::from_qd(::dd_real::_nan)));
}

TEST(InteropQd, AgreesWithTheLibrary) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 10'000; ++i) {
    hilo::dd_real x = random_number(random), y = random_number(random);
    ::dd_real p = hilo::to_qd(x), q = hilo::to_qd(y);
    hilo::dd_real epsilon = 20 * std::numeric_limits<hilo::dd_real>::epsilon();
    ASSERT_LE(abs(hilo::from_qd(p * q) - x * y), epsilon * abs(x * y));
    ASSERT_LE(abs(hilo::from_qd(p / q) - x / y), epsilon * abs(x / y));
    ASSERT_LE(abs(hilo::from_qd(p + q) - (x + y)), epsilon * (abs(x) + abs(y)));
    ASSERT_LE(abs(hilo::from_qd(::sqrt(::abs(p))) - sqrt(abs(x))), epsilon * sqrt(abs(x)));
    ASSERT_EQ(p < q, x < y);
  }
}

// Writes as QD, changes as hilo, reads as QD. Without the barriers g++ returns 1 for i = j: it takes the two types'
// words to lie apart.
[[gnu::noinline]] double through_both(::dd_real* array, std::size_t i, std::size_t j) {
  array[j].x[0] = 1.0;
  hilo::dd_real* view = hilo::as_hilo(array);
  view[i].hi = 2.0;
  array = hilo::as_qd(view);
  return array[j].x[0];
}

TEST(InteropQd, ViewsArraysInPlace) {
  std::mt19937_64 random(3);
  std::vector<::dd_real> qd(100);
  std::vector<hilo::dd_real> want(qd.size());
  for (std::size_t i = 0; i < qd.size(); ++i) {
    want[i] = random_number(random);
    qd[i] = hilo::to_qd(want[i]);
  }
  hilo::dd_real* view = hilo::as_hilo(qd.data());
  EXPECT_EQ(static_cast<void*>(view), static_cast<void*>(qd.data()));
  for (std::size_t i = 0; i < qd.size(); ++i) {
    EXPECT_EQ(view[i], want[i]);
    view[i] *= want[i];
  }
  const ::dd_real* back = hilo::as_qd(view);
  for (std::size_t i = 0; i < qd.size(); ++i) EXPECT_EQ(hilo::from_qd(back[i]), want[i] * want[i]);
  const hilo::dd_real* constant = hilo::as_hilo(back);
  EXPECT_EQ(constant[7], want[7] * want[7]);
  EXPECT_EQ(through_both(qd.data(), 3, 3), 2.0);
}

}  // namespace
