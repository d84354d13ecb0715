// The speed of routines over their sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/bench/ceiling.hpp"
#include "cli/bench/request.hpp"
#include "cli/progress.hpp"
#include "cli/statistics.hpp"

namespace hilo::cli {

/// One case at one shape.
struct BenchRow {
  BenchCase what;
  std::string device = {};                  ///< a plan's unit of products of these sizes
  int threads = 0;                          ///< of the CPU; 0 on a device
  std::optional<GemmReport> report = {};    ///< of gemm
  Times kernel = {}, total = {};            ///< with the matrices in place, and with copies to a device and back
  std::optional<double> max_error_u2 = {};  ///< of gemm, as Verification has it
  std::optional<Ceiling> ceiling = {};
  std::optional<double> residual_ratio = {};  ///< of other routines, as Problem has it
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

/// Times routines on generated matrices, each after a run to warm up, and the reference between them. `tell` has what
/// is measured after every product and every shape. Throws hilo::error before anything runs where matrices of some
/// shape do not fit host or device (out_of_memory), or an engine does not compute the product (unsupported); otherwise
/// as the routines and Reference do.
void bench(const BenchRequest& request, Progress& progress, const std::function<void(const BenchFindings&)>& tell);

}  // namespace hilo::cli
