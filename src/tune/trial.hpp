// Whether a tile's products are right, and how long they take.
#pragma once

#include <complex>
#include <functional>
#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tile/table.hpp"

namespace hilo::tune {

/// A matrix on the host: element (i, j) at data[offset + i · row_stride + j · column_stride].
template <class T>
struct TrialMatrix {
  std::vector<T> data;
  std::int64_t rows, columns;
  std::int64_t offset, row_stride, column_stride;
  bool conjugate = false;

  MatrixView<const T> view() const {
    return {data.data() + offset, rows, columns, row_stride, column_stride, conjugate};
  }
};

/// C = alpha · A · B + beta · C
template <class T>
struct TrialProduct {
  TrialMatrix<T> a, b, c;
  T alpha, beta;
  Accuracy accuracy = Accuracy::classic;
};

/// What a tile makes of a product's C, all that lies between its elements included. Throws where the tile does not
/// build or run.
template <class T>
using RunTile = std::function<std::vector<T>(const tile::Tile&, const TrialProduct<T>&)>;

/// Runs a tile on products with edges: sizes that are no multiples of the tile's, matrices on odd boundaries and on
/// wide ones, C scaled and added, C not read. Empty where all is as it should be, else what is wrong: S, D, C and Z
/// within the bound of their arithmetic, DD and ZDD by the bits of reference.hpp in both accuracies (`fma`: which of
/// its two sequences), and nothing else written.
template <class T>
std::string find_error(const tile::Tile& tile, const tile::TileKey& key, bool fma, const RunTile<T>& run);

/// Products of n × n matrices on a device, as a tile is chosen for them.
class Trial {
 public:
  virtual ~Trial() = default;
  /// As the function above, on the device.
  virtual std::string find_error(const tile::Tile& tile) = 0;
  /// The product that is timed, once, its result checked: S, D, C and Z all of it, by a product with a vector of
  /// integers, DD and ZDD an entry of each panel or so.
  virtual std::string find_error_of_timed(const tile::Tile& tile) = 0;
  /// Device time of one run.
  virtual double seconds(const tile::Tile& tile) = 0;
  /// Operations of a run: 2n³, complex 8n³.
  virtual double operations() const = 0;
};

/// n is rounded up to a multiple of 16. Throws out_of_memory.
std::unique_ptr<Trial> make_trial(Queue& queue, const tile::TileKey& key, std::int64_t n);

}  // namespace hilo::tune
