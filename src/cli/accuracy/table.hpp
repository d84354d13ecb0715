// The tables of `hilo accuracy` for a person.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/accuracy/sweep.hpp"

namespace hilo::cli {

/// Grows row by row.
class AccuracyTable {
 public:
  AccuracyTable(std::ostream& out, const AccuracyRequest& request) : out_(out), request_(request) {}

  /// The errors of the rows that are new, below a head before the first.
  void print_done(const Sweep& sweep);

  /// What is left, what is guaranteed of products, and what the marks mean. `plot` is the picture's name, `csv` that of
  /// the file with values; empty where there is none.
  void print_end(const Sweep& sweep, const std::string& plot, const std::string& csv);

 private:
  void print_products(const Sweep& sweep);
  void print_conditions(const Sweep& sweep);
  void print_bounds(const Sweep& sweep);

  std::ostream& out_;
  const AccuracyRequest& request_;
  std::size_t printed_over_phi_ = 0, printed_over_k_ = 0, printed_over_condition_ = 0;
  bool has_bounds_ = false;
};

}  // namespace hilo::cli
