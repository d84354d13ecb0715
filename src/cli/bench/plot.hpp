// What `hilo bench` draws.
#pragma once

#include <string>

#include "cli/bench/result.hpp"
#include "cli/plot.hpp"

namespace hilo::cli {

/// What `draw` takes; of at least one product.
std::string title(const BenchResult& result);
Panel panel(const BenchResult& result);

}  // namespace hilo::cli
