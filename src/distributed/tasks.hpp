// Tasks on tiles: what StarPU runs when their data is there, on the rank that has the tile that is written.
#pragma once

#include <cstdint>
#include <vector>

#include "distributed/cluster.hpp"
#include "distributed/matrix.hpp"

namespace hilo::distributed {

/// How far a factorisation went: after each of its steps 0, or what info is to be. Numbers that travel with the tiles,
/// so that every rank leaves out what comes after a failure.
class Progress {
 public:
  /// owner(k): the rank that does step k.
  template <class Owner>
  Progress(ClusterState& cluster, std::int64_t steps, Owner owner) : cluster_(cluster) {
    for (std::int64_t k = 0; k < steps; ++k) owners_.push_back(owner(k));
    begin();
  }
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Before step k, and after it.
  starpu_data_handle_t before(std::int64_t k) const { return handles_[static_cast<std::size_t>(k)]; }
  starpu_data_handle_t after(std::int64_t k) const { return handles_[static_cast<std::size_t>(k) + 1]; }
  /// After the last step, once all tasks are done: the same on every rank.
  std::int64_t info() const;

 private:
  void begin();

  ClusterState& cluster_;
  std::vector<int> owners_;
  std::vector<std::int64_t> numbers_;
  std::vector<starpu_data_handle_t> handles_;
};

/// The tasks of one call, submitted by every rank in the same order.
template <class T>
class Tasks {
 public:
  /// `function` is named in messages.
  Tasks(ClusterState& cluster, const char* function, const BlockedOptions& options);

  /// Step k: A = L · Lᴴ in the lower triangle of a tile whose first column is column `first` of the whole.
  void potrf(const Progress& progress, std::int64_t k, std::int64_t first, const TileData& a);
  /// In step k, after what changes the progress in it.
  void trsm(const Progress& progress, std::int64_t k, Side side, Uplo uplo, Diag diag, T alpha, const TileData& a,
            const TileData& b);
  void herk(const Progress& progress, std::int64_t k, Uplo uplo, T alpha, const TileData& a, T beta, const TileData& c);
  void gemm(const Progress& progress, std::int64_t k, T alpha, const TileData& a, const TileData& b, T beta,
            const TileData& c);

  /// Other ranks need this tile no longer as it is.
  void forget(const TileData& x) const { starpu_mpi_cache_flush(MPI_COMM_WORLD, x.handle); }
  /// Waits for all tasks of all ranks. Throws what one of them met.
  void finish();

  /// What a task is told besides its data. Copied by StarPU.
  struct Call {
    Tasks* tasks;
    T alpha, beta;
    std::int64_t first;
    Side side;
    Uplo uplo;
    Diag diag;
    Op ops[3];
  };
  Failure& failure() { return failure_; }
  const BlockedOptions& options() const { return options_; }

 private:
  ClusterState& cluster_;
  const char* function_;
  BlockedOptions options_;
  Failure failure_;
};

}  // namespace hilo::distributed
