// What `hilo accuracy` prints for a program.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/accuracy/sweep.hpp"

namespace hilo::cli {

/// One JSON object with fixed keys; null for what does not apply, and for an error that is not finite.
void print_json(std::ostream& out, const AccuracyRequest& request, const Sweep& sweep, const std::string& plot);

}  // namespace hilo::cli
