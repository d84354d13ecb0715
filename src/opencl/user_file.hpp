// Files of the user: which folder they are in, and their text where they are what they should be.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace hilo::opencl {

/// The folder that an XDG variable names, else `under_home` in $HOME. A path that is not absolute counts as none, as
/// the XDG Base Directory Specification has it.
std::optional<std::filesystem::path> user_folder(const char* xdg_variable, const char* under_home);

/// Whose file may be read.
enum class Owner : bool {
  any,
  user  ///< this one, or root
};

/// The file's bytes; nothing where it is no regular file, cannot be read, is longer than `most` or another's. Never
/// waits, for instance for who writes to a pipe.
std::optional<std::string> read_file(const std::filesystem::path& file, std::size_t most, Owner owner = Owner::any);

/// Whether it is a folder of this user or of root.
bool is_own_folder(const std::filesystem::path& folder);

}  // namespace hilo::opencl
