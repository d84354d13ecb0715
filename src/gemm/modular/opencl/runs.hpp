// Tiles that a work-group multiplies one after the other, by the text that kernels read, and which runs of them pay.
#pragma once

#include <cstdint>

namespace hilo::modular {

#include "../../../../kernels/bytes/runs.clh"

/// Whose panels of so many slabs (ByteTile::depth terms each) may stay in local memory, or KEEPS_NONE. Of A's, runs go
/// along rows of tiles, which triangles do not have one after the other.
int kept_operand(std::int64_t slabs, bool is_triangle);

/// Tiles of a product, of all planes, that work-groups share; a run's own come from columns or rows of `line` tiles.
struct SharedTiles {
  std::int64_t tiles, groups, line;
};

/// For how many tiles a panel is best kept: 1 if for none. Runs of a triangle, with bands of stair_rows rows of tiles,
/// are of these; 0 for a whole product.
int run_that_pays(const SharedTiles& shared, std::int64_t slabs, int stair_rows);

}  // namespace hilo::modular
