// Built programs on disk, one file each: a cache that can only help. Nothing here throws, and a file that is
// missing, cut short, altered or of another version counts as absent.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hilo::opencl {

/// 32 hexadecimal digits.
std::string fingerprint(std::string_view text);

/// $HILO_CACHE_DIR, else $XDG_CACHE_HOME/hilo, else ~/.cache/hilo; nothing where HILO_CACHE_DIR is empty or
/// HILO_CACHE is 0.
std::optional<std::filesystem::path> cache_folder();

/// The binary stored under `key`, a fingerprint; empty where there is none to trust.
std::vector<unsigned char> load_binary(const std::string& key);

/// Written beside and renamed, so that a reader sees all of it or nothing.
void store_binary(const std::string& key, const std::vector<unsigned char>& binary);

}  // namespace hilo::opencl
