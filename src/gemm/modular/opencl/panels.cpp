#include "gemm/modular/opencl/panels.hpp"

#include <algorithm>

#include "matrix/sizes.hpp"

namespace hilo::modular {
namespace {

std::int64_t halved(std::int64_t x, std::int64_t unit) { return round_up(x / 2, unit); }

}  // namespace

DevicePanels choose_device_panels(const DevicePanelProblem& p, std::int64_t bytes, std::int64_t buffer_bytes,
                                  std::int64_t most_depth) {
  const ByteTile& tile = p.tile;
  const std::int64_t deepest =
      std::max<std::int64_t>(std::min(most_depth, max_device_depth) / tile.depth, 1) * tile.depth;
  DevicePanels x{round_up(p.rows, tile.rows), round_up(p.main_columns(), tile.columns),
                 round_up(p.edge_columns(), p.edge.columns), std::min(round_up(p.terms, tile.depth), deepest),
                 p.moduli};
  auto fits = [&] {
    return x.bytes(p) <= bytes &&
           std::max(x.operand_bytes(p, std::max(x.rows, x.columns)), x.result_bytes(p, x.columns)) <= buffer_bytes;
  };
  while (!fits()) {
    // The product's residues stay for all moduli. Operands' are found again for each chunk and panel, which costs
    // least for chunks of moduli.
    const bool is_result = x.result_bytes(p, x.all_columns()) > std::min(bytes / 2, buffer_bytes);
    const bool has_lines = x.rows > tile.rows || x.columns > tile.columns;
    if (!is_result && x.chunk > std::max(p.moduli / 8, 1)) {
      x.chunk = (x.chunk + 1) / 2;
    } else if (!is_result && x.depth > std::max<std::int64_t>(4096, tile.depth)) {
      x.depth = halved(x.depth, tile.depth);
    } else if (has_lines) {
      const bool cuts_columns = x.columns > tile.columns && (x.columns >= x.rows || x.rows == tile.rows);
      if (cuts_columns) {
        x.columns = halved(x.columns, tile.columns);
      } else {
        x.rows = halved(x.rows, tile.rows);
      }
    } else if (x.chunk > 1) {
      x.chunk = (x.chunk + 1) / 2;
    } else if (x.depth > tile.depth) {
      x.depth = halved(x.depth, tile.depth);
    } else {
      break;
    }
  }
  return x;
}

}  // namespace hilo::modular
