#include "opencl/late_bound.hpp"

#include <algorithm>
#include <hilo/error.hpp>

namespace hilo::opencl {
namespace {

constexpr std::string_view mark = "//@", target = ".target sm_90";

[[noreturn]] void refuse(const std::string& why) {
  throw error(errc::build_failure, "instructions cannot be bound late: " + why);
}

bool is_text(std::string_view ptx) { return ptx.find('\0') == ptx.npos && ptx.find(".version") != ptx.npos; }

std::string_view line_at(std::string_view text, std::size_t at) { return text.substr(at, text.find('\n', at) - at); }

bool begins_with_name(std::string_view line, std::string_view name) {
  return line.starts_with(name) && line.size() > name.size() && (line[name.size()] == '.' || line[name.size()] == ' ');
}

// Where the target ends, after which an architecture's suffix would stand.
std::size_t end_of_target(std::string_view ptx) {
  const std::size_t at = ptx.find(target);
  if (at == ptx.npos) {
    const std::size_t other = ptx.find(".target");
    refuse("the driver's PTX is not for sm_90" +
           (other == ptx.npos ? std::string() : " but has \"" + std::string(line_at(ptx, other).substr(0, 40)) + '"'));
  }
  const std::size_t end = at + target.size();
  constexpr std::string_view ends = "\n\r\t ,a";
  if (end < ptx.size() && ends.find(ptx[end]) == ends.npos) {
    refuse("the driver's PTX is not for sm_90 but has \"" + std::string(line_at(ptx, at).substr(0, 40)) + '"');
  }
  return end;
}

}  // namespace

std::string bind_late(std::string_view ptx, const std::vector<std::string>& instructions) {
  // Drivers end the text with a zero.
  while (!ptx.empty() && ptx.back() == '\0') ptx.remove_suffix(1);
  if (ptx.empty()) refuse("the driver gives no program text");
  if (!is_text(ptx)) refuse("the driver's program is no PTX text");
  const std::size_t end = end_of_target(ptx);
  for (const std::string& name : instructions) {
    bool found = false;
    for (std::size_t at = ptx.find(mark); at != ptx.npos; at = ptx.find(mark, at + 1)) {
      found = found || begins_with_name(ptx.substr(at + mark.size()), name);
    }
    if (!found) refuse("the driver's PTX holds no " + std::string(mark) + name);
  }
  std::string bound(ptx.substr(0, end));
  if (end == ptx.size() || ptx[end] != 'a') bound += 'a';
  for (std::size_t from = end; from < ptx.size();) {
    const std::size_t at = ptx.find(mark, from);
    bound += ptx.substr(from, at == ptx.npos ? ptx.npos : at - from);
    from = at == ptx.npos ? ptx.size() : at + mark.size();
    if (at != ptx.npos && line_at(ptx, from).find(';') == ptx.npos) {
      refuse("\"" + std::string(line_at(ptx, at).substr(0, 60)) + "\" does not end within its line");
    }
  }
  return bound;
}

std::string with_groups_per_unit(std::string_view ptx, int groups) {
  constexpr std::string_view size_of_group = "\n.reqntid";
  while (!ptx.empty() && ptx.back() == '\0') ptx.remove_suffix(1);
  if (!is_text(ptx)) return {};
  std::string bound;
  std::size_t from = 0;
  for (std::size_t at = ptx.find(size_of_group); at != ptx.npos; at = ptx.find(size_of_group, from)) {
    const std::size_t end = std::min(ptx.find('\n', at + 1), ptx.size());
    bound += ptx.substr(from, end - from);
    bound += "\n.minnctapersm " + std::to_string(groups);
    from = end;
  }
  if (from == 0) return {};
  return bound + std::string(ptx.substr(from));
}

}  // namespace hilo::opencl
