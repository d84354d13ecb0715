#include "data/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace hilo::data {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

// The number that a file of the kernel holds; "max" is none.
std::int64_t limit_in(const fs::path& file) {
  std::int64_t bytes;
  return std::ifstream(file) >> bytes ? bytes : unlimited;
}

// The least limit of a control group and of those around it.
std::int64_t limit_of_group(const fs::path& root, fs::path group, const char* file) {
  std::int64_t least = limit_in(root / file);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
    least = std::min(least, limit_in(root / group / file));
  }
  return least;
}

// Lines are "0::/GROUP" in version 2, "NUMBER:memory:/GROUP" in version 1.
std::int64_t limit_of_groups() {
  std::int64_t least = unlimited;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, limit_of_group("/sys/fs/cgroup", group, "memory.max"));
    if (controllers == "memory") {
      least = std::min(least, limit_of_group("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
    }
  }
  return least;
}

std::int64_t address_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur > static_cast<rlim_t>(unlimited)) return unlimited;
  return static_cast<std::int64_t>(limit.rlim_cur);
}

std::int64_t resident_limit() {
  return std::min(std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE), limit_of_groups());
}

}  // namespace

std::int64_t free_bytes() {
  std::int64_t addresses = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> addresses >> resident;
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  return std::max(std::min(resident_limit() - resident * page, address_limit() - addresses * page), std::int64_t{0});
}

}  // namespace hilo::data
