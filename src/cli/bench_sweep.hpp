// The speed of products over their sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/bench_request.hpp"
#include "cli/progress.hpp"
#include "cli/statistics.hpp"
#include "cli/timed_product.hpp"

namespace hilo::cli {

/// One case at one shape.
struct BenchRow {
  BenchCase what;
  GemmReport report;
  Times kernel, total;  ///< as Timing has them

  double operations() const;  ///< that count: 2mnk, 8mnk of complex numbers
};

struct BenchSize {
  Shape shape;
  std::vector<BenchRow> rows = {};
  std::optional<ReferenceSpeed> reference = {};
  bool is_done = false;
};

/// What is measured by now.
struct BenchFindings {
  std::set<std::string> units;    ///< what computes on the CPU, by the plans
  std::set<std::string> devices;  ///< the names of devices
  std::vector<BenchSize> sizes;
  std::vector<Shape> left_out;  ///< for want of time
};

/// Times products of generated matrices, each after a run to warm up, and the reference between them. `tell` has what
/// is measured after every product and every shape. Throws hilo::error before anything runs where matrices of some
/// shape do not fit host or device (out_of_memory), or an engine does not compute the product (unsupported); otherwise
/// as gemm and Reference do.
void bench(const BenchRequest& request, Progress& progress, const std::function<void(const BenchFindings&)>& tell);

}  // namespace hilo::cli
