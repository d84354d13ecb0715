// The bits of gemm: every path equals the scalar reference.
#include <gtest/gtest.h>

#include <hilo/gemm.hpp>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "gemm/direct/cpu/kernels.hpp"
#include "gemm/direct/reference.hpp"
#include "random.hpp"
#include "same_bits.hpp"

namespace hilo {
namespace {

using std::int64_t;
using test::first_difference;
using test::Random;
using test::random_elements;

template <class T>
struct Case {
  Layout layout;
  Op opa, opb;
  int64_t m, n, k;
  T alpha, beta;
  int64_t pad = 3;  // leading dimensions beyond the least

  int64_t leading(Op op, int64_t rows, int64_t columns) const {
    return ((layout == Layout::column) == (op == Op::none) ? rows : columns) + pad;
  }
  int64_t elements(Op op, int64_t rows, int64_t columns) const {
    return leading(op, rows, columns) * ((layout == Layout::column) == (op == Op::none) ? columns : rows);
  }
  std::string text() const {
    return std::string(name(layout)) + " " + std::string(name(opa)) + std::string(name(opb)) + " " + std::to_string(m) +
           " x " + std::to_string(n) + " x " + std::to_string(k);
  }
};

// Operands, and what the definition makes of them.
template <class T>
struct Problem {
  Case<T> c;
  int64_t lda, ldb, ldc;
  std::vector<T> a, b, old_c;

  explicit Problem(const Case<T>& of, std::uint64_t seed = 1)
      : c(of),
        lda(c.leading(c.opa, c.m, c.k)),
        ldb(c.leading(c.opb, c.k, c.n)),
        ldc(c.leading(Op::none, c.m, c.n)),
        a(random_elements<T>(c.elements(c.opa, c.m, c.k), seed)),
        b(random_elements<T>(c.elements(c.opb, c.k, c.n), seed + 1)),
        old_c(random_elements<T>(c.elements(Op::none, c.m, c.n), seed + 2)) {}

  std::vector<T> reference(Accuracy accuracy, bool fma) const {
    std::vector<T> r = old_c;
    direct::reference_gemm(c.alpha, view(c.layout, c.opa, a.data(), c.m, c.k, lda),
                           view(c.layout, c.opb, b.data(), c.k, c.n, ldb), c.beta,
                           view(c.layout, Op::none, r.data(), c.m, c.n, ldc), accuracy, fma);
    return r;
  }

