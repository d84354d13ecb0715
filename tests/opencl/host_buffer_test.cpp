// Memory of the host that devices read and write without a copy.
#include <gtest/gtest.h>

#include <cstdint>
#include <hilo/device.hpp>
#include <vector>

#include "error_message.hpp"
#include "opencl/host_memory.hpp"
#include "opencl_queue.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

TEST(HostBuffer, IsPinnedWhileItLives) {
  const Context& context = test_context();
  std::vector<double> own(5000, 1.0);
  auto is_pinned = [](const double* x, int64_t count) {
    return opencl::is_pinned(x, sizeof(double) * static_cast<std::size_t>(count));
  };
  {
    HostBuffer<double> a(context, 3000), of_own(context, own.data() + 10, 4000), none(context, 0);
    EXPECT_EQ(a.size(), 3000);
    EXPECT_EQ(of_own.data(), own.data() + 10);
    EXPECT_EQ(none.size(), 0);
    a[2999] = 2.0;
    EXPECT_EQ(*(a.end() - 1), 2.0);
    EXPECT_EQ(own[10], 1.0);
    EXPECT_TRUE(is_pinned(a.data(), 3000));
    EXPECT_TRUE(is_pinned(a.data() + 5, 2000));
    EXPECT_FALSE(is_pinned(a.data() + 5, 3000));
    EXPECT_TRUE(is_pinned(own.data() + 10, 4000));
    EXPECT_FALSE(is_pinned(own.data() + 9, 10));
    const HostBuffer<double> copy = a;
    EXPECT_EQ(copy.data(), a.data());
  }
  EXPECT_FALSE(is_pinned(own.data() + 10, 1));
  EXPECT_EQ(own[4009], 1.0);
  expect_contains(message_of(errc::invalid_argument, [&] { HostBuffer<double>(context, -1); }), {"count = -1"});
  expect_contains(message_of(errc::invalid_argument, [&] { HostBuffer<double>(context, nullptr, 3); }),
                  {"HostBuffer: the memory to pin, of 3 elements, is null"});
  EXPECT_EQ(HostBuffer<double>(context, nullptr, 0).size(), 0);
}

}  // namespace
}  // namespace hilo::test
