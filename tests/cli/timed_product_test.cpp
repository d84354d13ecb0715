// How often `hilo gemm` runs a product.
#include "cli/timed_product.hpp"

#include <gtest/gtest.h>

namespace hilo::cli {
namespace {

TEST(TimedProduct, RunsAsOftenAsTheRequestSays) {
  for (const auto& [warmup, repeat] : {std::pair{0, 1}, {1, 3}, {4, 2}}) {
    GemmRequest request{};
    request.precision = Precision::d;
    request.opa = request.opb = Op::none;
    request.layout = Layout::column;
    request.m = request.n = request.k = 2;
    request.warmup = warmup;
    request.repeat = repeat;
    const data::Matrix<double> ones{2, 2, Layout::column, {1.0, 1.0, 1.0, 1.0}};
    Operands<double> operands{ones, ones, ones, {}};
    std::optional<Queue> cpu;
    int runs = 0;
    const Timing timing = time_product(cpu, request, 1.0, operands, 0.0, [&](int done, int all) {
      EXPECT_EQ(done, runs++);
      EXPECT_EQ(all, warmup + repeat);
    });
    EXPECT_EQ(runs, warmup + repeat);
    EXPECT_EQ(std::ssize(timing.total), repeat);
    EXPECT_EQ(operands.c.entries, std::vector<double>(4, 2.0));
  }
}

}  // namespace
}  // namespace hilo::cli
