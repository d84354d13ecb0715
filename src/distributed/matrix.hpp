// Tiles as StarPU's data.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "distributed/cluster.hpp"
#include "distributed/tiling.hpp"

namespace hilo::distributed {

template <class T>
struct MatrixState {
  MatrixState(std::shared_ptr<ClusterState> its_cluster, const Tiling& its_tiling);
  ~MatrixState();
  MatrixState(const MatrixState&) = delete;
  MatrixState& operator=(const MatrixState&) = delete;

  std::size_t index(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(i + j * tiling.tile_rows());
  }
  starpu_data_handle_t handle(std::int64_t i, std::int64_t j) const { return handles_[index(i, j)]; }
  bool is_mine(std::int64_t i, std::int64_t j) const { return tiling.owner(i, j) == cluster->rank; }
  /// In this rank's memory, columns contiguous.
  MatrixView<T> tile(std::int64_t i, std::int64_t j) const {
    const std::int64_t rows = tiling.rows_of(i);
    return {memory_[index(i, j)].get(), rows, tiling.columns_of(j), 1, rows};
  }

  /// f(tile) of a tile of this rank, in its memory, while no task has it.
  template <class F>
  void with_tile(std::int64_t i, std::int64_t j, starpu_data_access_mode mode, F f) const {
    const starpu_data_handle_t data = handle(i, j);
    if (starpu_data_acquire(data, mode) != 0) {
      throw error(errc::device_failure, "StarPU does not give back a tile");
    }
    struct Release {
      starpu_data_handle_t data;
      ~Release() { starpu_data_release(data); }
    } release{data};
    f(tile(i, j));
  }

  std::shared_ptr<ClusterState> cluster;
  Tiling tiling;

 private:
  void pin(T* tile, std::int64_t count);

  std::vector<std::unique_ptr<T[]>> memory_;
  std::vector<HostBuffer<T>> pinned_;  // which ends before the memory
  std::vector<starpu_data_handle_t> handles_;
};

/// Of the largest tile of several matrices.
template <class T, class... More>
std::int64_t largest_tile_bytes(const Matrix<T>& x, const More&... more) {
  const std::int64_t bytes = x.state()->tiling.largest_tile() * static_cast<std::int64_t>(sizeof(T));
  if constexpr (sizeof...(more) == 0) {
    return bytes;
  } else {
    return std::max(bytes, largest_tile_bytes(more...));
  }
}

/// op(op(X)); transposes and conjugates each undo themselves.
constexpr Op combined(Op x, Op y) {
  const bool conjugates = is_conjugated(x) != is_conjugated(y);
  if (is_transposed(x) != is_transposed(y)) return conjugates ? Op::conjugate_transpose : Op::transpose;
  return conjugates ? Op::conjugate : Op::none;
}

/// A tile, and how it is seen.
struct TileData {
  starpu_data_handle_t handle;
  Op op;
  int owner;

  TileData turned(Op by) const { return {handle, combined(op, by), owner}; }
};

/// Tile (i, j) of a matrix as it is seen, and its sizes.
template <class T>
class SeenMatrix {
 public:
  explicit SeenMatrix(const Matrix<T>& x) : SeenMatrix(*x.state(), x.op()) {}
  SeenMatrix turned(Op op) const { return {state_, combined(op_, op)}; }

  std::int64_t tile_rows() const {
    return is_transposed(op_) ? state_.tiling.tile_columns() : state_.tiling.tile_rows();
  }
  std::int64_t tile_columns() const {
    return is_transposed(op_) ? state_.tiling.tile_rows() : state_.tiling.tile_columns();
  }
  TileData operator()(std::int64_t i, std::int64_t j) const {
    if (is_transposed(op_)) std::swap(i, j);
    return {state_.handle(i, j), op_, state_.tiling.owner(i, j)};
  }
  const MatrixState<T>& state() const { return state_; }
  /// f(tile (i, j)) of this rank as it is stored, while no task has it.
  template <class F>
  void with_tile(std::int64_t i, std::int64_t j, starpu_data_access_mode mode, F f) const {
    if (is_transposed(op_)) std::swap(i, j);
    state_.with_tile(i, j, mode, f);
  }

 private:
  SeenMatrix(const MatrixState<T>& state, Op op) : state_(state), op_(op) {}

  const MatrixState<T>& state_;
  Op op_;
};

}  // namespace hilo::distributed
