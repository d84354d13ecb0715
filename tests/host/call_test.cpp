// Calls on the host: borrowed memory is nobody else's until the call ends, also beside products on the same thread.
#include "host/call.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <hilo/gemm.hpp>
#include <vector>

namespace hilo::test {
namespace {

constexpr std::int64_t kib = 1024, mib = 1024 * kib;

// A product of exact integers, of which every entry is k.
void multiply_ones(std::int64_t n) {
  const auto count = static_cast<std::size_t>(n * n);
  const std::vector<dd_real> a(count, dd_real(1)), b(count, dd_real(1));
  std::vector<dd_real> c(count, dd_real(0));
  gemm(Layout::column, Op::none, Op::none, n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n);
  EXPECT_EQ(std::ranges::count(c, dd_real(static_cast<double>(n))), std::ssize(c)) << n;
}

TEST(HostCall, LendsToSeveralAtATime) {
  for (const std::int64_t bytes : {kib, mib, 2 * mib, 8 * mib, 40 * mib}) {
    host::Call call(1);
    std::vector<double*> places;
    const std::int64_t count = bytes / host::bytes_per_double;
    for (int i = 0; i < 4; ++i) {
      places.push_back(call.borrow(bytes));
      std::fill_n(places.back(), count, i);
    }
    const host::Workspace lent = call.lend(bytes);
    std::fill_n(lent.data(), count, -1.0);
    for (const std::int64_t n : {20, 150, 600}) multiply_ones(n);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(std::count(places[i], places[i] + count, static_cast<double>(i)), count) << bytes;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(places[i]) % 64, 0u);
    }
    EXPECT_EQ(std::count(lent.data(), lent.data() + count, -1.0), count) << bytes;
  }
}

TEST(HostCall, MemoryIsUsedAgain) {
  for (const std::int64_t bytes : {kib, 2 * mib, 8 * mib, 40 * mib}) {
    auto first = [&] { return host::Call(1).borrow(bytes); };
    EXPECT_EQ(first(), first()) << bytes;
  }
}

TEST(HostCall, HasThreads) {
  EXPECT_EQ(host::Call(3).threads(), 3);
  EXPECT_EQ(host::Call(0).threads(), host::default_threads());
}

}  // namespace
}  // namespace hilo::test
