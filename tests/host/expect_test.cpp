// What is asked of memory before its turn.
#include "host/expect.hpp"

#include <gtest/gtest.h>

namespace hilo::test {
namespace {

// Nothing of what a cache holds, and everything of what none does; between them the answer changes once.
TEST(Expect, AsksForWhatNoCacheHolds) {
  EXPECT_EQ(host::ahead_of(0), host::Ahead::nothing);
  EXPECT_EQ(host::ahead_of(std::int64_t{1} << 14), host::Ahead::nothing);
  EXPECT_NE(host::ahead_in_memory(), host::Ahead::nothing);
  int changes = 0;
  for (int e = 14; e < 40; ++e) {
    changes += host::ahead_of(std::int64_t{1} << e) != host::ahead_of(std::int64_t{1} << (e + 1)) ? 1 : 0;
  }
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(host::ahead_of(std::int64_t{1} << 40), host::ahead_in_memory());
}

// Addresses that nobody has are no fault.
TEST(Expect, TouchesNoMemory) {
  const double x[2] = {};
  for (const host::Ahead ahead : {host::Ahead::nothing, host::Ahead::lines, host::Ahead::pages}) {
    host::expect<256>(ahead, x);
    host::expect<256>(ahead, static_cast<const double*>(nullptr));
  }
  host::expect_begin(x);
}

}  // namespace
}  // namespace hilo::test
