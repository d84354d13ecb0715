// What `hilo gemm` prints.
#pragma once

#include <hilo/gemm.hpp>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/gemm/time_breakdown.hpp"

namespace hilo::cli {

struct Verification {
  std::optional<bool> verified;  ///< empty where the plan gives no bound to hold the errors against
  std::int64_t entries_checked, non_finite_mismatches;
  double max_error_u2;
  std::optional<std::int64_t> mismatches;  ///< entries that are not the exact product rounded once, with `exact`
};

struct GemmResult {
  GemmReport report;
  double seconds_kernel, seconds_total;
  std::optional<Verification> verification;
  std::string written;                          ///< the output's name; empty where there is none
  std::string accuracy;                         ///< as --accuracy takes it
  std::string build_options = {}, loaded = {};  ///< of kernels on a device; the file that they are from
  int repeat = 1, warmup = 1;                   ///< timed runs, and those before them
  std::optional<TimeBreakdown> timing = {};
  std::vector<StreamReport> streams = {};  ///< the way of each device, where a product went in panels
  bool leads_with_total = false;           ///< whether the rate with transfers is the one that counts, not the kernel's
};

/// 2mnk operations, 8mnk in complex precisions, in 10^9 a second; 0 where no time has passed.
double gflops(const GemmPlan& plan, double seconds);

/// A table for a person.
void print_table(std::ostream& out, const GemmResult& result);

/// One JSON object with fixed keys; what was not asked for, and an error that is not finite, is null.
void print_json(std::ostream& out, const GemmResult& result);

}  // namespace hilo::cli
