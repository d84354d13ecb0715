#include "gemm/modular/opencl/runs.hpp"

#include <initializer_list>

#include "matrix/sizes.hpp"

namespace hilo::modular {

int kept_operand(std::int64_t slabs, bool is_triangle) {
  if (slabs <= KEPT_RIGHT_SLABS) return KEEPS_RIGHT;
  const bool is_left = (slabs >= LEAST_LEFT_SLABS && slabs <= KEPT_LEFT_SLABS) || slabs == HALF_KEPT_SLABS;
  return is_left && !is_triangle ? KEEPS_LEFT : KEEPS_NONE;
}

int run_that_pays(const SharedTiles& shared, std::int64_t slabs, int stair_rows) {
  const auto& [tiles, groups, line] = shared;
  // In tiles' times, on an H200 that is not busy: what copying both panels costs a tile, and what waiting for a run's
  // panel does, most where there is room for one panel, all of whose slabs the tile before multiplies.
  const bool is_right = slabs <= KEPT_RIGHT_SLABS;
  const double copies = is_right ? 0.05 : slabs < HALF_KEPT_SLABS ? 0.03 : 0.012;
  const double first = !is_right ? 0.05 : 2 * slabs <= KEPT_RIGHT_SLABS ? 0.1 : 0.4;
  int best = 1;
  double least = (1 + copies) * static_cast<double>(blocks(tiles, groups));
  for (const int run : {8, 16, 32}) {
    if (stair_rows > 0 ? run != stair_rows : run > line) continue;
    const double time = (run + first) * static_cast<double>(blocks(blocks(tiles, run), groups));
    if (time < least) {
      least = time;
      best = run;
    }
  }
  return best;
}

}  // namespace hilo::modular
