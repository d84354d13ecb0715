// However the modular engine cuts a product on an OpenCL device, into panels, edges or blocks of Strassen's algorithm,
// it has the CPU's bits. HILO_TEST_PLATFORM and HILO_TEST_DEVICE choose the device. HILO_LONG_TESTS=1 takes larger
// products.
#include <gtest/gtest.h>

#include "gemm/modular/opencl/bytes.hpp"
#include "modular_hard_problems.hpp"
#include "opencl/native.hpp"
#include "opencl_modular.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

template <class T>
class OpenclModularPanels : public testing::Test {};
TYPED_TEST_SUITE(OpenclModularPanels, Precisions, PrecisionName);

// The least that is taken, and with it chunks of moduli, panels of C and slices of terms.
template <class T>
int64_t least_workspace(const Problem<T>& p, GemmOptions options) {
  options.workspace_bytes = 1;
  std::string message = message_of(errc::invalid_argument, [&] { multiply_from_host(queue(), p, options); });
  expect_contains(message, {"options.workspace_bytes = 1 "});
  std::string before = "is less than ";
  std::size_t at = message.find(before);
  return at == std::string::npos ? 1 << 20 : std::stoll(message.substr(at + before.size()));
}

TYPED_TEST(OpenclModularPanels, WorkspaceAndDepth) {
  int64_t turn = 0;
  for (const auto& x : modular_products<TypeParam>()) {
    GemmOptions options = x.options;
    for (int64_t terms : {16, 33, 64, 100, 65536}) {
      options.depth = terms;
      options.workspace_bytes = 0;
      expect_as_on_cpu(x.problem, options, x.name + ", depth " + std::to_string(terms), storage_of(turn++));
      int64_t least = least_workspace(x.problem, options);
      for (int64_t bytes : {least, least + least / 3, 3 * least, int64_t{4} << 20}) {
        // Each depth with one of them, unless there is time.
        if (!is_long() && ++turn % 4) continue;
        options.workspace_bytes = std::max(bytes, least);
        expect_as_on_cpu(
            x.problem, options,
            x.name + ", depth " + std::to_string(terms) + ", workspace " + std::to_string(options.workspace_bytes), {},
            turn % 8 == 0);
      }
    }
  }
}

TYPED_TEST(OpenclModularPanels, PanelsOfALargeC) {
  using T = TypeParam;
  auto p = generated<T>(range_kind(2), is_long() ? 520 : 300, is_long() ? 770 : 150, is_long() ? 300 : 40, 22);
  set_scalars(p);
  GemmOptions options = modular_options(Accuracy::classic);
  int64_t least = least_workspace(p, options);
  for (int64_t bytes : {least, 2 * least, 5 * least}) {
    options.workspace_bytes = bytes;
    expect_as_on_cpu(p, options, "workspace " + std::to_string(bytes), storage_of(bytes % 17));
  }
}

// Whether the last columns of the products of bytes take a tile of their own. Those columns are neighbours in C.
template <class T>
bool has_edge(const Problem<T>& p, Layout layout) {
  const int64_t rows = layout == Layout::row ? p.m : p.n, columns = layout == Layout::row ? p.n : p.m;
  const modular::ByteUnit unit = modular::byte_unit(*queue().context().state());
  const modular::ByteTile tile = modular::byte_tile(unit, rows, columns);
  return modular::edge_tile(unit, tile, columns).columns < tile.columns;
}

TYPED_TEST(OpenclModularPanels, ColumnsThatLeaveAnEdge) {
  using T = TypeParam;
  using modular::ByteUnit;
  const ByteUnit unit = modular::byte_unit(*queue().context().state());
  auto p = generated<T>(range_kind(2), 150, 210, 70, 31);
  set_scalars(p);
  constexpr Accuracy accuracies[] = {Accuracy::classic, Accuracy::tight, Accuracy::normwise};
  for (int64_t turn = 0; turn < 18; ++turn) {
    const Storage storage = storage_of(turn);
    EXPECT_TRUE(has_edge(p, storage.layout) || unit != ByteUnit::plain);
    expect_as_on_cpu(p, modular_options(accuracies[turn % 3]), "edge", storage, turn % 2 == 1);
  }
  for (Layout layout : {Layout::column, Layout::row}) {
    const Storage storage{layout, Op::none, Op::none, 3};
    auto guarded = guarded_problem<T>(150, 210, 30, 32);
    set_scalars(guarded);
    EXPECT_GT(expect_as_on_cpu(guarded, modular_options(Accuracy::classic), "edge", storage).entries_direct, 0);
    // Large enough for the tiles of other units.
    auto large = generated<T>(uniform_kind, 530, 540, 20, 33);
    EXPECT_TRUE(has_edge(large, layout) || (unit != ByteUnit::plain && unit != ByteUnit::wgmma));
    expect_as_on_cpu(large, modular_options(Accuracy::classic), "edge", storage);
  }
}

TYPED_TEST(OpenclModularPanels, AnEdgeInASmallWorkspace) {
  using T = TypeParam;
  auto p = generated<T>(range_kind(2), 150, 210, 70, 34);
  set_scalars(p);
  GemmOptions options = modular_options(Accuracy::classic);
  for (int64_t terms : {0, 33}) {
    options.depth = terms;
    options.workspace_bytes = 0;
    const int64_t least = least_workspace(p, options);
    for (int64_t turn = 0; turn < 6; ++turn) {
      // Of panels, chunks of moduli and slices of terms some, then few, then none.
      options.workspace_bytes = least + turn * turn * least / 3;
      expect_as_on_cpu(
          p, options, "edge, depth " + std::to_string(terms) + ", workspace " + std::to_string(options.workspace_bytes),
          storage_of(5 * turn));
    }
  }
}

