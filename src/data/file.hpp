// Whole files: read at once, and written whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace hilo::data {

/// The bytes of a file. Throws hilo::error (io) that names it and says why.
std::string read_file(const std::string& path);

/// Throws hilo::error (io) where a file at path could not be written. Changes nothing.
void check_target(const std::string& path);

/// A file that appears under its name, complete, at commit(): until then it is a temporary file beside it, which the
/// destructor removes. Devices and pipes are written to directly. Throws hilo::error (io).
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_, target_, temporary_;
  int descriptor_ = -1;
};

}  // namespace hilo::data
