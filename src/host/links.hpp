// What symbolic links lead to, whether it is there yet or not.
#pragma once

#include <filesystem>
#include <optional>
#include <system_error>

namespace hilo::host {

/// Calls visit(path) for what symbolic links lead to, one after the other, until it gives true; the last of them.
template <class Visit>
std::filesystem::path follow_links(const std::filesystem::path& path, Visit visit) {
  constexpr int longest_chain = 40;
  std::error_code failure;
  std::filesystem::path target = path;
  for (int i = 0; i < longest_chain && !visit(target) && std::filesystem::is_symlink(target, failure); ++i) {
    std::filesystem::path next = std::filesystem::read_symlink(target, failure);
    if (failure) return path;
    target = target.parent_path() / next;
  }
  return target;
}

/// Where the bytes of a file end up, so that replacing it leaves the links to it alone; nothing where they form a loop.
inline std::optional<std::filesystem::path> behind_links(const std::filesystem::path& path) {
  std::error_code failure;
  std::filesystem::path target = follow_links(path, [](const std::filesystem::path&) { return false; });
  if (std::filesystem::is_symlink(target, failure)) return std::nullopt;
  return target;
}

}  // namespace hilo::host
