// Matrices in tiles over the ranks of an MPI program, and what is computed on them (component hilo::distributed, on
// StarPU with its MPI layer).
//
//   hilo::distributed::Cluster cluster;                                 // in each rank, under mpirun
//   hilo::distributed::Matrix<hilo::dd_real> a(cluster, n, n, 512);     // tiles of 512 × 512
//   a.fill([](std::int64_t i, std::int64_t j) { return entry(i, j); });
//   const std::int64_t info = potrf(hilo::Uplo::lower, a);              // the same on every rank
//
// Every function here is called by all ranks, in the same order and with the same arguments but for what only rank 0
// has, and returns when its part of the work is done. What it throws, it throws on every rank: bad arguments before a
// tile is touched, and what went wrong in a task, with the rank's number, after which the matrices written to are of no
// particular value.
//
// A tile is computed by one of hilo's calls at a time, in an order that the tiles' sizes fix. Bits of DD and ZDD depend
// on the data, the tile and the options alone, not on ranks, workers or devices; those of D and Z also on which BLAS
// library or device computed. Engine::automatic, which may be another engine on another machine, is taken as
// Engine::reproducible.
#pragma once

#include <cstdint>
#include <functional>
#include <hilo/blas.hpp>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

namespace hilo::distributed {

struct ClusterState;
template <class T>
struct MatrixState;

/// What StarPU is to start on this rank. Its environment variables (STARPU_NCPU, STARPU_NOPENCL, …) go before.
struct ClusterOptions {
  int cpu_workers = -1;     ///< threads that compute; -1: StarPU's choice, a core less than there are
  int opencl_devices = -1;  ///< devices that compute; -1: all that StarPU finds
  /// Seconds that a routine may take, 0: as long as it takes. A rank that waits longer, as for one that does not come,
  /// says so on standard error and ends the job.
  double time_limit = 0.0;
};

/// Tasks that a rank has computed, on processors and on devices.
struct TaskTally {
  std::int64_t cpu, opencl;
};

/// What tasks of a rank have had from other ranks and given to them: tiles, pivots and how far factorisations went.
struct Traffic {
  std::int64_t bytes_in = 0, bytes_out = 0;
  std::int64_t messages_in = 0, messages_out = 0;
};

/// The ranks of an MPI program, with StarPU running on each of them. A handle: MPI and StarPU end with the last copy
/// and the last matrix, MPI only where it was not there before.
class Cluster {
 public:
  /// Starts MPI, where the program has not, with MPI_THREAD_MULTIPLE, and StarPU on MPI_COMM_WORLD. Throws
  /// invalid_argument where there is a Cluster already, unsupported where MPI has less or has ended, no_device where
  /// a rank has no worker.
  explicit Cluster(const ClusterOptions& options = {});

  int rank() const;
  int ranks() const;
  /// Of this rank.
  int cpu_workers() const;
  int opencl_devices() const;
  /// Of this rank since the beginning.
  TaskTally task_tally() const;
  /// The same. What a routine moves, model::tiled_traffic tells beforehand.
  Traffic traffic() const;

  /// f() on each rank, for what may fail on one of them: what it throws on any, all throw as hilo::error, with the
  /// rank's number.
  void agree(const std::function<void()>& f) const;

  const std::shared_ptr<ClusterState>& state() const { return state_; }

 private:
  std::shared_ptr<ClusterState> state_;
};

/// How ranks share out tiles: tile (i, j) is on rank (i mod rows) · columns + j mod columns. 0: what is missing to all
/// ranks, and of both about as many, rows <= columns.
struct Grid {
  int rows = 0, columns = 0;
};

/// The largest tile.
inline constexpr std::int64_t most_tile = 16384;

/// A rows × columns matrix in square tiles, of which each rank has its own; those of the last row and column may be
/// smaller. A handle: copies are the same matrix, or a transpose of it. T is dd_real, dd_complex, double or
/// std::complex<double>.
template <gemm_scalar T>
class Matrix {
 public:
  /// Zeros. Throws invalid_argument where rows or columns are negative, `tile` is not 1 to most_tile, or the grid has
  /// not as many places as there are ranks; out_of_memory.
  Matrix(const Cluster& cluster, std::int64_t rows, std::int64_t columns, std::int64_t tile, const Grid& grid = {});

  std::int64_t rows() const;
  std::int64_t columns() const;
  std::int64_t tile() const;
  /// The rank that has tile (i, j), counted from 0.
  int owner(std::int64_t i, std::int64_t j) const;

  /// Element (i, j) becomes f(i, j), which the tile's owner asks for. What f throws on one rank, all throw as
  /// hilo::error.
  void fill(const std::function<T(std::int64_t, std::int64_t)>& f) const;
  /// f(i, j, tile) for each tile of this rank, in its memory, columns contiguous, whose first element is (i, j) of the
  /// matrix as it is stored: f changes it, or looks at it. What f throws on one rank, all throw as of Cluster::agree.
  void change_tiles(const std::function<void(std::int64_t, std::int64_t, const MatrixView<T>&)>& f) const;
  void read_tiles(const std::function<void(std::int64_t, std::int64_t, const MatrixView<const T>&)>& f) const;
  /// Becomes the matrix that rank 0 has at `from`, tile by tile; on others `from` is not looked at.
  void scatter(const MatrixView<const T>& from) const;
  /// Rank 0's `to` becomes this matrix, tile by tile; on others `to` is not looked at.
  void gather(const MatrixView<T>& to) const;

