// The matrix files that a command writes, all or none, and what it says in the end.
#pragma once

#include <initializer_list>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/progress.hpp"
#include "data/file.hpp"
#include "data/matrix.hpp"

namespace hilo::cli {

/// What an option says a file is called; empty where it is not given.
struct OutputName {
  const char* option;
  const std::string& path;
};

/// The files' names, of options that are given. Throws hilo::error (invalid_argument) where two are the same file, as
/// one would take the other's place.
std::vector<std::string> output_paths(std::initializer_list<OutputName> names);

/// Files that appear at commit(), all or none.
class OutputFiles {
 public:
  /// Nothing where the path is empty. Throws as data::write_matrix does.
  template <class T>
  void write(const std::string& path, const data::Matrix<T>& matrix, Progress& progress) {
    if (path.empty()) return;
    files_.push_back(std::make_unique<data::OutputFile>(path));
    data::write_matrix(*files_.back(), matrix, [&](double part) { progress.at(part, "writing " + path); });
  }

  /// Throws as data::OutputFile::commit_all does.
  void commit();

 private:
  std::vector<std::unique_ptr<data::OutputFile>> files_;
};

/// "hilo: FAILURE; values.mtx and v.mtx were not written" on standard error.
void print_failure(const std::string& failure, const std::vector<std::string>& paths);

/// Prints a result, as JSON or a table, and why it is not what was asked for. Returns the exit code, 0 or 1.
template <class Result>
int finish(const Result& result, const std::vector<std::string>& paths, bool as_json) {
  if (as_json) {
    print_json(std::cout, result);
  } else {
    print_table(std::cout, result);
  }
  if (result.failure.empty()) return 0;
  print_failure(result.failure, paths);
  return 1;
}

}  // namespace hilo::cli
