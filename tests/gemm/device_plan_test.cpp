// Plans that are kept, and executed for several products of their shape.
#include <gtest/gtest.h>

#include <cmath>
#include <hilo/gemm.hpp>
#include <limits>
#include <map>
#include <vector>

#include "gemm/direct/opencl/product.hpp"
#include "gemm/native/opencl/product.hpp"
#include "planned_product.hpp"

namespace hilo::test {
namespace {

template <class T>
void expect_one_plan_for_all(std::int64_t m, std::int64_t n, std::int64_t k, const GemmOptions& options) {
  PlannedProblem<T> first(m, n, k, 1);
  DevicePlan plan = plan_product(*queue().state()->context, first.shape, first.product(T(1), T(0)), options);
  for (std::int64_t seed : {1, 2, 3}) {
    PlannedProblem<T> p(m, n, k, seed);
    const T alpha = entry<T>(seed), beta = seed == 2 ? T(0) : entry<T>(seed + 5);
    const std::vector<T> by_plan = p.by_plan(plan, alpha, beta);
    EXPECT_EQ(by_plan, p.by_call(alpha, beta, options)) << seed;
    // C = beta · C, too.
    p.dc.write(queue(), p.c.data(), 0, p.dc.size());
    const std::vector<T> scaled = p.by_plan(plan, T(0), beta);
    EXPECT_EQ(scaled, p.by_call(T(0), beta, options)) << seed;
  }
}

TEST(DevicePlan, IsKeptForOtherProductsOfItsShape) {
  expect_one_plan_for_all<float>(70, 41, 33, {});
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  GemmOptions direct, modular;
  direct.engine = Engine::direct;
  modular.engine = Engine::modular;
  expect_one_plan_for_all<double>(70, 41, 33, direct);
  expect_one_plan_for_all<double>(70, 41, 33, modular);
  expect_one_plan_for_all<dd_real>(70, 41, 33, direct);
  expect_one_plan_for_all<dd_real>(70, 41, 33, modular);
}

// What lies otherwise is read otherwise.
TEST(DevicePlan, IsKeptForMatricesThatLieOtherwise) {
  tile::Tile in_place{};
  in_place.item_rows = in_place.item_columns = 4;
  in_place.group_rows = in_place.group_columns = in_place.depth = 8;
  in_place.stages = 1;
  in_place.in_place = true;
  PlannedProblem<float> first(70, 41, 33, 1);
  native::DevicePlan plan =
      native::plan_product(queue().context().device(), first.product(1, 0), ComplexProduct::four, {.tile = in_place});
  for (Op opa : {Op::none, Op::transpose}) {
    for (Op opb : {Op::none, Op::transpose}) {
      PlannedProblem<float> p(70, 41, 33, 2, opa, opb);
      native::execute(plan, p.product(1, 0), *queue().state(), {}).event.wait();
      const std::vector<float> by_plan = p.read();
      native::DevicePlan own =
          native::plan_product(queue().context().device(), p.product(1, 0), ComplexProduct::four, {.tile = in_place});
      native::execute(own, p.product(1, 0), *queue().state(), {}).event.wait();
      EXPECT_EQ(by_plan, p.read()) << name(opa) << name(opb);
    }
  }
}

// Only a triangle, whole or block by block of C, of C by columns or by rows; what is not of it stays.
template <class T>
void expect_triangles(auto plan_of) {
  const std::int64_t n = 150, k = 70;
  const T alpha = entry<T>(3), beta = entry<T>(5);
  for (const std::int64_t workspace : {std::int64_t{1} << 28, std::int64_t{1} << 16}) {
    for (const bool by_rows : {false, true}) {
      PlannedProblem<T> p(n, n, k, 1);
      DeviceProduct whole = p.product(alpha, beta);
      if (by_rows) whole.c = whole.c.turned(Op::transpose);
      auto run = [&](const DeviceProduct& product) {
        p.dc.write(queue(), p.c.data(), 0, p.dc.size());
        auto plan = plan_of(product, tile::Choice{.workspace = workspace});
        auto ran = execute(plan, product, *queue().state(), {});
        ran.event.wait();
        if (ran.recomputed.buffer()()) ran.recomputed.release(queue().state()->queue, {});
        return p.read();
      };
      const std::vector<T> all = run(whole);
      for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
        DeviceProduct half = whole;
        half.triangle = uplo;
        const std::vector<T> found = run(half);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < n; ++i) {
          for (std::int64_t j = 0; j < n; ++j) {
            const auto at = static_cast<std::size_t>(by_rows ? i * n + j : i + j * n);
            wrong += !(found[at] == ((uplo == Uplo::lower ? i >= j : i <= j) ? all[at] : p.c[at]));
          }
        }
        EXPECT_EQ(wrong, 0) << static_cast<int>(uplo) << by_rows << workspace;
      }
    }
  }
}

TEST(DevicePlan, OfATriangle) {
  const DeviceInfo& device = queue().context().device();
  const auto native_plan = [&](const DeviceProduct& p, const tile::Choice& choice) {
    return native::plan_product(device, p, ComplexProduct::four, choice);
  };
  expect_triangles<float>(native_plan);
  expect_triangles<std::complex<float>>(native_plan);
  if (!device.fp64) GTEST_SKIP() << "no double precision";
  expect_triangles<double>(native_plan);
  for (const bool is_small : {false, true}) {
    const auto direct_plan = [&](const DeviceProduct& p, tile::Choice choice) {
      choice.is_small = is_small;
      return direct::plan_product(device, p, Accuracy::classic, false, choice);
    };
    expect_triangles<dd_real>(direct_plan);
    expect_triangles<dd_complex>(direct_plan);
  }
}