  std::vector<T> product(const GemmOptions& options, GemmReport* report = nullptr) const {
    std::vector<T> r = old_c;
    GemmReport got = gemm(c.layout, c.opa, c.opb, c.m, c.n, c.k, c.alpha, a.data(), lda, b.data(), ldb, c.beta,
                          r.data(), ldc, options);
    if (report) *report = got;
    return r;
  }
};

constexpr Op all_ops[] = {Op::none, Op::transpose, Op::conjugate_transpose};
constexpr Layout all_layouts[] = {Layout::column, Layout::row};

template <class T>
class GemmTest : public testing::Test {
 public:
  static T number(double re, double im) {
    if constexpr (std::same_as<T, dd_real>) {
      (void)im;
      return dd_real(re) / 3;
    } else {
      return dd_complex(dd_real(re) / 3, dd_real(im) / 7);
    }
  }
};
using DoubleDoubles = testing::Types<dd_real, dd_complex>;
TYPED_TEST_SUITE(GemmTest, DoubleDoubles);

TYPED_TEST(GemmTest, EveryTargetAndTransposeHasTheReferencesBits) {
  using T = TypeParam;
  const int64_t sizes[][3] = {{1, 1, 1}, {7, 5, 3}, {17, 13, 64}, {33, 19, 65}, {5, 40, 130}, {49, 3, 71}};
  for (Layout layout : all_layouts) {
    for (Op opa : all_ops) {
      for (Op opb : all_ops) {
        for (const auto& [m, n, k] : sizes) {
          Problem<T> p({layout, opa, opb, m, n, k, this->number(1, 2), this->number(-4, 5)});
          for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast}) {
            for (bool fma : {true, false}) {
              auto expected = p.reference(accuracy, fma);
              for (const direct::KernelSet* set : direct::kernel_sets()) {
                GemmOptions options{.accuracy = accuracy, .fma = fma ? Fma::on : Fma::off, .target = set->target};
                ASSERT_EQ(first_difference(p.product(options), expected), -1)
                    << p.c.text() << ' ' << set->target << ' ' << name(accuracy) << (fma ? " fma" : " split");
              }
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(GemmTest, ThreadsAndTilesDoNotChangeABit) {
  using T = TypeParam;
  // Beyond one super-chunk of 4096 steps, and several tasks.
  const int64_t sizes[][3] = {{45, 39, 4200}, {130, 70, 100}, {3, 2, 13000}};
  for (const auto& [m, n, k] : sizes) {
    Problem<T> p({Layout::column, Op::none, Op::none, m, n, k, this->number(3, 1), this->number(2, -1)});
    bool fma = plan_gemm<T>(Layout::column, Op::none, Op::none, m, n, k).fma;
    auto expected = p.reference(Accuracy::classic, fma);
    constexpr int64_t huge = std::numeric_limits<int64_t>::max();
    const int64_t tiles[][2] = {{0, 0}, {1, 1}, {2, 7}, {10, 10}, {64, 16}, {1000, 1000}, {huge, huge}};
    for (int threads : {1, 2, 3, 4}) {
      for (const auto& [rows, columns] : tiles) {
        GemmOptions options{.threads = threads, .tile_rows = rows, .tile_columns = columns};
        ASSERT_EQ(first_difference(p.product(options), expected), -1)
            << p.c.text() << ", " << threads << " threads, tile " << rows << " x " << columns;
      }
    }
  }
}

TYPED_TEST(GemmTest, SpecialScalars) {
  using T = TypeParam;
  for (T alpha : {T(1), this->number(2, 3)}) {
    for (T beta : {T(0), T(1), this->number(5, -2)}) {
      for (Layout layout : all_layouts) {
        Problem<T> p({layout, Op::none, Op::transpose, 21, 11, 37, alpha, beta});
        bool fma = plan_gemm<T>(layout, Op::none, Op::none, 21, 11, 37).fma;
        EXPECT_EQ(first_difference(p.product({}), p.reference(Accuracy::classic, fma)), -1) << p.c.text();
      }
    }
  }
}

TYPED_TEST(GemmTest, ABatchIsItsProducts) {
  using T = TypeParam;
  const int64_t sizes[][4] = {{6, 5, 9, 50}, {70, 64, 66, 3}, {33, 20, 130, 40}};
  for (const auto& [m, n, k, batch] : sizes) {
    Case<T> c{Layout::column, Op::none, Op::none, m, n, k, this->number(1, 1), this->number(2, 0), 0};
    auto a = random_elements<T>(m * k * batch, 11), b = random_elements<T>(k * n, 12);
    auto batched = random_elements<T>(m * n * batch, 13), single = batched;
    for (int64_t i = 0; i < batch; ++i) {
      gemm(c.layout, c.opa, c.opb, m, n, k, c.alpha, a.data() + i * m * k, m, b.data(), k, c.beta,
           single.data() + i * m * n, m);
    }
    gemm_strided_batch(c.layout, c.opa, c.opb, m, n, k, c.alpha, a.data(), m, m * k, b.data(), k, 0, c.beta,
                       batched.data(), m, m * n, batch, {.threads = 3});
    EXPECT_EQ(first_difference(batched, single), -1) << c.text() << " batch " << batch;
  }
}

TYPED_TEST(GemmTest, InfinityNaNAndOverflowAreTheDoubleSums) {
  using T = TypeParam;
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (Layout layout : all_layouts) {
    for (bool fma : {true, false}) {
      Problem<T> p({layout, Op::none, Op::none, 19, 23, 70, T(1), T(0)});
      auto poke = [](T& x, double value) {
        reinterpret_cast<double*>(&x)[0] = value, reinterpret_cast<double*>(&x)[1] = 0;
      };
      poke(p.a[40], inf);
      poke(p.a[100], std::numeric_limits<double>::quiet_NaN());
      poke(p.a[205], 1e308);
      poke(p.b[33], -inf);
      poke(p.b[67], 0.0);
      poke(p.b[140], 1e300);
      auto expected = p.reference(Accuracy::classic, fma);
      for (const direct::KernelSet* set : direct::kernel_sets()) {
        GemmReport report;
        auto got = p.product({.fma = fma ? Fma::on : Fma::off, .target = set->target}, &report);
        EXPECT_EQ(first_difference(got, expected), -1) << p.c.text() << ' ' << set->target;
        EXPECT_GT(report.entries_recomputed, 0);
      }
    }
  }
}

TEST(GemmTest, OperandsTooLargeToSplitKeepTheirAccuracyWithoutFma) {
  // 2^1000 / 3 is above 2^996, where Dekker's splitting overflows.
  dd_real a = dd_real(0x1p1000) / 3, b = dd_real(0x1p-900) / 7, c;
  gemm(Layout::column, Op::none, Op::none, 1, 1, 1, dd_real(1), &a, 1, &b, 1, dd_real(0), &c, 1, {.fma = Fma::off});
  dd_real error = c * 0x1p-100 - dd_real(1) / 21;
  EXPECT_LT(std::abs(error.hi), 0x1p-100);
}

TEST(GemmTest, BetaZeroDoesNotReadCAndAlphaZeroDoesNotReadAOrB) {
  dd_real nan = std::numeric_limits<dd_real>::quiet_NaN();
  std::vector<dd_real> a(6, nan), b(6, nan), c(4, nan);
  gemm<dd_real>(Layout::column, Op::none, Op::none, 2, 2, 3, 0, a.data(), 2, b.data(), 3, 0, c.data(), 2);
  for (dd_real x : c) EXPECT_TRUE(x == 0);
  gemm<dd_real>(Layout::column, Op::none, Op::none, 2, 2, 3, 0, nullptr, 2, nullptr, 3, 1, c.data(), 2);
  for (dd_real x : c) EXPECT_TRUE(x == 0);
  c.assign(4, nan);
  a.assign(6, 1), b.assign(6, 1);
  gemm<dd_real>(Layout::column, Op::none, Op::none, 2, 2, 3, 1, a.data(), 2, b.data(), 3, 0, c.data(), 2);
  for (dd_real x : c) EXPECT_TRUE(x == 3);
  c.assign(4, 5);
  gemm<dd_real>(Layout::column, Op::none, Op::none, 2, 2, 0, 1, nullptr, 2, nullptr, 1, 2, c.data(), 2);
  for (dd_real x : c) EXPECT_TRUE(x == 10);
}

// The matrices say what T is; alpha and beta are whatever becomes one.
template <class T>
void check_that_integers_are_factors() {
  std::vector<T> a(6, T(2)), b(6, T(3)), c(4, T(5));
  gemm(Layout::column, Op::none, Op::none, 2, 2, 3, 1, a.data(), 2, b.data(), 3, 2, c.data(), 2);
  for (const T& x : c) EXPECT_TRUE(x == T(28));
  gemm_strided_batch(Layout::column, Op::none, Op::none, 2, 1, 3, 2, a.data(), 2, 0, b.data(), 3, 3, 0, c.data(), 2, 2,
                     2);
  for (const T& x : c) EXPECT_TRUE(x == T(36));
}

TEST(GemmTest, TakesIntegersAsFactors) {
  check_that_integers_are_factors<float>();
  check_that_integers_are_factors<double>();
  check_that_integers_are_factors<std::complex<float>>();
  check_that_integers_are_factors<std::complex<double>>();
  check_that_integers_are_factors<dd_real>();
  check_that_integers_are_factors<dd_complex>();
}

TEST(GemmTest, ReportPrintsThePlanAndWhatTheDataMadeOfIt) {
  GemmReport report{plan_gemm<dd_real>(Layout::row, Op::none, Op::transpose, 300, 200, 100, {.threads = 2})};
  auto text = [&] {
    std::ostringstream out;
    out << report;
    return out.str();
  };
  EXPECT_EQ(text(), to_string(report.plan));
  report.entries_recomputed = 1;
  report.entries_direct = 2;
  EXPECT_EQ(text(), to_string(report.plan) + "  1 entry not finite, recomputed as plain sums in double\n" +
                        "  2 entries by the direct engine\n");
  // Of a routine whose matrices went there and back in other ways than in panels.
  report.stream.bytes_in = 1;
  report.stream.seconds = 2.5;
  std::ostringstream stream;
  stream << report.stream;
  EXPECT_EQ(stream.str(), "  through the device: 2.5 s\n  kernels 0 s, there 0 s, back 0 s, 0 % of both ways hidden\n");
}

TEST(GemmTest, PlanPrintsWhatRan) {
  GemmPlan plan = plan_gemm<dd_real>(Layout::row, Op::none, Op::transpose, 300, 200, 100, {.threads = 2});
  std::string text = to_string(plan);
  EXPECT_NE(text.find("ddgemm NT 300 x 200 x 100, row layout"), std::string::npos) << text;
  EXPECT_NE(text.find("engine direct, accuracy classic"), std::string::npos) << text;
  EXPECT_NE(text.find("2 threads"), std::string::npos) << text;
  EXPECT_EQ(plan.engine, Engine::direct);
  EXPECT_GT(plan.workspace_bytes, 0);
}

}  // namespace
}  // namespace hilo
