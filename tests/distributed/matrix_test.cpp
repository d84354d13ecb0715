// Matrices over ranks: which rank has what, and what comes into them and out of them.
#include <hilo/math.hpp>
#include <stdexcept>
#include <string>

#include "error_message.hpp"
#include "matrices.hpp"
#include "ranks.hpp"

namespace {

using namespace hilo::test;
using hilo::errc;
using hilo::message_of;
using hilo::Op;
using hilo::distributed::Matrix;

template <class T>
class DistributedMatrix : public testing::Test {};
using Elements = testing::Types<std::complex<double>, hilo::dd_real>;
TYPED_TEST_SUITE(DistributedMatrix, Elements, NameOfPrecision);

// Sizes with tiles that are whole, that are not, and that are larger than the matrix.
constexpr std::int64_t sizes[][3] = {{20, 20, 5}, {23, 9, 4}, {7, 30, 8}, {3, 2, 16}, {1, 1, 1}, {0, 4, 2}};

TYPED_TEST(DistributedMatrix, ComesBackAsItWasSharedOut) {
  for (const auto& [rows, columns, tile] : sizes) {
    for (const Grid& grid : every_grid()) {
      const HostMatrix<TypeParam> x(rows, columns, 1);
      EXPECT_TRUE(same_bits_on_rank_0(shared_out(x, tile, grid), x));
    }
  }
}

TYPED_TEST(DistributedMatrix, IsFilledByOwnersAndSeenAsItIsTurned) {
  const auto entry = [](std::int64_t i, std::int64_t j) {
    return element_of<TypeParam>(static_cast<double>(10 * i + j), static_cast<double>(j - i) / 4);
  };
  for (const auto& [rows, columns, tile] : sizes) {
    if (rows > 7 && rows != 23) continue;
    Matrix<TypeParam> x(cluster(), rows, columns, tile);
    for (const Op filled : every_op) {
      x.turned(filled).fill(entry);
      for (const Op seen : every_op) {
        const HostMatrix<TypeParam> all = gathered(x.turned(filled).turned(seen));
        if (cluster().rank() != 0) continue;
        for (std::int64_t j = 0; j < all.columns; ++j) {
          for (std::int64_t i = 0; i < all.rows; ++i) {
            const TypeParam e = is_transposed(seen) ? entry(j, i) : entry(i, j);
            EXPECT_TRUE(same_bits(all(i, j), is_conjugated(seen) ? conjugate_of(e) : e)) << i << ' ' << j;
          }
        }
      }
    }
  }
}

TYPED_TEST(DistributedMatrix, IsSharedOutAndComesBackThroughViewsThatAreTurned) {
  const HostMatrix<TypeParam> x(11, 6, 2);
  for (const Op op : every_op) {
    const auto seen = x.view().turned(op);
    Matrix<TypeParam> a(cluster(), seen.rows, seen.columns, 4);
    a.scatter(seen);
    HostMatrix<TypeParam> back(11, 6);
    a.gather(back.view().turned(op));
    EXPECT_EQ(
        first_difference(back.elements, cluster().rank() == 0 ? x.elements : HostMatrix<TypeParam>(11, 6).elements),
        -1);
  }
}

TEST(DistributedGrid, IsBlockCyclicAndNearlySquare) {
  const int ranks = cluster().ranks(), rows = ranks == 4 ? 2 : 1, columns = ranks / rows;
  const Matrix<double> a(cluster(), 30, 30, 5), b(cluster(), 30, 30, 5, {ranks, 0}),
      c(cluster(), 30, 30, 5, {0, ranks});
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      EXPECT_EQ(a.owner(i, j), i % rows * columns + j % columns);
      EXPECT_EQ(a.turned(Op::transpose).owner(i, j), a.owner(j, i));
      EXPECT_EQ(b.owner(i, j), i % ranks);
      EXPECT_EQ(c.owner(i, j), j % ranks);
    }
  }
}

