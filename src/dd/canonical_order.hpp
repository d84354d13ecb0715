// The lengths and the step of the canonical order, which defines the bits of sums and products: docs/error-bounds.md.
#pragma once

#include <cstdint>
#include <hilo/dd_real.hpp>

namespace hilo::canonical {

inline constexpr std::int64_t chunk_steps = 64;
inline constexpr std::int64_t superchunk_steps = 64 * chunk_steps;

/// The text of the step on plain doubles.
struct ScalarStep : dd_ops<double, HILO_HAS_FMA> {
#define HILO_FN static constexpr
  HILO_FN real spare_add(real x, real y) { return x + y; }
#include <hilo/detail/step.clh>
#undef HILO_FN
};

}  // namespace hilo::canonical
