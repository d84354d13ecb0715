// Files of the user: which folder they are in, their text where they are what they should be, and writing them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace hilo::host {

/// The folder that an XDG variable names, else `under_home` in $HOME. A path that is not absolute counts as none, as
/// the XDG Base Directory Specification has it.
std::optional<std::filesystem::path> user_folder(const char* xdg_variable, const char* under_home);

/// Longer ones are not read.
inline constexpr std::size_t most_file_bytes = std::size_t{64} << 20;

/// An open file, closed with this. Opening never waits, for instance for who writes to a pipe. errno says what failed.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& file, int flags, mode_t mode = 0);
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  /// Whether all of it is written.
  bool write(std::string_view bytes) const;
  bool close();

 private:
  int number_;
};

/// Whose file may be read.
enum class Owner : bool {
  any,
  user  ///< this one, or root
};

/// The file's bytes; nothing where it is no regular file, cannot be read, is longer than `most` or another's.
std::optional<std::string> read_file(const std::filesystem::path& file, Owner owner = Owner::any,
                                     std::size_t most = most_file_bytes);

/// Whether it is a folder of this user or of root.
bool is_own_folder(const std::filesystem::path& folder);

}  // namespace hilo::host
