#include "opencl/user_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace hilo::opencl {
namespace {

namespace fs = std::filesystem;

class Descriptor {
 public:
  explicit Descriptor(const fs::path& file) : number_(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

std::optional<fs::path> absolute_path_in(const char* variable) {
  const char* value = std::getenv(variable);
  if (!value || *value != '/') return std::nullopt;
  return fs::path(value);
}

bool is_own(const struct stat& file) { return file.st_uid == geteuid() || file.st_uid == 0; }

}  // namespace

std::optional<fs::path> user_folder(const char* xdg_variable, const char* under_home) {
  if (auto folder = absolute_path_in(xdg_variable)) return folder;
  if (auto home = absolute_path_in("HOME")) return *home / under_home;
  return std::nullopt;
}

std::optional<std::string> read_file(const fs::path& file, std::size_t most, Owner owner) {
  const Descriptor descriptor(file);
  struct stat found;
  if (descriptor.number() < 0 || fstat(descriptor.number(), &found) != 0 || !S_ISREG(found.st_mode)) {
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

}  // namespace hilo::opencl
