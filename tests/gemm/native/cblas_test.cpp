// S, D, C and Z products against sums in a wider type, for every layout and transpose.
#include <gtest/gtest.h>

#include <complex>
#include <hilo/gemm.hpp>
#include <limits>
#include <vector>

namespace hilo {
namespace {

using std::int64_t;

template <class T>
struct Wide {
  using type = long double;
};
template <class R>
struct Wide<std::complex<R>> {
  using type = std::complex<long double>;
};

template <class T>
T element(std::uint64_t& state) {
  auto next = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<int64_t>(state) >> 11) * 0x1p-52;
  };
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(next());
  } else {
    using R = typename T::value_type;
    R re = static_cast<R>(next()), im = static_cast<R>(next());
    return T(re, im);
  }
}

template <class T>
class CblasTest : public testing::Test {};
using Elements = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CblasTest, Elements);

TYPED_TEST(CblasTest, EveryLayoutAndTransposeIsWithinTheBound) {
  using T = TypeParam;
  using W = typename Wide<T>::type;
  using R = decltype(std::abs(T()));
  const int64_t m = 13, n = 9, k = 21, pad = 2;
  T alpha = T(R(0.75)), beta = T(R(-1.5));
  if constexpr (!std::is_floating_point_v<T>) alpha = T(R(0.75), R(0.5)), beta = T(R(-1.5), R(0.25));
  for (Layout layout : {Layout::column, Layout::row}) {
    for (Op opa : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      for (Op opb : {Op::none, Op::transpose, Op::conjugate_transpose}) {
        auto leading = [&](Op op, int64_t rows, int64_t columns) {
          return ((layout == Layout::column) == (op == Op::none) ? rows : columns) + pad;
        };
        int64_t lda = leading(opa, m, k), ldb = leading(opb, k, n), ldc = leading(Op::none, m, n);
        std::uint64_t state = 5;
        std::vector<T> a(static_cast<std::size_t>(lda * 30)), b(static_cast<std::size_t>(ldb * 30)),
            c(static_cast<std::size_t>(ldc * 30));
        for (auto* x : {&a, &b, &c}) {
          for (T& e : *x) e = element<T>(state);
        }
        auto old = c;
        GemmReport report = gemm(layout, opa, opb, m, n, k, alpha, a.data(), lda, b.data(), ldb, beta, c.data(), ldc);
        auto av = view(layout, opa, a.data(), m, k, lda), bv = view(layout, opb, b.data(), k, n, ldb);
        auto cv = view(layout, Op::none, c.data(), m, n, ldc), ov = view(layout, Op::none, old.data(), m, n, ldc);
        auto wide = [](T x, bool conjugate) {
          if constexpr (std::is_floating_point_v<T>) {
            (void)conjugate;
            return static_cast<long double>(x);
          } else {
            return conjugate ? W(x.real(), -x.imag()) : W(x.real(), x.imag());
          }
        };
        for (int64_t i = 0; i < m; ++i) {
          for (int64_t j = 0; j < n; ++j) {
            W sum = 0;
            long double magnitude = 0;
            for (int64_t h = 0; h < k; ++h) {
              W x = wide(av(i, h), av.conjugate), y = wide(bv(h, j), bv.conjugate);
              sum += x * y;
              magnitude += std::abs(x) * std::abs(y);
            }
            W exact = wide(alpha, false) * sum + wide(beta, false) * wide(ov(i, j), false);
            magnitude = magnitude * static_cast<long double>(std::abs(alpha)) +
                        static_cast<long double>(std::abs(beta)) * std::abs(wide(ov(i, j), false));
            long double unit = std::numeric_limits<R>::epsilon() / 2;
            EXPECT_LE(std::abs(wide(cv(i, j), false) - exact), report.plan.error_bound_u2 * unit * magnitude)
                << name(layout) << name(opa) << name(opb);
          }
        }
      }
    }
  }
}

TYPED_TEST(CblasTest, BetaZeroDoesNotReadCAndAlphaZeroDoesNotReadAOrB) {
  using T = TypeParam;
  using R = decltype(std::abs(T()));
  T nan = T(std::numeric_limits<R>::quiet_NaN());
  std::vector<T> a(4, T(1)), c(4, nan);
  gemm(Layout::row, Op::none, Op::none, 2, 2, 2, T(1), a.data(), 2, a.data(), 2, T(0), c.data(), 2);
  EXPECT_EQ(c, std::vector<T>(4, T(2)));
  std::vector<T> nans(4, nan);
  gemm(Layout::row, Op::none, Op::none, 2, 2, 2, T(0), nans.data(), 2, nans.data(), 2, T(R(0.5)), c.data(), 2);
  EXPECT_EQ(c, std::vector<T>(4, T(1)));
}

}  // namespace
}  // namespace hilo
