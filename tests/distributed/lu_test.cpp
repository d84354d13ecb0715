// LU over ranks has the bits of the same panels and tiles one after the other without StarPU.
#include <atomic>
#include <cstdlib>
#include <hilo/lapack.hpp>
#include <new>

#include "error_message.hpp"
#include "matrices.hpp"
#include "ranks.hpp"

namespace {

// Of so many bytes or more there is no memory on this rank; 0: there is.
std::atomic<std::size_t> too_much{0};

}  // namespace

void* operator new(std::size_t bytes) {
  const std::size_t least = too_much;
  void* const memory = least > 0 && bytes >= least ? nullptr : std::malloc(bytes);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace hilo::test;
using namespace hilo;
using distributed::Matrix;

template <class T>
void exchange(const MatrixView<T>& x, std::span<const std::int64_t> pivots, std::int64_t first) {
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    for (std::int64_t j = 0; j < x.columns; ++j) {
      std::swap(x(first + static_cast<std::int64_t>(i), j), x(pivots[i] - 1, j));
    }
  }
}

template <class T>
std::int64_t factored_by_panels(HostMatrix<T>& a, std::int64_t tile, std::vector<std::int64_t>& pivots,
                                const BlockedOptions& options) {
  const std::int64_t order = std::min(a.rows, a.columns);
  pivots.assign(static_cast<std::size_t>(order), 0);
  std::int64_t info = 0;
  for (std::int64_t first = 0, k = 0; first < order; first += tile, ++k) {
    const std::int64_t width = std::min(tile, a.columns - first);
    const std::span<std::int64_t> made = std::span(pivots).subspan(
        static_cast<std::size_t>(first), static_cast<std::size_t>(std::min(tile, order - first)));
    const std::int64_t failed = getrf(a.view().sub(first, first, a.rows - first, width), made, options);
    if (info == 0 && failed != 0) info = first + failed;
    for (std::int64_t& p : made) p += first;
    exchange(a.view().sub(0, 0, a.rows, first), std::span<const std::int64_t>(made), first);
    exchange(a.view().sub(0, first + width, a.rows, a.columns - first - width), std::span<const std::int64_t>(made),
             first);
    const std::int64_t rows = std::min(tile, a.rows - first);
    const auto triangle = a.view().sub(first, first, rows, std::min(rows, width));
    for (std::int64_t j = k + 1; j * tile < a.columns; ++j) {
      trsm(Side::left, Uplo::lower, Diag::unit, T(1), triangle, a.tile(tile, k, j), options);
      for (std::int64_t i = k + 1; i * tile < a.rows; ++i) {
        gemm<T>(T(-1), a.tile(tile, i, k), a.tile(tile, k, j), T(1), a.tile(tile, i, j), options);
      }
    }
  }
  return info;
}

// Of all ranks.
template <class T>
void expect_bits_of_panels(const HostMatrix<T>& a, std::int64_t tile, const Grid& grid = {}) {
  HostMatrix<T> expected = a;
  std::vector<std::int64_t> expected_pivots;
  const std::int64_t info = factored_by_panels(expected, tile, expected_pivots, on_every_worker({.block = 5}));
  const Matrix<T> x = shared_out(a, tile, grid);
  std::vector<std::int64_t> pivots(expected_pivots.size());
  EXPECT_EQ(getrf(x, pivots, {.block = 5}), info);
  EXPECT_EQ(pivots, expected_pivots);
  EXPECT_TRUE(same_bits_on_rank_0(x, expected)) << "grid " << grid.rows << " x " << grid.columns;
}

TEST(DistributedLu, HasTheBitsOfItsPanels) {
  constexpr std::int64_t sizes[][3] = {{40, 40, 9},  {30, 17, 8}, {17, 30, 8}, {5, 30, 8},
                                       {12, 12, 12}, {7, 9, 32},  {3, 3, 1},   {0, 4, 2}};
  for (const auto& [rows, columns, tile] : sizes) {
    expect_bits_of_panels(HostMatrix<dd_real>(rows, columns, 11), tile, {1, 0});
  }
  expect_bits_of_panels(HostMatrix<dd_complex>(23, 23, 12), 8, {1, 0});
}

TEST(DistributedLu, HasThemOnEveryGridAndOfATranspose) {
  for (const Grid& grid : every_grid()) expect_bits_of_panels(HostMatrix<dd_real>(30, 30, 13), 7, grid);
  HostMatrix<dd_real> a(16, 16, 14), turned(16, 16);
  for (std::int64_t j = 0; j < 16; ++j) {
    for (std::int64_t i = 0; i < 16; ++i) turned(i, j) = a(j, i);
  }
  std::vector<std::int64_t> expected, pivots(16);
  EXPECT_EQ(factored_by_panels(turned, 7, expected, on_every_worker()), 0);
  const Matrix<dd_real> x = shared_out(a, 7).turned(Op::transpose);
  EXPECT_EQ(getrf(x, pivots), 0);
  EXPECT_EQ(pivots, expected);
  EXPECT_TRUE(same_bits_on_rank_0(x, turned));
}

TEST(DistributedLu, IsGetrfWhereThereIsOneTile) {
  HostMatrix<dd_real> a(20, 20, 15);
  const Matrix<dd_real> x = shared_out(a, 20);
  std::vector<std::int64_t> expected(20), pivots(20);
  EXPECT_EQ(getrf(a.view(), expected, {.engine = Engine::reproducible, .block = 4}), 0);
  EXPECT_EQ(getrf(x, pivots, {.block = 4}), 0);
  EXPECT_EQ(pivots, expected);
  EXPECT_TRUE(same_bits_on_rank_0(x, a));
}

