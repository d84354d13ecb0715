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

TEST(NoiseGate, NoiseIsLeftAloneButForGapsThatMakeItsRotationHarmless) {
  const NoiseGate gate(16, 2.0);  // 6u²
  const double noise = 0x1p-104;
  EXPECT_TRUE(gate.is_left_alone(noise, noise, 0.0));
  EXPECT_TRUE(gate.is_left_alone(0.0, 0.0, 0.0));
  EXPECT_TRUE(gate.is_left_alone(noise, 0.0, 0x1p-46));
  EXPECT_TRUE(gate.is_left_alone(0.0, noise, -0x1p-46));
  EXPECT_FALSE(gate.is_left_alone(noise, 0.0, 0x1.01p-46));
  EXPECT_FALSE(gate.is_left_alone(0.0, noise, -0x1.01p-46));
  // What is more than noise never is, whatever the gap.
  EXPECT_FALSE(gate.is_left_alone(2.0 * noise, 0.0, 0.0));
  EXPECT_FALSE(gate.is_left_alone(0.0, 2.0 * noise, 1.0));
}

TEST(NoiseGate, NoiseMayBeClose) {
  const NoiseGate gate(16, 2.0);
  EXPECT_TRUE(gate.is_close(0x1p-106, 0.0, 0x1p-59));
  EXPECT_FALSE(gate.is_close(0x1p-106, 0x1p-106, 0x1p-58));
  // Up to 96u².
  EXPECT_TRUE(gate.is_unresolved(0x1p-100, 0x1p-100, 0x1p-53));
  EXPECT_FALSE(gate.is_unresolved(0x1p-99, 0x1p-99, 0x1p-53));
  EXPECT_FALSE(gate.is_close(0.0, 0.0, 0.0));
  const NoiseGate wider(16, 2.0, 0x1p-46);
  EXPECT_TRUE(wider.is_unresolved(0x1p-100, 0x1p-100, 0x1p-55));
  EXPECT_FALSE(wider.is_unresolved(0x1p-100, 0x1p-100, 0x1p-54));
}

TEST(Components, AreClustersWhereOnePairIsUnresolved) {
  Components components(9);
  EXPECT_TRUE(components.clusters().empty());
  components.join(6, 2, true);
  components.join(4, 6, false);
  components.join(4, 2, false);
  components.join(1, 7, false);
  components.join(8, 7, false);
  using Clusters = std::vector<std::vector<std::int64_t>>;
  EXPECT_EQ(components.clusters(), (Clusters{{2, 4, 6}}));
  EXPECT_EQ(components.labels(), (std::vector<std::int64_t>{0, 1, 2, 3, 2, 5, 2, 7, 8}));
  components.join(8, 1, true);
  EXPECT_EQ(components.clusters(), (Clusters{{1, 7, 8}, {2, 4, 6}}));
  components.join(7, 4, false);
  EXPECT_EQ(components.clusters(), (Clusters{{1, 2, 4, 6, 7, 8}}));
}

}  // namespace
}  // namespace hilo::spectral
