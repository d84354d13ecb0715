#include "host/workspace.hpp"

#include <gtest/gtest.h>

#include <set>

namespace hilo::host {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

TEST(Workspace, TwoOfASizeAtATimeAreTheSameFromCallToCall) {
  const auto borrow = [](std::int64_t first, std::int64_t second) {
    const Workspace outer(first * mebibyte), inner(second * mebibyte);
    return std::set<const double*>{outer.data(), inner.data()};
  };
  for (const std::int64_t size : {2, 8, 40}) {
    const auto once = borrow(size, size * 3 / 2);
    ASSERT_EQ(once.size(), 2u);
    EXPECT_EQ(borrow(size, size * 3 / 2), once) << size;
    EXPECT_EQ(borrow(size, size), once) << size;
    EXPECT_EQ(borrow(size, size * 3 / 2), once) << size;
  }
}

TEST(Workspace, AThirdIsNotKeptInPlaceOfALongerOne) {
  const double* longest;
  {
    const Workspace a(12 * mebibyte), b(16 * mebibyte), c(8 * mebibyte);
    longest = b.data();
    EXPECT_NE(a.data(), c.data());
  }
  const Workspace again(15 * mebibyte);
  EXPECT_EQ(again.data(), longest);
}

// Pages that nobody writes cost nothing.
TEST(Workspace, LongOnesAreKeptWhileTheSystemHasMemory) {
  const double* data;
  {
    const Workspace x(300 * mebibyte);
    data = x.data();
    x.data()[0] = 1.0;
  }
  if (AlignedMemory(4 * mebibyte).offer()) {
    const Workspace x(290 * mebibyte);
    EXPECT_EQ(x.data(), data);
    double& last = x.data()[290 * mebibyte / bytes_per_double - 1];
    last = 2.0;
    EXPECT_EQ(last, 2.0);
  }
  const Workspace beyond((longest_workspace_bytes / mebibyte + 1) * mebibyte);
  EXPECT_NE(beyond.data(), data);
}

}  // namespace
}  // namespace hilo::host
