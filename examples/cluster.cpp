// What products, Cholesky and LU in double-double are predicted to take on 8, 64 and 1024 H200s, 8 of them a node
// (docs/distributed.md, "From one device to a cluster").
#include <cstdio>
#include <hilo/model.hpp>

using hilo::model::TiledProblem;
using hilo::model::TiledRoutine;

int main() {
  constexpr const char* names[] = {"gemm", "potrf", "getrf"};
  constexpr struct {
    std::int64_t n;
    int rows, columns;  // of the grid
  } clusters[] = {{131072, 1, 1}, {131072, 2, 4}, {131072, 8, 8}, {524288, 8, 8}, {524288, 32, 32}, {2097152, 32, 32}};
  constexpr double giga = 1e9, tera = 1e12;
  std::printf("routine ranks       n tile | arithmetic    bus network  chain | overlapped one by one s | TFlop/s\n");
  for (const TiledRoutine routine : {TiledRoutine::gemm, TiledRoutine::potrf, TiledRoutine::getrf}) {
    const bool is_lu = routine == TiledRoutine::getrf;
    for (const auto& [n, rows, columns] : clusters) {
      const int ranks = rows * columns;
      // LU is on a grid of one row, and its panels are the fewer flops the narrower they are.
      const TiledProblem problem{n, is_lu ? 2048 : 4096, 16, is_lu ? 1 : rows, is_lu ? ranks : columns, 8};
      const hilo::model::ClusterRates rates{is_lu ? 26 * tera : 37 * tera, is_lu ? 4 * tera : 7.9 * tera,
                                            is_lu ? 5 * giga : 2.3 * tera, 50 * giga, 200 * giga};
      const hilo::model::ClusterSeconds s = hilo::model::cluster_seconds(routine, problem, rates);
      const double order = static_cast<double>(n);
      const double flops = order * order * order * (routine == TiledRoutine::gemm ? 2.0 : is_lu ? 2.0 / 3 : 1.0 / 3);
      std::printf("%-7s %5d %7lld %4lld | %10.1f %6.1f %7.1f %6.1f | %10.1f %12.1f | %.3g\n",
                  names[static_cast<int>(routine)], ranks, static_cast<long long>(n),
                  static_cast<long long>(problem.tile), s.arithmetic, s.bus, s.network, s.chain, s.overlapped(),
                  s.one_by_one(), flops / s.overlapped() / tera);
    }
  }
}
