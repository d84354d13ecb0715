// Tiles that a work-group multiplies one after the other, by the text that kernels read.
#pragma once

namespace hilo::modular {

#include "../../../../kernels/bytes/runs.clh"

/// Which operand's panel of a product stays in local memory, and for how many tiles; 1: none.
struct TileRuns {
  int kept, run;
};

}  // namespace hilo::modular
