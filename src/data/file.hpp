// Whole files: read at once, and written whole or not at all.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "data/signals_wait.hpp"

namespace hilo::data {

/// The bytes of a file. Throws hilo::error that names it and says why: io; out_of_memory where it does not end before
/// the memory does.
std::string read_file(const std::string& path);

/// Throws hilo::error (io) where a file at path could not be written. Changes nothing.
void check_target(const std::string& path);

/// What a file is called until it is complete.
enum class Unfinished : unsigned char {
  nameless,  ///< nothing, where the file system can; else as below
  named      ///< .hilo-XXXXXX beside it; signals that end the process wait until this name is gone
};

/// A file that appears under its name, complete, at commit(), with the permissions of the file that it replaces; what
/// is written before is gone where commit() is not reached, however the process ends (except by SIGKILL, where it has a
/// name). Devices, pipes and what is open already (/dev/stdout, /dev/fd/3) are written to directly. Throws hilo::error
/// (io).
class OutputFile {
 public:
  explicit OutputFile(const std::string& path, Unfinished unfinished = Unfinished::nameless);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  void commit();

  /// Commits several: where one cannot be, none is, and what they would have replaced is there again. A signal that
  /// ends the process waits until all have their names and the files are gone. Devices and pipes have what was written.
  static void commit_all(std::span<OutputFile* const> files);

  /// As it was given.
  const std::string& path() const { return path_; }
  /// What others may write to meanwhile, where the file is Unfinished::named; empty of devices and pipes.
  const std::string& temporary() const { return temporary_; }

 private:
  [[noreturn]] void fail(const std::string& what) const;
  void check_signals();
  void complete();
  void give_temporary_name();
  void publish();
  void withdraw();

  std::string path_, target_;
  std::optional<mode_t> replaced_permissions_;
  std::optional<SignalsWait> wait_;  // while there is a temporary name
  std::string temporary_;
  std::string replaced_;  // what commit_all replaces, until all have their names
  bool is_new_ = false;   // whether that is nothing
  bool is_direct_ = false;
  int descriptor_ = -1;
};

}  // namespace hilo::data
