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
  GemmRequest product;  ///< what all products have in common
  std::string init;     ///< as --init takes it
  std::vector<BenchSize> sizes;
  std::optional<Reference> reference;
  std::string plot;  ///< the picture's name; empty where there is none
};

/// A table for a person.
void print_table(std::ostream& out, const BenchResult& result);

/// One JSON object with fixed keys; what does not apply is null.
void print_json(std::ostream& out, const BenchResult& result);

/// What `draw` takes.
std::string title(const BenchResult& result);
Panel panel(const BenchResult& result);

}  // namespace hilo::cli
