// Several threads call gemm at once: everyone gets the bits of a call alone.
#include <gtest/gtest.h>
#include <omp.h>

#include <cstdlib>
#include <hilo/gemm.hpp>
#include <thread>
#include <vector>

namespace hilo {
namespace {

using std::int64_t;

TEST(ThreadsTest, FourCallersAtOnce) {
  const int64_t sizes[] = {5, 40, 97, 150};
  constexpr int callers = 4, rounds = 3;
  auto operand = [](int64_t n, double first) {
    std::vector<dd_real> x(static_cast<std::size_t>(n * n));
    dd_real value = dd_real(first) / 7;
    for (dd_real& e : x) e = value = dd_real(1) - value * value * 1.75;
    return x;
  };
  auto product = [&](int64_t n, int threads) {
    auto a = operand(n, 3), b = operand(n, 5), c = operand(n, 6);
    ddgemm(Layout::column, Op::none, Op::transpose, n, n, n, dd_real(1) / 3, a.data(), n, b.data(), n, 2, c.data(), n,
           {.threads = threads});
    return c;
  };
  std::vector<std::vector<dd_real>> expected;
  for (int64_t n : sizes) expected.push_back(product(n, 1));

  std::vector<int> wrong(callers, 0);
  std::vector<std::thread> team;
  for (int t = 0; t < callers; ++t) {
    team.emplace_back([&, t] {
      for (int r = 0; r < rounds; ++r) {
        for (std::size_t i = 0; i < std::size(sizes); ++i) {
          std::size_t at = (i + static_cast<std::size_t>(t)) % std::size(sizes);
          if (product(sizes[at], 1 + (t + r) % 3) != expected[at]) ++wrong[static_cast<std::size_t>(t)];
        }
        std::vector<double> x(64, 1.5), y(64, 2.0), z(64);
        gemm(Layout::column, Op::none, Op::none, 8, 8, 8, 1.0, x.data(), 8, y.data(), 8, 0.0, z.data(), 8);
        if (z != std::vector<double>(64, 24.0)) ++wrong[static_cast<std::size_t>(t)];
        GemmOptions bad{.target = "none"};
        EXPECT_THROW(plan_gemm<dd_real>(Layout::column, Op::none, Op::none, 1, 1, 1, bad), error);
      }
    });
  }
  for (std::thread& t : team) t.join();
  EXPECT_EQ(wrong, std::vector<int>(callers, 0));
}

TEST(ThreadsTest, CallersInAParallelRegion) {
  // A single task, which its caller computes alone, whatever its number in the team outside.
  constexpr int64_t n = 100;
  std::vector<dd_real> x(n * n, 1), expected(n * n, n);
  int wrong = 0, team = 0;
#pragma omp parallel num_threads(16) reduction(+ : wrong, team)
  {
    team += 1;
    std::vector<dd_real> c(n * n);
    ddgemm(Layout::column, Op::none, Op::none, n, n, n, 1, x.data(), n, x.data(), n, 0, c.data(), n,
           {.threads = 2, .tile_rows = n, .tile_columns = n});
    wrong += c != expected;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(team, 2);
}

// Outlives what the tests' products leave behind, and fails the program where it cannot multiply any more.
struct MultipliesAtExit {
  ~MultipliesAtExit() {
    dd_real x = 3, y = 0;
    ddgemm(Layout::column, Op::none, Op::none, 1, 1, 1, 1, &x, 1, &x, 1, 0, &y, 1);
    if (!(y == 9)) std::_Exit(1);
  }
} multiplies_at_exit;

}  // namespace
}  // namespace hilo
