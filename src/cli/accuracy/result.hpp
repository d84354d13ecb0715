// What `hilo accuracy` prints and draws.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/accuracy/sweep.hpp"
#include "cli/plot.hpp"

namespace hilo::cli {

/// A table for a person that grows row by row.
class AccuracyTable {
 public:
  AccuracyTable(std::ostream& out, const SweepRequest& request) : out_(out), request_(request) {}

  /// The errors of the rows that are new, below a head before the first.
  void print_done(const Sweep& sweep);

  /// What is left, and what is guaranteed. `plot` is the picture's name; empty where there is none.
  void print_end(const Sweep& sweep, const std::string& plot);

 private:
  std::ostream& out_;
  const SweepRequest& request_;
  std::size_t printed_over_phi_ = 0, printed_over_k_ = 0;
};

/// One JSON object with fixed keys; null for what does not apply, and for an error that is not finite.
void print_json(std::ostream& out, const SweepRequest& request, const Sweep& sweep, const std::string& plot);

/// Of the picture, in gnuplot's enhanced text.
std::string title(const SweepRequest& request);

/// Errors, and dashed the bounds, against phi and against k, of those that have rows.
std::vector<Panel> panels(const SweepRequest& request, const Sweep& sweep);

}  // namespace hilo::cli
