#include "cli/gemm/time_breakdown.hpp"

#include <algorithm>
#include <ostream>

#include "cli/json.hpp"
#include "cli/text.hpp"

namespace hilo::cli {
namespace {

using nlohmann::ordered_json;

std::string label(const std::string& name) {
  return "  " + name + std::string(9 - std::min<std::size_t>(9, name.size()), ' ');
}

std::string transfer(std::int64_t bytes, double seconds) {
  const double rate = seconds > 0.0 ? 1e-9 * static_cast<double>(bytes) / seconds : 0.0;
  return digits(seconds) + " s, " + std::to_string(bytes) + " bytes, " + digits(rate) + " GB/s\n";
}

void print_kernels(std::ostream& out, const DeviceTime& time) {
  std::vector<Line> lines;
  for (const KernelTime& k : time.kernels) {
    lines.push_back({label("") + k.kernel, digits(k.seconds) + " s", count(k.launches, "launch", "launches")});
  }
  lines.push_back({label("") + "between them", digits(time.seconds_other) + " s", ""});
  print_lines(out, lines, [](std::size_t column) { return column != 1; });
}

void print_runs(std::ostream& out, const char* name, const std::vector<double>& seconds) {
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  out << label(name) << digits(*least) << " s at best, " << digits(*most) << " at worst, of "
      << count(std::ssize(seconds), "run", "runs") << '\n';
}

}  // namespace

void print_breakdown(std::ostream& out, const TimeBreakdown& time) {
  out << "timing\n" << label("operands") << digits(time.seconds_operands) << " s, read or generated\n";
  if (const auto& device = time.device) {
    const ProgramTally& programs = device->programs;
    out << label("programs") << digits(programs.seconds) << " s: " << programs.built << " compiled, "
        << programs.from_disk << " from disk, " << programs.loaded << " loaded\n";
    out << label("in") << transfer(device->bytes_in, device->seconds_in);
    out << label("kernels") << "of one run\n";
    print_kernels(out, *device);
    out << label("out") << transfer(device->bytes_out, device->seconds_out);
    print_runs(out, "kernel", time.kernel);
  }
  print_runs(out, "total", time.total);
}

ordered_json breakdown_object(const TimeBreakdown& time) {
  ordered_json j;
  j["seconds_operands"] = time.seconds_operands;
  add_nulls(j, {"programs", "bytes_in", "seconds_in", "kernels", "seconds_other", "bytes_out", "seconds_out"});
  if (const auto& device = time.device) {
    const ProgramTally& programs = device->programs;
    j["programs"] = {{"built", programs.built},
                     {"from_disk", programs.from_disk},
                     {"loaded", programs.loaded},
                     {"seconds", programs.seconds}};
    j["bytes_in"] = device->bytes_in;
    j["seconds_in"] = device->seconds_in;
    j["kernels"] = ordered_json::array();
    for (const KernelTime& k : device->kernels) {
      j["kernels"].push_back({{"kernel", k.kernel}, {"launches", k.launches}, {"seconds", k.seconds}});
    }
    j["seconds_other"] = device->seconds_other;
    j["bytes_out"] = device->bytes_out;
    j["seconds_out"] = device->seconds_out;
  }
  j["runs_kernel"] = time.kernel;
  j["runs_total"] = time.total;
  return j;
}

}  // namespace hilo::cli
