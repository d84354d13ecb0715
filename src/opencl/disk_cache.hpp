// Built programs on disk, one file each: a cache that can only help. Nothing here throws but for want of memory, and a
// file that is missing, cut short, altered, too long, of another version or another user's counts as absent.
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

/// Where the binary of that key is or would be.
std::optional<std::filesystem::path> binary_file(const std::string& key);

/// What stands before a binary in a file: format, key, size and fingerprint, a line each.
std::string entry_header(const std::string& key, std::string_view binary);

struct CacheEntry {
  std::string key;
  std::string_view binary;
};
/// The entry that a text begins with, which loses it; nothing where it begins with none that is whole and unaltered.
std::optional<CacheEntry> take_entry(std::string_view& text);

/// The binary stored under `key`, a fingerprint; empty where there is none to trust.
std::vector<unsigned char> load_binary(const std::string& key);

/// Written beside and renamed, so that a reader sees all of it or nothing. Makes the folder, for this user alone.
void store_binary(const std::string& key, const std::vector<unsigned char>& binary);

}  // namespace hilo::opencl
