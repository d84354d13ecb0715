// How often `hilo gemm` runs a product.
#include "cli/timed_product.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace hilo::cli {
namespace {

struct TimedProduct : ::testing::Test {
  Timing time(int warmup, int repeat, const RunWatch& watch) {
    GemmRequest request{};
    request.precision = Precision::d;
    request.opa = request.opb = Op::none;
    request.layout = Layout::column;
    request.m = request.n = request.k = 2;
    request.warmup = warmup;
    request.repeat = repeat;
    std::optional<Queue> cpu;
    return time_product(cpu, request, 1.0, operands, 0.0, watch);
  }

  const data::Matrix<double> ones{2, 2, Layout::column, {1.0, 1.0, 1.0, 1.0}};
  Operands<double> operands{ones, ones, ones, {}};
};

TEST_F(TimedProduct, RunsAsOftenAsTheRequestSays) {
  for (const auto& [warmup, repeat] : {std::pair{0, 1}, {1, 3}, {4, 2}}) {
    int runs = 0;
    const Timing timing = time(warmup, repeat, [&](std::int64_t done, std::int64_t all) {
      EXPECT_EQ(done, runs++);
      EXPECT_EQ(all, warmup + repeat);
    });
    EXPECT_EQ(runs, warmup + repeat);
    EXPECT_EQ(std::ssize(timing.total), repeat);
    EXPECT_EQ(operands.c.entries, std::vector<double>(4, 2.0));
  }
}

TEST_F(TimedProduct, CountsMoreRunsThanAnIntHolds) {
  constexpr int most = std::numeric_limits<int>::max();
  struct Stop {};
  const auto watch = [](std::int64_t, std::int64_t all) {
    EXPECT_EQ(all, 2 * std::int64_t{most});
    throw Stop();
  };
  EXPECT_THROW(time(most, most, watch), Stop);
}

}  // namespace
}  // namespace hilo::cli
