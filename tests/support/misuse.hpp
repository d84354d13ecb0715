// Routines with arguments that cannot be right: the error names them, and nothing is written.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <hilo/lapack.hpp>
#include <initializer_list>
#include <string>
#include <vector>

#include "error_message.hpp"
#include "same_bits.hpp"

namespace hilo::test {

inline MatrixView<dd_real> matrix(dd_real* data, std::int64_t rows, std::int64_t columns) {
  return view(Layout::column, Op::none, data, rows, columns, std::max<std::int64_t>(rows, 1));
}

class Misuse : public testing::Test {
 protected:
  std::vector<dd_real> x = std::vector<dd_real>(100, dd_real(2)), before = x;
  std::vector<std::int64_t> pivots = std::vector<std::int64_t>(10, 1);
  std::vector<dd_real> tau = std::vector<dd_real>(10, dd_real(1));
  MatrixView<dd_real> a = matrix(x.data(), 3, 3), b = matrix(x.data() + 20, 3, 4), c = matrix(x.data() + 40, 3, 4);

  template <class Call>
  void refuses(Call call, std::initializer_list<std::string> parts, errc code = errc::invalid_argument) {
    expect_contains(message_of(code, call), parts);
    EXPECT_EQ(first_difference(x, before), -1);
    for (const std::int64_t p : pivots) EXPECT_EQ(p, 1);
    for (const dd_real& t : tau) EXPECT_EQ(t, dd_real(1));
  }
};

}  // namespace hilo::test
