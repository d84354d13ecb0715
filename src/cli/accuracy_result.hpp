// What `hilo accuracy` prints and draws.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/accuracy_sweep.hpp"
#include "cli/plot.hpp"

namespace hilo::cli {

/// A table for a person. `plot` is the picture's name; empty where there is none.
void print_table(std::ostream& out, const SweepRequest& request, const Sweep& sweep, const std::string& plot);

/// One JSON object with fixed keys; null for what does not apply, and for an error that is not finite.
void print_json(std::ostream& out, const SweepRequest& request, const Sweep& sweep, const std::string& plot);

/// Of the picture, in gnuplot's enhanced text.
std::string title(const SweepRequest& request);

/// Errors, and dashed the bounds, against phi and against k.
std::vector<Panel> panels(const SweepRequest& request, const Sweep& sweep);

}  // namespace hilo::cli
