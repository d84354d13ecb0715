// Factorisations over ranks beside the same call on one thread.
//
//   mpirun -n RANKS distributed_bench N TILE …     potrf and getrf in DD of order N, in tiles of each size
//
// On one rank also potrf and getrf of hilo on a thread, with the engine that tasks take. The best of three rounds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <hilo/distributed.hpp>
#include <hilo/lapack.hpp>
#include <vector>

namespace hilo::bench {
namespace {

constexpr int rounds = 3;

// begin() is not counted.
template <class Begin, class Run>
double seconds_of(Begin begin, Run run) {
  double least = 0.0;
  for (int round = 0; round < rounds; ++round) {
    begin();
    const auto start = std::chrono::steady_clock::now();
    run();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    least = round == 0 ? seconds : std::min(least, seconds);
  }
  return least;
}

// Symmetric, and positive definite for its diagonal.
dd_real entry(std::int64_t n, std::int64_t i, std::int64_t j) {
  const std::int64_t low = std::min(i, j), high = std::max(i, j);
  const dd_real x = dd_real(static_cast<double>((7 * low * low + 13 * high) % 101)) / 101.0;
  return i == j ? x + static_cast<double>(n) : x;
}

int run(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: distributed_bench N TILE …\n");
    return 2;
  }
  const distributed::Cluster cluster;
  const std::int64_t n = std::atoll(argv[1]);
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
  if (cluster.ranks() == 1) {
    std::vector<dd_real> elements(static_cast<std::size_t>(n * n));
    const auto a = view(Layout::column, Op::none, elements.data(), n, n, n);
    const auto fill = [&] {
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < n; ++i) a(i, j) = entry(n, i, j);
      }
    };
    const BlockedOptions options{.engine = Engine::reproducible, .threads = 1};
    std::printf("a thread: potrf %.2f s, getrf %.2f s\n", seconds_of(fill, [&] { potrf(Uplo::lower, a, options); }),
                seconds_of(fill, [&] { getrf(a, pivots, options); }));
  }
  for (int i = 2; i < argc; ++i) {
    const distributed::Matrix<dd_real> a(cluster, n, n, std::atoll(argv[i]), {1, 0});
    const auto fill = [&] { a.fill([n](std::int64_t row, std::int64_t column) { return entry(n, row, column); }); };
    const double cholesky = seconds_of(fill, [&] { potrf(Uplo::lower, a); });
    const double lu = seconds_of(fill, [&] { getrf(a, pivots); });
    if (cluster.rank() == 0) {
      std::printf("ranks %d, of each %d CPU workers and %d devices, tile %s: potrf %.2f s, getrf %.2f s\n",
                  cluster.ranks(), cluster.cpu_workers(), cluster.opencl_devices(), argv[i], cholesky, lu);
    }
  }
  return 0;
}

}  // namespace
}  // namespace hilo::bench

int main(int argc, char** argv) { return hilo::bench::run(argc, argv); }
