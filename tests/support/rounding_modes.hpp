// What is computed in each of the four rounding modes of IEEE arithmetic.
#pragma once

#include <cfenv>

namespace hilo::testing {

struct RoundingMode {
  int value;
  const char* name;
};

inline constexpr RoundingMode rounding_modes[] = {
    {FE_TONEAREST, "to nearest"}, {FE_DOWNWARD, "down"}, {FE_UPWARD, "up"}, {FE_TOWARDZERO, "toward zero"}};

/// compute(), run in a mode. The caller's own arithmetic does not move in, since this is a call, and none of compute's
/// moves out: all that it refers to may change at one barrier, and its result is in memory at the other.
template <class Compute>
[[gnu::noinline]] auto rounded_by(RoundingMode mode, Compute compute) {
  Compute* computes = &compute;
  std::fesetround(mode.value);
  asm volatile("" : "+r"(computes) : : "memory");
  auto result = (*computes)();
  asm volatile("" : : "r"(&result) : "memory");
  std::fesetround(FE_TONEAREST);
  return result;
}

}  // namespace hilo::testing
