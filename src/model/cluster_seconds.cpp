// Seconds of routines on tiles over ranks with a device each.
#include <algorithm>
#include <hilo/model.hpp>

namespace hilo::model {
namespace {

// Of a rank: flops of products and of solves, and bytes to its device.
struct Work {
  double products = 0.0, solves = 0.0, bus_bytes = 0.0;
};

class Cluster {
 public:
  Cluster(TiledRoutine routine, const TiledProblem& problem)
      : routine_(routine),
        problem_(problem),
        tiles_((problem.n + problem.tile - 1) / problem.tile),
        work_(static_cast<std::size_t>(problem.grid_rows) * static_cast<std::size_t>(problem.grid_columns)) {
    for (std::int64_t j = 0; j < tiles_; ++j) {
      for (std::int64_t i = 0; i < tiles_; ++i) add_tile(i, j, work_[owner(i, j)]);
    }
  }

  const std::vector<Work>& work() const { return work_; }

  double chain(const ClusterRates& rates) const {
    double seconds = 0.0;
    for (std::int64_t k = 0; k < tiles_; ++k) {
      const double t = rows(k), below = static_cast<double>(problem_.n - (k + 1) * problem_.tile);
      if (routine_ == TiledRoutine::gemm) {
        seconds += 2.0 * t * rows(0) * rows(0) / rates.product;
        continue;
      }
      const bool is_lu = routine_ == TiledRoutine::getrf;
      seconds += (is_lu ? t * t * (t + std::max(below, 0.0)) - t * t * t / 3.0 : t * t * t / 3.0) / rates.diagonal;
      if (below <= 0.0) continue;
      // To the next diagonal tile: a solve, and a product of it.
      seconds +=
          t * t * rows(k + 1) / rates.solve + (is_lu ? 2.0 : 1.0) * t * rows(k + 1) * rows(k + 1) / rates.product;
      if (work_.size() > static_cast<std::size_t>(problem_.ranks_of_node)) {
        seconds += 2.0 * t * t * problem_.word_bytes / rates.network;
      }
    }
    return seconds;
  }

 private:
  double rows(std::int64_t i) const {
    return static_cast<double>(std::min(problem_.tile, problem_.n - i * problem_.tile));
  }
  std::size_t owner(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(i % problem_.grid_rows * problem_.grid_columns + j % problem_.grid_columns);
  }

  // What is done to tile (i, j), and how often it comes to the device.
  void add_tile(std::int64_t i, std::int64_t j, Work& work) const {
    const double m = rows(i), n = rows(j), bytes = m * n * problem_.word_bytes;
    const double terms = static_cast<double>(std::min(i, j) * problem_.tile);
    switch (routine_) {
      case TiledRoutine::gemm:
        work.products += 2.0 * m * n * static_cast<double>(problem_.n);
        work.bus_bytes += 3.0 * bytes;
        break;
      case TiledRoutine::potrf:
        if (i < j) break;
        work.products += (i == j ? 1.0 : 2.0) * m * n * terms;
        work.solves += i == j ? 0.0 : m * n * n;
        work.bus_bytes += bytes;
        break;
      case TiledRoutine::getrf:
        work.products += 2.0 * m * n * terms;
        work.solves += i < j ? m * m * n : 0.0;
        // Rows are exchanged in host memory, in each step of rows above this one and this.
        work.bus_bytes += bytes * static_cast<double>(i + 1);
        break;
    }
  }

  TiledRoutine routine_;
  TiledProblem problem_;
  std::int64_t tiles_;
  std::vector<Work> work_;
};

}  // namespace

double ClusterSeconds::overlapped() const { return std::max({arithmetic, bus, network, chain}); }

ClusterSeconds cluster_seconds(TiledRoutine routine, const TiledProblem& problem, const ClusterRates& rates) {
  const Cluster cluster(routine, problem);
  const std::vector<TiledTraffic> traffic = tiled_traffic(routine, problem);
  ClusterSeconds seconds{0.0, 0.0, 0.0, cluster.chain(rates)};
  const auto ranks = traffic.size(), ranks_of_node = static_cast<std::size_t>(problem.ranks_of_node);
  double node_bytes = 0.0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const Work& work = cluster.work()[rank];
    seconds.arithmetic = std::max(seconds.arithmetic, work.products / rates.product + work.solves / rates.solve);
    seconds.bus = std::max(seconds.bus, (work.bus_bytes + static_cast<double>(traffic[rank].bytes_in)) / rates.bus);
    if (rank % ranks_of_node == 0) node_bytes = 0.0;
    node_bytes += static_cast<double>(traffic[rank].node_bytes_in);
    seconds.network = std::max(seconds.network, node_bytes / rates.network);
  }
  return seconds;
}

}  // namespace hilo::model
