// Tiles lie in pinned memory where the rank has devices, as long as they live, and have the same bits.
#include <hilo/gemm.hpp>

#include "distributed/starpu.hpp"
#include "opencl/host_memory.hpp"
#include "ranks.hpp"

namespace {

using namespace hilo::test;
using namespace hilo;
using distributed::Matrix;

// Of 64 KiB in DD: no smaller ones are pinned.
constexpr std::int64_t tile = 64;

bool has_devices() { return cluster().opencl_devices() > 0; }

TEST(DistributedPinnedTiles, ArePinnedAsLongAsTheMatrixLives) {
  std::vector<const dd_real*> tiles;
  const auto is_pinned = [](const dd_real* first) {
    return opencl::is_pinned(first, static_cast<std::size_t>(tile * tile) * sizeof(dd_real));
  };
  {
    const Matrix<dd_real> a(cluster(), 2 * tile, 2 * tile, tile), small(cluster(), tile, tile - 1, tile);
    a.read_tiles([&](std::int64_t, std::int64_t, const MatrixView<const dd_real>& x) { tiles.push_back(x.data); });
    for (const dd_real* first : tiles) EXPECT_EQ(is_pinned(first), has_devices());
    small.read_tiles([&](std::int64_t, std::int64_t, const MatrixView<const dd_real>& x) {
      EXPECT_FALSE(opencl::is_pinned(x.data, sizeof(dd_real)));
    });
  }
  for (const dd_real* first : tiles) EXPECT_FALSE(is_pinned(first));
}

// Those of other ranks lie in memory that StarPU asks for. What it gives back is pinned already the next time.
TEST(DistributedPinnedTiles, ArePinnedWhereStarpuAsksForMemory) {
  constexpr std::size_t bytes = 1 << 20;
  for (const int flags : {static_cast<int>(STARPU_MALLOC_PINNED), 0}) {
    void* memory = nullptr;
    ASSERT_EQ(starpu_malloc_flags(&memory, bytes, flags), 0);
    EXPECT_EQ(opencl::is_pinned(memory, bytes), has_devices() && flags != 0);
    starpu_free_flags(memory, bytes, flags);
    if (!has_devices() || flags == 0) continue;
    EXPECT_TRUE(opencl::is_pinned(memory, bytes));
    void *same = nullptr, *other = nullptr;
    ASSERT_EQ(starpu_malloc_flags(&same, bytes, flags), 0);
    ASSERT_EQ(starpu_malloc_flags(&other, bytes, flags), 0);
    EXPECT_EQ(same, memory);
    EXPECT_NE(other, memory);
    starpu_free_flags(same, bytes, flags);
    starpu_free_flags(other, bytes, flags);
  }
}

TEST(DistributedPinnedTiles, HaveTheSameBits) {
  HostMatrix<dd_real> a(2 * tile, tile, 41), b(tile, 2 * tile, 42), expected(2 * tile, 2 * tile);
  for (int j = 0; j < 2; ++j) {
    for (int i = 0; i < 2; ++i) {
      gemm<dd_real>(1, a.tile(tile, i, 0), b.tile(tile, 0, j), 0, expected.tile(tile, i, j), on_every_worker());
    }
  }
  const Matrix<dd_real> c(cluster(), 2 * tile, 2 * tile, tile);
  gemm(1, shared_out(a, tile), shared_out(b, tile), 0, c);
  EXPECT_TRUE(same_bits_on_rank_0(c, expected));
}

}  // namespace