TYPED_TEST(OpenclModularPanels, AnEdgeInParts) {
  using T = TypeParam;
  opencl::StagingPool& staging = queue().context().state()->staging;
  staging.set_sizes({.slot_bytes = 10000, .least_piece = 100, .least_bytes = 1, .parts_bytes = 1});
  for (Layout layout : {Layout::column, Layout::row}) {
    const bool by_columns = layout == Layout::column;
    auto p = generated<T>(uniform_kind, by_columns ? 110 : 1200, by_columns ? 1200 : 110, 20, 35);
    set_scalars(p);
    // Without entries of the direct engine, which would come after all parts.
    const GemmReport report = expect_as_on_cpu(p, modular_options(Accuracy::normwise), "edge in parts", {layout});
    EXPECT_EQ(report.entries_direct, 0);
  }
  staging.set_sizes({});
}

// Products of blocks have the bits of the product as a whole, which are the CPU's.
TYPED_TEST(OpenclModularPanels, LevelsOfStrassensAlgorithm) {
  using T = TypeParam;
  const modular::ByteUnit unit = modular::byte_unit(*queue().context().state());
  int64_t turn = 0;
  for (int levels : {1, 2}) {
    auto expect_levels = [&](const auto& p, GemmOptions options, const std::string& name, const Storage& storage) {
      options.levels = levels;
      const GemmReport report = expect_as_on_cpu(p, options, name + ", levels " + std::to_string(levels), storage);
      EXPECT_EQ(report.plan.levels, unit == modular::ByteUnit::plain ? levels : report.plan.levels) << name;
    };
    for (const auto& x : modular_products<T>()) {
      GemmOptions options = x.options;
      options.levels = levels;
      expect_as_on_cpu(x.problem, options, x.name + ", levels " + std::to_string(levels), storage_of(turn++));
    }
    // Blocks that are whole, and that lines and terms are padded in.
    for (const auto& [m, n, k] : {std::array<int64_t, 3>{256, 256, 64}, {209, 239, 100}, {250, 400, 61}}) {
      auto p = generated<T>(range_kind(2), m, n, k, 41);
      set_scalars(p);
      expect_levels(p, modular_options(Accuracy::classic), "blocks", storage_of(turn++));
    }
    auto guarded = guarded_problem<T>(210, 240, 63, 42);
    set_scalars(guarded);
    expect_levels(guarded, modular_options(Accuracy::classic), "guarded", storage_of(turn++));
    if (is_long()) {
      expect_levels(generated<T>(range_kind(1), 2000, 1990, 500, 43), modular_options(Accuracy::classic), "large",
                    storage_of(turn++));
    }
  }
}

// The elements of p over and over, m x n x k.
template <class T>
Problem<T> repeated(const Problem<T>& p, int64_t m, int64_t n, int64_t k) {
  Problem<T> large(m, n, k);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t h = 0; h < k; ++h) large.left(i, h) = p.left(i % p.m, h % p.k);
  }
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t h = 0; h < k; ++h) large.right(h, j) = p.right(h % p.k, j % p.n);
  }
  return large;
}

// Zeros and exponents in every pattern: unlike in floating point, sums of blocks lose nothing.
TYPED_TEST(OpenclModularPanels, LevelsOfGradedProducts) {
  using T = TypeParam;
  int64_t turn = 0, with_levels = 0;
  for (const auto& x : graded_products<T>()) {
    for (int levels : {1, 2}) {
      if (!is_long() && turn % 2 == levels % 2 && turn > 8) continue;
      GemmOptions options = x.options;
      options.levels = levels;
      auto p = repeated(x.problem, 52, 54, 61);
      if (turn % 2) set_scalars(p);
      const GemmReport report =
          expect_as_on_cpu(p, options, x.name + ", levels " + std::to_string(levels), storage_of(turn));
      with_levels += report.plan.levels == levels;
    }
    ++turn;
  }
  const bool is_plain = modular::byte_unit(*queue().context().state()) == modular::ByteUnit::plain;
  EXPECT_GE(with_levels, is_plain ? 8 : 0);
}

// Where memory does not do for all moduli at a time, and where it does not do for blocks.
TYPED_TEST(OpenclModularPanels, LevelsInASmallWorkspace) {
  using T = TypeParam;
  auto p = generated<T>(range_kind(2), 210, 240, 70, 44);
  set_scalars(p);
  GemmOptions options = modular_options(Accuracy::classic);
  options.levels = 2;
  const int64_t whole = expect_as_on_cpu(p, options, "all moduli", {}).plan.workspace_bytes;
  const int64_t least = least_workspace(p, options);
  for (int64_t turn = 1; turn < 6; ++turn) {
    options.workspace_bytes = std::max(least, whole * turn / 6);
    const GemmReport report =
        expect_as_on_cpu(p, options, "workspace " + std::to_string(options.workspace_bytes), storage_of(turn));
    EXPECT_LE(report.plan.workspace_bytes, options.workspace_bytes);
  }
}

}  // namespace
}  // namespace hilo::test
