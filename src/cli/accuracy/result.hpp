// What `hilo accuracy` prints for programs.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/accuracy/sweep.hpp"

namespace hilo::cli {

/// One JSON object with fixed keys; null for what does not apply, and for an error that is not finite.
void print_json(std::ostream& out, const AccuracyRequest& request, const Sweep& sweep, const std::string& plot);

/// Comma-separated values (RFC 4180): a line of names, and one for each figure of the tables with what belongs to it: a
/// method's product, factors or solution in a row. Names are the JSON object's keys; what does not apply is empty.
void print_csv(std::ostream& out, const AccuracyRequest& request, const Sweep& sweep);

}  // namespace hilo::cli