TEST(DistributedLu, TellsEveryRankOfTheFirstPivotThatIsZeroAndGoesOn) {
  HostMatrix<dd_real> a(24, 24, 16);
  for (std::int64_t i = 0; i < 24; ++i) a(i, 9) = a(i, 20) = dd_real(0.0);
  HostMatrix<dd_real> expected = a;
  std::vector<std::int64_t> pivots;
  EXPECT_EQ(factored_by_panels(expected, 7, pivots, on_every_worker()), 10);
  expect_bits_of_panels(a, 7, {1, 0});
}

// ‖A · X − B‖ is that of a backward stable solution.
template <class T>
void expect_solved(Op op, const HostMatrix<T>& a, const HostMatrix<T>& x, const HostMatrix<T>& b) {
  if (cluster().rank() != 0) return;
  const Wide residual = difference(Wide(a.view().turned(op)) * Wide(x.view()), Wide(b.view()));
  const double scale = norm_of(Wide(a.view().turned(op))) * norm_of(Wide(x.view()));
  EXPECT_LE(norm_of(residual), 100.0 * epsilon_of<T> * scale);
  EXPECT_GT(scale, 0.0);
}

template <class T>
class DistributedSystem : public testing::Test {};
using Elements = testing::Types<std::complex<double>, dd_real, dd_complex>;
TYPED_TEST_SUITE(DistributedSystem, Elements, NameOfPrecision);

TYPED_TEST(DistributedSystem, IsSolvedByLuAndItsTransposesToo) {
  using T = TypeParam;
  const HostMatrix<T> a(23, 23, 17), b(23, 9, 18);
  const Matrix<T> factors = shared_out(a, 8), x = shared_out(b, 8);
  std::vector<std::int64_t> pivots(23);
  EXPECT_EQ(gesv(factors, pivots, x), 0);
  expect_solved(Op::none, a, gathered(x), b);
  for (const Op op : {Op::transpose, Op::conjugate_transpose}) {
    const Matrix<T> y = shared_out(b, 8);
    getrs<T>(op, factors, pivots, y);
    expect_solved(op, a, gathered(y), b);
  }
}

TYPED_TEST(DistributedSystem, IsSolvedByCholesky) {
  using T = TypeParam;
  const HostMatrix<T> a = positive_definite<T>(23, 19), b(23, 9, 20);
  for (const Uplo uplo : both_triangles) {
    const Matrix<T> x = shared_out(b, 8);
    EXPECT_EQ(posv(uplo, shared_out(a, 8), x), 0);
    expect_solved(Op::none, a, gathered(x), b);
  }
}

TEST(DistributedSystemFailure, LeavesTheRightHandSidesAsTheyWere) {
  HostMatrix<double> a = positive_definite<double>(10, 21);
  const HostMatrix<double> b(10, 2, 22);
  const Matrix<double> x = shared_out(b, 4);
  a(5, 5) = -1.0;
  EXPECT_EQ(posv(Uplo::lower, shared_out(a, 4), x), 6);
  for (std::int64_t i = 0; i < 10; ++i) a(i, 2) = 0.0;
  std::vector<std::int64_t> pivots(10);
  EXPECT_EQ(gesv(shared_out(a, 4), pivots, x), 3);
  EXPECT_TRUE(same_bits_on_rank_0(x, b));
}

// Of which the others know nothing yet when they exchange rows.
TEST(DistributedLuFailure, OfAPanelIsThrownOnEveryRank) {
  constexpr std::int64_t n = 320, tile = 32;
  const HostMatrix<dd_real> a(n, n, 23);
  const Matrix<dd_real> x = shared_out(a, tile);
  std::vector<std::int64_t> pivots(n);
  const int last = cluster().ranks() - 1;
  // What its first panel is put together in.
  if (cluster().rank() == last) too_much = (n - tile * last) * tile * sizeof(dd_real);
  const std::string message = message_of(errc::out_of_memory, [&] { getrf(x, pivots, {.block = 5}); });
  too_much = 0;
  expect_contains(message, {"getrf: rank " + std::to_string(last) + ": "});
  expect_bits_of_panels(a, tile);
}

TEST(DistributedLuMisuse, IsNamedOnEveryRank) {
  const Matrix<double> a(cluster(), 6, 6, 2), b(cluster(), 6, 3, 2), other(cluster(), 6, 3, 4),
      short_b(cluster(), 5, 3, 2);
  std::vector<std::int64_t> few(5), pivots(6, 7);
  const auto said = [](auto call) { return message_of(errc::invalid_argument, call); };
  expect_contains(said([&] { getrf(a, few); }), {"getrf: ", "5"});
  expect_contains(said([&] { getrs<double>(Op::none, a, pivots, b); }), {"getrs: ", "7"});
  expect_contains(said([&] { gesv(a, pivots, other); }), {"gesv: tile of A = 2 is not tile of B = 4"});
  expect_contains(said([&] { posv(Uplo::lower, a, short_b); }), {"posv: rows of B = 5 is not rows of A = 6"});
  expect_contains(said([&] { posv(Uplo::lower, a, a); }), {"posv: B overlaps A"});
}

}  // namespace
