// LU with partial pivoting by panels of a tile's columns, each on one rank, and what is solved with it.
#include <algorithm>
#include <optional>
#include <string>

#include "distributed/arguments.hpp"
#include "distributed/checkpoint.hpp"
#include "distributed/triangular.hpp"
#include "lapack/pivots.hpp"

namespace hilo::distributed {
namespace {

// Tiles (first, j), (first + 1, j), … of a matrix.
template <class T>
TileColumn column_of(const SeenMatrix<T>& x, std::int64_t first, std::int64_t j) {
  TileColumn column{{}, first * x.state().tiling.tile};
  for (std::int64_t i = first; i < x.tile_rows(); ++i) column.tiles.push_back(x(i, j));
  return column;
}

void check_column(const blas::Arguments& check, const char* name, std::int64_t rows, std::int64_t tile) {
  if (blocks(rows, tile) > most_column_tiles) {
    check.reject(errc::unsupported, std::string(name) + " has " + std::to_string(blocks(rows, tile)) +
                                        " tiles in a column; at most " + std::to_string(most_column_tiles) +
                                        " can be, with a larger tile");
  }
}

template <class T>
std::int64_t factor(const Matrix<T>& a, std::span<std::int64_t> pivots, const Checkpoint* where,
                    const BlockedOptions& options) {
  const blas::Arguments check("getrf", sizeof(T));
  check.check_options_of_ranks(precision_of<T>, options);
  check.check_result(argument("A", a));
  const std::int64_t order = std::min(a.rows(), a.columns()), tile = a.tile(), steps = blocks(order, tile);
  lapack::check_pivot_count(check, pivots, order);
  check_column(check, "A", a.rows(), tile);
  const SeenMatrix<T> x(a);
  ClusterState& cluster = *x.state().cluster;
  const std::int64_t m = x.tile_rows(), n = x.tile_columns();
  std::vector<int> owners;
  std::vector<std::int64_t> counts;
  for (std::int64_t k = 0; k < steps; ++k) {
    owners.push_back(x(k, k).owner);
    counts.push_back(std::min(tile, order - k * tile));
  }
  Progress progress(cluster, owners);
  Numbers made(cluster, owners, counts);
  Tasks<T> tasks(cluster, "getrf", largest_tile_bytes(a), options);
  // Pivots that steps begin … end − 1 have made, on every rank.
  const auto tell = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const auto count = static_cast<std::size_t>(counts[static_cast<std::size_t>(k)]);
      made.tell(k, pivots.subspan(static_cast<std::size_t>(k * tile), count));
    }
  };

  std::optional<Checkpoints> checkpoints;
  std::int64_t begin = 0, told = 0, info = 0;
  // Kept with a checkpoint: info so far, then pivots.
  std::vector<std::int64_t> kept;
  if (where) {
    checkpoints.emplace(cluster, "getrf", *where,
                        "getrf of " + std::string(name(precision_of<T>)) + (is_transposed(a.op()) ? " turned " : " ") +
                            std::to_string(a.rows()) + " x " + std::to_string(a.columns()) + " tile " +
                            std::to_string(tile) + " " + words_of(tasks.options()));
    begin = told = checkpoints->find_last(fingerprint_of(x, false));
    if (begin > 0) {
      kept.resize(static_cast<std::size_t>(begin * tile + 1));
      checkpoints->read(begin, x, false, kept);
      info = kept.front();
      std::copy(kept.begin() + 1, kept.end(), pivots.begin());
    }
  }
  for (std::int64_t k = begin; k < steps; ++k) {
    const Pivots exchanges{made[k], nullptr, counts[static_cast<std::size_t>(k)]};
    tasks.panel(progress, k, column_of(x, k, k), exchanges);
    for (std::int64_t j = k + 1; j < n; ++j) {
      tasks.move_rows(column_of(x, k, j), exchanges);
      tasks.trsm(Side::left, Uplo::lower, Diag::unit, T(1), x(k, k), x(k, j));
      for (std::int64_t i = k + 1; i < m; ++i) tasks.gemm(T(-1), x(i, k), x(k, j), T(1), x(i, j));
      tasks.forget(x(k, j));
    }
    for (std::int64_t j = 0; j < k; ++j) tasks.move_rows(column_of(x, k, j), exchanges);
    for (std::int64_t i = k; i < m; ++i) tasks.forget(x(i, k));
    tasks.end_step();
    if (checkpoints && k + 1 < steps && checkpoints->is_due(k + 1)) {
      tasks.finish();
      tell(told, k + 1);
      told = k + 1;
      kept.assign(1, info != 0 ? info : progress.info(k + 1));
      kept.insert(kept.end(), pivots.begin(), pivots.begin() + told * tile);
      checkpoints->write(k + 1, x, false, kept);
    }
  }
  tasks.finish();
  tell(told, steps);
  return info != 0 ? info : progress.info(steps);
}

}  // namespace

