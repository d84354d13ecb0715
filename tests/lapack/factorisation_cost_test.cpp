// What LU and Cholesky are expected to take: the multiply-adds of their definitions, by rates.
#include <gtest/gtest.h>

#include "lapack/cost.hpp"

namespace {

using namespace hilo;
using model::CpuRates;

// A second a step, and modular products that cost nothing but what an entry takes.
constexpr CpuRates steps_alone{.direct_step = 1.0,
                               .direct_step_fast = 1.0,
                               .direct_entry = 0.0,
                               .scan = 0.0,
                               .residue = 0.0,
                               .byte_product = 0.0,
                               .byte_pack = 0.0,
                               .reduction = 0.0,
                               .rebuild = 0.0,
                               .entry = 1.0,
                               .call = 0.0};
constexpr GemmOptions direct{.engine = Engine::direct};

TEST(FactorisationCost, IsItsMultiplyAdds) {
  for (const std::int64_t n : {32, 64, 128, 256, 1024}) {
    const double cube = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
    EXPECT_NEAR(lapack::lu_seconds(steps_alone, Precision::dd, n, direct), cube / 3, 1e-9 * cube) << n;
    EXPECT_NEAR(lapack::cholesky_seconds(steps_alone, Precision::dd, n, direct), cube / 6, 1e-9 * cube) << n;
    EXPECT_NEAR(lapack::lu_seconds(steps_alone, Precision::zdd, n, direct), 4 * cube / 3, 1e-9 * cube) << n;
  }
}

TEST(FactorisationCost, TakesTheFasterEngineForLargeProducts) {
  for (const auto seconds : {lapack::lu_seconds, lapack::cholesky_seconds}) {
    const double by_direct = seconds(steps_alone, Precision::dd, 1024, direct);
    EXPECT_LT(seconds(steps_alone, Precision::dd, 1024, {}), 0.5 * by_direct);
    EXPECT_EQ(seconds(steps_alone, Precision::dd, 64, {}), seconds(steps_alone, Precision::dd, 64, direct));
    CpuRates slow = steps_alone;
    slow.entry = 1e6;
    EXPECT_EQ(seconds(slow, Precision::dd, 1024, {}), by_direct);
  }
}

}  // namespace