  /// op of this matrix; no element moves.
  Matrix turned(Op op) const;

  const std::shared_ptr<MatrixState<T>>& state() const { return state_; }
  Op op() const { return op_; }

 private:
  std::shared_ptr<MatrixState<T>> state_;
  Op op_ = Op::none;
};

/// C = alpha · A · B + beta · C, term by term in tiles of A's columns, each added as gemm does it. Tiles of all are of
/// one size; C is neither A nor B. The same holds of what follows.
template <gemm_scalar T>
void gemm(std::type_identity_t<T> alpha, const Matrix<T>& a, const Matrix<T>& b, std::type_identity_t<T> beta,
          const Matrix<T>& c, const GemmOptions& options = {});

/// C = alpha · A · Aᵀ + beta · C of a triangle of C, and alpha · A · Aᴴ + beta · C, as syrk and herk of blas.hpp.
template <gemm_scalar T>
void syrk(Uplo uplo, std::type_identity_t<T> alpha, const Matrix<T>& a, std::type_identity_t<T> beta,
          const Matrix<T>& c, const BlockedOptions& options = {});
template <gemm_scalar T>
void herk(Uplo uplo, real_type<T> alpha, const Matrix<T>& a, real_type<T> beta, const Matrix<T>& c,
          const BlockedOptions& options = {});

/// B = alpha · A⁻¹ · B (left) or alpha · B · A⁻¹ (right), A triangular, as trsm of blas.hpp.
template <gemm_scalar T>
void trsm(Side side, Uplo uplo, Diag diag, std::type_identity_t<T> alpha, const Matrix<T>& a, const Matrix<T>& b,
          const BlockedOptions& options = {});

/// A = L · Lᴴ (lower) or Uᴴ · U (upper), as potrf of lapack.hpp: right-looking by tiles, with potrf, trsm, herk and
/// gemm of tiles. info = j: the leading block of j rows is not positive definite; tasks that were to come then do
/// nothing.
template <gemm_scalar T>
std::int64_t potrf(Uplo uplo, const Matrix<T>& a, const BlockedOptions& options = {});

/// X = A⁻¹ · B in B's place, with potrf's factor of A; and both, B as it was where info is not 0.
template <gemm_scalar T>
void potrs(Uplo uplo, const Matrix<T>& factor, const Matrix<T>& b, const BlockedOptions& options = {});
template <gemm_scalar T>
std::int64_t posv(Uplo uplo, const Matrix<T>& a, const Matrix<T>& b, const BlockedOptions& options = {});

/// P · A = L · U of an m × n matrix, as getrf of lapack.hpp: right-looking by columns of tiles, each of which one rank
/// factors with getrf. Every rank has all pivots. On a grid of one row a column's tiles are on one rank; on others they
/// travel to it and back.
template <gemm_scalar T>
std::int64_t getrf(const Matrix<T>& a, std::span<std::int64_t> pivots, const BlockedOptions& options = {});

/// X = op(A)⁻¹ · B in B's place, with getrf's factors and pivots of A; and, of A itself, both, B as it was where info
/// is not 0.
template <gemm_scalar T>
void getrs(Op op, const Matrix<T>& lu, std::span<const std::int64_t> pivots, const Matrix<T>& b,
           const BlockedOptions& options = {});
template <gemm_scalar T>
std::int64_t gesv(const Matrix<T>& a, std::span<std::int64_t> pivots, const Matrix<T>& b,
                  const BlockedOptions& options = {});

/// Where a long factorisation keeps how far it has come.
struct Checkpoint {
  std::string folder;      ///< of its own, on a file system that all ranks share; made where it is missing
  std::int64_t every = 1;  ///< tile columns from one checkpoint to the next
};

/// The same factorisations with checkpoints. Where the folder has one of this call (routine, precision, sizes, tile,
/// what of options fixes bits, and the elements of A, by a checksum), on whatever ranks it was made, they go on from
/// there, with the bits of one that was never interrupted; where it has one of another call, or a file that is damaged,
/// they throw `parse`, which names the file, and A is of no particular value. A checkpoint counts once all its files
/// are on the disk, and the one before it is removed then. The last one stays. A folder that another job uses, whose
/// file LOCK is locked, is refused by `io` before A is touched.
template <gemm_scalar T>
std::int64_t potrf(Uplo uplo, const Matrix<T>& a, const Checkpoint& checkpoint, const BlockedOptions& options = {});
template <gemm_scalar T>
std::int64_t getrf(const Matrix<T>& a, std::span<std::int64_t> pivots, const Checkpoint& checkpoint,
                   const BlockedOptions& options = {});

}  // namespace hilo::distributed
