#include "cli/machine.hpp"

#include <string_view>

#include "cli/text.hpp"

namespace hilo::cli {

std::string for_people(const std::string& unit) {
  constexpr std::string_view highway = "AVX3";
  const std::size_t at = unit.find(highway);
  return at == unit.npos ? unit : unit.substr(0, at) + "AVX-512" + unit.substr(at + highway.size());
}

std::string with_cpu(const std::string& unit) {
  const std::string name = cpu_name();
  return (name.empty() ? "" : name + ", ") + for_people(unit);
}

void print_run(std::ostream& out, const Run& run) {
  const std::string threads = count(run.threads, "thread", "threads");
  std::string backend = std::string(name(run.backend)) + ": " + run.device;
  if (run.backend == Backend::cpu) backend += (run.device.empty() ? "" : ", ") + threads;
  out << wrapped("backend    ", 11, backend);
  if (run.backend == Backend::opencl) {
    if (run.threads) out << "           computed on the host, " << threads << '\n';
    out << "kernel     " << digits(run.seconds_kernel) << (run.repeat > 0 ? " s\n" : " s, not warmed up (--repeat)\n");
  }
  out << "total      " << digits(run.seconds_total) << " s\n";
}

}  // namespace hilo::cli