TEST(DistributedMisuse, IsNamedOnEveryRank) {
  const auto made = [](std::int64_t rows, std::int64_t columns, std::int64_t tile, const Grid& grid = {}) {
    return message_of(errc::invalid_argument, [&] { Matrix<double>(cluster(), rows, columns, tile, grid); });
  };
  EXPECT_EQ(made(-1, 2, 1), "Matrix: sizes -1 x 2; 0 or more were expected");
  EXPECT_EQ(made(2, 2, 0), "Matrix: tile = 0; 1 to 16384 was expected");
  EXPECT_EQ(made(2, 2, 16385), "Matrix: tile = 16385; 1 to 16384 was expected");
  constexpr std::int64_t many = std::int64_t{1} << 40;
  EXPECT_EQ(message_of(errc::overflow, [] { Matrix<double>(cluster(), many, many, 1); }),
            "Matrix: the bytes of sizes 1099511627776 x 1099511627776 do not fit 64 bits");
  const int ranks = cluster().ranks();
  EXPECT_EQ(made(2, 2, 1, {3, 5}),
            "Matrix: a grid of 3 x 5 is not one of " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks"));
  EXPECT_EQ(message_of(errc::invalid_argument, [] { Cluster(); }), "Cluster: there is one in this process already");

  // Views are looked at on rank 0 alone, whose error all have.
  const Matrix<double> a(cluster(), 4, 3, 2);
  std::vector<double> memory(12);
  const hilo::MatrixView<double> wrong{memory.data(), 3, 4, 1, 3}, null{nullptr, 4, 3, 1, 4};
  EXPECT_EQ(message_of(errc::invalid_argument, [&] { a.gather(wrong); }),
            "gather: rank 0: a view, 3 x 4, of a matrix, 4 x 3");
  EXPECT_EQ(message_of(errc::invalid_argument, [&] { a.scatter(null); }), "scatter: rank 0: the view is null");
}

TEST(DistributedMatrixTiles, AreChangedAndLookedAtWhereTheyAreStored) {
  const HostMatrix<hilo::dd_real> x(11, 8, 23);
  const Matrix<hilo::dd_real> a = shared_out(x, 3).turned(Op::transpose);
  // Each becomes itself plus what tells its place.
  a.change_tiles([](std::int64_t first, std::int64_t column, const hilo::MatrixView<hilo::dd_real>& tile) {
    for (std::int64_t j = 0; j < tile.columns; ++j) {
      for (std::int64_t i = 0; i < tile.rows; ++i)
        tile(i, j) = tile(i, j) + static_cast<double>(100 * (first + i) + column + j);
    }
  });
  HostMatrix<hilo::dd_real> expected = x;
  for (std::int64_t j = 0; j < 8; ++j) {
    for (std::int64_t i = 0; i < 11; ++i) expected(i, j) = x(i, j) + static_cast<double>(100 * i + j);
  }
  EXPECT_TRUE(same_bits_on_rank_0(a.turned(Op::transpose), expected));
  std::int64_t entries = 0;
  a.read_tiles([&](std::int64_t first, std::int64_t column, const hilo::MatrixView<const hilo::dd_real>& tile) {
    EXPECT_EQ(a.owner(column / 3, first / 3), cluster().rank());
    EXPECT_EQ(tile(tile.rows - 1, tile.columns - 1).hi, expected(first + tile.rows - 1, column + tile.columns - 1).hi);
    entries += tile.rows * tile.columns;
  });
  EXPECT_TRUE(cluster().ranks() > 1 || entries == 88);
}

TEST(DistributedAgreement, IsThatOfTheFirstRankThatFails) {
  const int ranks = cluster().ranks();
  EXPECT_EQ(message_of(errc::parse,
                       [&] {
                         cluster().agree([&] {
                           if (cluster().rank() >= ranks / 2) throw hilo::error(errc::parse, "a.npy: no header");
                         });
                       }),
            "rank " + std::to_string(ranks / 2) + ": a.npy: no header");
  cluster().agree([] {});
}

TEST(DistributedMatrixFill, ThrowsOnEveryRankWhatOneMet) {
  const Matrix<double> a(cluster(), 8, 8, 2);
  const int last = cluster().ranks() - 1;
  EXPECT_EQ(message_of(errc::invalid_argument,
                       [&] {
                         a.fill([&](std::int64_t, std::int64_t) -> double {
                           if (cluster().rank() == last) throw std::runtime_error("no entry");
                           return 1.0;
                         });
                       }),
            "fill: rank " + std::to_string(last) + ": no entry");
  a.fill([](std::int64_t, std::int64_t) { return 2.0; });
  HostMatrix<double> expected(8, 8);
  expected.elements.assign(64, 2.0);
  EXPECT_TRUE(same_bits_on_rank_0(a, expected));
}

}  // namespace
