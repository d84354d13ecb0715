// What tests under mpirun share: the cluster, which all ranks of a test program have from its main on, and matrices of
// rank 0 that are shared out and come back.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <hilo/distributed.hpp>
#include <vector>

#include "random.hpp"
#include "same_bits.hpp"

namespace hilo::test {

using distributed::Cluster;
using distributed::Grid;

const Cluster& cluster();

/// A matrix in host memory, columns contiguous; the same on every rank.
template <class T>
struct HostMatrix {
  std::int64_t rows, columns;
  std::vector<T> elements;

  HostMatrix(std::int64_t its_rows, std::int64_t its_columns)
      : rows(its_rows), columns(its_columns), elements(static_cast<std::size_t>(rows * columns), T(0)) {}
  HostMatrix(std::int64_t its_rows, std::int64_t its_columns, std::uint64_t seed) : HostMatrix(its_rows, its_columns) {
    Random random(seed);
    for (T& x : elements) {
      if constexpr (double_double<T>) {
        x = random.element<T>();
      } else if constexpr (is_complex(precision_of<T>)) {
        const double re = random.uniform();
        x = T(re, random.uniform());
      } else {
        x = random.uniform();
      }
    }
  }

  MatrixView<T> view() { return {elements.data(), rows, columns, 1, rows > 0 ? rows : 1}; }
  MatrixView<const T> view() const { return {elements.data(), rows, columns, 1, rows > 0 ? rows : 1}; }
  T& operator()(std::int64_t i, std::int64_t j) { return elements[static_cast<std::size_t>(i + j * rows)]; }
  const T& operator()(std::int64_t i, std::int64_t j) const { return elements[static_cast<std::size_t>(i + j * rows)]; }

  /// Tile (i, j) of those with `tile` rows and columns.
  MatrixView<T> tile(std::int64_t tile, std::int64_t i, std::int64_t j) {
    return view().sub(i * tile, j * tile, std::min(tile, rows - i * tile), std::min(tile, columns - j * tile));
  }
};

/// Hermitian and positive definite: random, with a diagonal that dominates.
template <class T>
HostMatrix<T> positive_definite(std::int64_t n, std::uint64_t seed) {
  HostMatrix<T> a(n, n, seed);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < j; ++i) {
      if constexpr (is_complex(precision_of<T>)) {
        a(i, j) = conj(a(j, i));
      } else {
        a(i, j) = a(j, i);
      }
    }
    a(j, j) = T(static_cast<double>(2 * n));
  }
  return a;
}

template <class T>
distributed::Matrix<T> shared_out(const HostMatrix<T>& x, std::int64_t tile, const Grid& grid = {}) {
  distributed::Matrix<T> matrix(cluster(), x.rows, x.columns, tile, grid);
  matrix.scatter(x.view());
  return matrix;
}

/// On rank 0; zeros on others.
template <class T>
HostMatrix<T> gathered(const distributed::Matrix<T>& x) {
  HostMatrix<T> matrix(x.rows(), x.columns());
  x.gather(matrix.view());
  return matrix;
}

/// On rank 0: whether a matrix has the bits of that one.
template <class T>
testing::AssertionResult same_bits_on_rank_0(const distributed::Matrix<T>& x, const HostMatrix<T>& expected) {
  const HostMatrix<T> all = gathered(x);
  if (cluster().rank() != 0) return testing::AssertionSuccess();
  const std::int64_t at = first_difference(all.elements, expected.elements);
  if (at < 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "element (" << at % all.rows << ", " << at / all.rows << ") of " << all.rows
                                     << " x " << all.columns << " in tiles of " << x.tile() << " differs";
}

/// What tasks take options as.
inline BlockedOptions on_every_worker(BlockedOptions options = {}) {
  if (options.engine == Engine::automatic) options.engine = Engine::reproducible;
  options.fma = Fma::on;
  options.threads = 1;
  return options;
}

/// The grids that the ranks there are can have.
inline std::vector<Grid> every_grid() {
  std::vector<Grid> grids;
  for (int rows = 1; rows <= cluster().ranks(); ++rows) {
    if (cluster().ranks() % rows == 0) grids.push_back({rows, cluster().ranks() / rows});
  }
  return grids;
}

}  // namespace hilo::test
