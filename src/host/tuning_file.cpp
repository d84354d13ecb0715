#include "host/tuning_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <hilo/error.hpp>

#include "host/links.hpp"
#include "host/user_file.hpp"

namespace hilo::host {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& doing) {
  throw error(errc::io, "tuning file " + file.string() + ": " + doing + ": " + std::strerror(errno));
}

class Output {
 public:
  Output(const fs::path& file, int flags, mode_t mode = 0666) : file_(file), descriptor_(file, flags, mode) {
    if (!descriptor_.is_open()) fail(file, "cannot be opened for writing");
  }

  /// Until this is destroyed.
  void lock() const {
    while (flock(descriptor_.number(), LOCK_EX) != 0) {
      if (errno != EINTR) fail(file_, "cannot be locked");
    }
  }
  void write(const std::string& text) const {
    if (!descriptor_.write(text)) fail(file_, "cannot be written");
  }
  void permit(mode_t mode) const {
    if (fchmod(descriptor_.number(), mode) != 0) fail(file_, "cannot be given its permissions");
  }
  void sync() const {
    if (fsync(descriptor_.number()) != 0) fail(file_, "cannot be written");
  }

 private:
  fs::path file_;
  host::Descriptor descriptor_;
};

void make_folder_of(const fs::path& file) {
  std::error_code failure;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), failure);
  if (failure) throw error(errc::io, "tuning file " + file.string() + ": its folder: " + failure.message());
}

// The lock is a file of its own, as the other one is replaced.
fs::path beside(fs::path file, const char* ending) { return file += ending; }

}  // namespace

std::optional<fs::path> tuning_file() {
  if (const char* file = std::getenv("HILO_TUNING")) {
    if (!*file) return std::nullopt;
    return fs::path(file);
  }
  auto folder = host::user_folder("XDG_CONFIG_HOME", ".config");
  if (folder) *folder = *folder / "hilo" / "tuning.json";
  return folder;
}

std::optional<std::string> read_text(const fs::path& file) { return host::read_file(file); }

void rewrite(const fs::path& file, const std::function<std::string(const std::string&)>& edit) {
  const auto refuse = [&](const char* what) { throw error(errc::io, "tuning file " + file.string() + ": " + what); };
  const std::optional<fs::path> behind = behind_links(file);
  if (!behind) refuse("its symbolic links form a loop");
  const fs::path& target = *behind;
  constexpr const char* unreadable = "is no file that can be read and replaced";
  std::error_code failure;
  // Before there is a lock beside it, which has no place among devices.
  if (fs::exists(target, failure) && !fs::is_regular_file(target, failure)) refuse(unreadable);
  make_folder_of(target);
  Output lock(beside(target, ".lock"), O_RDWR | O_CREAT);
  lock.lock();
  std::optional<std::string> old = read_text(target);
  if (!old && fs::exists(target, failure)) refuse(unreadable);
  const std::string text = edit(old.value_or(""));
  const fs::path temporary = beside(target, ".tmp");  // one writer at a time
  struct stat status;
  const bool is_there = stat(target.c_str(), &status) == 0;
  unlink(temporary.c_str());  // of a process that ended meanwhile, with permissions of its own
  {
    // No more for others than the file that is replaced, also meanwhile.
    Output out(temporary, O_WRONLY | O_CREAT | O_TRUNC, is_there ? status.st_mode & 0777 : 0666);
    out.write(text);
    if (is_there) out.permit(status.st_mode & 07777);
    out.sync();
  }
  if (std::rename(temporary.c_str(), target.c_str()) != 0) fail(file, "cannot be replaced");
}

void append_line(const fs::path& file, const std::string& line) {
  make_folder_of(file);
  Output out(file, O_WRONLY | O_CREAT | O_APPEND);
  out.lock();
  out.write(line + '\n');
}

}  // namespace hilo::host
