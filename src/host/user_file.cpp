#include "host/user_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace hilo::host {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> absolute_path_in(const char* variable) {
  const char* value = std::getenv(variable);
  if (!value || *value != '/') return std::nullopt;
  return fs::path(value);
}

bool is_own(const struct stat& file) { return file.st_uid == geteuid() || file.st_uid == 0; }

}  // namespace

Descriptor::Descriptor(const fs::path& file, int flags, mode_t mode)
    : number_(open(file.c_str(), flags | O_NONBLOCK | O_CLOEXEC, mode)) {}

bool Descriptor::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t some = ::write(number_, bytes.data(), bytes.size());
    if (some < 0 && errno != EINTR) return false;
    if (some > 0) bytes.remove_prefix(static_cast<std::size_t>(some));
  }
  return true;
}

bool Descriptor::close() {
  const int number = std::exchange(number_, -1);
  return number >= 0 && ::close(number) == 0;
}

std::optional<fs::path> user_folder(const char* xdg_variable, const char* under_home) {
  if (auto folder = absolute_path_in(xdg_variable)) return folder;
  if (auto home = absolute_path_in("HOME")) return *home / under_home;
  return std::nullopt;
}

std::optional<std::string> read_file(const fs::path& file, Owner owner, std::size_t most) {
  const Descriptor descriptor(file, O_RDONLY);
  struct stat found;
  if (!descriptor.is_open() || fstat(descriptor.number(), &found) != 0 || !S_ISREG(found.st_mode)) {
    return std::nullopt;
  }
  if (owner == Owner::user && !is_own(found)) return std::nullopt;
  const auto size = static_cast<std::size_t>(found.st_size);
  if (size > most) return std::nullopt;
  std::string text(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t some = read(descriptor.number(), text.data() + done, size - done);
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) return std::nullopt;
    if (some == 0) break;
    done += static_cast<std::size_t>(some);
  }
  text.resize(done);
  return text;
}

bool is_own_folder(const fs::path& folder) {
  struct stat found;
  return stat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && is_own(found);
}

}  // namespace hilo::host
