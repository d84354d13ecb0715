// Groups of devices, and products by them of host memory.
#include <gtest/gtest.h>

#include <hilo/device_group.hpp>
#include <limits>

#include "error_message.hpp"
#include "full_problem.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

template <class T>
class DeviceGroupProducts : public testing::Test {};
TYPED_TEST_SUITE(DeviceGroupProducts, Precisions, PrecisionName);

TYPED_TEST(DeviceGroupProducts, HaveTheBitsOfTheCpu) {
  using T = TypeParam;
  // Complex products take three times as long, and are shared out alike.
  if (is_complex<T> && !is_long()) GTEST_SKIP() << "HILO_LONG_TESTS";
  for (int count : is_long() ? std::vector{1, 2, 3, 4} : std::vector{2, 3}) {
    std::vector<Context> contexts;
    for (int i = 0; i < count; ++i)
      contexts.emplace_back(queue().context().native(), queue().context().native_device());
    const DeviceGroup devices(contexts);
    ASSERT_EQ(devices.size(), count);
    for (bool has_scalars : {false, true}) {
      const auto p = full_problem<T>(300, 280, 70, has_scalars);
      auto c = p.c0;
      const GroupReport report = gemm<T>(devices, p.alpha, view(Layout::column, Op::none, p.a.data(), p.m, p.k, p.m),
                                         view(Layout::column, Op::none, p.b.data(), p.k, p.n, p.k), p.beta,
                                         view(Layout::column, Op::none, c.data(), p.m, p.n, p.m), modular);
      const std::string what = std::to_string(count) + (has_scalars ? " devices, scalars" : " devices");
      EXPECT_EQ(first_difference(c, p.multiply(on_cpu<T>(modular))), -1) << what;
      EXPECT_EQ(std::ssize(report.devices), count) << what;
      GemmReport alone;
      multiply_from_host(queue(), p, modular, &alone);
      EXPECT_EQ(report.plan.moduli, alone.plan.moduli) << what;
      EXPECT_EQ(report.plan.bits, alone.plan.bits) << what;
    }
  }
}

// Which others then do without.
TEST(DeviceGroup, SmallProductsAndSpecialEntries) {
  const DeviceGroup devices(std::vector<Context>(2, queue().context()));
  for (int64_t n : {0, 1, 20, 300}) {
    auto p = full_problem<dd_real>(n, n, 70, true);
    if (n == 300) p.b[7] = dd_real(std::numeric_limits<double>::quiet_NaN());
    auto c = p.c0;
    const int64_t ld = std::max<int64_t>(n, 1);
    gemm<dd_real>(devices, p.alpha, view(Layout::column, Op::none, p.a.data(), n, 70, ld),
                  view(Layout::column, Op::none, p.b.data(), 70, n, 70), p.beta,
                  view(Layout::column, Op::none, c.data(), n, n, ld), modular);
    EXPECT_EQ(first_difference(c, p.multiply(on_cpu<dd_real>(modular))), -1) << n;
  }
}

TEST(DeviceGroup, Arguments) {
  expect_contains(message_of(errc::invalid_argument, [] { DeviceGroup(std::vector<Context>{}); }), {"no device"});
  const DeviceGroup devices(std::vector<Context>(2, queue().context()));
  expect_contains(message_of(errc::invalid_argument, [&] { devices.queue(2); }), {"device 2 of a group of 2"});
  EXPECT_EQ(DeviceGroup({queue().context()}).size(), 1);
  EXPECT_EQ(DeviceGroup({queue().context(), test_context()}).size(), 2);
  const DeviceGroup all;
  EXPECT_GE(all.size(), 1);
}

}  // namespace
}  // namespace hilo::test
