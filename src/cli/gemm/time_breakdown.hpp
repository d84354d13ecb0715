// What `hilo gemm --timing` prints besides.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "cli/device_time.hpp"

namespace hilo::cli {

struct TimeBreakdown {
  double seconds_operands = 0.0;      ///< to read or generate A, B and C
  std::optional<DeviceTime> device;   ///< empty on the CPU
  std::vector<double> kernel, total;  ///< each timed run
};

/// Lines of a table.
void print_breakdown(std::ostream& out, const TimeBreakdown& time);

/// An object with fixed keys; what there is on devices alone is null on the CPU.
nlohmann::ordered_json breakdown_object(const TimeBreakdown& time);

}  // namespace hilo::cli
