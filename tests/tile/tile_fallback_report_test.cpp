// What plans and reports say of a product's tile where another takes its place, and where none does.
#include "gemm/direct/opencl/product.hpp"
#include "tile_fallback.hpp"

namespace hilo::tile_fallback {
namespace {

// What a call says of how it was cut.
struct Cut {
  int64_t micro_rows, micro_columns, tile_rows, tile_columns, depth;
  bool operator==(const Cut&) const = default;

  explicit Cut(const GemmPlan& p)
      : micro_rows(p.micro_rows),
        micro_columns(p.micro_columns),
        tile_rows(p.tile_rows),
        tile_columns(p.tile_columns),
        depth(p.depth) {}
};

TEST_F(TileFallback, IsWhatTheReportNames) {
  const Tile tile = planted(not_built);
  const Tile taken = tile::default_tile(device(), key_of<float>());
  ASSERT_NE(tile.panel_rows(), taken.panel_rows());
  for (int64_t batch : {1, 3}) {
    for (bool in_buffers : {false, true}) {
      plant(key_of<float>(), tile);
      const Problem<float> p(batch);
      const int64_t m = p.m, n = p.n, k = p.k;
      const GemmPlan plan =
          plan_gemm<float>(queue(), Layout::column, Op::none, Op::none, m, n, k, {.engine = Engine::direct}, batch);
      EXPECT_EQ(plan.tile_rows, tile.panel_rows());
      GemmReport report{};
      std::vector<float> c = p.c;
      if (in_buffers) {
        auto buffer = [&](const std::vector<float>& x) {
          Buffer<float> b(queue().context(), std::ssize(x));
          b.write(queue(), x.data(), 0, std::ssize(x));
          return b;
        };
        Buffer<float> a = buffer(p.a), b = buffer(p.b), result = buffer(p.c);
        gemm_strided_batch(queue(), Layout::column, Op::none, Op::none, m, n, k, 2.0f, a, 0, m, m * k, b, 0, k, k * n,
                           -3.0f, result, 0, m, m * n, batch, {}, {.engine = Engine::direct}, &report)
            .wait();
        result.read(queue(), c.data(), 0, std::ssize(c));
      } else {
        report = gemm_strided_batch(queue(), Layout::column, Op::none, Op::none, m, n, k, 2.0f, p.a.data(), m, m * k,
                                    p.b.data(), k, k * n, -3.0f, c.data(), m, m * n, batch, {.engine = Engine::direct});
      }
      EXPECT_EQ(c, p.expected());
      EXPECT_EQ(report.plan.micro_rows, taken.item_rows);
      EXPECT_EQ(report.plan.micro_columns, taken.item_columns);
      EXPECT_EQ(report.plan.tile_rows, taken.panel_rows());
      EXPECT_EQ(report.plan.tile_columns, taken.panel_columns());
      tile::forget_tiles();
    }
  }
}

// Plan and report say the same where nothing gives way, also of C by rows, 3M and DD.
template <class T>
void expect_planned(Layout layout, ComplexProduct complex_product = ComplexProduct::four) {
  const int64_t m = 70, n = 30, k = 50;
  const std::vector<T> a(static_cast<std::size_t>(m * k), T(1)), b(static_cast<std::size_t>(k * n), T(1));
  std::vector<T> c(static_cast<std::size_t>(m * n));
  GemmOptions options{.engine = Engine::direct};
  options.complex_product = complex_product;
  const bool by_columns = layout == Layout::column;
  const GemmPlan plan = plan_gemm<T>(queue(), layout, Op::none, Op::none, m, n, k, options);
  const GemmReport report = gemm(queue(), layout, Op::none, Op::none, m, n, k, T(1), a.data(), by_columns ? m : k,
                                 b.data(), by_columns ? k : n, T(0), c.data(), by_columns ? m : n, options);
  EXPECT_EQ(Cut(plan), Cut(report.plan)) << to_string(plan) << to_string(report.plan);
  EXPECT_EQ(plan.workspace_bytes, report.plan.workspace_bytes);
}

TEST_F(TileFallback, IsNotInTheReportWherePlansHold) {
  for (Layout layout : {Layout::column, Layout::row}) {
    expect_planned<float>(layout);
    expect_planned<std::complex<float>>(layout);
    expect_planned<std::complex<float>>(layout, ComplexProduct::three);
    if (!device().fp64) continue;
    expect_planned<double>(layout);
    expect_planned<dd_real>(layout);
    expect_planned<dd_complex>(layout);
  }
}

// By one launch: groups of 8 by 8 entries, and no more memory than counters.
TEST_F(TileFallback, IsNotForProductsInOneLaunch) {
  if (!device().fp64) GTEST_SKIP() << "no double precision";
  Buffer<dd_real> x(queue().context(), 400);
  const DeviceProduct p = product(x, 20, 9, 11);
  direct::DevicePlan plan = direct::plan_product(device(), p, Accuracy::classic, true, {.is_small = true});
  direct::execute(plan, p, *queue().state(), {}).event.wait();
  auto expect_one_launch = [](const tile::Form& form) {
    EXPECT_EQ(form.tile_rows, 8);
    EXPECT_EQ(form.tile_columns, 8);
    EXPECT_EQ(form.micro_rows, 1);
    EXPECT_EQ(form.depth, 11);
    EXPECT_EQ(form.workspace_bytes, 6 * 4);
  };
  expect_one_launch(plan.form());
  DeviceInfo gpu = device();
  gpu.type = DeviceType::gpu;
  expect_one_launch(direct::plan_product(gpu, p, Accuracy::classic, true).form());
  const DeviceProduct longer = product(x, 20, 9, 100000);
  EXPECT_GT(direct::plan_product(gpu, longer, Accuracy::classic, true).form().workspace_bytes, 6 * 4);
}

}  // namespace
}  // namespace hilo::tile_fallback
