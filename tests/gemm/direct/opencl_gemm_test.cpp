// The direct engine on OpenCL against its definition, bit by bit. HILO_TEST_PLATFORM and HILO_TEST_DEVICE choose the
// device, by default Context's own choice. HILO_TEST_SMALL=1 runs a small part, for checkers that interpret kernels.
#include <gtest/gtest.h>

#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <thread>
#include <tuple>
#include <utility>

#include "gemm/direct/opencl/plan.hpp"
#include "gemm/direct/opencl/product.hpp"
#include "opencl_problem.hpp"
#include "test_size.hpp"
#include "tile/table.hpp"

namespace {

using namespace hilo;
using test::is_small;

template <class T>
std::string alpha_beta_text(T alpha, T beta) {
  return "alpha = " + std::to_string(dd_complex(alpha).re.hi) + ", beta = " + std::to_string(dd_complex(beta).re.hi);
}

template <class T>
void expect_reference(const Problem<T>& p) {
  std::vector<T> out = p.c;
  GemmReport report = p.run(out);
  expect_same(out, p.reference(), p.text());
  EXPECT_EQ(report.entries_recomputed, 0) << p.text();
}

template <class T>
class OpenclGemm : public testing::Test {};
using Elements = testing::Types<dd_real, dd_complex>;
TYPED_TEST_SUITE(OpenclGemm, Elements);

const Op all_ops[] = {Op::none, Op::transpose, Op::conjugate_transpose};

TYPED_TEST(OpenclGemm, GivesTheReferencesBitsForEveryTransposeLayoutAndVariant) {
  const std::int64_t sizes[] = {1, 2, 3, 7, 17, 33, 65, 130};
  const std::int64_t depths[] = {1, 63, 64, 65, 200, 5, 130};
  std::uint64_t turn = 0;
  for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast}) {
    for (Fma fma : {Fma::on, Fma::off}) {
      for (Layout layout : {Layout::column, Layout::row}) {
        for (Op opa : all_ops) {
          for (Op opb : all_ops) {
            for (int repeat = 0; repeat < 4; ++repeat, ++turn) {
              if (is_small() && turn % 97) continue;
              std::int64_t m = sizes[turn % 8], n = sizes[(turn / 8 + 3 * turn) % 8], k = depths[turn % 7];
              if (is_small())
                m = std::min<std::int64_t>(m, 17), n = std::min<std::int64_t>(n, 17), k = std::min<std::int64_t>(k, 70);
              Problem<TypeParam> p(layout, opa, opb, m, n, k, turn);
              p.options = {.accuracy = accuracy, .fma = fma};
              expect_reference(p);
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(OpenclGemm, TakesEverySizeOfTheList) {
  std::uint64_t seed = 1000;
  for (std::int64_t m : {1, 2, 3, 7, 17, 33, 65, 130}) {
    for (std::int64_t n : {1, 2, 3, 7, 17, 33, 65, 130}) {
      if (is_small() && (m + n) % 5) continue;
      expect_reference(Problem<TypeParam>(Layout::column, Op::none, Op::none, m, n, 70, seed++, 0));
    }
  }
}

TYPED_TEST(OpenclGemm, AddsSuperchunksInOrder) {
  if (is_small()) GTEST_SKIP();
  for (Fma fma : {Fma::on, Fma::off}) {
    Problem<TypeParam> p(Layout::column, Op::transpose, Op::none, 5, 3, 4096 + 70, 7);
    p.options = {.accuracy = Accuracy::fast, .fma = fma};
    expect_reference(p);
  }
  expect_reference(Problem<TypeParam>(Layout::row, Op::none, Op::none, 3, 2, 3 * 4096, 8));
}

TYPED_TEST(OpenclGemm, IsTheSameInBlocksAndSlices) {
  Problem<TypeParam> p(Layout::column, Op::none, Op::transpose, is_small() ? 21 : 70, is_small() ? 9 : 40, 4096 + 130,
                       11);
  if (is_small()) p.k = 130;
  auto want = p.reference();
  tile::Tile tile =
      tile::tile_for(queue().context().device(), {precision_of<TypeParam>, true, true, tile::size_class(p.m, p.n)});
  const std::int64_t parts = std::same_as<TypeParam, dd_complex> ? 2 : 1;
  for (std::int64_t workspace : {std::int64_t{0}, std::int64_t{6} << 20}) {
    expect_same(p.run_on_device({.tile = {}, .workspace = workspace}), want, p.text());
    auto blocks = direct::block_product(tile, p.m, p.n * parts, p.k * parts, workspace);
    EXPECT_TRUE(workspace > 0 || is_small() || (blocks.rows < p.m && blocks.slices > 1));
  }
}

TYPED_TEST(OpenclGemm, IsTheSameForEveryTile) {
  Problem<TypeParam> p(Layout::column, Op::none, Op::none, is_small() ? 18 : 37, is_small() ? 10 : 29,
                       is_small() ? 66 : 150, 12);
  p.options.accuracy = Accuracy::fast;
  auto want = p.reference();
  std::vector<tile::Tile> tiles = {{1, 4, 4, 16, 8, 16, 2}, {1, 4, 2, 8, 8, 8, 1}, {1, 2, 4, 8, 8, 32, 2},
                                   {1, 4, 3, 8, 4, 4, 1},   {1, 3, 2, 5, 7, 8, 2}, {1, 2, 2, 4, 4, 16, 0}};
  tiles.push_back({.lanes = 2,
                   .item_rows = 4,
                   .item_columns = 2,
                   .group_rows = 2,
                   .group_columns = 2,
                   .depth = 4,
                   .stages = 0,
                   .row_run = 2,
                   .raster_rows = 3});
  tiles.push_back({.lanes = 4,
                   .item_rows = 8,
                   .item_columns = 2,
                   .group_rows = 1,
                   .group_columns = 1,
                   .depth = 64,
                   .stages = 0,
                   .row_run = 4});
  const bool is_nvidia = queue().context().device().vendor.find("NVIDIA") != std::string::npos;
  if (is_nvidia) {
    for (auto [copies, ahead] : {std::pair(tile::Copies::async, false), std::pair(tile::Copies::async, true),
                                 std::pair(tile::Copies::bulk, false)}) {
      tiles.push_back({1, 2, 4, 32, 8, 8, 3, copies, ahead});
      tiles.push_back({1, 4, 4, 16, 4, 8, 2, copies, ahead});
    }
  }
  for (std::size_t i = 0, count = tiles.size(); i < count; ++i) {
    tile::Tile t = tiles[i];
    if (t.lanes > 1) continue;
    t.local_chunks = i % 3 != 1;
    t.by_operation = i % 3 != 0;
    tiles.push_back(t);
  }
  const tile::NumberKind kind{precision_of<TypeParam>};
  for (const tile::Tile& tile : tiles) {
    ASSERT_TRUE(tile::is_valid(tile, kind)) << to_string(tile);
    if (local_bytes(tile, kind) > queue().context().device().local_memory) continue;
    expect_same(p.run_on_device({.tile = tile, .workspace = {}}), want, to_string(tile));
  }
}

TYPED_TEST(OpenclGemm, IsTheSameInOneLaunch) {
  struct Sizes {
    std::int64_t m, n, k;
  };
  for (Sizes size :
       {Sizes{1, 1, 1}, {8, 8, 64}, {9, 7, 65}, {10, 11, 33}, {6, 3, 50}, {5, 13, 128}, {17, 3, 300}, {3, 2, 2048}}) {
    if (is_small() && size.m * size.n * size.k != 1 && size.k != 65 && size.k != 128) continue;
    for (Fma fma : {Fma::on, Fma::off}) {
      for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast}) {
        // Each variant is a program to build.
        if (size.k > 64 && accuracy != Accuracy::classic) continue;
        if (size.k > 128 && fma == Fma::off) continue;
        // Lines of an operand lie side by side, or steps do.
        for (auto [layout, opa, opb] : {std::tuple(Layout::row, Op::conjugate_transpose, Op::none),
                                        std::tuple(Layout::row, Op::none, Op::conjugate_transpose),
                                        std::tuple(Layout::column, Op::none, Op::none),
                                        std::tuple(Layout::column, Op::transpose, Op::transpose)}) {
          Problem<TypeParam> p(layout, opa, opb, size.m, size.n, size.k, 21);
          p.options = {.accuracy = accuracy, .fma = fma};
          expect_same(p.run_on_device({.tile = {}, .workspace = {}, .is_small = true}), p.reference(), p.text());
        }
      }
    }
  }
}

TYPED_TEST(OpenclGemm, TakesSpecialAlphaAndBeta) {
  using T = TypeParam;
  const T values[] = {T(0), T(1), T(-1), scalar<T>(0.7, 0.0), scalar<T>(-3.0, 2.0)};
  for (T alpha : values) {
    if (alpha == T(0)) continue;
    for (T beta : values) {
      Problem<T> p(Layout::column, Op::none, Op::none, 9, 6, 20, 13);
      p.alpha = alpha;
      p.beta = beta;
      SCOPED_TRACE(alpha_beta_text(alpha, beta));
      expect_reference(p);
    }
  }
}

TYPED_TEST(OpenclGemm, NeverReadsCWhereBetaIsZeroNorAAndBWhereAlphaIsZero) {
  using T = TypeParam;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Problem<T> p(Layout::column, Op::none, Op::none, 9, 6, 20, 14);
  p.beta = T(0);
  for (T& x : p.c) x = T(dd_real(nan));
  expect_reference(p);

  for (std::int64_t k : {0, 20}) {
    for (T beta : {T(0), T(1), scalar<T>(2.5, 1.0)}) {
      Problem<T> q(Layout::row, Op::none, Op::none, 9, 6, 20, 15);
      q.k = k;
      if (k) q.alpha = T(0);
      q.beta = beta;
      std::vector<T> want = q.c, got = q.c;
      for (std::int64_t i = 0; i < q.m; ++i) {
        for (std::int64_t j = 0; j < q.n; ++j) {
          T& x = want[static_cast<std::size_t>(i * q.ldc + j)];
          x = beta == T(0) ? T(0) : beta == T(1) ? x : beta * x;
        }
      }
      gemm<T>(queue(), q.layout, q.opa, q.opb, q.m, q.n, q.k, q.alpha, nullptr, q.lda, nullptr, q.ldb, q.beta,
              got.data(), q.ldc, q.to_run());
      expect_same(got, want, q.text());
    }
  }
}

TYPED_TEST(OpenclGemm, ComputesEntriesThatAreNotFiniteAgainAsDoubles) {
  using T = TypeParam;
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (Fma fma : {Fma::on, Fma::off}) {
    Problem<T> p(Layout::column, Op::none, Op::transpose, is_small() ? 12 : 20, is_small() ? 10 : 18,
                 is_small() ? 66 : 90, 16);
    p.options.fma = fma;
    p.a[4] = T(dd_real(inf, 0.0));
    p.a[5] = T(dd_real(-inf, 0.0));
    p.b[7] = T(dd_real(nan, 0.0));
    p.b[8] = T(dd_real(0x1.8p1023, 0.0));
    p.a[10] = T(dd_real(0x1.8p1023, 0.0));
    // Too large to split, but finite.
    p.a[11] = T(dd_real(0x1p1000, 0x1p940));
    p.b[9] = T(dd_real(0x1p-30, 0.0));
    std::int64_t recomputed = 0;
    std::vector<T> want = p.reference(&recomputed), out = p.c;
    GemmReport report = p.run(out);
    expect_same(out, want, p.text());
    EXPECT_EQ(report.entries_recomputed, recomputed) << p.text();
    EXPECT_GT(recomputed, 0);
    expect_same(p.run_on_device({.tile = {}, .workspace = {}, .is_small = true}), want, p.text() + ", in one launch");
  }
}

TYPED_TEST(OpenclGemm, WorksOnDeviceBuffersWithOffsetsWaitListAndEvent) {
  using T = TypeParam;
  Problem<T> p(Layout::row, Op::transpose, Op::none, 33, 20, 70, 17);
  Context context = queue().context();
  // A and C share a buffer, B has its own.
  auto size = [](const std::vector<T>& x) { return static_cast<std::int64_t>(x.size()); };
  Buffer<T> shared(context, 5 + size(p.a) + size(p.c)), db(context, 2 + size(p.b));
  shared.write(queue(), p.a.data(), 5, size(p.a));
  shared.write(queue(), p.c.data(), 5 + size(p.a), size(p.c));
  db.write(queue(), p.b.data(), 2, size(p.b));
  GemmReport report{};
  Queue other(context);
  Event first = gemm(queue(), p.layout, p.opa, p.opb, p.m, p.n, p.k, p.alpha, shared, 5, p.lda, db, 2, p.ldb, p.beta,
                     shared, 5 + size(p.a), p.ldc, {}, p.options, &report);
  // C times a scalar, after it, from another queue.
  Event second = gemm(other, p.layout, p.opa, p.opb, p.m, p.n, p.k, T(0), shared, 5, p.lda, db, 2, p.ldb, T(2), shared,
                      5 + size(p.a), p.ldc, {first});
  second.wait();
  EXPECT_EQ(first.status(), EventStatus::complete);
  EXPECT_GT(first.seconds(), 0.0);
  EXPECT_EQ(report.entries_recomputed, -1);
  EXPECT_EQ(report.plan.backend, Backend::opencl);
  std::vector<T> got(p.c.size()), want = p.reference();
  shared.read(other, got.data(), 5 + size(p.a), size(p.c));
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      T& x = want[static_cast<std::size_t>(i * p.ldc + j)];
      x = T(2) * x;
    }
  }
  expect_same(got, want, p.text());
}

TEST(OpenclGemmThreads, FourAtOnceGiveTheSameBits) {
  if (is_small()) GTEST_SKIP() << "oclgrind takes one thread";
  Problem<dd_real> p(Layout::column, Op::none, Op::transpose, 65, 48, 130, 18);
  auto want = p.reference();
  std::vector<std::vector<dd_real>> outs(4, p.c);
  std::vector<std::thread> threads;
  Queue shared(queue().context());
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      // Two share a queue, two have their own.
      Queue own(queue().context());
      for (int repeat = 0; repeat < 5; ++repeat) {
        outs[t] = p.c;
        p.run(outs[t], t < 2 ? shared : own);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& out : outs) expect_same(out, want, "a thread");
}

}  // namespace