template <gemm_scalar T>
std::int64_t getrf(const Matrix<T>& a, std::span<std::int64_t> pivots, const BlockedOptions& options) {
  return factor(a, pivots, nullptr, options);
}

template <gemm_scalar T>
std::int64_t getrf(const Matrix<T>& a, std::span<std::int64_t> pivots, const Checkpoint& checkpoint,
                   const BlockedOptions& options) {
  return factor(a, pivots, &checkpoint, options);
}

template <gemm_scalar T>
void getrs(Op op, const Matrix<T>& lu, std::span<const std::int64_t> pivots, const Matrix<T>& b,
           const BlockedOptions& options) {
  const blas::Arguments check("getrs", sizeof(T));
  check.check_options_of_ranks(precision_of<T>, options);
  check.check_enum(static_cast<int>(op), 3, "op");
  check_system(check, lu, b);
  lapack::check_pivots(check, pivots, lu.rows());
  check_column(check, "B", b.rows(), b.tile());
  if (b.rows() == 0) return;
  const SeenMatrix<T> factors = SeenMatrix<T>(lu).turned(op), x(b);
  Tasks<T> tasks(*x.state().cluster, "getrs", largest_tile_bytes(lu, b), options);
  const Pivots exchanges{nullptr, pivots.data(), lu.rows()};
  const auto move_rows = [&](bool back) {
    for (std::int64_t j = 0; j < x.tile_columns(); ++j) tasks.move_rows(column_of(x, 0, j), exchanges, back);
  };
  if (!is_transposed(op)) {
    move_rows(false);
    solve_triangle(tasks, Side::left, Uplo::lower, Diag::unit, T(1), factors, x);
    solve_triangle(tasks, Side::left, Uplo::upper, Diag::non_unit, T(1), factors, x);
  } else {
    solve_triangle(tasks, Side::left, Uplo::lower, Diag::non_unit, T(1), factors, x);
    solve_triangle(tasks, Side::left, Uplo::upper, Diag::unit, T(1), factors, x);
    move_rows(true);
  }
  tasks.finish();
}

template <gemm_scalar T>
std::int64_t gesv(const Matrix<T>& a, std::span<std::int64_t> pivots, const Matrix<T>& b,
                  const BlockedOptions& options) {
  const blas::Arguments check("gesv", sizeof(T));
  check_system(check, a, b);
  a.state()->cluster->check_tiles_fit("gesv", largest_tile_bytes(a, b));
  const std::int64_t info = getrf(a, pivots, options);
  if (info == 0) getrs<T>(Op::none, a, pivots, b, options);
  return info;
}

#define HILO_INSTANTIATE(T)                                                                                            \
  template std::int64_t getrf<T>(const Matrix<T>&, std::span<std::int64_t>, const BlockedOptions&);                    \
  template std::int64_t getrf<T>(const Matrix<T>&, std::span<std::int64_t>, const Checkpoint&, const BlockedOptions&); \
  template void getrs<T>(Op, const Matrix<T>&, std::span<const std::int64_t>, const Matrix<T>&,                        \
                         const BlockedOptions&);                                                                       \
  template std::int64_t gesv<T>(const Matrix<T>&, std::span<std::int64_t>, const Matrix<T>&, const BlockedOptions&);
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::distributed
