// What the entries of a product made of a modular plan.
#pragma once

#include <hilo/gemm.hpp>

namespace hilo::modular {

struct Outcome {
  Path path;  ///< on those of the direct engine nothing was computed
  int bits, moduli, esc;
  double error_bound_u2;
  std::int64_t entries_direct, entries_recomputed;
  std::int64_t tile_rows, tile_columns, depth, workspace_bytes;  ///< as of GemmPlan
  int levels = 0;

  bool is_modular() const { return path == Path::modular || path == Path::modular_balanced; }

  /// The plan as it ran, on the paths of this engine.
  GemmPlan ran(GemmPlan plan) const {
    plan.path = path;
    plan.bits = bits;
    plan.moduli = moduli;
    plan.esc = esc;
    plan.error_bound_u2 = error_bound_u2;
    plan.tile_rows = tile_rows;
    plan.tile_columns = tile_columns;
    plan.depth = depth;
    plan.levels = levels;
    plan.workspace_bytes = workspace_bytes;
    return plan;
  }
};

/// What is kept of the plan before, where another engine's plan ran instead.
inline GemmPlan ran_instead(GemmPlan ran, const GemmPlan& planned, Path path) {
  ran.path = path;
  ran.batch = planned.batch;
  ran.measure = planned.measure;
  ran.seconds_direct = planned.seconds_direct;
  ran.seconds_modular = planned.seconds_modular;
  return ran;
}

}  // namespace hilo::modular
