#include "data/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <hilo/error.hpp>

namespace hilo::data {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void reject(const std::string& path, const std::string& what) {
  throw error(errc::io, path + ": " + what);
}

std::string reason() { return std::strerror(errno); }

// Where the bytes end up: behind symbolic links, so that replacing the file leaves the links alone.
// A link may point to what is not there yet.
std::string behind_links(const std::string& path) {
  constexpr int longest_chain = 40;
  std::error_code failure;
  fs::path target = path;
  for (int i = 0; i < longest_chain && fs::is_symlink(target, failure); ++i) {
    fs::path next = fs::read_symlink(target, failure);
    if (failure) return path;
    target = target.parent_path() / next;
  }
  return target.string();
}

bool is_device_or_pipe(const std::string& path) {
  std::error_code failure;
  fs::file_status status = fs::status(path, failure);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

fs::path folder_of(const std::string& path) {
  fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

// The permissions a new file gets, or those of the file that is replaced.
mode_t permissions(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0) return status.st_mode & 07777;
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

std::string read_file(const std::string& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) reject(path, "cannot be read: it is a folder");
  int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) reject(path, "cannot be opened: " + reason());
  std::string bytes;
  struct stat status;
  std::size_t expected = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) ? std::size_t(status.st_size) : 0;
  std::size_t used = 0;
  for (;;) {
    bytes.resize(used < expected ? expected + 1 : 2 * used + 65536);
    ssize_t got = read(descriptor, bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      std::string why = reason();
      close(descriptor);
      reject(path, "cannot be read: " + why);
    }
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  close(descriptor);
  bytes.resize(used);
  return bytes;
}

void check_target(const std::string& path) {
  std::string target = behind_links(path);
  std::error_code failure;
  if (path.empty()) reject("''", "cannot be written: the name is empty");
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
}

OutputFile::OutputFile(const std::string& path) : path_(path), target_(behind_links(path)) {
  check_target(path);
  if (is_device_or_pipe(target_)) {
    descriptor_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("cannot be opened for writing");
    return;
  }
  temporary_ = (folder_of(target_) / ".hilo-XXXXXX").string();
  descriptor_ = mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail("cannot be written: a temporary file beside it cannot be made");
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail("cannot be written");
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

void OutputFile::commit() {
  int descriptor = descriptor_;
  if (!temporary_.empty()) {
    if (fchmod(descriptor, permissions(target_)) != 0) fail("cannot be given its permissions");
    if (fsync(descriptor) != 0) fail("cannot be written");
  }
  descriptor_ = -1;
  if (close(descriptor) != 0) fail("cannot be written");
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot be replaced");
  temporary_.clear();
}

void OutputFile::fail(const std::string& what) const { reject(path_, what + ": " + reason()); }

}  // namespace hilo::data
