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

/// compute(), run in a mode; a call of its own, so that none of it moves out.
template <class Compute>
[[gnu::noinline]] auto rounded_by(RoundingMode mode, Compute compute) {
  auto call = [&]() __attribute__((noinline)) { return compute(); };
  std::fesetround(mode.value);
  auto result = call();
  std::fesetround(FE_TONEAREST);
  return result;
}

}  // namespace hilo::testing
