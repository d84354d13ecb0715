// LU and Cholesky on an H200 are expected to take what they took (docs/linear-algebra.md, "Speed").
#include "lapack/device_cost.hpp"

#include <gtest/gtest.h>

namespace {

using namespace hilo;

DeviceInfo device(int units) {
  DeviceInfo info{};
  info.compute_units = units;
  info.fp64 = true;
  return info;
}

TEST(DeviceCost, OfFactorisationsIsThatOfAnH200) {
  struct Measured {
    std::int64_t n;
    double lu, cholesky;  // milliseconds
  };
  for (const Measured& m : {Measured{4096, 21.6, 9.8}, {8192, 64.0, 30.5}, {16384, 214, 101}, {32768, 1008, 477}}) {
    const double lu = 1e3 * lapack::lu_seconds_on_device(device(132), modular::ByteUnit::wgmma, m.n);
    const double cholesky = 1e3 * lapack::cholesky_seconds_on_device(device(132), modular::ByteUnit::wgmma, m.n);
    EXPECT_NEAR(lu, m.lu, 0.105 * m.lu) << m.n;
    EXPECT_NEAR(cholesky, m.cholesky, 0.105 * m.cholesky) << m.n;
  }
}

// What products take falls with more of the device, what columns wait for each other does not.
TEST(DeviceCost, OfFewerMultiprocessorsIsMore) {
  for (const auto seconds : {lapack::lu_seconds_on_device, lapack::cholesky_seconds_on_device}) {
    const double half = seconds(device(66), modular::ByteUnit::wgmma, 16384),
                 all = seconds(device(132), modular::ByteUnit::wgmma, 16384);
    EXPECT_GT(half, 1.3 * all);
    EXPECT_LT(half, 2.0 * all);
  }
}

}  // namespace
