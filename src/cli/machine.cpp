#include "cli/machine.hpp"

#include <fstream>
#include <string_view>

#include "cli/text.hpp"

namespace hilo::cli {
namespace {

// "name<tab>: value".
std::string value_in(const char* file, std::string_view name) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with(name) || colon == line.npos) continue;
    const std::size_t first = line.find_first_not_of(" \t", colon + 1);
    return first == line.npos ? "" : in_one_line(line.substr(first));
  }
  return {};
}

}  // namespace

std::string cpu_name() {
  std::string name = value_in("/proc/cpuinfo", "model name");
  if (name.empty()) std::getline(std::ifstream("/sys/firmware/devicetree/base/model"), name, '\0');
  return in_one_line(name);
}

std::string for_people(const std::string& unit) {
  constexpr std::string_view highway = "AVX3";
  const std::size_t at = unit.find(highway);
  return at == unit.npos ? unit : unit.substr(0, at) + "AVX-512" + unit.substr(at + highway.size());
}

std::string with_cpu(const std::string& unit) {
  const std::string name = cpu_name();
  return (name.empty() ? "" : name + ", ") + for_people(unit);
}

}  // namespace hilo::cli
