// Kinds of tasks: what each does to its tiles, with the calls of whichever worker it comes to. What it gives is an
// info.
#pragma once

#include <cstdint>
#include <hilo/lapack.hpp>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "distributed/starpu.hpp"

namespace hilo::distributed {

inline std::int64_t* numbers(void* buffer) { return reinterpret_cast<std::int64_t*>(STARPU_VECTOR_GET_PTR(buffer)); }

struct Potrf {
  static constexpr const char* name = "potrf";
  static constexpr int tiles = 1;
  template <class Worker, class Call>
  static std::int64_t run(Worker& worker, const Call& call, void** tiles) {
    return worker.potrf(call.uplo, worker.tile(tiles[0]).turned(call.seen[0]));
  }
};

struct Trsm {
  static constexpr const char* name = "trsm";
  static constexpr int tiles = 2;
  template <class Worker, class Call>
  static std::int64_t run(Worker& worker, const Call& call, void** tiles) {
    const auto a = worker.tile(tiles[0]).turned(call.seen[0]);
    const auto b = worker.tile(tiles[1]).turned(call.seen[1]);
    const std::int64_t order = call.side == Side::left ? b.rows : b.columns;
    worker.trsm(call.side, call.uplo, call.diag, call.alpha, a.sub(0, 0, order, order), b);
    return 0;
  }
};

struct Update {
  static constexpr const char* name = "herk";
  static constexpr int tiles = 2;
  template <class Worker, class Call>
  static std::int64_t run(Worker& worker, const Call& call, void** tiles) {
    worker.update(call.op, call.uplo, call.alpha, worker.tile(tiles[0]).turned(call.seen[0]), call.beta,
                  worker.tile(tiles[1]).turned(call.seen[1]));
    return 0;
  }
};

struct ScaleTriangle {
  static constexpr const char* name = "scale triangle";
  static constexpr int tiles = 1;
  template <class Worker, class Call>
  static std::int64_t run(Worker& worker, const Call& call, void** tiles) {
    const auto c = worker.tile(tiles[0]).turned(call.seen[0]);
    worker.update(call.op, call.uplo, call.alpha, c.sub(0, 0, c.rows, 0), call.beta, c);
    return 0;
  }
};

struct Gemm {
  static constexpr const char* name = "gemm";
  static constexpr int tiles = 3;
  template <class Worker, class Call>
  static std::int64_t run(Worker& worker, const Call& call, void** tiles) {
    worker.gemm(call.alpha, worker.tile(tiles[0]).turned(call.seen[0]), worker.tile(tiles[1]).turned(call.seen[1]),
                call.beta, worker.tile(tiles[2]).turned(call.seen[2]));
    return 0;
  }
};

struct Scale {
  static constexpr const char* name = "scale";
  static constexpr int tiles = 1;
  template <class Worker, class Call>
  static std::int64_t run(Worker& worker, const Call& call, void** tiles) {
    const auto c = worker.tile(tiles[0]).turned(call.seen[0]);
    worker.gemm(call.alpha, c.sub(0, 0, c.rows, 0), c.sub(0, 0, 0, c.columns), call.beta, c);
    return 0;
  }
};

// Those below have any number of tiles, in host memory.
inline constexpr int any_number = -1;

template <class Worker, class Call>
std::vector<typename Worker::Tile> column_of(const Worker& worker, const Call& call, void** tiles) {
  std::vector<typename Worker::Tile> column;
  for (std::int64_t i = 0; i < call.tiles; ++i) column.push_back(worker.tile(tiles[i]).turned(call.seen[0]));
  return column;
}

/// Pivots, then tiles.
struct Panel {
  static constexpr const char* name = "getrf";
  static constexpr int tiles = any_number;
  /// Pivots that move no row.
  template <class Call>
  static void stay(const Call& call, void** buffers) {
    std::iota(numbers(buffers[0]), numbers(buffers[0]) + call.count, call.first + 1);
  }
  template <class Worker, class Call>
  static std::int64_t run(Worker& worker, const Call& call, void** buffers) {
    const auto column = column_of(worker, call, buffers + 1);
    const std::int64_t columns = column.front().columns;
    std::int64_t rows = 0;
    for (const auto& tile : column) rows += tile.rows;
    std::vector<typename Worker::Element> memory(static_cast<std::size_t>(rows * columns));
    const typename Worker::Tile whole{memory.data(), rows, columns, 1, rows};
    const auto move = [&](bool out) {
      std::int64_t first = 0;
      for (const auto& tile : column) {
        for (std::int64_t j = 0; j < columns; ++j) {
          for (std::int64_t i = 0; i < tile.rows; ++i) {
            out ? tile(i, j) = whole(first + i, j) : whole(first + i, j) = tile(i, j);
          }
        }
        first += tile.rows;
      }
    };
    move(false);
    const std::span<std::int64_t> pivots(numbers(buffers[0]), static_cast<std::size_t>(call.count));
    const std::int64_t info = worker.getrf(whole, pivots);
    for (std::int64_t& p : pivots) p += call.first;
    move(true);
    return info;
  }
};

/// Pivots where the call has none, then tiles.
struct MoveRows {
  static constexpr const char* name = "laswp";
  static constexpr int tiles = any_number;
  template <class Worker, class Call>
  static std::int64_t run(Worker& worker, const Call& call, void** buffers) {
    const std::int64_t* pivots = call.pivots ? call.pivots : numbers(buffers[0]);
    const auto column = column_of(worker, call, call.pivots ? buffers : buffers + 1);
    const std::int64_t tile = column.front().rows;
    const auto row = [&](std::int64_t i) { return column[static_cast<std::size_t>(i / tile)].sub(i % tile, 0, 1, 0); };
    for (std::int64_t s = 0; s < call.count; ++s) {
      const std::int64_t i = call.back ? call.count - 1 - s : s, k = pivots[i] - 1 - call.first;
      if (k == i) continue;
      const auto x = row(i), y = row(k);
      for (std::int64_t j = 0; j < column.front().columns; ++j) std::swap(x(0, j), y(0, j));
    }
    return 0;
  }
};

}  // namespace hilo::distributed