// A product that nobody watches has the bits of `normwise` where entries are finite, whatever they are scaled by, and
// NaN in the rows and columns where one is not.
TEST(DevicePlan, OfAProductThatNobodyWatches) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  const std::int64_t m = 70, n = 41, k = 130;
  const GemmOptions normwise{.accuracy = Accuracy::normwise};
  const double inf = std::numeric_limits<double>::infinity();
  for (const bool is_bad : {false, true}) {
    PlannedProblem<dd_real> p(m, n, k, 1);
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t h = 0; h < k; ++h)
        p.a[static_cast<std::size_t>(i + h * m)] *= std::ldexp(1.0, int(i % 7) * 140 - 400);
    }
    for (std::int64_t h = 0; h < k; ++h) p.a[static_cast<std::size_t>(5 + h * m)] = dd_real(0);
    p.da.write(queue(), p.a.data(), 0, p.da.size());
    const std::vector<dd_real> finite = p.by_call(-1, 1, normwise);
    if (is_bad) {
      p.a[static_cast<std::size_t>(3 + 7 * m)] = dd_real(inf);
      p.b[static_cast<std::size_t>(11 + 9 * n)] = dd_real(std::numeric_limits<double>::quiet_NaN());
      p.da.write(queue(), p.a.data(), 0, p.da.size());
      p.db.write(queue(), p.b.data(), 0, p.db.size());
    }
    DevicePlan plan = plan_product(*queue().state()->context, p.shape, p.product(-1, 1), normwise);
    std::get<modular::DevicePlan>(plan.engine).is_unwatched = true;
    p.dc.write(queue(), p.c.data(), 0, p.dc.size());
    const std::vector<dd_real> found = p.by_plan(plan, -1, 1);
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        const auto at = static_cast<std::size_t>(i + j * m);
        if (is_bad && (i == 3 || j == 11)) {
          EXPECT_NE(found[at], found[at]) << i << ' ' << j;
        } else {
          EXPECT_EQ(found[at], finite[at]) << i << ' ' << j;
        }
      }
    }
  }
}

// Inside a factorisation options that say more than that are heeded.
TEST(DevicePlan, OfAProductInsideAFactorisation) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  opencl::ContextState& context = *queue().state()->context;
  PlannedProblem<dd_real> p(70, 41, 130, 1);
  GemmOptions direct, modular;
  direct.engine = Engine::direct;
  modular.engine = Engine::modular;
  for (const GemmOptions& options : {direct, modular}) {
    DevicePlan plan = plan_inner_product(context, p.shape, p.product(-1, 1), options);
    const std::vector<dd_real> expected = p.by_call(-1, 1, options);
    p.dc.write(queue(), p.c.data(), 0, p.dc.size());
    EXPECT_EQ(p.by_plan(plan, -1, 1), expected);
  }
}

// What runs is what the plan tells, and what plan_gemm told before.
TEST(DevicePlan, TellsWhatRuns) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  GemmOptions options;
  options.engine = Engine::modular;
  PlannedProblem<dd_real> p(70, 41, 33, 1);
  DevicePlan plan = plan_product(*queue().state()->context, p.shape, p.product(1, 0), options);
  const DeviceRun run = execute(plan, p.product(1, 0), *queue().state(), {});
  run.event.wait();
  const GemmPlan before = plan_gemm<dd_real>(queue(), p.shape.layout, p.shape.opa, p.shape.opb, 70, 41, 33, options);
  for (const GemmPlan& told : {plan.told, run.plan}) {
    EXPECT_EQ(told.tile_rows, before.tile_rows);
    EXPECT_EQ(told.tile_columns, before.tile_columns);
    EXPECT_EQ(told.depth, before.depth);
    EXPECT_STREQ(told.unit, before.unit);
  }
}

// A product that begins with its operands' residues alone, or with nothing, or as a whole, by what the one before took,
// right or wrong: the same bits.
TEST(DevicePlan, BeginsByTheProductBefore) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  GemmOptions options;
  options.engine = Engine::modular;
  PlannedProblem<dd_real> one(70, 41, 66, 1), alike(70, 41, 66, 3), other(70, 41, 66, 2);
  // Other moduli: row 3 and column 5 have small terms in common alone.
  for (std::int64_t h = 0; h < 66; ++h) {
    other.a[static_cast<std::size_t>(3 + 70 * h)] *= h % 2 ? 1.0 : 0x1p-16;
    other.b[static_cast<std::size_t>(5 + 41 * h)] *= h % 2 ? 0x1p-16 : 1.0;
  }
  other.da = PlannedProblem<dd_real>::upload(other.a);
  other.db = PlannedProblem<dd_real>::upload(other.b);
  const std::map<PlannedProblem<dd_real>*, std::vector<dd_real>> expected = {{&one, one.by_call(2, 1, options)},
                                                                             {&alike, alike.by_call(2, 1, options)},
                                                                             {&other, other.by_call(2, 1, options)}};
  for (const double most_residues : {0.0, 1e9}) {
    for (const double most_operations : {0.0, 1e12}) {
      for (PlannedProblem<dd_real>* p : {&one, &alike, &one, &other, &other, &alike, &one}) {
        DevicePlan plan = plan_product(*queue().state()->context, p->shape, p->product(2, 1), options);
        auto& modular = std::get<modular::DevicePlan>(plan.engine);
        modular.most_begun_residues = most_residues;
        modular.most_begun_operations = most_operations;
        p->dc.write(queue(), p->c.data(), 0, p->dc.size());
        EXPECT_EQ(p->by_plan(plan, 2, 1), expected.at(p)) << most_residues << ' ' << most_operations;
      }
    }
  }
}

}  // namespace
}  // namespace hilo::test
