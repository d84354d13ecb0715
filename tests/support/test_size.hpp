// How much a test should do: is_long where there is time for more and larger inputs, is_small where a checker
// interprets the kernels.
#pragma once

#include <cstdlib>
#include <string_view>

namespace hilo::test {

/// HILO_LONG_TESTS is set.
inline bool is_long() { return std::getenv("HILO_LONG_TESTS") != nullptr; }

/// HILO_TEST_SMALL=1.
inline bool is_small() {
  const char* value = std::getenv("HILO_TEST_SMALL");
  return value && std::string_view(value) == "1";
}

}  // namespace hilo::test
