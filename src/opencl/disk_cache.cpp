#include "opencl/disk_cache.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>

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

std::string header(const std::string& key, std::string_view binary) {
  return std::string(magic) + key + '\n' + std::to_string(binary.size()) + '\n' + fingerprint(binary) + '\n';
}

}  // namespace

std::string fingerprint(std::string_view text) { return hexadecimal(hash(text, 0)) + hexadecimal(hash(text, 1)); }

std::optional<fs::path> cache_folder() {
  const char* enabled = std::getenv("HILO_CACHE");
  if (enabled && std::string_view(enabled) == "0") return std::nullopt;
  if (const char* folder = std::getenv("HILO_CACHE_DIR")) {
    if (!*folder) return std::nullopt;
    return fs::path(folder);
  }
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder && *folder) return fs::path(folder) / "hilo";
  if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".cache" / "hilo";
  return std::nullopt;
}

std::vector<unsigned char> load_binary(const std::string& key) try {
  auto folder = cache_folder();
  if (!folder) return {};
  std::ifstream file(*folder / (key + ".bin"), std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), {}};
  std::size_t start = 0;
  for (int line = 0; line < 4; ++line) {
    start = content.find('\n', start);
    if (start == std::string::npos) return {};
    ++start;
  }
  std::string_view binary = std::string_view(content).substr(start);
  if (binary.empty() || content.substr(0, start) != header(key, binary)) return {};
  return {binary.begin(), binary.end()};
} catch (...) {
  return {};
}

void store_binary(const std::string& key, const std::vector<unsigned char>& binary) try {
  static std::atomic<unsigned> serial{0};
  auto folder = cache_folder();
  if (!folder) return;
  std::error_code failure;
  fs::create_directories(*folder, failure);
  if (failure) return;
  fs::path temporary = *folder / (key + "." + std::to_string(getpid()) + "." + std::to_string(serial++) + ".tmp");
  {
    std::ofstream file(temporary, std::ios::binary);
    auto bytes = reinterpret_cast<const char*>(binary.data());
    file << header(key, {bytes, binary.size()});
    file.write(bytes, static_cast<std::streamsize>(binary.size()));
    file.close();
    if (!file) {
      fs::remove(temporary, failure);
      return;
    }
  }
  fs::rename(temporary, *folder / (key + ".bin"), failure);
  if (failure) fs::remove(temporary, failure);
} catch (...) {
}

}  // namespace hilo::opencl
