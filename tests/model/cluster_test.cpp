// What ranks move and take: limits that can be told on paper.
#include <gtest/gtest.h>

#include <hilo/model.hpp>

namespace {

using namespace hilo;
using model::ClusterRates;
using model::ClusterSeconds;
using model::TiledProblem;
using model::TiledRoutine;
using model::TiledTraffic;

constexpr TiledRoutine routines[] = {TiledRoutine::gemm, TiledRoutine::potrf, TiledRoutine::getrf};
constexpr ClusterRates rates{37e12, 8e12, 2e12, 64e9, 50e9};

TEST(TiledTraffic, OfOneRankIsNone) {
  for (const TiledRoutine routine : routines) {
    for (const TiledTraffic& rank : model::tiled_traffic(routine, {1000, 64, 16, 1, 1})) {
      EXPECT_EQ(rank.bytes_in + rank.bytes_out + rank.messages_in + rank.messages_out, 0);
    }
  }
}

TEST(TiledTraffic, ComesWhereItIsSent) {
  for (const TiledRoutine routine : routines) {
    TiledTraffic all;
    for (const TiledTraffic& rank : model::tiled_traffic(routine, {1000, 64, 16, 2, 3})) {
      all.bytes_in += rank.bytes_in, all.bytes_out += rank.bytes_out;
      all.messages_in += rank.messages_in, all.messages_out += rank.messages_out;
    }
    EXPECT_EQ(all.bytes_in, all.bytes_out);
    EXPECT_EQ(all.messages_in, all.messages_out);
    EXPECT_GT(all.bytes_in, 0);
  }
}

// All bytes, in parts of S n².
double parts(TiledRoutine routine, std::int64_t n, int rows, int columns) {
  const std::int64_t tile = 16;
  double all = 0.0;
  for (const TiledTraffic& rank : model::tiled_traffic(routine, {n, tile, 16, rows, columns})) {
    all += static_cast<double>(rank.bytes_out);
  }
  return all / (16.0 * static_cast<double>(n) * static_cast<double>(n));
}

TEST(TiledTraffic, ComesToTheFormulasOfTheManual) {
  // Of products, where ranks divide tiles, every byte.
  EXPECT_EQ(parts(TiledRoutine::gemm, 16 * 24, 2, 3), 1.0 + 2.0);
  EXPECT_EQ(parts(TiledRoutine::gemm, 16 * 24, 4, 4), 3.0 + 3.0);
  // Of factorisations what is left falls with the number of tiles, here 256.
  const std::int64_t n = 16 * 256;
  EXPECT_NEAR(parts(TiledRoutine::potrf, n, 2, 3), 0.5 * (1.0 + 2.0), 0.03);
  EXPECT_NEAR(parts(TiledRoutine::potrf, n, 1, 6), 0.5 * 5.0, 0.06);
  EXPECT_NEAR(parts(TiledRoutine::getrf, n, 1, 6), 0.5 * 5.0, 0.06);
  EXPECT_NEAR(parts(TiledRoutine::getrf, n, 2, 3), 0.5 * 3.0 + 0.5 + 0.5 * 256, 1.0);
}

TEST(TiledTraffic, WithinANodeStaysThere) {
  TiledProblem problem{512, 16, 16, 2, 4, 8};
  for (const TiledTraffic& rank : model::tiled_traffic(TiledRoutine::gemm, problem)) EXPECT_EQ(rank.node_bytes_in, 0);
  // A row of the grid each: A's tiles stay in the node, and B's, half of which each node has, do not.
  problem.ranks_of_node = 4;
  for (const TiledTraffic& rank : model::tiled_traffic(TiledRoutine::gemm, problem)) {
    EXPECT_EQ(rank.node_bytes_in, 16 * 512 * 512 / 8);
  }
}

TEST(ClusterSeconds, OfOneRankAreThoseOfItsDevice) {
  const double n = 65536;
  const TiledProblem problem{65536, 1024, 16, 1, 1};
  const ClusterSeconds product = model::cluster_seconds(TiledRoutine::gemm, problem, rates);
  EXPECT_DOUBLE_EQ(product.arithmetic, 2.0 * n * n * n / rates.product);
  EXPECT_DOUBLE_EQ(product.bus, 3.0 * 16.0 * n * n / rates.bus);
  EXPECT_EQ(product.overlapped(), product.arithmetic);
  // With solves at the rate of products.
  ClusterRates even = rates;
  even.solve = even.product;
  const double cholesky = model::cluster_seconds(TiledRoutine::potrf, problem, even).arithmetic;
  EXPECT_NEAR(cholesky / (n * n * n / 3.0 / rates.product), 1.0, 1e-3);
  // The panels are the host's.
  const double lu = model::cluster_seconds(TiledRoutine::getrf, problem, even).arithmetic;
  EXPECT_NEAR(lu / (2.0 * n * n * n / 3.0 / rates.product), 1.0, 0.02);
  for (const TiledRoutine routine : routines) {
    EXPECT_EQ(model::cluster_seconds(routine, problem, rates).network, 0.0);
  }
}

TEST(ClusterSeconds, OfManyRanksAreAPartOfThatAndTheChainStays) {
  const TiledProblem one{65536, 1024, 16, 1, 1}, many{65536, 1024, 16, 4, 4, 16};
  for (const TiledRoutine routine : routines) {
    const ClusterSeconds x = model::cluster_seconds(routine, one, rates),
                         y = model::cluster_seconds(routine, many, rates);
    EXPECT_NEAR(x.arithmetic / y.arithmetic, 16.0, routine == TiledRoutine::gemm ? 1e-9 : 2.0);
    EXPECT_DOUBLE_EQ(x.chain, y.chain);
    EXPECT_EQ(y.network, 0.0);
  }
}

TEST(ClusterSeconds, OfTheNetworkAreTheBytesIntoANode) {
  const TiledProblem problem{65536, 1024, 16, 2, 8, 8};
  // Nodes are rows of the grid: half of B comes to each of them, once to each rank that multiplies with it.
  const double bytes = 16.0 * 65536.0 * 65536.0 / 2.0;
  EXPECT_DOUBLE_EQ(model::cluster_seconds(TiledRoutine::gemm, problem, rates).network, bytes / rates.network);
}

TEST(ClusterSeconds, OfAChainAreItsSteps) {
  const double t = 1024, steps = 64;
  const TiledProblem problem{65536, 1024, 16, 1, 1};
  EXPECT_NEAR(
      model::cluster_seconds(TiledRoutine::potrf, problem, rates).chain,
      steps * t * t * t / 3.0 / rates.diagonal + (steps - 1) * t * t * t * (1 / rates.solve + 1 / rates.product), 1e-9);
  // A panel of m rows has m t² − t³ / 3 flops.
  const double panels = steps * (steps + 1) / 2 * t * t * t - steps * t * t * t / 3.0;
  EXPECT_NEAR(model::cluster_seconds(TiledRoutine::getrf, problem, rates).chain,
              panels / rates.diagonal + (steps - 1) * t * t * t * (1 / rates.solve + 2 / rates.product), 1e-9);
}

}  // namespace
