// Checkpoints of factorisations: a folder for each, step-K with a file for each tile, written by the tile's rank, and a
// file COMMIT that comes last. What has no COMMIT is no checkpoint. Files appear under their names complete, and have
// checksums. Rank 0 of the job that uses the folder has a lock on its file LOCK.
#pragma once

#include <cstdint>
#include <hilo/distributed.hpp>
#include <string>
#include <vector>

#include "distributed/cluster.hpp"
#include "distributed/matrix.hpp"

namespace hilo::distributed {

/// What a file of a checkpoint holds: columns of elements, of tile (i, j) or of other numbers.
struct PieceHeader {
  char magic[8];
  std::int64_t step, i, j, rows, columns, element_bytes;
  std::uint64_t factorisation;  ///< of which it is: by its key and its matrix before the first step
};

/// A file that no other process has locked, as long as this lives. Where the file system has no locks, none is held.
class FolderLock {
 public:
  FolderLock() = default;
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  /// Throws hilo::error where the file cannot be made, or is locked.
  void take(const std::string& path);

 private:
  int descriptor_ = -1;
};

/// The checkpoints of one factorisation. All ranks call its functions together; they throw what one of them met.
class Checkpoints {
 public:
  /// `key`: all but the elements that decides the bits, in words.
  Checkpoints(const ClusterState& cluster, const char* function, const Checkpoint& where, const std::string& key);

  /// The steps that the last checkpoint has done, 0 where there is none. Throws where it is not one of this key and of
  /// a matrix with these elements before the first step, and where another job uses the folder.
  std::int64_t find_last(std::uint64_t fingerprint);
  /// Whether one is due after so many steps.
  bool is_due(std::int64_t steps) const { return steps % where_.every == 0; }

  /// Tiles after so many steps, from a checkpoint and to one. `others`: numbers that every rank has.
  template <class T>
  void read(std::int64_t steps, const SeenMatrix<T>& x, bool is_triangle, std::span<std::int64_t> others);
  template <class T>
  void write(std::int64_t steps, const SeenMatrix<T>& x, bool is_triangle, std::span<const std::int64_t> others);

 private:
  PieceHeader header(std::int64_t steps, std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns,
                     std::int64_t element_bytes) const;
  std::string folder(std::int64_t steps) const;
  std::string piece(std::int64_t steps, std::int64_t i, std::int64_t j) const;
  void begin(std::int64_t steps) const;
  void commit(std::int64_t steps) const;
  void remove_others(std::int64_t steps) const;

  const ClusterState& cluster_;
  const char* function_;
  Checkpoint where_;
  std::string key_;
  std::uint64_t fingerprint_ = 0;
  FolderLock lock_;
};

/// f(i, j) for the tiles of a matrix as it is seen, or of its lower triangle, that are on this rank.
template <class T, class F>
void for_own_tiles(const SeenMatrix<T>& x, bool is_triangle, F f) {
  for (std::int64_t j = 0; j < x.tile_columns(); ++j) {
    for (std::int64_t i = is_triangle ? j : 0; i < x.tile_rows(); ++i) {
      if (x(i, j).owner == x.state().cluster->rank) f(i, j);
    }
  }
}

/// The same of all ranks for the same elements, and of no other in all likelihood.
template <class T>
std::uint64_t fingerprint_of(const SeenMatrix<T>& x, bool is_triangle);

/// What of options decides bits.
std::string words_of(const BlockedOptions& options);

}  // namespace hilo::distributed
