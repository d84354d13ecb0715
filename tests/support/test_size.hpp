// How much a test should do: is_long where there is time for more and larger inputs, is_small where a checker
// interprets the kernels; orders_of are a test's sizes of matrices.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace hilo::test {

/// HILO_LONG_TESTS is set.
inline bool is_long() { return std::getenv("HILO_LONG_TESTS") != nullptr; }

/// HILO_TEST_SMALL=1.
inline bool is_small() {
  const char* value = std::getenv("HILO_TEST_SMALL");
  return value && std::string_view(value) == "1";
}

/// 0 to 300 in the long form, and `few` otherwise.
inline std::vector<std::int64_t> orders_of(std::initializer_list<std::int64_t> few) {
  if (!is_long()) return few;
  std::vector<std::int64_t> all(301);
  for (std::size_t n = 0; n < all.size(); ++n) all[n] = static_cast<std::int64_t>(n);
  return all;
}

}  // namespace hilo::test
