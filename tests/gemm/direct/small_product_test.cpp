// Products of a few entries, which one call of a kernel computes: the bits of the definition for every shape, target,
// sequence and accuracy, among zeros of either sign, subnormal numbers, Inf and NaN.
#include <gtest/gtest.h>

#include <hilo/gemm.hpp>
#include <limits>
#include <vector>

#include "gemm/direct/cpu/kernels.hpp"
#include "gemm/direct/reference.hpp"
#include "random.hpp"
#include "same_bits.hpp"
#include "test_size.hpp"

namespace hilo {
namespace {

using std::int64_t;
using test::Random;
using test::same_bits;

// `specials` of 16 elements are zeros, integers, subnormal numbers or not finite.
dd_real element(Random& random, int64_t specials) {
  if (random.below(16) < specials) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const double values[] = {0.0, -0.0, 1.0, -1.0, 0x1p-1074, -0x1p-1060, 0x1p-600, 0x1p1000, inf};
    // Inf and what overflows make the whole product leave this path: not too often.
    return values[static_cast<std::size_t>(random.below(random.below(8) ? 7 : 9))];
  }
  const double hi = random.uniform();
  return dd_real::sum(hi, hi * 0x1p-53 * random.uniform());
}

struct Shape {
  Layout layout;
  Op opa, opb;
  int64_t m, n, k;
};

void check(Random& random, const Shape& s, int64_t specials) {
  auto matrix = [&](int64_t rows, int64_t columns) {
    std::vector<dd_real> x(static_cast<std::size_t>((rows + 2) * (columns + 2)));
    for (dd_real& e : x) e = element(random, specials);
    return x;
  };
  auto leading = [&](Op op, int64_t rows, int64_t columns) {
    return (columns_contiguous(s.layout, op) ? rows : columns) + 2;
  };
  const std::vector<dd_real> a = matrix(s.m, s.k), b = matrix(s.k, s.n), c = matrix(s.m, s.n);
  const int64_t lda = leading(s.opa, s.m, s.k), ldb = leading(s.opb, s.k, s.n), ldc = leading(Op::none, s.m, s.n);
  const dd_real scalars[] = {1, 0, -1, dd_real(1) / 3};
  const dd_real alpha = scalars[random.below(2) ? 0 : 2 + random.below(2)], beta = scalars[random.below(4)];
  for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast}) {
    for (bool fma : {true, false}) {
      std::vector<dd_real> expected = c;
      const int64_t recomputed = direct::reference_gemm(
          alpha, view(s.layout, s.opa, a.data(), s.m, s.k, lda), view(s.layout, s.opb, b.data(), s.k, s.n, ldb), beta,
          view(s.layout, Op::none, expected.data(), s.m, s.n, ldc), accuracy, fma);
      for (const direct::KernelSet* set : direct::kernel_sets()) {
        std::vector<dd_real> got = c;
        const GemmReport report = gemm(
            s.layout, s.opa, s.opb, s.m, s.n, s.k, alpha, a.data(), lda, b.data(), ldb, beta, got.data(), ldc,
            {.engine = Engine::direct, .accuracy = accuracy, .fma = fma ? Fma::on : Fma::off, .target = set->target});
        for (std::size_t i = 0; i < got.size(); ++i) {
          ASSERT_TRUE(same_bits(got[i], expected[i]))
              << set->target << ' ' << s.m << " x " << s.n << " x " << s.k << ", element " << i << ": " << got[i].hi
              << " + " << got[i].lo << " instead of " << expected[i].hi << " + " << expected[i].lo;
        }
        ASSERT_EQ(report.entries_recomputed, recomputed) << set->target;
      }
    }
  }
}

TEST(SmallProduct, HasTheReferencesBitsInEveryShape) {
  Random random(17);
  constexpr int64_t most = direct::SmallProduct::most_lines;
  constexpr Op ops[] = {Op::none, Op::transpose};
  for (int64_t m = 1; m <= most + 1; ++m) {
    for (int64_t n = 1; n <= most + 1; ++n) {
      const int64_t k = 1 + random.below(direct::SmallProduct::most_steps + 1);
      check(random,
            {random.below(2) ? Layout::row : Layout::column, ops[random.below(2)], ops[random.below(2)], m, n, k}, 0);
    }
  }
}

TEST(SmallProduct, HasTheReferencesBitsAmongSpecialValues) {
  Random random(17);
  const int64_t count = test::is_long() ? 200000 : 2000;
  for (int64_t i = 0; i < count; ++i) {
    check(random, {Layout::column, Op::none, Op::none, 1 + random.below(6), 1 + random.below(6), 1 + random.below(7)},
          1 + random.below(16));
  }
}

TEST(SmallProduct, LeavesCAloneWhereItGivesUp) {
  // The general path computes with the C of before.
  const dd_real inf = std::numeric_limits<double>::infinity();
  std::vector<dd_real> a = {1, 2, inf, 4}, b = {1, 1, 1, 1}, c = {10, 20, 30, 40};
  const GemmReport report =
      gemm(Layout::column, Op::none, Op::none, 2, 2, 2, 1, a.data(), 2, b.data(), 2, 1, c.data(), 2);
  EXPECT_EQ(report.entries_recomputed, 2);
  EXPECT_EQ(c[0], inf);
  EXPECT_EQ(c[1], 26);
  EXPECT_EQ(c[3], 46);
}

}  // namespace
}  // namespace hilo
