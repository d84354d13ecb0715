#include "data/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <hilo/error.hpp>
#include <new>
#include <optional>
#include <random>
#include <utility>

#include "data/memory.hpp"
#include "host/links.hpp"

namespace hilo::data {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void reject(const std::string& path, const std::string& what) {
  throw error(errc::io, path + ": " + what);
}

[[noreturn]] void refuse_memory(const std::string& path, std::size_t bytes) {
  throw error(errc::out_of_memory, path + ": cannot be read: no memory for " + std::to_string(bytes) + " bytes");
}

struct Closed {
  int descriptor;
  ~Closed() { close(descriptor); }
};

std::string reason() { return std::strerror(errno); }

fs::path folder_of(const std::string& path) {
  fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

// Where the bytes end up.
std::string target_of(const std::string& path) {
  const std::optional<fs::path> target = host::behind_links(path);
  if (!target) reject(path, "cannot be written: its symbolic links form a loop");
  return target->string();
}

// Of /dev/stdout, /dev/fd/3 and their like, which others write to as well: nobody may replace what is behind them.
std::optional<int> open_descriptor(const std::string& path) {
  const std::string own = "/proc/" + std::to_string(getpid()) + "/fd";
  std::optional<int> found;
  host::follow_links(path, [&](const fs::path& target) {
    std::error_code failure;
    const std::string name = target.filename();
    const bool is_number = !name.empty() && name.size() < 9 && name.find_first_not_of("0123456789") == name.npos;
    if (is_number && fs::canonical(folder_of(target), failure) == own) found = std::stoi(name);
    return found.has_value();
  });
  return found;
}

bool is_device_or_pipe(const std::string& path) {
  std::error_code failure;
  fs::file_status status = fs::status(path, failure);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// A name that nothing has yet, most likely.
std::string temporary_name(const std::string& target) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  std::random_device random;
  std::string name = ".hilo-";
  for (int i = 0; i < 6; ++i) name += letters[random() % letters.size()];
  return (folder_of(target) / name).string();
}

// Calls `make` with one name after another until it returns something else than −1 for "exists"; the name is the last.
template <class Make>
int with_temporary_name(const std::string& target, std::string& name, Make make) {
  int result;
  do {
    name = temporary_name(target);
    result = make(name.c_str());
  } while (result < 0 && errno == EEXIST);
  if (result < 0) name.clear();
  return result;
}

// What an open file without a name is linked by.
std::string link_to(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

int open_nameless(const std::string& target, mode_t mode) {
  int descriptor = open(folder_of(target).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  if (descriptor < 0 || access(link_to(descriptor).c_str(), F_OK) == 0) return descriptor;
  close(descriptor);
  return -1;
}

}  // namespace

std::string read_file(const std::string& path) {
  struct stat status;
  int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) reject(path, "cannot be opened: " + reason());
  const Closed closed{descriptor};
  if (fstat(descriptor, &status) != 0) reject(path, "cannot be read: " + reason());
  if (S_ISDIR(status.st_mode)) reject(path, "cannot be read: it is a folder");
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) reject(path, "cannot be read: it is a device");
  std::string bytes;
  std::size_t expected = S_ISREG(status.st_mode) ? std::size_t(status.st_size) : 0, used = 0;
  for (;;) {
    if (used == bytes.size()) {
      // One byte more than are expected tells that there are no others.
      const std::size_t next = used < expected ? expected + 1 : 2 * used + 65536;
      // The old bytes and the new ones are there at once.
      if (next > static_cast<std::size_t>(free_bytes())) refuse_memory(path, next);
      try {
        bytes.resize(next);
      } catch (const std::bad_alloc&) {
        refuse_memory(path, next);
      }
    }
    ssize_t got = read(descriptor, bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) reject(path, "cannot be read: " + reason());
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  bytes.resize(used);
  return bytes;
}

void check_target(const std::string& path) {
  if (path.empty()) reject("''", "cannot be written: the name is empty");
  if (const std::optional<int> descriptor = open_descriptor(path)) {
    const int flags = fcntl(*descriptor, F_GETFL);
    if (flags < 0) reject(path, "cannot be written: " + reason());
    if ((flags & O_ACCMODE) == O_RDONLY) reject(path, "cannot be written: it is open for reading alone");
    return;
  }
  std::string target = target_of(path);
  std::error_code failure;
  if (fs::is_directory(target, failure)) reject(path, "cannot be written: it is a folder");
  if (is_device_or_pipe(target)) {
    if (access(target.c_str(), W_OK) != 0) reject(path, "cannot be written: " + reason());
    return;
  }
  fs::path folder = folder_of(target);
  if (!fs::is_directory(folder, failure)) {
    reject(path, "cannot be written: there is no folder " + folder.string());
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    reject(path, "cannot be written: folder " + folder.string() + ": " + reason());
  }
  // It would be replaced, which its permissions do not forbid; nor do they forbid anything to root.
  struct stat status;
  if (stat(target.c_str(), &status) != 0) return;
  if (access(target.c_str(), W_OK) != 0 || (status.st_mode & 0222) == 0) {
    reject(path, "cannot be written: it is read-only");
  }
}

OutputFile::OutputFile(const std::string& path, Unfinished unfinished) : path_(path) {
  check_target(path);
  if (const std::optional<int> descriptor = open_descriptor(path)) {
    is_direct_ = true;
    descriptor_ = fcntl(*descriptor, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) fail("cannot be opened for writing");
    return;
  }
  target_ = target_of(path);
  if (is_device_or_pipe(target_)) {
    is_direct_ = true;
    descriptor_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("cannot be opened for writing");
    return;
  }
  struct stat status;
  if (stat(target_.c_str(), &status) == 0) replaced_permissions_ = status.st_mode & 07777;
  // No more than the file that is replaced, for those who look at it meanwhile; the umask takes its part.
  mode_t mode = replaced_permissions_.value_or(0666) & 0777;
  if (unfinished == Unfinished::nameless) descriptor_ = open_nameless(target_, mode);
  if (descriptor_ >= 0) return;
  wait_.emplace();
  descriptor_ = with_temporary_name(target_, temporary_, [mode](const char* name) {
    return open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
  });
  if (descriptor_ < 0) fail("cannot be written: a temporary file beside it cannot be made");
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
  if (!replaced_.empty()) unlink(replaced_.c_str());
}

void OutputFile::write(std::string_view bytes) {
  constexpr std::size_t piece = 1 << 20;  // a signal waits no longer than this takes
  while (!bytes.empty()) {
    if (wait_) check_signals();
    ssize_t put = ::write(descriptor_, bytes.data(), std::min(bytes.size(), piece));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail("cannot be written");
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

void OutputFile::check_signals() {
  if (!SignalsWait::has_come()) return;
  unlink(temporary_.c_str());
  temporary_.clear();
  wait_.reset();
  reject(path_, "not written: interrupted");
}

// All that makes a file but its name.
void OutputFile::complete() {
  if (replaced_permissions_ && fchmod(descriptor_, *replaced_permissions_) != 0)
    fail("cannot be given its permissions");
  if (fsync(descriptor_) != 0) fail("cannot be written");
}

void OutputFile::give_temporary_name() {
  wait_.emplace();
  const std::string nameless = link_to(descriptor_);
  int linked = with_temporary_name(target_, temporary_, [&nameless](const char* name) {
    return linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
  });
  if (linked < 0) fail("cannot be replaced");
}

void OutputFile::commit() {
  if (is_direct_) {
    int descriptor = std::exchange(descriptor_, -1);
    if (close(descriptor) != 0) fail("cannot be written");
    return;
  }
  complete();
  if (wait_) {
    check_signals();
  } else if (linkat(AT_FDCWD, link_to(descriptor_).c_str(), AT_FDCWD, target_.c_str(), AT_SYMLINK_FOLLOW) == 0) {
    return;
  } else if (errno != EEXIST) {
    fail("cannot be written");
  } else {
    give_temporary_name();
  }
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot be replaced");
  temporary_.clear();
  wait_.reset();
}

void OutputFile::commit_all(std::span<OutputFile* const> files) {
  const SignalsWait wait;
  for (OutputFile* file : files) {
    if (file->is_direct_) continue;
    file->complete();
    if (file->temporary_.empty()) file->give_temporary_name();
  }
  for (const OutputFile* file : files) {
    if (SignalsWait::has_come()) reject(file->path_, "not written: interrupted");
  }
  std::size_t published = 0;
  try {
    for (; published < files.size(); ++published) files[published]->publish();
  } catch (...) {
    while (published > 0) files[--published]->withdraw();
    throw;
  }
}

void OutputFile::publish() {
  if (is_direct_) return commit();
  // A second name keeps what is replaced. Where the file system gives none, withdraw() cannot bring it back.
  is_new_ =
      with_temporary_name(target_, replaced_, [this](const char* name) { return link(target_.c_str(), name); }) < 0 &&
      errno == ENOENT;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot be replaced");
  temporary_.clear();
}

void OutputFile::withdraw() {
  if (!replaced_.empty()) {
    if (rename(replaced_.c_str(), target_.c_str()) == 0) replaced_.clear();
  } else if (is_new_) {
    unlink(target_.c_str());
  }
}

void OutputFile::fail(const std::string& what) const { reject(path_, what + ": " + reason()); }

}  // namespace hilo::data
