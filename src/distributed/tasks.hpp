// Tasks on tiles: what StarPU runs when their data is there, on the rank that has the tile that is written.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "distributed/cluster.hpp"
#include "distributed/matrix.hpp"
#include "distributed/time_limit.hpp"

namespace hilo::distributed {

/// Whole numbers as StarPU's data, each piece made by one rank.
class Numbers {
 public:
  /// A piece of lengths[k] zeros on rank owners[k].
  Numbers(ClusterState& cluster, std::vector<int> owners, std::vector<std::int64_t> lengths);
  ~Numbers();
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

  starpu_data_handle_t operator[](std::int64_t k) const { return handles_[static_cast<std::size_t>(k)]; }
  /// Piece k, on every rank, once all tasks are done.
  void tell(std::int64_t k, std::span<std::int64_t> numbers) const;

 private:
  ClusterState& cluster_;
  std::vector<int> owners_;
  std::vector<std::vector<std::int64_t>> memory_;
  std::vector<starpu_data_handle_t> handles_;
};

/// How far a factorisation went: after each of its steps 0, or what info is to be. It travels with the tiles, so that
/// every rank leaves out what comes after a failure.
class Progress {
 public:
  /// owners[k]: the rank that does step k.
  Progress(ClusterState& cluster, const std::vector<int>& owners);

  starpu_data_handle_t before(std::int64_t k) const { return numbers_[k]; }
  starpu_data_handle_t after(std::int64_t k) const { return numbers_[k + 1]; }
  /// After so many steps, once all tasks are done: the same on every rank.
  std::int64_t info(std::int64_t steps) const;

 private:
  Numbers numbers_;
};

/// The rows of a matrix from row `first` on, in tiles that lie one below the other.
struct TileColumn {
  std::vector<TileData> tiles;
  std::int64_t first;
};

/// Tiles of a column that a task takes at the most.
inline constexpr std::int64_t most_column_tiles = 65536;

/// Pivots of rows that begin at a TileColumn's first one: a factorisation's piece, or numbers that every rank has.
struct Pivots {
  starpu_data_handle_t made;
  const std::int64_t* known;
  std::int64_t count;
};

/// The tasks of one call, submitted by every rank in the same order.
template <class T>
class Tasks {
 public:
  /// `function` is named in messages, tile_bytes what the largest tile takes. Throws unsupported where a device has no
  /// room for a task's tiles.
  Tasks(ClusterState& cluster, const char* function, std::int64_t tile_bytes, const BlockedOptions& options);
  /// After an exception between the first task and finish(), as where memory ends, other ranks would wait for ever for
  /// what this one was to do: ends the job of several, waits for the tasks of one.
  ~Tasks();
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;

  /// C = alpha · A · B + beta · C.
  void gemm(T alpha, const TileData& a, const TileData& b, T beta, const TileData& c);
  /// C = beta · C.
  void scale(T beta, const TileData& c);
  /// C = alpha · A · Aᴴ + beta · C, or alpha · A · Aᵀ + beta · C, of a triangle of C; and without A.
  void update(Op op, Uplo uplo, T alpha, const TileData& a, T beta, const TileData& c);
  void scale_triangle(Op op, Uplo uplo, T beta, const TileData& c);
  /// B = alpha · A⁻¹ · B (left) or alpha · B · A⁻¹ (right), A the leading triangle of a tile.
  void trsm(Side side, Uplo uplo, Diag diag, T alpha, const TileData& a, const TileData& b);

  /// Step k of a factorisation: A = L · Lᴴ in the lower triangle of a tile whose first column is column `first` of the
  /// whole. What comes after it, until the next step, does nothing where one has failed.
  void potrf(const Progress& progress, std::int64_t k, std::int64_t first, const TileData& a);

  /// Step k of a factorisation: P · A = L · U of a panel; what comes after goes on all the same.
  void panel(const Progress& progress, std::int64_t k, const TileColumn& a, const Pivots& pivots);
  /// Row i of those of the pivots is exchanged with row pivots[i] − 1 of the whole, in increasing order or back.
  void move_rows(const TileColumn& b, const Pivots& pivots, bool back = false);

  /// Other ranks need this tile no longer as it is.
  void forget(const TileData& x) const { starpu_mpi_cache_flush(MPI_COMM_WORLD, x.handle); }
  /// After each of a routine's steps: waits until this rank has no more to do than its tasks of this one and of the one
  /// before. Tiles of other ranks come when a task that reads them is submitted, and are kept until it is done.
  void end_step();
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
    Op op;  ///< of an update
    Op seen[3];
    const std::int64_t* pivots;  ///< null: the first of the task's data
    std::int64_t count;          ///< of pivots
    std::int64_t tiles;          ///< of a TileColumn
    bool back;
  };
  ClusterState& cluster() { return cluster_; }
  Failure& failure() { return failure_; }
  const BlockedOptions& options() const { return options_; }

 private:
  Call call(std::initializer_list<TileData> tiles);
  /// Kind's task on rank `node`; of tasks that are ready, urgent ones come first.
  template <class Kind>
  void submit(const Call& call, std::vector<starpu_data_descr> data, int node, bool is_urgent);
  /// The same, of step k of a factorisation.
  template <class Kind>
  void submit_step(const Progress& progress, std::int64_t k, const Call& call, std::vector<starpu_data_descr> data,
                   int node);
  void insert(starpu_codelet& kind, const Call& call, std::vector<starpu_data_descr> data, int node, bool is_urgent);

  ClusterState& cluster_;
  const char* function_;
  BlockedOptions options_;
  Failure failure_;
  TimeLimit limit_;
  starpu_data_handle_t progress_ = nullptr;            // after the last step
  std::int64_t tasks_of_step_ = 0, tasks_before_ = 0;  // of this rank
  bool has_tasks_ = false;                             // that finish() has not waited for
};

}  // namespace hilo::distributed
