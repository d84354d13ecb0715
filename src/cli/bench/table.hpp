// The table of `hilo bench`, for a person, in 80 columns.
#pragma once

#include <iosfwd>

#include "cli/bench/result.hpp"

namespace hilo::cli {

/// Grows line by line.
class BenchTable {
 public:
  explicit BenchTable(std::ostream& out) : out_(out) {}

  /// The sizes that are new and done, below a head before the first.
  void print_done(const BenchResult& result);

  /// What is left.
  void print_end(const BenchResult& result);

 private:
  void print(const BenchResult& result, const BenchSize& size);

  std::ostream& out_;
  std::size_t printed_ = 0;
};

}  // namespace hilo::cli
