// Inf, NaN and overflow in the direct engine: each entry as the sum in double gives it, the others untouched by it.
#include <gtest/gtest.h>

#include <cmath>
#include <hilo/accuracy.hpp>
#include <limits>
#include <vector>

namespace hilo {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = std::numeric_limits<double>::max();

template <class T>
struct Product {
  static constexpr std::int64_t m = 5, n = 6, k = 70;
  std::vector<T> a = std::vector<T>(m * k), b = std::vector<T>(k * n), c0 = std::vector<T>(m * n);
  T alpha = T(1), beta = T(0);

  Product() {
    // Three-valued, so that a zero meets each Inf somewhere; lo parts not 0 elsewhere.
    int count = 0;
    for (std::vector<T>* x : {&a, &b, &c0}) {
      for (T& e : *x) e = number(count++ % 7 % 3 - 1);
    }
  }

  T& left(std::int64_t i, std::int64_t h) { return a[static_cast<std::size_t>(i + h * m)]; }
  T& right(std::int64_t h, std::int64_t j) { return b[static_cast<std::size_t>(h + j * k)]; }

  // Runs the product in each variant and checks every entry; the last C.
  std::vector<T> check() const {
    std::vector<T> c;
    for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast}) {
      for (Fma fma : {Fma::on, Fma::off}) {
        GemmOptions options;
        options.accuracy = accuracy;
        options.fma = fma;
        c = c0;
        GemmReport report = gemm(Layout::column, Op::none, Op::none, m, n, k, alpha, a.data(), m, b.data(), k, beta,
                                 c.data(), m, options);
        auto error = accuracy::gemm_error(Layout::column, Op::none, Op::none, m, n, k, alpha, a.data(), m, b.data(), k,
                                          beta, c0.data(), c.data(), m, accuracy::Sample::full);
        EXPECT_EQ(error.non_finite_mismatches, 0) << "at " << error.row << ", " << error.column;
        EXPECT_LE(error.max_error_u2, direct_error_bound_u2(k, accuracy, std::same_as<T, dd_complex>, report.plan.fma));
      }
    }
    return c;
  }

 private:
  static T number(int x) {
    dd_real r = x ? dd_real(x, 0x1p-55) : dd_real(0);
    if constexpr (std::same_as<T, dd_complex>) {
      return {r, r * 0.75};
    } else {
      return r;
    }
  }
};

using RealProduct = Product<dd_real>;
using ComplexProduct = Product<dd_complex>;

void expect_same(double x, double y) { EXPECT_TRUE(x == y || (std::isnan(x) && std::isnan(y))) << x << ", not " << y; }

TEST(NonFinite, FollowsTheSumInDouble) {
  struct Case {
    double a, b, other_a, other_b, sum;
  };
  // Terms 3 and 66, one in each of the two chunks; the rest is finite.
  for (Case x : {Case{inf, 2, 1, 1, inf}, Case{-inf, 2, 1, 1, -inf}, Case{inf, 0, 1, 1, nan}, Case{nan, 0, 1, 1, nan},
                 Case{1, nan, 1, 1, nan}, Case{inf, 1, inf, 1, inf}, Case{inf, 1, inf, -1, nan},
                 Case{inf, -inf, 1, 1, -inf}, Case{largest, 1, largest, 1, inf}, Case{-largest, 1, largest, -1, -inf},
                 Case{largest, 2, largest, -2, nan}, Case{1e200, 1e200, 0, 0, inf}}) {
    RealProduct p;
    p.left(2, 3) = x.a;
    p.right(3, 4) = x.b;
    p.left(2, 66) = x.other_a;
    p.right(66, 4) = x.other_b;
    dd_real c = p.check()[2 + 4 * RealProduct::m];
    expect_same(c.hi, x.sum);
    EXPECT_EQ(c.lo, 0.0);
  }
}

TEST(NonFinite, StaysInItsRowAndColumn) {
  RealProduct p;
  p.left(1, 5) = nan;
  p.right(69, 2) = nan;
  std::vector<dd_real> c = p.check();
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      EXPECT_EQ(std::isnan(c[static_cast<std::size_t>(i + j * p.m)].hi), i == 1 || j == 2) << i << ", " << j;
    }
  }
}

TEST(NonFinite, EveryPlaceOfASpecialValue) {
  for (double special : {inf, -inf, nan, largest}) {
    for (std::int64_t h : {0, 1, 3, 4, 31, 63, 64, 69}) {
      RealProduct p;
      p.left(h % p.m, h) = special;
      p.right(h, h % p.n) = special;
      p.check();
      ComplexProduct z;
      z.left(h % z.m, h).im = special;
      z.right(h, h % z.n).re = special;
      z.check();
    }
  }
}

TEST(NonFinite, InAlphaBetaAndC) {
  for (double special : {inf, -inf, nan, largest}) {
    RealProduct p;
    p.alpha = special;
    p.beta = dd_real(2);
    p.check();
    p.alpha = dd_real(3);
    p.beta = special;
    p.check();
    p.beta = dd_real(2);
    p.c0[7] = special;
    expect_same(p.check()[7].hi, special == largest ? inf : special);
    ComplexProduct z;
    z.alpha = dd_complex(dd_real(1), dd_real(special));
    z.beta = dd_complex(dd_real(0), dd_real(1));
    z.check();
    z.alpha = dd_complex(dd_real(2), dd_real(1));
    z.c0[7].im = special;
    z.check();
  }
}

TEST(NonFinite, IsNotReadWhereBetaOrAlphaIsZero) {
  RealProduct p;
  std::fill(p.c0.begin(), p.c0.end(), dd_real(nan));
  for (dd_real x : p.check()) EXPECT_TRUE(std::isfinite(x.hi));
  RealProduct q;
  q.alpha = dd_real(0);
  q.beta = dd_real(1);
  std::fill(q.a.begin(), q.a.end(), dd_real(nan));
  EXPECT_EQ(q.check(), q.c0);
}

}  // namespace
}  // namespace hilo
