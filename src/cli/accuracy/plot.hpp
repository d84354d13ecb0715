// The pictures of `hilo accuracy`.
#pragma once

#include "cli/accuracy/sweep.hpp"
#include "cli/plot.hpp"

namespace hilo::cli {

/// Of the picture, in gnuplot's enhanced text.
std::string title(const AccuracyRequest& request);

/// Errors of products, and dashed their bounds, against phi and against k; errors of factors and of solutions against
/// the condition: of those that have rows.
std::vector<Panel> panels(const AccuracyRequest& request, const Sweep& sweep);

}  // namespace hilo::cli
