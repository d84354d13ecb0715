// Built programs in one file, for a run that compiles nothing: entries of the disk cache behind a header that says what
// they are for.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hilo {
struct DeviceInfo;
}

namespace hilo::opencl {

/// What programs are built for; all of it decides what they are, but `purpose`.
struct ArchiveHeader {
  std::string version;  ///< hilo's
  std::string kernels;  ///< a fingerprint of their texts
  std::string device, vendor, opencl, driver, compute_units;
  std::string build_options;  ///< the user's
  std::string purpose;        ///< what needs the programs, for people
};

/// That of this library, its kernels as they are now, and a device.
ArchiveHeader archive_header(const DeviceInfo& device, const std::string& build_options, const std::string& purpose);

/// Programs by their key, as the disk cache has them. Thread-safe.
class ProgramArchive {
 public:
  ProgramArchive() = default;
  /// Of a file's bytes; `path` is its name, for messages. Throws parse where they are not all that text() gave.
  ProgramArchive(std::string_view bytes, std::string path);

  const ArchiveHeader& header() const { return header_; }
  const std::string& path() const { return path_; }
  std::size_t size() const;
  void put(const std::string& key, const std::vector<unsigned char>& program);
  std::optional<std::vector<unsigned char>> find(const std::string& key) const;

  /// A file's bytes.
  std::string text(const ArchiveHeader& header) const;

 private:
  ArchiveHeader header_;
  std::string path_;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<unsigned char>> programs_;
};

/// Throws invalid_argument, naming the first fact that differs, where the archive is not for what `here` says.
void check_archive(const ProgramArchive& archive, const ArchiveHeader& here);

}  // namespace hilo::opencl
