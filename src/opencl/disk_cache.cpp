#include "opencl/disk_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "host/user_file.hpp"

namespace hilo::opencl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "hilo program 1\n";  // the format's version

// FNV-1a, then MurmurHash3's finaliser.
std::uint64_t hash(std::string_view text, std::uint64_t seed) {
  std::uint64_t h = 0xcbf29ce484222325u ^ seed;
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
  return h ^ (h >> 33);
}

std::string hexadecimal(std::uint64_t x) {
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; x >>= 4) digits[i] = "0123456789abcdef"[x & 15];
  return digits;
}

// And what leads to it, for this user alone.
void make_folder(const fs::path& folder) {
  if (mkdir(folder.c_str(), 0700) == 0 || errno != ENOENT || folder == folder.parent_path()) return;
  make_folder(folder.parent_path());
  mkdir(folder.c_str(), 0700);
}

bool write_new(const fs::path& file, std::string_view first, std::string_view second) {
  host::Descriptor out(file, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!out.is_open()) return false;
  const bool is_written = out.write(first) && out.write(second);
  if (out.close() && is_written) return true;
  unlink(file.c_str());
  return false;
}

}  // namespace

std::string fingerprint(std::string_view text) { return hexadecimal(hash(text, 0)) + hexadecimal(hash(text, 1)); }

std::string entry_header(const std::string& key, std::string_view binary) {
  return std::string(magic) + key + '\n' + std::to_string(binary.size()) + '\n' + fingerprint(binary) + '\n';
}

std::optional<CacheEntry> take_entry(std::string_view& text) {
  if (!text.starts_with(magic)) return std::nullopt;
  std::string_view rest = text.substr(magic.size());
  std::array<std::string_view, 3> lines;  // key, size, fingerprint
  for (std::string_view& line : lines) {
    const std::size_t end = rest.find('\n');
    if (end == rest.npos) return std::nullopt;
    line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
  }
  std::size_t size = 0;
  const char* last = lines[1].data() + lines[1].size();
  const auto [end, status] = std::from_chars(lines[1].data(), last, size);
  if (status != std::errc() || end != last || size == 0 || size > rest.size()) return std::nullopt;
  const std::string key(lines[0]);
  const std::string_view binary = rest.substr(0, size);
  const std::size_t header_size = text.size() - rest.size();
  if (text.substr(0, header_size) != entry_header(key, binary)) return std::nullopt;
  text.remove_prefix(header_size + size);
  return CacheEntry{key, binary};
}

std::optional<fs::path> cache_folder() {
  const char* enabled = std::getenv("HILO_CACHE");
  if (enabled && std::string_view(enabled) == "0") return std::nullopt;
  if (const char* folder = std::getenv("HILO_CACHE_DIR")) {
    if (!*folder) return std::nullopt;
    return fs::path(folder);
  }
  auto folder = host::user_folder("XDG_CACHE_HOME", ".cache");
  if (folder) *folder /= "hilo";
  return folder;
}

std::optional<fs::path> binary_file(const std::string& key) {
  auto file = cache_folder();
  if (file) *file /= key + ".bin";
  return file;
}

std::vector<unsigned char> load_binary(const std::string& key) try {
  const auto file = binary_file(key);
  if (!file || !host::is_own_folder(file->parent_path())) return {};
  const std::string content = host::read_file(*file, host::Owner::user).value_or("");
  std::string_view rest = content;
  const auto entry = take_entry(rest);
  if (!entry || entry->key != key || !rest.empty()) return {};
  return {entry->binary.begin(), entry->binary.end()};
} catch (...) {
  return {};
}

void store_binary(const std::string& key, const std::vector<unsigned char>& binary) try {
  static std::atomic<unsigned> serial{0};
  const auto file = binary_file(key);
  const std::string_view bytes(reinterpret_cast<const char*>(binary.data()), binary.size());
  const std::string first = entry_header(key, bytes);
  if (!file || first.size() + bytes.size() > host::most_file_bytes) return;
  make_folder(file->parent_path());
  if (!host::is_own_folder(file->parent_path())) return;
  fs::path temporary = *file;
  temporary.replace_extension("." + std::to_string(getpid()) + "." + std::to_string(serial++) + ".tmp");
  if (!write_new(temporary, first, bytes)) return;
  std::error_code failure;
  fs::rename(temporary, *file, failure);
  if (failure) fs::remove(temporary, failure);
} catch (...) {
}

}  // namespace hilo::opencl
