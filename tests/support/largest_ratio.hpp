// The largest of the residual ratios that a test meets, which its long form prints.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <utility>

#include "test_size.hpp"

namespace hilo::test {

class LargestRatio {
 public:
  explicit LargestRatio(std::string of = "") : of_(std::move(of)) {}
  LargestRatio(const LargestRatio&) = delete;
  LargestRatio& operator=(const LargestRatio&) = delete;
  ~LargestRatio() {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    if (!is_long()) return;
    std::printf("%s.%s %s: %.3g (%s), from n = 50 on %.3g (%s)\n", test->test_suite_name(), test->name(), of_.c_str(),
                all_.ratio, all_.at.c_str(), large_.ratio, large_.at.c_str());
  }

  /// The ratio.
  double of(double ratio, std::int64_t n, const std::string& at = "") {
    for (Found* found : {&all_, &large_}) {
      if ((found == &all_ || n >= 50) && !(ratio <= found->ratio)) *found = {ratio, "n = " + std::to_string(n) + at};
    }
    return ratio;
  }

 private:
  struct Found {
    double ratio = 0.0;
    std::string at = {};
  };
  std::string of_;
  Found all_, large_;
};

}  // namespace hilo::test
