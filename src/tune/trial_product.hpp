// Products whose results are known: whether a tile's are right.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "matrix/product.hpp"
#include "tile/table.hpp"

namespace hilo::tune {

/// A product on the host, and the memory that its views are of.
template <class T>
struct TrialProduct {
  std::vector<T> a, b, c;  ///< with what lies before, between and behind the elements
  Product<T> product{};
  Accuracy accuracy = Accuracy::classic;

  TrialProduct() = default;
  TrialProduct(TrialProduct&&) = default;
  TrialProduct& operator=(TrialProduct&&) = default;
};

/// Memory for rows × columns elements from element `offset` on, and the view of them: rows (or columns) side by side,
/// `pad` more from one line to the next than there need be; without a pad so many more that wide copies can be made.
template <class T>
MatrixView<T> place(std::vector<T>& memory, std::int64_t rows, std::int64_t columns, bool rows_together,
                    std::int64_t offset, std::int64_t pad) {
  const std::int64_t packed = rows_together ? rows : columns;
  const std::int64_t leading = pad ? packed + pad : (packed + 15) / 16 * 16;
  memory.resize(static_cast<std::size_t>(offset + leading * (rows_together ? columns : rows)));
  const Layout layout = rows_together ? Layout::column : Layout::row;
  return view(layout, Op::none, memory.data() + offset, rows, columns, leading);
}

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

}  // namespace hilo::tune
