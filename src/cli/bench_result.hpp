// What `hilo bench` prints and draws.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench_sweep.hpp"
#include "cli/plot.hpp"

namespace hilo::cli {

struct BenchResult {
  GemmRequest product;               ///< what all products have in common
  std::string init;                  ///< as --init takes it
  std::vector<GemmRequest> engines;  ///< of all products
  std::vector<std::int64_t> all_sizes;
  std::optional<Reference> reference;
  std::string plot;  ///< the picture's name; empty where there is none
  bool is_interrupted = false;
  BenchFindings findings = {};
};

/// A table for a person that grows line by line.
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

/// One JSON object with fixed keys; what does not apply is null.
void print_json(std::ostream& out, const BenchResult& result);

/// What `draw` takes; of at least one product.
std::string title(const BenchResult& result);
Panel panel(const BenchResult& result);

}  // namespace hilo::cli
