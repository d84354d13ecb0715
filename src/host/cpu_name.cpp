#include "host/cpu_name.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "host/user_file.hpp"

namespace hilo::host {
namespace {

// The value in a line "name<tab>: value" of the text; ends in a line end where it is whole.
std::string_view value_in(std::string_view text, std::string_view name) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string_view line = text.substr(begin, end - begin);
    if (const std::size_t colon = line.find(':'); line.starts_with(name) && colon != line.npos) {
      const std::size_t first = line.find_first_not_of(" \t", colon + 1);
      return first == line.npos ? "" : line.substr(first);
    }
    begin = end;
  }
  return {};
}

// What `value` finds in the beginning of a file of unknown length, which is read as far as that is not whole. By no
// stream: those take want of memory for the end of the file.
template <class F>
std::string read(const char* file, F value) {
  constexpr std::size_t most = std::size_t{1} << 16;
  const Descriptor descriptor(file, O_RDONLY);
  std::string text;
  char part[4096];
  while (descriptor.is_open() && text.size() < most && !value(text).ends_with('\n')) {
    const ssize_t some = ::read(descriptor.number(), part, sizeof part);
    if (some <= 0) break;
    text.append(part, static_cast<std::size_t>(some));
  }
  return std::string(value(text));
}

}  // namespace

std::string cpu_name() {
  std::string name = read("/proc/cpuinfo", [](std::string_view text) { return value_in(text, "model name"); });
  if (name.empty()) {
    name = read("/sys/firmware/devicetree/base/model", [](std::string_view text) { return text; });
    name.resize(std::min(name.find('\0'), name.size()));
  }
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::iscntrl(c); }, ' ');
  name.resize(name.find_last_not_of(' ') + 1);
  return name;
}

}  // namespace hilo::host
