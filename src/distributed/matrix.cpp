// Matrices in tiles: their memory, and what comes into it and out of it.
#include "distributed/matrix.hpp"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "distributed/time_limit.hpp"

namespace hilo::distributed {
namespace {

template <class T>
constexpr int doubles = static_cast<int>(sizeof(T) / sizeof(double));

// Numbers of messages on ClusterState::messages.
constexpr int tile_message = 1;

template <class T>
T as_seen(const T& x, bool conjugated) {
  if constexpr (is_complex(precision_of<T>)) {
    return conjugated ? conj(x) : x;
  } else {
    return x;
  }
}

template <class T>
void copy(const MatrixView<const T>& from, const MatrixView<T>& to) {
  for (std::int64_t j = 0; j < to.columns; ++j) {
    for (std::int64_t i = 0; i < to.rows; ++i) to(i, j) = as_seen(from(i, j), from.conjugate != to.conjugate);
  }
}

std::string sizes(std::int64_t rows, std::int64_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

// Rank 0's view of all of a matrix.
template <class T>
void check_view(const MatrixView<T>& x, const Matrix<std::remove_const_t<T>>& matrix) {
  if (x.rows != matrix.rows() || x.columns != matrix.columns()) {
    throw error(errc::invalid_argument,
                "a view, " + sizes(x.rows, x.columns) + ", of a matrix, " + sizes(matrix.rows(), matrix.columns()));
  }
  if (!x.data && x.rows > 0 && x.columns > 0) throw error(errc::invalid_argument, "the view is null");
}

// f(i, j) for all tiles of a matrix.
template <class F>
void for_tiles(const Tiling& tiling, F f) {
  for (std::int64_t j = 0; j < tiling.tile_columns(); ++j) {
    for (std::int64_t i = 0; i < tiling.tile_rows(); ++i) f(i, j);
  }
}

template <class T, class F>
void with_own_tiles(const MatrixState<T>& state, starpu_data_access_mode mode, const F& f) {
  Failure failure;
  failure.watch([&] {
    for_tiles(state.tiling, [&](std::int64_t i, std::int64_t j) {
      if (!state.is_mine(i, j)) return;
      state.with_tile(i, j, mode, [&](const MatrixView<T>& x) { f(i * state.tiling.tile, j * state.tiling.tile, x); });
    });
  });
  failure.throw_everywhere(*state.cluster, "");
}

// The part of a view that is tile (i, j).
template <class T>
MatrixView<T> part(const MatrixView<T>& whole, const Tiling& tiling, std::int64_t i, std::int64_t j) {
  return whole.sub(i * tiling.tile, j * tiling.tile, tiling.rows_of(i), tiling.columns_of(j));
}

}  // namespace

template <class T>
MatrixState<T>::MatrixState(std::shared_ptr<ClusterState> its_cluster, const Tiling& its_tiling)
    : cluster(std::move(its_cluster)), tiling(its_tiling) {
  const std::int64_t first_tag = cluster->take_tags(tiling.tiles());
  Failure failure;
  failure.watch([&] {
    memory_.resize(static_cast<std::size_t>(tiling.tiles()));
    handles_.reserve(memory_.size());
    for_tiles(tiling, [&](std::int64_t i, std::int64_t j) {
      if (is_mine(i, j)) {
        const std::int64_t count = tiling.rows_of(i) * tiling.columns_of(j);
        memory_[index(i, j)] = std::make_unique<T[]>(static_cast<std::size_t>(count));
        pin(memory_[index(i, j)].get(), count);
      }
    });
  });
  failure.throw_everywhere(*cluster, "Matrix");
  for_tiles(tiling, [&](std::int64_t i, std::int64_t j) {
    const auto rows = static_cast<std::uint32_t>(tiling.rows_of(i)),
               columns = static_cast<std::uint32_t>(tiling.columns_of(j));
    starpu_data_handle_t data = nullptr;
    starpu_matrix_data_register(&data, is_mine(i, j) ? STARPU_MAIN_RAM : -1,
                                reinterpret_cast<std::uintptr_t>(memory_[index(i, j)].get()), rows, rows, columns,
                                sizeof(T));
    starpu_mpi_data_register(data, first_tag + static_cast<std::int64_t>(index(i, j)), tiling.owner(i, j));
    handles_.push_back(data);
  });
}

template <class T>
void MatrixState<T>::pin(T* tile, std::int64_t count) {
  if (!cluster->pinning() || count * static_cast<std::int64_t>(sizeof(T)) < least_pinned_bytes) return;
  try {
    pinned_.emplace_back(*cluster->pinning(), tile, count);
  } catch (const error&) {
    // What cannot be pinned comes to devices by a copy.
  }
}

template <class T>
MatrixState<T>::~MatrixState() {
  for (const starpu_data_handle_t data : handles_) starpu_data_unregister_no_coherency(data);
}

template <gemm_scalar T>
Matrix<T>::Matrix(const Cluster& cluster, std::int64_t rows, std::int64_t columns, std::int64_t tile,
                  const Grid& grid) {
  if (rows < 0 || columns < 0) {
    throw error(errc::invalid_argument, "Matrix: sizes " + sizes(rows, columns) + "; 0 or more were expected");
  }
  if (tile < 1 || tile > most_tile) {
    throw error(errc::invalid_argument,
                "Matrix: tile = " + std::to_string(tile) + "; 1 to " + std::to_string(most_tile) + " was expected");
  }
  if (columns > 0 && rows > std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(T)) / columns) {
    throw error(errc::overflow, "Matrix: the bytes of sizes " + sizes(rows, columns) + " do not fit 64 bits");
  }
  state_ =
      std::make_shared<MatrixState<T>>(cluster.state(), Tiling{rows, columns, tile, whole_grid(grid, cluster.ranks())});
}

template <gemm_scalar T>
std::int64_t Matrix<T>::rows() const {
  return is_transposed(op_) ? state_->tiling.columns : state_->tiling.rows;
}

template <gemm_scalar T>
std::int64_t Matrix<T>::columns() const {
  return is_transposed(op_) ? state_->tiling.rows : state_->tiling.columns;
}

template <gemm_scalar T>
std::int64_t Matrix<T>::tile() const {
  return state_->tiling.tile;
}

template <gemm_scalar T>
int Matrix<T>::owner(std::int64_t i, std::int64_t j) const {
  return is_transposed(op_) ? state_->tiling.owner(j, i) : state_->tiling.owner(i, j);
}

template <gemm_scalar T>
Matrix<T> Matrix<T>::turned(Op op) const {
  Matrix matrix = *this;
  matrix.op_ = combined(op_, op);
  return matrix;
}

template <gemm_scalar T>
void Matrix<T>::fill(const std::function<T(std::int64_t, std::int64_t)>& f) const {
  const Tiling& tiling = state_->tiling;
  Failure failure;
  failure.watch([&] {
    for_tiles(tiling, [&](std::int64_t ti, std::int64_t tj) {
      if (!state_->is_mine(ti, tj)) return;
      state_->with_tile(ti, tj, STARPU_W, [&](const MatrixView<T>& x) {
        for (std::int64_t j = 0; j < x.columns; ++j) {
          for (std::int64_t i = 0; i < x.rows; ++i) {
            const std::int64_t row = ti * tiling.tile + i, column = tj * tiling.tile + j;
            x(i, j) = as_seen(is_transposed(op_) ? f(column, row) : f(row, column), is_conjugated(op_));
          }
        }
      });
    });
  });
  failure.throw_everywhere(*state_->cluster, "fill");
}

template <gemm_scalar T>
void Matrix<T>::change_tiles(const std::function<void(std::int64_t, std::int64_t, const MatrixView<T>&)>& f) const {
  with_own_tiles(*state_, STARPU_RW, f);
}

template <gemm_scalar T>
void Matrix<T>::read_tiles(const std::function<void(std::int64_t, std::int64_t, const MatrixView<const T>&)>& f) const {
  with_own_tiles(*state_, STARPU_R, f);
}

template <gemm_scalar T>
void Matrix<T>::scatter(const MatrixView<const T>& from) const {
  const Tiling& tiling = state_->tiling;
  const ClusterState& cluster = *state_->cluster;
  const TimeLimit limit(cluster.time_limit, "scatter", cluster.rank);
  std::vector<T> packed;
  Failure failure;
  failure.watch([&] {
    if (cluster.rank != 0) return;
    check_view(from, *this);
    packed.resize(static_cast<std::size_t>(tiling.largest_tile()));
  });
  failure.throw_everywhere(cluster, "scatter");
  // op is its own inverse.
  const MatrixView<const T> stored = from.turned(op_);
  for_tiles(tiling, [&](std::int64_t i, std::int64_t j) {
    const int owner = tiling.owner(i, j),
              count = static_cast<int>(tiling.rows_of(i) * tiling.columns_of(j)) * doubles<T>;
    if (owner == cluster.rank) {
      state_->with_tile(i, j, STARPU_W, [&](const MatrixView<T>& x) {
        if (owner == 0) return copy<T>(part(stored, tiling, i, j), x);
        check_mpi(MPI_Recv(x.data, count, MPI_DOUBLE, 0, tile_message, cluster.messages, MPI_STATUS_IGNORE),
                  "MPI_Recv");
      });
    } else if (cluster.rank == 0) {
      const std::int64_t rows = tiling.rows_of(i);
      copy<T>(part(stored, tiling, i, j), {packed.data(), rows, tiling.columns_of(j), 1, rows});
      check_mpi(MPI_Send(packed.data(), count, MPI_DOUBLE, owner, tile_message, cluster.messages), "MPI_Send");
    }
  });
}

template <gemm_scalar T>
void Matrix<T>::gather(const MatrixView<T>& to) const {
  const Tiling& tiling = state_->tiling;
  const ClusterState& cluster = *state_->cluster;
  const TimeLimit limit(cluster.time_limit, "gather", cluster.rank);
  std::vector<T> packed;
  Failure failure;
  failure.watch([&] {
    if (cluster.rank != 0) return;
    check_view(to, *this);
    packed.resize(static_cast<std::size_t>(tiling.largest_tile()));
  });
  failure.throw_everywhere(cluster, "gather");
  const MatrixView<T> stored = to.turned(op_);
  for_tiles(tiling, [&](std::int64_t i, std::int64_t j) {
    const int owner = tiling.owner(i, j),
              count = static_cast<int>(tiling.rows_of(i) * tiling.columns_of(j)) * doubles<T>;
    if (owner == cluster.rank) {
      state_->with_tile(i, j, STARPU_R, [&](const MatrixView<T>& x) {
        if (owner == 0) return copy<T>(x, part(stored, tiling, i, j));
        check_mpi(MPI_Send(x.data, count, MPI_DOUBLE, 0, tile_message, cluster.messages), "MPI_Send");
      });
    } else if (cluster.rank == 0) {
      const std::int64_t rows = tiling.rows_of(i);
      const MatrixView<T> whole{packed.data(), rows, tiling.columns_of(j), 1, rows};
      check_mpi(MPI_Recv(packed.data(), count, MPI_DOUBLE, owner, tile_message, cluster.messages, MPI_STATUS_IGNORE),
                "MPI_Recv");
      copy<T>(whole, part(stored, tiling, i, j));
    }
  });
}

#define HILO_INSTANTIATE(T)       \
  template struct MatrixState<T>; \
  template class Matrix<T>;
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::distributed
