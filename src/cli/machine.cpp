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

void print_run(std::ostream& out, int threads, double seconds) {
  out << "backend    cpu: " << cpu_name() << (cpu_name().empty() ? "" : ", ") << count(threads, "thread", "threads")
      << "\ntotal      " << digits(seconds) << " s\n";
}

}  // namespace hilo::cli
