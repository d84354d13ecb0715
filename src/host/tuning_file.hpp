// The user's tuning files: found, read, and written by several processes at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hilo::host {

/// $HILO_TUNING, else $XDG_CONFIG_HOME/hilo/tuning.json, else ~/.config/hilo/tuning.json; nothing where HILO_TUNING is
/// empty. The latter two only where they are absolute.
std::optional<std::filesystem::path> tuning_file();

/// The file's text; nothing where there is none, it cannot be read, or is no regular file of at most 64 MiB.
std::optional<std::string> read_text(const std::filesystem::path& file);

/// The file's text becomes edit(its text), alone: other writers wait. The file is there as it was or as it shall be at
/// any time, with its permissions, and behind the symbolic links that lead to it. Makes its folder. Throws io, and what
/// edit throws, with the file as it was.
void rewrite(const std::filesystem::path& file, const std::function<std::string(const std::string&)>& edit);

/// A line more, whole also where others append. Throws io.
void append_line(const std::filesystem::path& file, const std::string& line);

}  // namespace hilo::host
