#include "spectral/noise_gate.hpp"

#include <gtest/gtest.h>

namespace hilo::spectral {
namespace {

TEST(NoiseGate, RoundingsOfBothSidesAreNoiseWhateverTheGap) {
  const NoiseGate gate(16, 2.0);  // 3u² · 2
  const double noise = 6.0 * 0x1p-106;
  EXPECT_TRUE(gate.is_noise(noise, noise));
  EXPECT_FALSE(gate.is_noise(noise, 1.001 * noise));
  EXPECT_FALSE(gate.is_noise(1.001 * noise, noise));
  EXPECT_FALSE(gate.is_unresolved(noise, noise, 0.0));
}

TEST(NoiseGate, ACouplingBeyond2ToMinus26OfItsGapIsUnresolved) {
  const NoiseGate gate(16, 2.0);
  EXPECT_TRUE(gate.is_unresolved(0x1p-50, 0.0, 0x1p-25));
  EXPECT_TRUE(gate.is_unresolved(0.0, 0x1p-50, -0x1p-25));
  EXPECT_FALSE(gate.is_unresolved(0x1p-50, 0x1p-50, 0x1p-24));
  EXPECT_FALSE(gate.is_unresolved(0x1p-50, 0x1p-50, -0x1p-24));
  EXPECT_TRUE(gate.is_unresolved(0x1p-50, 0x1p-50, 0.0));
}

TEST(Components, AreWhatWasJoined) {
  Components components(8);
  EXPECT_TRUE(components.clusters().empty());
  components.join(6, 2);
  components.join(4, 6);
  components.join(1, 7);
  EXPECT_TRUE(components.are_together(2, 4));
  EXPECT_FALSE(components.are_together(1, 2));
  const std::vector<std::vector<std::int64_t>> expected{{1, 7}, {2, 4, 6}};
  EXPECT_EQ(components.clusters(), expected);
  components.join(7, 4);
  EXPECT_EQ(components.clusters().size(), 1u);
}

}  // namespace
}  // namespace hilo::spectral
